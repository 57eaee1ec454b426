"""The modules that derivation runs through: those that it imports at their head, and those that these import in turn.

What runs when a package on the way is imported is no part of it, nor is what a function imports when it is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from aclspec.runtime import info as runtime

START = "aclspec.codegen.derive.cases"
_ROOTS = {"aclspec.codegen": Path(__file__).parents[1], "aclspec.runtime": Path(runtime.__file__).parent}
_IMPORT = re.compile(r"^(?:from (aclspec[\w.]*) import (\([^)]*\)|.*)|import (aclspec[\w.]*))", re.MULTILINE)


def sources() -> dict[str, bytes]:
    """The texts of the modules by their names, in the order of the names."""
    found: dict[str, bytes] = {}
    waiting = [START]
    while waiting:
        name = waiting.pop()
        path = _path(name)
        if path is not None and name not in found:
            found[name] = path.read_bytes()
            waiting.extend(_imported(found[name].decode()))
    return dict(sorted(found.items()))


def _imported(text: str) -> Iterator[str]:
    """The modules of the project that a text imports; a name may stand for a module of a package, or be in a module."""
    for package, names, whole in _IMPORT.findall(text):
        if whole:
            yield whole
        for name in re.findall(r"\w+", names):
            inside = f"{package}.{name}"
            yield inside if _path(inside) is not None else package


def _path(name: str) -> Path | None:
    """The file of a module; None for what is none, and for a package."""
    for root, folder in _ROOTS.items():
        if name.startswith(f"{root}."):
            path = folder.joinpath(*name.removeprefix(f"{root}.").split(".")).with_suffix(".py")
            return path if path.is_file() else None
    return None
