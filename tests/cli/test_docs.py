"""``aclspec docs``: what is missing is told in a sentence, and a site that does not build is a finding."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from aclspec.cli import docs
from aclspec.cli.errors import UsageError

TOP = Path(__file__).parents[2]


def test_outside_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs, "find_specs", lambda: tmp_path / "specs")
    with pytest.raises(UsageError, match=r"built from a checkout of aclspec, and .* has no mkdocs\.yml"):
        docs.build(None)


def test_without_what_the_site_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs, "NEEDED", ("mkdocs", "no_such_module_1", "no_such_module_2"))
    with pytest.raises(UsageError, match="needs no_such_module_1, no_such_module_2; pip install"):
        docs.serve("127.0.0.1:0")


def test_a_site_with_a_dead_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(docs, "find_specs", lambda: tmp_path / "specs")
    (tmp_path / "site" / "docs").mkdir(parents=True)
    (tmp_path / "site" / "mkdocs.yml").write_text("site_name: test\nsite_dir: ../out\n")
    page = tmp_path / "site" / "docs" / "index.md"
    page.write_text("# Home\n\n[There](nowhere.md)\n")
    with pytest.raises(typer.Exit) as ended:
        docs.build(None)
    assert ended.value.exit_code == 1
    assert "nowhere.md" in capfd.readouterr().err
    page.write_text("# Home\n")
    docs.build(tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "index.html").is_file()
