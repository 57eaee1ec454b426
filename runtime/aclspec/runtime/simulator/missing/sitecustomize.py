"""Loaded by Python at its start under ``aclspec simulator run --missing=cpu``: starts `cpu` behind a module.

A module of the same name that comes later on the path is loaded, too.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

_BEHIND = "ACLSPEC_MISSING_BEHIND"
"""The variable that names the module, which the launcher sets."""
_HERE = Path(__file__).parent


class _Watch:
    """Runs a function once a module is loaded; finds nothing itself."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self.name, self.then = name, then

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of the module, whose loader runs the function behind the module."""
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            execute = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                self.then()

            loader.exec_module = exec_module
        return spec


def _start() -> None:
    from aclspec.runtime.simulator.missing import cpu

    cpu.start()


def _load_other() -> None:
    """Load the module that this one stands in front of."""
    others = [one for one in sys.path if Path(one or ".").resolve() != _HERE]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


sys.meta_path.insert(0, _Watch(os.environ.get(_BEHIND, ""), _start))
_load_other()
