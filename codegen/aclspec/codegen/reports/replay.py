"""The page of a recording: what stands in the way on which products, what failed, and the tables of its summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TypeAlias

from aclspec.codegen.reports.environment import template
from aclspec.runtime.replay.judging import KINDS
from aclspec.runtime.replay.running import Run
from aclspec.runtime.replay.summary import OperatorRow, Port, Summary
from aclspec.runtime.replay.words import WORDS, count
from aclspec.runtime.rules.sentences import Lang

Section: TypeAlias = tuple[str, Sequence[str]]
"""A title, and lines below it."""
_STOPPED = ("refused", "no kernel")
MOST = 5000
"""Rows of a table of calls: a browser shows more only slowly."""


@dataclass
class Reason:
    """What a rule says of calls, what would mend them, and on which products, each with its number of calls."""

    text: str
    fixes: tuple[str, ...]
    products: list[str] = field(default_factory=list)


@dataclass
class SharedObstacle:
    """A rule that stands in the way on several products, with the first of the calls that it stops."""

    rule: str
    kind: str
    status: str
    call: str
    places: Mapping[str, int]
    calls: int = 0
    reasons: list[Reason] = field(default_factory=list)

    @property
    def operator(self) -> str:
        """The operator of the rule."""
        return self.rule.partition(".")[0]


def render(summary: Summary, lang: Lang = "en", sections: Sequence[Section] = ()) -> str:
    """The page of a summary, behind sections of lines."""
    words = WORDS[lang]
    calls, files = count(summary.calls, "call", lang), count(summary.files, "file", lang)
    return template("replay.html.j2").render(
        lang=lang,
        words=words,
        summary=summary,
        sections=sections,
        total=words["total"].format(calls=calls, files=files, different=summary.different),
        kinds=KINDS,
        kind_heads=[words[head] for head in ("product", *KINDS)],
        obstacles=shared_obstacles(summary.ports, lang),
        not_judged=_not_judged(summary.ports, lang),
        places={one.name: at for at, one in enumerate(summary.operators, 1)},
        most=_most(summary.operators),
        ported=summary.refused_first[:MOST],
        runs=summary.differing_first[:MOST],
        errors=_errors(summary.runs),
    )


def shared_obstacles(ports: Iterable[Port], lang: Lang) -> list[SharedObstacle]:
    """The obstacles of all products, each rule with its verdict once, the one that stops most calls first."""
    found: dict[tuple[str, str, str], SharedObstacle] = {}
    for port in ports:
        for one in port.obstacles:
            new = SharedObstacle(one.rule, one.kind, one.status, one.call, one.places)
            mine = found.setdefault((one.rule, one.kind, one.status), new)
            mine.calls = max(mine.calls, one.calls)
            reason = next((old for old in mine.reasons if (old.text, old.fixes) == (one.reason, one.fixes)), None)
            if reason is None:
                reason = Reason(one.reason, one.fixes)
                mine.reasons.append(reason)
            reason.products.append(_on(port.product, one.calls, lang))
    return sorted(found.values(), key=lambda one: (one.kind not in _STOPPED, -one.calls, one.rule))


def _not_judged(ports: Iterable[Port], lang: Lang) -> dict[str, list[str]]:
    """Why calls are not judged, with the products."""
    found: dict[str, list[str]] = {}
    for port in ports:
        for why, calls in port.not_judged.items():
            found.setdefault(why, []).append(_on(port.product, calls, lang))
    return found


def _on(product: str, calls: int, lang: Lang) -> str:
    return WORDS[lang]["from"].format(place=product, times=count(calls, "call", lang))


def _most(operators: Sequence[OperatorRow]) -> dict[str, float]:
    """The largest numbers of the table of operators, of which bars show the share."""
    return {
        name: max((getattr(one, name) for one in operators), default=0) or 1 for name in ("calls", "first", "second")
    }


def _errors(runs: Sequence[Run]) -> list[tuple[str, float]]:
    """The largest error of each operator in units of its tolerance, the worst first."""
    worst: dict[str, float] = {}
    for run in runs:
        if run.worst and isfinite(run.worst.ratio):
            worst[run.operator] = max(run.worst.ratio, worst.get(run.operator, 0.0))
    return sorted(worst.items(), key=lambda pair: -pair[1])
