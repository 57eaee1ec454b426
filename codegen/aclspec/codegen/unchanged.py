"""Whether anything has changed since an earlier run: then there is nothing to load, derive or render.

A run leaves a record of what it read (the specs and the generator's own sources, by content) and of what it generated
(by size and time, and by content where a time is too fresh to be trusted). It is kept where derived cases are, see
`aclspec.codegen.derive.cache`, and ACLSPEC_CACHE=off keeps and believes nothing.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from aclspec.codegen.derive.cache import cache_folder
from aclspec.runtime import info as runtime

FRESH = 2_000_000_000
"""Nanoseconds: a file that was written so shortly before the record could be written again with the same time."""
_SOURCES = (".py", ".j2", ".js", ".css", ".yaml", ".h", ".c")


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was: its time and its size, and a hash of what is in it."""

    time: int
    size: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Record:
    """An earlier run that left everything as generated."""

    written: int
    inputs: bytes
    operators: int
    files: Mapping[str, Seen]
    folders: Mapping[str, int]
    """The time of every folder, which changes with each file that comes or goes."""


def inputs_of(specs: Path, choices: Iterable[str]) -> bytes:
    """A hash of everything that decides what is generated."""
    digest = hashlib.sha256(_generator())
    for choice in choices:
        digest.update(choice.encode() + b"\0")
    for path in sorted(path for path in specs.rglob("*") if path.is_file()):
        digest.update(path.relative_to(specs).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.digest()


def believed(out: Path, specs: Path, inputs: bytes) -> Record | None:
    """The record of a run with the same inputs whose files are all as they were; None where anything is not."""
    path = _place(out, specs)
    if path is None:
        return None
    with suppress(Exception):  # there is none, or it cannot be read for whatever reason
        record = pickle.loads(path.read_bytes())
        if isinstance(record, Record) and record.inputs == inputs and _holds(record):
            return record
    return None


def keep(
    out: Path, specs: Path, inputs: bytes, operators: int, files: Mapping[Path, str], roots: Iterable[Path]
) -> None:
    """Leave the record of a run after which the disk is as generated."""
    place = _place(out, specs)
    if place is None:
        return
    with suppress(OSError):
        seen = {}
        for path, text in files.items():
            status = path.stat()
            seen[str(path)] = Seen(status.st_mtime_ns, status.st_size, hashlib.sha256(text.encode()).digest())
        folders = {str(folder): folder.stat().st_mtime_ns for root in roots for folder in _folders(root)}
        record = Record(time.time_ns(), inputs, operators, seen, folders)
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(pickle.dumps(record))
        os.replace(name, place)


def _holds(record: Record) -> bool:
    for name, time_then in record.folders.items():
        if os.stat(name).st_mtime_ns != time_then:
            return False
    for name, seen in record.files.items():
        status = os.stat(name)
        if (status.st_mtime_ns, status.st_size) != (seen.time, seen.size):
            return False
        if seen.time > record.written - FRESH and hashlib.sha256(Path(name).read_bytes()).digest() != seen.content:
            return False
    return True


def _folders(root: Path) -> list[Path]:
    """A folder and those below it, without Python's caches, which come and go."""
    return [Path(at) for at, _, _ in os.walk(root) if "__pycache__" not in at]


def _place(out: Path, specs: Path) -> Path | None:
    folder = cache_folder("generate")
    if folder is None:
        return None
    name = hashlib.sha256(f"{out.resolve()}\0{specs.resolve()}".encode()).hexdigest()[:24]
    return folder / f"{name}.pickle"


@cache
def _generator() -> bytes:
    """A hash of the generator, of the runtime whose tables it reads, and of the Python that runs them."""
    digest = hashlib.sha256(sys.version.encode())
    for root in (Path(__file__).parent, Path(runtime.__file__).parent):
        for path in sorted(path for path in root.rglob("*") if path.suffix in _SOURCES):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.digest()
