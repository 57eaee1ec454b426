"""Where CANN is installed, as far as the environment and the usual places tell."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

VARIABLES = ("ASCEND_CUSTOM_PATH", "ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
"""What names the root of an installation, the one that counts first at the front."""
USUAL = ("/usr/local/Ascend", "~/Ascend")
LATEST = ("cann", "ascend-toolkit/latest", "latest")
OPERATORS, CUSTOM_OPERATORS = "ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH"
RUNTIME_LIBRARIES = ("libacl_rt.so", "libascendcl.so")
"""CANN 9 and later, then every other."""
CUSTOM_LIBRARY = "libcust_opapi.so"


class Root(NamedTuple):
    """A place where CANN may be, and who says so."""

    path: Path
    source: str

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where its libraries are."""
        machine = platform.machine()
        names = ("lib64", f"{machine}-linux/lib64", "runtime/lib64")
        return tuple(folder for folder in (self.path / name for name in names) if folder.is_dir())

    def library(self, name: str) -> Path | None:
        """The path of a library, None where this root has none of this name."""
        return next((folder / name for folder in self.folders if (folder / name).is_file()), None)

    @property
    def is_complete(self) -> bool:
        """Whether it has the library that everything else stands on."""
        return any(self.library(name) is not None for name in RUNTIME_LIBRARIES)


def candidates() -> Iterator[Root]:
    """Every place to look at, in order: what variables name, then where the installers put it."""
    for variable in VARIABLES:
        value = os.environ.get(variable)
        if value:
            yield Root(Path(value), variable)
    for usual in USUAL:
        for name in LATEST:
            path = Path(usual).expanduser() / name
            if path.is_dir():
                yield Root(path, "the usual place")


def find_root() -> Root | None:
    """The first place that has the runtime library."""
    return next((root for root in candidates() if root.is_complete), None)


def custom_libraries(root: Root) -> Iterator[Path]:
    """The libraries of custom operators, those that count first at the front."""
    for folder in filter(None, os.environ.get(CUSTOM_OPERATORS, "").split(os.pathsep)):
        yield from _existing(Path(folder))
    operators = os.environ.get(OPERATORS)
    vendors = (Path(operators) if operators else root.path / "opp") / "vendors"
    for name in _vendors(vendors):
        yield from _existing(vendors / name)


def _existing(folder: Path) -> Iterator[Path]:
    path = folder / "op_api" / "lib" / CUSTOM_LIBRARY
    if path.is_file():
        yield path


def _vendors(folder: Path) -> list[str]:
    """The vendors below a folder: those that config.ini puts first, then the others by name."""
    if not folder.is_dir():
        return []
    present = sorted(path.name for path in folder.iterdir() if path.is_dir())
    preferred = [name for name in _priority(folder / "config.ini") if name in present]
    return [*preferred, *(name for name in present if name not in preferred)]


def _priority(file: Path) -> list[str]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    values = (line.partition("=")[2] for line in lines if line.partition("=")[0].strip() == "load_priority")
    return [name.strip() for value in values for name in value.split(",")]
