"""Values kept between runs, each in a file that is written at once; what cannot be read or written is not kept."""

from __future__ import annotations

import pickle
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

_SUFFIX = ".pickle"


def recall(path: Path | None) -> object:
    """The value kept in a file; None where there is none, or it cannot be read for whatever reason."""
    with suppress(Exception):
        return None if path is None else pickle.loads(path.read_bytes())
    return None


def store(path: Path | None, value: object) -> None:
    """Keep a value in a file; a file that cannot be written leaves nothing behind."""
    if path is None:
        return
    data = pickle.dumps(value)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_name(f"{path.stem}.{uuid4().hex}.part")
        try:
            written.write_bytes(data)
            written.replace(path)
        finally:
            written.unlink(missing_ok=True)


class Versions:
    """The last few values of one thing, by their keys: whoever goes back to another branch finds its own again."""

    def __init__(self, folder: Path, count: int = 4) -> None:
        """Nothing is read or written yet."""
        self._folder, self._count = folder, count

    def recall(self, key: str) -> object:
        """The value of a key; None where it is not kept."""
        return recall(self._path(key))

    def store(self, key: str, value: object) -> None:
        """Keep the value of a key, and drop the oldest ones beyond so many."""
        store(self._path(key), value)
        with suppress(OSError):
            versions = sorted(self._folder.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
            for old in versions[: -self._count]:
                old.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_SUFFIX}"
