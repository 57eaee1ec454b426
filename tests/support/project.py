"""The project's own specs, read once in a run of tests: ten seconds for five hundred operators."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path

from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.spec.project import Project
from tests.support.once import once

SPECS = Path(__file__).parents[2] / "specs"
_shared: list[Path] = []


def share_project(folder: Path) -> None:
    """Let the workers of this run share what one of them reads, in this folder."""
    _shared.append(folder)


@cache
def own_project() -> Project:
    """All of ``specs/``."""
    if not _shared:
        return load_project(SPECS)
    read: list[Project] = []

    def make(folder: Path) -> None:
        read.append(load_project(SPECS))
        (folder / "project").write_bytes(pickle.dumps(read[0]))

    path = once(_shared[-1] / "specs", make) / "project"
    found: Project = read[0] if read else pickle.loads(path.read_bytes())
    return found
