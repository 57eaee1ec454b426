"""Derived cases kept between runs, so that a change of one spec derives one operator again and not all of them.

The key is a hash of the compiled spec, less its texts, and of every source file that the derivation runs through. The
folder is $ACLSPEC_CACHE, else ``aclspec`` in $XDG_CACHE_HOME or ~/.cache; nothing is kept where it cannot be written.
ACLSPEC_CACHE=off derives everything anew.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from aclspec.codegen.folders import cache_folder
from aclspec.runtime import info as runtime
from aclspec.runtime.info import OperatorInfo, Text
from aclspec.runtime.predicate.nodes import Position

_BESIDE = {"kernels", "native", "npu", "simulator"}
"""Folders of the runtime that no derivation runs through."""
Kept = TypeVar("Kept")


def kept(info: OperatorInfo, compute: Callable[[OperatorInfo], Kept]) -> Kept:
    """What ``compute`` gives for an operator, from an earlier run where nothing that it depends on has changed."""
    folder = cache_folder("derive")
    if folder is None:
        return compute(info)
    path = folder / f"{info.snake}-{key(info)}.pickle"
    with suppress(Exception):  # there is none, or it cannot be read for whatever reason: derive it anew
        found: Kept = pickle.loads(path.read_bytes())
        return found
    result = compute(info)
    with suppress(OSError):
        _write(path, pickle.dumps(result))
    return result


def key(info: OperatorInfo) -> str:
    """A hash of everything that decides what is derived from an operator."""
    digest = hashlib.sha256(_sources())
    digest.update(repr(list(_meaning(info))).encode())
    return digest.hexdigest()[:32]


def _meaning(value: Any) -> Iterator[Any]:
    """The parts of a compiled spec in order; texts for readers, and places in the file, are left out."""
    if isinstance(value, Text | Position):
        return
    if is_dataclass(value):
        yield type(value).__name__
        for field in fields(value):
            yield field.name
            yield from _meaning(getattr(value, field.name))
    elif isinstance(value, tuple):
        yield len(value)
        for item in value:
            yield from _meaning(item)
    else:
        yield value


@cache
def _sources() -> bytes:
    """A hash of the derivation, of the runtime that it asks, and of the Python that runs it."""
    digest = hashlib.sha256(sys.version.encode())
    for root in (Path(__file__).parent, Path(runtime.__file__).parent):
        for path in sorted(root.rglob("*.py")):
            if not _BESIDE.intersection(path.relative_to(root).parts):
                digest.update(path.relative_to(root).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.digest()


def _write(path: Path, data: bytes) -> None:
    """Write a file at once, and drop what earlier runs kept for the same operator."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    for old in path.parent.glob(f"{path.name.partition('-')[0]}-*.pickle"):
        old.unlink(missing_ok=True)
    os.replace(name, path)
