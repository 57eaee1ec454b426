"""Comparing with the disk and writing to it: all or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.pipeline.write import MARKS, Difference, compare, write


def files(root: Path) -> dict[Path, str]:
    return {root / "a.py": "one\n", root / "deep" / "b.py": "two\n", root / "c.md": "three\n"}


def tree(root: Path) -> dict[str, str]:
    """Every file with its text, every folder with none."""
    paths = sorted(root.rglob("*"))
    return {path.relative_to(root).as_posix(): path.read_text() if path.is_file() else "" for path in paths}


def test_missing_stale_and_orphaned_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("old\nand more")
    (tmp_path / "gone.py").write_text(f"# {MARKS[0]}specs/x.yaml; do not edit.\n")
    (tmp_path / "mine.py").write_text("import math\n")
    found = compare(files(tmp_path), [tmp_path])
    assert [(one.kind, one.path.name) for one in found] == [
        ("stale", "a.py"),
        ("missing", "c.md"),
        ("missing", "b.py"),
        ("orphaned", "gone.py"),
    ]
    assert [one.message for one in found] == [
        "The file a.py is stale; it differs from what the specs generate.",
        "The file c.md is missing; the specs generate it.",
        "The file deep/b.py is missing; the specs generate it.",
        "The file gone.py is orphaned; nothing in the specs generates it.",
    ]
    assert found[0].diff == ("--- a.py (on disk)\n+++ a.py (from the specs)\n@@ -1,2 +1 @@\n-old\n-and more\n+one\n")


def test_in_a_folder_of_ours_every_other_file_is_orphaned(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import math\n")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.pyc").write_bytes(b"\0")
    found = compare({}, [tmp_path], marked_only=False)
    assert [(one.kind, one.path.name) for one in found] == [("orphaned", "mine.py")]


def test_everything_is_written_and_orphans_removed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old\n")
    (tmp_path / "gone.py").write_text(f"# {MARKS[0]}specs/x.yaml; do not edit.\n")
    told: list[str] = []
    write(files(tmp_path), compare(files(tmp_path), [tmp_path]), lambda path: told.append(path.name))
    assert tree(tmp_path) == {"a.py": "one\n", "c.md": "three\n", "deep": "", "deep/b.py": "two\n"}
    assert sorted(told) == ["a.py", "b.py", "c.md", "gone.py"]
    assert compare(files(tmp_path), [tmp_path]) == []


@pytest.mark.parametrize("after", range(4))
def test_a_failure_in_the_middle_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    (tmp_path / "a.py").write_text("old\n")
    (tmp_path / "gone.py").write_text(f"# {MARKS[0]}specs/x.yaml; do not edit.\n")
    before = tree(tmp_path)
    found = compare(files(tmp_path), [tmp_path])
    done: list[Path] = []

    def told(path: Path) -> None:
        if len(done) == after:
            raise OSError("No space left on device")
        done.append(path)

    with pytest.raises(OSError, match="No space left"):
        write(files(tmp_path), found, told)
    assert tree(tmp_path) == before


def test_a_text_that_cannot_be_staged_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    texts = dict.fromkeys((tmp_path / "a.py", tmp_path / "file" / "b.py"), "one\n")
    with pytest.raises(OSError, match="file"):
        write(texts, [Difference("missing", path) for path in texts])
    assert tree(tmp_path) == {"file": "in the way"}


def test_an_interruption_leaves_everything_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old\n")
    before = tree(tmp_path)

    def interrupted(path: Path) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(files(tmp_path), compare(files(tmp_path), [tmp_path]), interrupted)
    assert tree(tmp_path) == before


def test_files_get_the_usual_permissions(tmp_path: Path) -> None:
    write(files(tmp_path), compare(files(tmp_path), []))
    plain = tmp_path / "plain"
    plain.write_text("")
    assert (tmp_path / "a.py").stat().st_mode == plain.stat().st_mode
