"""Reads recordings: equal calls are counted together, a line cut off is noted, anything else broken is an error."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, tee
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from aclspec.runtime.replay.below import DataFile
from aclspec.runtime.replay.lines import MOST_BYTES, NoJsonError, lines, parse
from aclspec.runtime.replay.sentences import say
from aclspec.runtime.rules.sentences import Lang

VERSIONS = (1, 2, 3, 4)
"""Of the file's format; the second has data, the third why it is missing, the fourth a line for each phase."""
HEAD = "aclspec_record"
MISSING = "missing"
MOST_NUMBER = 2**63 - 1
STEP = 1000
"""Lines between two words of progress."""


class RecordingError(Exception):
    """A file that is no recording, or a broken one; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Place:
    """The Python frame that a call came from."""

    file: str
    line: int
    function: str


class Caller(NamedTuple):
    """The place in a binary that a call comes from: the offset in the file, and the function where it has a name."""

    file: str
    offset: int
    function: str


class Answered(NamedTuple):
    """What phase one returned, the rule by which the layer explained it, and the frame of the call, if recorded."""

    status: int
    rule: str | None
    place: Place | None = None


class Data(NamedTuple):
    """The files of one call's tensors by parameter, or the reason why there is none; a list of tensors has several."""

    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]


@dataclass(slots=True)
class RecordedCall:
    """Calls of the same operator with the same arguments on the same product."""

    operator: str
    product: str
    arguments: Mapping[str, Any]
    where: str
    answers: Counter[Answered] = field(default_factory=Counter)
    callers: Counter[Caller] = field(default_factory=Counter)
    """The places in binaries of those without a Python frame, where they were recorded."""
    nanoseconds: int = 0
    launches: Counter[int] = field(default_factory=Counter)
    """Statuses of phase two."""
    launch_nanoseconds: int = 0
    data: list[Data] = field(default_factory=list)
    missing: Counter[str] = field(default_factory=Counter)
    """Why data was not recorded, and for how many tensors."""

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(self.answers.values())

    @property
    def failed(self) -> int:
        """How many failed, in either phase."""
        refused = sum(count for one, count in self.answers.items() if one.status)
        return refused + sum(count for status, count in self.launches.items() if status)


@dataclass(slots=True)
class Recording:
    """What several files hold together."""

    calls: list[RecordedCall] = field(default_factory=list)
    cached: Counter[str] = field(default_factory=Counter)
    """Phase two of executors that CANN had kept, by operator."""
    alone: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Phase two that was refused and whose phase one was not recorded, by operator and status."""
    files: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many calls of phase one there are."""
        return sum(call.count for call in self.calls)


@dataclass(slots=True)
class _Process:
    """A process that wrote into a file, from its head on; another one may have its number later."""

    started: int | None
    calls: dict[int, RecordedCall] = field(default_factory=dict)
    """By the number that the line of phase two names."""


def read(
    paths: Iterable[Path],
    tell: Callable[[str], None] = lambda part: None,
    lang: Lang = "en",
    starts: Mapping[Path, int] = MappingProxyType({}),
) -> Recording:
    """Read the files; RecordingError for one that is no recording, OSError for one that cannot be read.

    Of a file in ``starts`` only what was written by processes that began after this offset in bytes.
    """
    found, distinct = Recording(), dict[tuple[str, str, str], RecordedCall]()
    for path in paths:
        _read_file(path, found, distinct, tell, lang, starts.get(path, 0))
        found.files += 1
    found.calls = list(distinct.values())
    return found


def read_lines(text: bytes, lang: Lang = "en") -> Recording:
    """Read lines of calls without a head, as the layer gives them within a process; a note for each that is refused."""
    found, distinct = Recording(), dict[tuple[str, str, str], RecordedCall]()
    processes: dict[int | None, _Process] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        try:
            entry = parse(raw)
            processes.setdefault(_member(entry, "process", int, type(None)), _Process(None))
            _add(entry, found, distinct, processes, Path(), f"Line {number}")
        except ValueError as error:
            found.notes.append(say("not read", lang, why=error))
    found.calls = list(distinct.values())
    return found


def _read_file(
    path: Path,
    found: Recording,
    distinct: dict[tuple[str, str, str], RecordedCall],
    tell: Callable[[str], None],
    lang: Lang,
    start: int,
) -> None:
    processes: dict[int | None, _Process] = {}
    raws, after = tee(lines(path))
    next(after, None)
    behind = 0
    for number, (raw, following) in enumerate(zip(raws, chain(after, (b"",)), strict=False), 1):
        if number % STEP == 0:
            tell(f"{path.name}: {number} lines")
        behind += len(raw)
        if behind - len(raw) < start or not raw.strip():
            continue
        where = f"Line {number} of {path}"
        try:
            entry = parse(raw)
            if HEAD in entry:
                _read_head(entry, path, processes)
                continue
            if start and entry.get("process") not in processes:
                continue  # of a process that wrote before too
            if not processes:
                raise RecordingError(f"The file {path} is not a recording: its first line is not a head.")
            _add(entry, found, distinct, processes, path.parent, where)
        except ValueError as error:
            if _is_cut(raw, following, error, bool(processes)):
                found.notes.append(say("cut off", lang, where=where))
            elif not processes:
                raise RecordingError(f"The file {path} is not a recording: its first line is not a head.") from error
            else:
                raise RecordingError(f"{where} is not a recorded call: {error}.") from error
    if not processes:
        found.notes.append(say("no call", lang, path=path))


