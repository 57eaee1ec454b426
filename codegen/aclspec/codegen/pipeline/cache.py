"""Generated files cached by content, so that a run builds only what changed.

The key of an operator is a hash of its spec, the shared tables, the generator's sources and the package; its value is
JSON: the operator's files and its contribution to the shared files. The folder is $ACLSPEC_CACHE, else ``aclspec`` in
$XDG_CACHE_HOME or ~/.cache; ACLSPEC_CACHE=off builds everything anew.
"""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import uuid4

from aclspec.codegen.source.folders import FAMILIES, cache_folder, table_files

VERSIONS = 4
"""Entries for each operator, so that a switch between branches finds its own."""
_SOURCES = (".py", ".j2", ".js", ".css", ".yaml")
_TOOLS = ("jinja2", "pydantic", "ruff")
_NOT_READ = {
    *("api", "conform", "importer", "kernels", "layer", "mutate", "npu", "pages", "replay", "simulator"),
    *("toolchain", "torch_kernels", "torch_library", "trace"),
}
"""Packages of the generator and of the runtime that no stage of the pipeline uses."""
_NOT_READ_IN_TESTING = {"data_runs.py", "random_calls.py", "reference_runs.py", "runner.py", "tolerance.py"}
"""Modules of ``aclspec.runtime.testing`` that run tests and derive none."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The files of one operator by their paths below the generated folder, and its contribution to shared files."""

    files: dict[str, str]
    contribution: dict[str, Any]

    @property
    def digest(self) -> str:
        """The hash of all of it, which its file states."""
        return digest(json.dumps([self.files, self.contribution], sort_keys=True))

    @property
    def stays_inside(self) -> bool:
        """Whether every file is below the folder that is generated."""
        paths = map(PurePosixPath, self.files)
        return not any(path.is_absolute() or ".." in path.parts or "\\" in str(path) for path in paths)


class Cache:
    """The entries of one operator; a cache that cannot be read or written is empty."""

    def __init__(self, name: str) -> None:
        """Locate the folder."""
        folder = cache_folder("generate")
        self.folder = None if folder is None else folder / name

    def get(self, key: str) -> Entry | None:
        """The entry of a key; None for a miss, and for one that is not what was written or leaves the folder."""
        with suppress(OSError, ValueError, TypeError, AttributeError, KeyError):
            if self.folder is not None:
                stated = json.loads((self.folder / f"{key}.json").read_bytes())
                entry = Entry(stated["files"], stated["contribution"])
                return entry if entry.digest == stated["digest"] and entry.stays_inside else None
        return None

    def put(self, key: str, entry: Entry) -> None:
        """Store an entry and drop the oldest ones."""
        if self.folder is None:
            return
        partial = self.folder / f"{uuid4().hex}.partial"
        with suppress(OSError):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                partial.write_text(json.dumps({**asdict(entry), "digest": entry.digest}), encoding="utf-8")
                partial.replace(self.folder / f"{key}.json")
            finally:
                partial.unlink(missing_ok=True)
            entries = sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
            for old in entries[:-VERSIONS]:
                old.unlink(missing_ok=True)


def digest(*parts: str | bytes) -> str:
    """The hash of some texts."""
    hashed = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        hashed.update(b"%d:" % len(data) + data)
    return hashed.hexdigest()


def input_digest(root: Path, package: str) -> str:
    """The hash of everything that decides the files of an operator but its own texts and the families it may use."""
    tables = [part for path in table_files(root) if path.name != FAMILIES for part in (path.name, path.read_bytes())]
    return digest(_generator(), package, root.resolve().name, *tables)


def tables_digest(root: Path) -> str:
    """The hash of all tables that specs share."""
    return digest(*(path.read_bytes() for path in table_files(root)))


@cache
def _generator() -> str:
    """The hash of what the pipeline uses of the generator and of the runtime, and of the tools that they run on."""
    found = [sys.version, *map(_version, _TOOLS)]
    parts: list[str | bytes] = list(found)
    for package in ("aclspec.codegen", "aclspec.runtime"):
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        root = Path(spec.origin).parent
        files = (path for path in root.rglob("*") if path.suffix in _SOURCES)
        for path in sorted(path for path in files if _is_read(path.relative_to(root))):
            parts += [path.relative_to(root).as_posix(), path.read_bytes()]
    return digest(*parts)


def _is_read(path: Path) -> bool:
    """Whether a stage of the pipeline reads a source, by its path in its package."""
    first, *rest = path.parts
    return first not in _NOT_READ and not (first == "testing" and set(rest) <= _NOT_READ_IN_TESTING)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
