"""A directory of specs with one operator that has everything, and findings of edits of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.source.findings import Finding, SpecErrors
from aclspec.codegen.spec.project import Project

Edits: TypeAlias = tuple[tuple[str, str], ...]
Load: TypeAlias = Callable[..., Project]
MARK = "«"


@pytest.fixture(scope="session")
def scale_text() -> str:
    """The spec that has everything."""
    return (Path(__file__).parent / "scale.yaml").read_text(encoding="utf-8")


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory of specs below the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs" / "math").mkdir(parents=True)
    return tmp_path / "specs"


@pytest.fixture
def load(specs: Path, scale_text: str) -> Load:
    """Load the spec with some texts replaced, each of which must be there once."""

    def load(*edits: tuple[str, str]) -> Project:
        text = scale_text
        for old, new in edits:
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the spec"
            text = text.replace(old, new)
        (specs / "math" / "scale.yaml").write_text(text, encoding="utf-8")
        return load_project(specs)

    return load


@pytest.fixture
def errors(load: Load, specs: Path) -> Callable[..., tuple[Finding, ...]]:
    """The errors of loading the spec with some texts replaced."""

    def errors(*edits: tuple[str, str]) -> tuple[Finding, ...]:
        with pytest.raises(SpecErrors) as caught:
            load(*edits)
        return tuple(finding for finding in caught.value.findings if finding.severity == "error")

    return errors


@pytest.fixture
def refused(errors: Callable[..., tuple[Finding, ...]], scale_text: str) -> Callable[..., None]:
    """Check that edits are refused with exactly one error, at the mark in the new text, with this sentence."""

    def refused(message: str, *edits: tuple[str, str], kind: str | None = None) -> None:
        marked = scale_text
        for old, new in edits:
            marked = marked.replace(old, new)
        before, _, _ = marked.partition(MARK)
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        found = errors(*((old, new.replace(MARK, "")) for old, new in edits))
        assert [str(finding) for finding in found] == [f"specs/math/scale.yaml:{line}:{column}: {message}"]
        assert kind is None or found[0].kind == kind

    return refused
