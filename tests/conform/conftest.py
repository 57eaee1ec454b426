"""The simulator, and a run of `conform` in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from aclspec.codegen.conform.calls import Piece, Settings, literals
from aclspec.codegen.conform.cases import plan
from aclspec.codegen.conform.results import rows_of
from aclspec.codegen.conform.run import conform
from tests.support.simulated import build_once, shared_folder

PRODUCT = "atlas_a2"
PYTHON = sys.executable
__all__ = ["PRODUCT", "PYTHON", "Any", "Piece", "Settings", "literals", "pieces_of", "run", "simulated", "timeless"]
Row = dict[str, Any]


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory, program: Callable[[str], str]) -> Path:
    program("g++")
    return build_once(shared_folder(tmp_path_factory))


def pieces_of(names: Sequence[str], random: int = 0, derived: bool = True) -> list[Piece]:
    return list(plan(names, (PRODUCT,), random, 0, derived=derived))


def simulated(root: Path, faults: str = "", mode: str = "status", timeout: float = 60) -> Settings:
    planted = (("ACLSPEC_SIMULATOR_FAULT", faults),) if faults else ()
    return Settings("simulator", mode, root=str(root), timeout=timeout, environment=planted)


def run(pieces: Sequence[Piece], settings: Settings, out: Path) -> list[Row]:
    """The rows of a run."""
    summary = conform(pieces, settings, out)
    assert summary.lost == []
    return list(rows_of(out))


def timeless(rows: Sequence[Row]) -> list[Row]:
    """The rows sorted by id, without what differs from run to run."""
    kept = [{name: value for name, value in row.items() if name not in ("seconds", "worker")} for row in rows]
    return sorted(kept, key=lambda row: (row["id"], row["origin"]))
