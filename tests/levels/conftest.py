"""Made-up specs of every level, generated as a package of their own: two declared, two checked, one computed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest

from aclspec.codegen.pipeline.generate import generate
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.spec.project import Project
from aclspec.runtime.api.operator import Operator

SPECS = Path(__file__).parent / "specs"
PACKAGE = "leveled.ops"


@dataclass(frozen=True)
class Leveled:
    """The generated package and where it lies."""

    out: Path

    @cached_property
    def project(self) -> Project:
        """The specs, loaded."""
        return load_project(self.out.parent / "specs")

    def get(self, name: str) -> Operator:
        """An operator by its C name."""
        operator: Operator = import_module(PACKAGE).get(name)
        return operator

    def text(self, *parts: str) -> str:
        """A generated file."""
        return self.out.joinpath(*parts).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def leveled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Leveled]:
    """The package generated from the specs, importable in this process."""
    root = tmp_path_factory.mktemp("leveled")
    shutil.copytree(SPECS, root / "specs")
    generate(root / "specs", root / "out", PACKAGE)
    sys.path.insert(0, str(root / "out"))
    yield Leveled(root / "out")
    sys.path.remove(str(root / "out"))
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE.partition(".")[0]]:
        del sys.modules[name]
