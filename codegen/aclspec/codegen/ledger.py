"""What an earlier run read and wrote, so that a run loads, derives and renders only what has changed since.

A run leaves a record of what it read (each spec, the tables and the generator's own sources, by content) and of what it
generated (by size and time, and by content where a time is too fresh to be trusted), and of each operator what it gives
to the files that all share. Both are kept where derived cases are, see `aclspec.codegen.folders`, and
ACLSPEC_CACHE=off keeps and believes nothing.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from aclspec.codegen.folders import cache_folder
from aclspec.codegen.kept import recall, store
from aclspec.codegen.texts import Texts, digest
from aclspec.runtime import info as runtime

FRESH = 2_000_000_000
"""Nanoseconds: a file that was written so shortly before the record could be written again with the same time."""
_SOURCES = (".py", ".j2", ".js", ".css", ".yaml", ".h", ".c")
Seen = tuple[int, int, bytes]
"""A file as it was: its time and its size, and a hash of what is in it."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec as an earlier run read it: a hash of its text, and the files that it alone decides."""

    content: bytes
    files: tuple[str, ...]


@dataclass(slots=True)
class Record:
    """An earlier run that left everything as generated."""

    inputs: bytes = b""
    """What decides every file: the generator, the tables, the package and where it goes."""
    lock: bytes = b""
    """The lock as it was left."""
    specs: dict[str, Spec] = field(default_factory=dict)
    shared: tuple[str, ...] = ()
    """The files that belong to no single operator."""
    seen: dict[str, Seen] = field(default_factory=dict)
    folders: dict[str, int] = field(default_factory=dict)
    """The time of every folder, which changes with each file that comes or goes."""
    written: int = 0
    is_doubted: bool = False
    """Whether the time of some file was too fresh to be trusted."""

    def as_left(self) -> set[str]:
        """The files that are still as the run left them."""
        return {path for path, seen in self.seen.items() if self._is_as_left(path, seen)}

    def _is_as_left(self, path: str, seen: Seen) -> bool:
        try:
            status = os.stat(path)
            if (status.st_mtime_ns, status.st_size) != seen[:2]:
                return False
            if seen[0] <= self.written - FRESH:
                return True
            self.is_doubted = True
            return content(Path(path)) == seen[2]
        except OSError:
            return False

    def has_all_folders(self) -> bool:
        """Whether no file has come to any folder, and none has gone."""
        try:
            return all(os.stat(path).st_mtime_ns == then for path, then in self.folders.items())
        except OSError:
            return False


class Ledger:
    """The record for one folder of specs and one place that they are generated to."""

    def __init__(self, out: Path, specs: Path) -> None:
        """Nothing is read yet."""
        folder = cache_folder("generate")
        name = hashlib.sha256(f"{out.resolve()}\0{specs.resolve()}".encode()).hexdigest()[:24]
        self._record = None if folder is None else folder / f"{name}.pickle"
        self._shares = None if folder is None else folder / f"{name}.shares"

    def record(self, inputs: bytes) -> Record:
        """The record of a run with the same inputs; one of nothing where there is none, or it cannot be read."""
        found = recall(self._record)
        return found if isinstance(found, Record) and found.inputs == inputs else Record(inputs)

    def shares(self) -> dict[str, bytes]:
        """What each spec gives to the shared files, pickled; nothing where it cannot be read."""
        found = recall(self._shares)
        return found if isinstance(found, dict) else {}

    def keep_shares(self, shares: Mapping[str, bytes]) -> None:
        """Leave what each spec gives."""
        store(self._shares, dict(shares))

    def keep(self, record: Record, paths: Collection[str], texts: Texts, roots: Iterable[Path]) -> None:
        """Leave the record of a run after which the disk is as generated; ``texts`` are the files rendered in it."""
        with suppress(OSError):
            record.is_doubted = False
            record.seen = {path: seen for path, seen in record.seen.items() if path in paths}
            for path, text in texts.items():
                status = os.stat(path)
                record.seen[str(path)] = (status.st_mtime_ns, status.st_size, text.digest)
            folders = (folder for root in roots for folder in _folders(root))
            record.folders = {folder: os.stat(folder).st_mtime_ns for folder in folders}
            record.written = time.time_ns()
            store(self._record, record)


def content(path: Path) -> bytes:
    """A hash of what is in a file; of nothing where there is none."""
    try:
        return digest(path.read_bytes())
    except FileNotFoundError:
        return b""


def inputs_of(tables: Collection[Path], choices: Iterable[str]) -> bytes:
    """A hash of everything but the specs themselves that decides what is generated."""
    hashed = hashlib.sha256(_generator())
    for choice in choices:
        hashed.update(choice.encode() + b"\0")
    for path in sorted(tables):
        hashed.update(path.name.encode() + b"\0" + path.read_bytes())
    return hashed.digest()


def _folders(root: Path) -> list[str]:
    """A folder and those below it, without Python's caches, which come and go."""
    return [at for at, _, _ in os.walk(root) if "__pycache__" not in at]


@cache
def _generator() -> bytes:
    """A hash of the generator, of the runtime whose tables it reads, and of the Python that runs them."""
    hashed = hashlib.sha256(sys.version.encode())
    for root in (Path(__file__).parent, Path(runtime.__file__).parent):
        for path in sorted(path for path in root.rglob("*") if path.suffix in _SOURCES):
            hashed.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return hashed.digest()
