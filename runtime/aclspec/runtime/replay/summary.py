"""The findings of a recording, summed up: by operator, by failure, and by product with what stands in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from aclspec.runtime.api.answers import ProductVerdict
from aclspec.runtime.replay.judging import KINDS, Answer, Judge, status_text
from aclspec.runtime.replay.places import NO_LINES, Lines, places_of
from aclspec.runtime.replay.recording import Answered, Place, RecordedCall, Recording
from aclspec.runtime.replay.sentences import say

VERDICTS = ("differs", "failed", "agrees", "not run")
"""The verdicts on a call that is run again, in the order of tables."""
_STEP = 100
VERSION = 2
"""Of what `to_dict` gives; replay.schema.json describes it."""


@dataclass(slots=True)
class OperatorRow:
    """How often an operator was called, and the seconds of its phases in all; ``launches`` counts phase two."""

    name: str
    calls: int = 0
    different: int = 0
    failed: int = 0
    judged: bool = True
    cached: int = 0
    launches: int = 0
    first: float = 0.0
    second: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """Equal calls that failed on the machine that made them, why, and the Python frame that they came from."""

    operator: str
    call: str
    product: str
    count: int
    status: str
    rule: str | None
    reasons: tuple[str, ...]
    fixes: tuple[str, ...] = ()
    place: Place | None = None


@dataclass(slots=True)
class Obstacle:
    """A rule that stands in the way on a product: how many calls it stops, and what it says of the first of them."""

    rule: str
    kind: str
    status: str
    calls: int
    different: int
    reason: str
    fixes: tuple[str, ...]
    call: str
    places: dict[str, int] = field(default_factory=dict)
    """Where they come from, as far as that was recorded, with how many."""


@dataclass(slots=True)
class Port:
    """The calls of a recording on one product: how many give each kind of answer, and the obstacles."""

    product: str
    calls: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    obstacles: list[Obstacle] = field(default_factory=list)
    not_judged: dict[str, int] = field(default_factory=dict)
    """Why, with the number of calls."""


@dataclass(frozen=True, slots=True)
class PortedCall:
    """One call and its answer on each product: its kind, and the status and the rule where it is refused."""

    call: str
    count: int
    answers: dict[str, Answer]


@dataclass(slots=True)
class Summary:
    """Everything that is shown of a recording."""

    files: int
    calls: int
    different: int
    operators: list[OperatorRow]
    failures: list[Failure]
    ports: list[Port] = field(default_factory=list)
    ported: list[PortedCall] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    runs: list[Any] = field(default_factory=list)

    @property
    def refused_first(self) -> list[PortedCall]:
        """The calls, those that work on all products last."""
        return sorted(self.ported, key=lambda one: all(answer.kind == "works" for answer in one.answers.values()))

    @property
    def differing_first(self) -> list[Any]:
        """The calls that were run again, by their verdicts."""
        return sorted(self.runs, key=lambda run: VERDICTS.index(run.verdict))

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain values, for JSON."""
        plain = {"aclspec_replay": VERSION} | asdict(self)
        for call in plain["ported"]:
            call["answers"] = {product: answer._asdict() for product, answer in call["answers"].items()}
        for run in plain["runs"]:
            run["worst"] = run["worst"] and {key: _finite(value) for key, value in run["worst"].items()}
        return plain


def _finite(value: Any) -> Any:
    """A number that JSON lacks as text."""
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def summarize(recording: Recording, judge: Judge) -> Summary:
    """How often which operator was called, and what failed and why."""
    return Summary(
        recording.files,
        recording.count,
        len(recording.calls),
        _operators(recording, judge),
        list(failures(recording, judge)),
        notes=list(recording.notes),
    )