def _is_cut(raw: bytes, following: bytes, error: ValueError, is_inside: bool) -> bool:
    """Whether a broken line is the last, or another process began behind it: a disk was full, or one was killed.

    A head follows then, or the blank line before a head.
    """
    if not raw.endswith(b"\n"):
        return len(raw) <= MOST_BYTES
    is_head = following.startswith(b'{"%b"' % HEAD.encode())
    return isinstance(error, NoJsonError) and (is_head or (is_inside and following.isspace()))


def _read_head(entry: Mapping[str, Any], path: Path, processes: dict[int | None, _Process]) -> None:
    """Begin with a process; RecordingError for a version that is unknown."""
    if entry[HEAD] not in VERSIONS:
        known = f"{', '.join(map(str, VERSIONS[:-1]))} and {VERSIONS[-1]}"
        raise RecordingError(f"The recording {path} has version {entry[HEAD]!r:.40}; this aclspec reads {known}.")
    process, started = _member(entry, "process", int, type(None)), entry.get("started")
    before = processes.get(process)
    if before is None or before.started != started:
        processes[process] = _Process(started)


def _add(
    entry: Mapping[str, Any],
    found: Recording,
    distinct: dict[tuple[str, str, str], RecordedCall],
    processes: Mapping[int | None, _Process],
    folder: Path,
    where: str,
) -> None:
    """Count a line; ValueError for one that is no call."""
    operator = _member(entry, "operator", str)
    number = _member(entry, "call", int, type(None))
    process = None if number is None else processes.get(_member(entry, "process", int))
    if "arguments" not in entry:
        run = None if process is None else process.calls.get(number)
        if run is not None:
            _add_run(run, entry, folder)
        elif status := _member(_member(entry, "second", dict), "status", int):
            found.alone[operator, status] += 1
        else:
            found.cached[operator] += 1
        return
    product, arguments = _member(entry, "product", str), _member(entry, "arguments", dict)
    key = (operator, product, json.dumps(arguments))
    call = distinct.get(key)
    if call is None:
        call = distinct[key] = RecordedCall(operator, product, arguments, where)
    if process is not None:
        process.calls[number] = call
    second = _member(entry, "second", dict, type(None))
    is_again = second is not None and second.get("executor") == "repeated"
    if not is_again:  # a repeated executor has one phase one, whose line comes again
        rule = _member(entry, "rule", str, type(None))
        place, caller = source_of(entry)
        call.answers[Answered(_member(entry, "status", int), rule, place)] += 1
        if caller is not None:
            call.callers[caller] += 1
        call.nanoseconds += _member(entry, "nanoseconds", int)
    if second is not None:
        _add_run(call, entry, folder)


def _add_run(call: RecordedCall, entry: Mapping[str, Any], folder: Path) -> None:
    """Add phase two of a call, with its data."""
    second = _member(entry, "second", dict)
    call.launches[_member(second, "status", int)] += 1
    call.launch_nanoseconds += _member(second, "nanoseconds", int)
    if (data := entry.get("data")) is None:
        return
    if isinstance(data, dict) and MISSING in data:
        call.missing[_member(data, MISSING, str)] += 1
    else:
        call.data.append(Data(*(_files(_member(data, side, dict), folder) for side in ("inputs", "outputs"))))


def source_of(entry: Mapping[str, Any]) -> tuple[Place | None, Caller | None]:
    """Where a line says that its call comes from; ValueError for one that is none."""
    frame = _member(entry, "python", dict, type(None))
    binary = _member(entry, "caller", dict, type(None))
    place = frame and Place(*(_member(frame, *one) for one in (("file", str), ("line", int), ("function", str))))
    caller = binary and Caller(*(_member(binary, *one) for one in (("file", str), ("offset", int), ("function", str))))
    return place or None, caller or None


def _member(entry: Any, name: str, *kinds: type) -> Any:
    """A member of one of these types."""
    value = entry.get(name) if isinstance(entry, dict) else None
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise ValueError(f"its {name} is missing or of another type")
    if isinstance(value, int) and abs(value) > MOST_NUMBER:
        raise ValueError(f"its {name} has more than 64 bits")
    return value


def _files(names: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The files of data, which stand beside the recording; None for a null tensor, a reason for one that is missing."""

    def file(name: Any) -> Any:
        if isinstance(name, list):
            return tuple(map(file, name))
        if name is None:
            return None
        if isinstance(name, dict):
            return _member(name, MISSING, str)
        if not isinstance(name, str):
            raise ValueError("its data has a file without a name")
        return DataFile(folder, name)

    return {param: file(name) for param, name in names.items()}
