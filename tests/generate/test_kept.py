"""Values kept between runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.kept import Versions


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    versions = Versions(tmp_path / "of" / "one")
    assert versions.recall("a") is None
    versions.store("a", {"some": (1, 2)})
    assert versions.recall("a") == {"some": (1, 2)}


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = Versions(tmp_path)
    versions.store("a", "before")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    for step in ("write_bytes", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(Path, step, full)
            versions.store("a", "after")
        assert [path.name for path in tmp_path.iterdir()] == ["a.pickle"]
        assert versions.recall("a") == "before"
