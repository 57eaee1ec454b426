"""What a run on the dry device tells: which product takes its calls, its memory, and where a real run may differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.lines import lines, parse
from aclspec.runtime.replay.places import NO_LINES, Lines, Source, places_of
from aclspec.runtime.replay.recording import Recording, source_of
from aclspec.runtime.replay.sentences import say
from aclspec.runtime.replay.summary import Summary
from aclspec.runtime.rules.sentences import Lang

GIB: Final = 1 << 30


@dataclass(slots=True)
class Seen:
    """What the devices of a run saw."""

    peaks: dict[int, int] = field(default_factory=dict)
    """The most bytes in use by device: of several processes each at its own peak, in sum."""
    copies: Counter[tuple[str, Source]] = field(default_factory=Counter)
    """Copies to the host by function and place."""
    copied: Counter[tuple[str, Source]] = field(default_factory=Counter)
    """Their bytes."""

    unseen: Counter[str] = field(default_factory=Counter)
    """Calls that came past the layer, by function: of these nothing is recorded."""

    notes: list[str] = field(default_factory=list)

    def callers(self) -> list[tuple[str, int]]:
        """The places in binaries that copies come from."""
        return [(one.caller.file, one.caller.offset) for _, one in self.copies if one.caller is not None]


def read_seen(path: Path, lang: Lang = "en") -> Seen:
    """Read the file of the device, which a program that never used it has not written; a note for each broken line."""
    found, peaks = Seen(), Counter[tuple[int, int]]()
    for number, raw in enumerate(lines(path) if path.exists() else (), 1):
        try:
            _add(parse(raw), found, peaks)
        except (ValueError, KeyError, TypeError):  # the process was killed in it, or the disk was full
            found.notes.append(say("cut off", lang, where=f"Line {number} of {path}"))
    for (device, _), peak in sorted(peaks.items()):
        found.peaks[device] = found.peaks.get(device, 0) + peak
    return found


def _add(entry: Mapping[str, Any], found: Seen, peaks: Counter[tuple[int, int]]) -> None:
    if "peak" in entry:
        key = (entry["device"], entry["process"])
        peaks[key] = max(peaks[key], entry["peak"])
    elif "unseen" in entry:
        found.unseen[entry["unseen"]] += 1
    else:
        at = (entry["function"], Source(*source_of(entry)))
        found.copied[at] += entry["copied"]
        found.copies[at] += 1


@dataclass(frozen=True, slots=True)
class Copied:
    """Copies of values to the host from one place, which got zeros."""

    function: str
    place: str
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Longest:
    """An output whose shape depends on the data: it kept its largest."""

    operator: str
    output: str
    calls: int
    places: dict[str, int]


@dataclass(frozen=True, slots=True)
class DryRun:
    """The porting report of a run; ``product`` is what the program saw, empty where it made no call."""

    product: str
    summary: Summary
    peaks: dict[int, int]
    memory: int
    """The bytes that a device of the simulator has, since nobody has said how many a product has."""
    copies: list[Copied]
    longest: list[Longest]
    unseen: dict[str, int]
    """Calls that came past the layer, by function: the product that the program saw judged them, and no other."""

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON: the summary of `aclspec replay`, and what the device saw."""
        memory = [{"device": device, "peak": peak, "fits": peak <= self.memory} for device, peak in self.peaks.items()]
        dry = {
            "product": self.product,
            "memory": memory,
            "device_memory": self.memory,
            "copies": [asdict(one) for one in self.copies],
            "longest": [asdict(one) for one in self.longest],
            "unseen": self.unseen,
        }
        return self.summary.to_dict() | {"dry": dry}


def dry_run(
    summary: Summary,
    recording: Recording,
    seen: Seen,
    judge: Judge,
    memory: int,
    lines: Lines = NO_LINES,
) -> DryRun:
    """The report of a run from the summary of its calls, which is ported already, and of what the device saw."""
    copies = [
        Copied(function, source.text(lines), count, seen.copied[function, source])
        for (function, source), count in seen.copies.most_common()
    ]
    product = ", ".join(dict.fromkeys(call.product for call in recording.calls))
    return DryRun(
        product, summary, seen.peaks, memory, copies, _longest(recording, judge, lines), dict(seen.unseen.most_common())
    )


def _longest(recording: Recording, judge: Judge, lines: Lines) -> list[Longest]:
    calls: Counter[tuple[str, str]] = Counter()
    places: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for call in recording.calls:
        operator = judge.operator(call.operator)
        passed = sum(count for one, count in call.answers.items() if one.status == 0)
        outputs = () if operator is None or not passed else _dependent(operator.outputs, call.arguments)
        for output in outputs:
            calls[call.operator, output] += passed
            places[call.operator, output] += places_of(call, lines)
    return [Longest(*key, count, dict(places[key].most_common())) for key, count in calls.most_common()]


def _dependent(outputs: Iterable[Any], arguments: Mapping[str, Any]) -> list[str]:
    return [param.name for param in outputs if param.data_dependent and arguments.get(param.name) is not None]
