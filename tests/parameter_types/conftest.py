"""Complete specs of real operators, one for each parameter type at least, generated as a package of their own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from aclspec.codegen.pipeline.generate import generate
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.spec.project import Project
from aclspec.runtime.api.operator import Operator

SPECS = Path(__file__).parent / "specs"
PACKAGE = "typed.ops"


@dataclass(frozen=True)
class Typed:
    """The generated package and where it lies."""

    out: Path

    def get(self, name: str) -> Operator:
        """An operator by its C name."""
        from importlib import import_module

        operator: Operator = import_module(PACKAGE).get(name)
        return operator


@pytest.fixture(scope="session")
def project() -> Project:
    """The specs, loaded."""
    return load_project(SPECS)


@pytest.fixture(scope="session")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Typed]:
    """The package generated from the specs, importable in this process."""
    import shutil

    root = tmp_path_factory.mktemp("typed")
    shutil.copytree(SPECS, root / "specs")
    generate(root / "specs", root / "out", PACKAGE)
    sys.path.insert(0, str(root / "out"))
    yield Typed(root / "out")
    sys.path.remove(str(root / "out"))
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE.partition(".")[0]]:
        del sys.modules[name]
