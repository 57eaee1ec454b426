"""Texts that wait for the disk, deflated: those of a thousand specs would take much memory."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Deflated:
    """A text, deflated, and the hash of what will stand on the disk, by which it is compared with what does."""

    data: bytes
    digest: bytes

    @classmethod
    def of(cls, text: str) -> Deflated:
        """Deflate a text."""
        content = text.encode()
        return cls(zlib.compress(content, 1), digest(content))

    @property
    def content(self) -> bytes:
        """What will stand on the disk."""
        return zlib.decompress(self.data)


Texts: TypeAlias = dict[Path, Deflated]
"""Texts by the paths of their files."""


def digest(content: bytes) -> bytes:
    """The hash of what stands in a file."""
    return hashlib.sha256(content).digest()
