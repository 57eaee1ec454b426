"""The lines of a recording as JSON objects; a limit refuses what the layer never writes, before anything reads it.

The layer is built with these limits, and cuts what is longer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

MOST_BYTES: Final = 1 << 24
"""Bytes of a line."""
DEEPEST: Final = 16
"""Objects and lists inside one another."""
MOST_MEMBERS: Final = 1 << 14
"""Members of an object, or elements of a list."""
LONGEST: Final = 1 << 13
"""Characters of a text."""


class NoJsonError(ValueError):
    """A line that is no JSON, as one that was cut off."""


def lines(path: Path) -> Iterator[bytes]:
    """The lines of a file; of one that is too long, one byte more than there may be."""
    with path.open("rb") as file:
        yield from iter(lambda: file.readline(MOST_BYTES + 1), b"")


def parse(raw: bytes) -> dict[str, Any]:
    """The object of a line; ValueError, which says what the line is, for anything else."""
    if len(raw) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES} bytes")
    try:
        entry = json.loads(raw)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise NoJsonError(f"it is not JSON ({error})") from None
    except ValueError:
        raise ValueError("it has a number of thousands of digits") from None
    if not isinstance(entry, dict):
        raise ValueError("it is not a JSON object")
    _check(entry)
    return entry


def _check(entry: dict[str, Any]) -> None:
    """ValueError where something is deeper, longer or more than a limit, or no text."""
    level: list[Any] = [entry]
    for _ in range(DEEPEST):
        inside: list[Any] = []
        for value in level:
            if isinstance(value, str):
                _check_text(value)
            elif isinstance(value, dict | list):
                if len(value) > MOST_MEMBERS:
                    raise ValueError(f"it has a list of {len(value)} elements; at most {MOST_MEMBERS} are read")
                inside += value
                if isinstance(value, dict):
                    inside += value.values()
        if not inside:
            return
        level = inside
    raise ValueError(f"it is nested too deeply; at most {DEEPEST} levels are read")


def _check_text(text: str) -> None:
    if len(text) > LONGEST:
        raise ValueError(f"it has a text of {len(text)} characters; at most {LONGEST} are read")
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("it has half a character (a surrogate)")