def _operators(recording: Recording, judge: Judge) -> list[OperatorRow]:
    """The operators, the one that is called most first."""
    rows: dict[str, OperatorRow] = {}

    def row(name: str) -> OperatorRow:
        if name not in rows:
            operator = judge.operator(name)
            rows[name] = OperatorRow(name, judged=operator is not None and operator.has_rules)
        return rows[name]

    for call in recording.calls:
        mine = row(call.operator)
        mine.calls += call.count
        mine.different += 1
        mine.failed += call.failed
        mine.launches += sum(call.launches.values())
        mine.first += call.nanoseconds / 1e9
        mine.second += call.launch_nanoseconds / 1e9
    for name, count in recording.cached.items():
        row(name).cached = count
    for (name, _), count in recording.alone.items():
        row(name).failed += count
    return sorted(rows.values(), key=lambda one: (-one.calls - one.cached, one.name))


def failures(recording: Recording, judge: Judge, with_fixes: bool = True) -> Iterator[Failure]:
    """The calls that failed, and why; the search for fixes takes longest."""
    for call in recording.calls:
        for answered, count in call.answers.items():
            if answered.status:
                yield _refused(call, answered, count, judge, with_fixes)
        for status, count in call.launches.items():
            if status:
                reasons = (say("phase two", judge.lang),)
                label = status_text(status)
                yield Failure(call.operator, judge.text(call), call.product, count, label, None, reasons)
    for (name, status), count in recording.alone.items():
        reasons = (say("alone", judge.lang),)
        yield Failure(name, name, say("unknown product", judge.lang), count, status_text(status), None, reasons)


def _refused(call: RecordedCall, answered: Answered, count: int, judge: Judge, with_fixes: bool) -> Failure:
    """A call that phase one refused, with the reasons that the specs have for its product."""
    verdict = judge.explained(call, call.product)
    rule, fixes = answered.rule, tuple[str, ...]()
    reasons: tuple[str, ...] = (say("unexplained", judge.lang),)
    if verdict is None:
        reasons = (judge.answer(call, call.product).reason,)
    elif verdict.deciding.violations:
        rule, reasons, fixes = verdict.deciding.rule, verdict.deciding.reasons, _fixes(verdict) if with_fixes else ()
    label = status_text(answered.status)
    return Failure(call.operator, judge.text(call), call.product, count, label, rule, reasons, fixes, answered.place)


def _fixes(verdict: ProductVerdict) -> tuple[str, ...]:
    return tuple(fix.sentence for fix in verdict.fixes)


def port(
    summary: Summary,
    recording: Recording,
    judge: Judge,
    products: Sequence[str],
    tell: Callable[[str], None] = lambda part: None,
    lines: Lines = NO_LINES,
) -> None:
    """Add which of the calls would work on which product, and what stands in the way."""
    ports = {product: Port(product) for product in products}
    stopped: dict[tuple[str, str], list[RecordedCall]] = {}
    for at, call in enumerate(recording.calls):
        if at % _STEP == 0:
            tell(f"call {at} of {len(recording.calls)}")
        answers = {product: judge.answer(call, product) for product in products}
        for product, answer in answers.items():
            ports[product].calls[answer.kind] += call.count
            if answer.kind == "not judged":
                why = ports[product].not_judged
                why[answer.reason] = why.get(answer.reason, 0) + call.count
            elif answer.rule is not None:
                stopped.setdefault((product, answer.rule), []).append(call)
        summary.ported.append(PortedCall(judge.text(call), call.count, answers))
    for (product, _), calls in stopped.items():
        ports[product].obstacles.append(_obstacle(product, calls, judge, lines))
    for one in ports.values():
        one.obstacles.sort(key=lambda obstacle: (obstacle.kind, -obstacle.calls, obstacle.rule))
    summary.ports = list(ports.values())


def _obstacle(product: str, calls: Sequence[RecordedCall], judge: Judge, lines: Lines) -> Obstacle:
    first = calls[0]
    answer, verdict = judge.answer(first, product), judge.explained(first, product)
    assert verdict is not None
    assert answer.rule is not None
    reasons = verdict.deciding.reasons
    return Obstacle(
        answer.rule,
        answer.kind,
        status_text(answer.status) if answer.status else "",
        sum(call.count for call in calls),
        len(calls),
        reasons[0] if reasons else answer.reason,
        _fixes(verdict),
        judge.text(first),
        dict(sum((places_of(call, lines) for call in calls), Counter[str]()).most_common()),
    )
