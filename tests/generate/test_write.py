"""Comparing with the disk and writing to it: all or nothing."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from aclspec.codegen.texts import Deflated, Texts
from aclspec.codegen.write import MARK, Difference, apply, compare


def files(root: Path) -> Texts:
    texts = {root / "a.py": "one\n", root / "deep" / "b.py": "two\n", root / "c.md": "three\n"}
    return {path: Deflated.of(text) for path, text in texts.items()}


def tree(root: Path) -> dict[str, str]:
    """Every file with its text, every folder with none."""
    paths = sorted(root.rglob("*"))
    return {path.relative_to(root).as_posix(): path.read_text() if path.is_file() else "" for path in paths}


def test_missing_stale_and_orphaned_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("old\nand more")
    (tmp_path / "gone.py").write_text(f"# {MARK}specs/x.yaml; do not edit.\n")
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
    found = compare({}, [], [tmp_path])
    assert [(one.kind, one.path.name) for one in found] == [("orphaned", "mine.py")]


def test_everything_is_written_and_orphans_removed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old\n")
    (tmp_path / "gone.py").write_text(f"# {MARK}specs/x.yaml; do not edit.\n")
    told: list[str] = []
    apply(files(tmp_path), compare(files(tmp_path), [tmp_path]), lambda path: told.append(path.name))
    assert tree(tmp_path) == {"a.py": "one\n", "c.md": "three\n", "deep": "", "deep/b.py": "two\n"}
    assert sorted(told) == ["a.py", "b.py", "c.md", "gone.py"]
    assert compare(files(tmp_path), [tmp_path]) == []


@pytest.mark.parametrize("after", range(4))
def test_a_failure_in_the_middle_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    (tmp_path / "a.py").write_text("old\n")
    (tmp_path / "gone.py").write_text(f"# {MARK}specs/x.yaml; do not edit.\n")
    before = tree(tmp_path)
    found = compare(files(tmp_path), [tmp_path])
    done: list[Path] = []

    def told(path: Path) -> None:
        if len(done) == after:
            raise OSError("No space left on device")
        done.append(path)

    with pytest.raises(OSError, match="No space left"):
        apply(files(tmp_path), found, told)
    assert tree(tmp_path) == before


def test_a_text_that_cannot_be_staged_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    texts = {path: Deflated.of("one\n") for path in (tmp_path / "a.py", tmp_path / "file" / "b.py")}
    with pytest.raises(OSError, match="file"):
        apply(texts, [Difference("missing", path) for path in texts])
    assert tree(tmp_path) == {"file": "in the way"}


def many(root: Path) -> dict[Path, Deflated]:
    """So many files that they are written by more than one thread, with the names of folders in their order."""
    return {root / f"{at % 3}" / f"{at}.py": Deflated.of(f"{at}\n") for at in range(450)}


def test_many_files_are_written(tmp_path: Path) -> None:
    apply(many(tmp_path), compare(many(tmp_path), []))
    assert {path: path.read_text() for path in tmp_path.glob("*/*")} == {
        tmp_path / f"{at % 3}" / f"{at}.py": f"{at}\n" for at in range(450)
    }


@pytest.mark.parametrize("bad", [0, 100, 224, 225, 300, 449])
def test_one_of_many_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path, bad: int) -> None:
    texts = many(tmp_path)
    texts[list(texts)[bad]] = Deflated(b"not deflated", b"")
    with pytest.raises(zlib.error):
        apply(texts, [Difference("missing", path) for path in texts])
    assert tree(tmp_path) == {}


def test_files_get_the_usual_permissions(tmp_path: Path) -> None:
    apply(files(tmp_path), compare(files(tmp_path), []))
    plain = tmp_path / "plain"
    plain.write_text("")
    assert (tmp_path / "a.py").stat().st_mode == plain.stat().st_mode
