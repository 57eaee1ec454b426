"""Texts that wait for the disk, deflated: those of a thousand specs would take much memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path


class Texts(Mapping[Path, str]):
    """Texts by their path, deflated in memory."""

    def __init__(self) -> None:
        """No text yet."""
        self._data: dict[Path, bytes] = {}

    def put(self, path: Path, data: bytes) -> None:
        """Add a text that is deflated already."""
        self._data[path] = data

    def __getitem__(self, path: Path) -> str:
        """The text of a path."""
        return inflated(self._data[path])

    def __iter__(self) -> Iterator[Path]:
        """The paths."""
        return iter(self._data)

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self._data)


def deflated(text: str) -> bytes:
    """A text as `Texts` keeps it."""
    return zlib.compress(text.encode(), 1)


def inflated(data: bytes) -> str:
    """The text that was deflated."""
    return zlib.decompress(data).decode()
