"""Where calls come from, as a person reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from aclspec.runtime.replay.recording import Caller, Place, RecordedCall, Recording

Lines: TypeAlias = Mapping[tuple[str, int], str]
"""``file:line`` by the file of a binary and the offset in it."""
NO_LINES: Lines = MappingProxyType({})


class Source(NamedTuple):
    """The Python frame of a call, or the place in a binary; neither where nothing is known."""

    place: Place | None = None
    caller: Caller | None = None

    def text(self, lines: Lines) -> str:
        """``train.py:12``, ``program.cpp:7``, or ``program+0x1b42``; empty where nothing is known."""
        if self.place is not None:
            return f"{self.place.file}:{self.place.line}"
        if self.caller is None:
            return ""
        file, offset, function = self.caller
        return lines.get((file, offset), f"{file}+{offset:#x}{f' ({function})' if function else ''}")


def places_of(call: RecordedCall, lines: Lines) -> Counter[str]:
    """The places of equal calls, the one of most first; those that are not known are left out."""
    found: Counter[str] = Counter()
    for answered, count in call.answers.items():
        if answered.place is not None:
            found[Source(answered.place).text(lines)] += count
    for caller, count in call.callers.items():
        found[Source(None, caller).text(lines)] += count
    return found


def callers(recording: Recording) -> Iterator[tuple[str, int]]:
    """The places in binaries that calls come from."""
    for call in recording.calls:
        yield from ((caller.file, caller.offset) for caller in call.callers)
