"""The report as one page that opens from a disk: no script, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from aclspec.codegen.conform.measure import EDGES
from aclspec.codegen.conform.report import NOT_A_CALL, NUMBERS, ConformReport, Count, Errors, Kind, answer_of
from aclspec.codegen.conform.reproduction import cpp, python
from aclspec.codegen.conform.words import WORDS
from aclspec.codegen.reports.environment import template
from aclspec.runtime.rules.sentences import Lang

_BINS = ["0", *(f"≤{edge:g}" for edge in EDGES[1:]), f">{EDGES[-1]:g}"]


def render(report: ConformReport, lang: Lang = "en") -> str:
    """The page of a report."""
    backend = str(report.run.get("settings", {}).get("backend", "npu"))
    return template("conform.html.j2").render(
        lang=lang,
        words=WORDS[lang],
        run=_about(report.run),
        older=None if report.older is None else _about(report.older),
        totals=report.totals,
        kinds=[_kind(kind, backend) for kind in report.kinds],
        changes=report.changes,
        missing=report.missing,
        errors=list(_errors(report.errors)),
        operators=_summed(report.counts),
        rules=_by_operator(report.counts),
        places={operator: at for at, (operator, _) in enumerate(_by_operator(report.counts), 1)},
        kinds_of={kind.least["operator"]: at for at, kind in reversed(list(enumerate(report.kinds, 1)))},
    )


def _about(run: dict[str, dict[str, object]]) -> list[str]:
    """What was asked and of what, in few words."""
    settings, environment = run.get("settings", {}), run.get("environment", {})
    asked = ", ".join(f"{name} {settings[name]}" for name in ("backend", "kernels", "mode") if name in settings)
    return [asked, *(f"{name} {value}" for name, value in environment.items())]


def _kind(kind: Kind, backend: str) -> dict[str, object]:
    """A disagreement with its least call, which is also shown as programs where this aclspec knows its operator."""
    row = kind.least
    shown: dict[str, object] = {
        "row": row,
        "calls": kind.calls,
        "actual": answer_of(row),
        "products": ", ".join(f"{product} ({count})" for product, count in kind.products.items()),
    }
    try:
        return shown | {"python": python(row, backend), "cpp": cpp(row)}
    except NOT_A_CALL:
        return shown | {"python": "", "cpp": ""}


def _errors(errors: Iterable[Errors]) -> Iterator[tuple[str, list[str], list[tuple[Errors, list[float]]]]]:
    """For each operator the bins up to the last that has elements, and the percentages of each product."""
    for operator, own in _by_operator(errors):
        shown = max((at for one in own for at, number in enumerate(one.bins, 1) if number), default=1)
        yield operator, _BINS[:shown], [(one, _percent(one.bins)[:shown]) for one in own]


def _by_operator(found: Iterable[Any]) -> list[tuple[str, list[Any]]]:
    """What is sorted by operator, in groups."""
    return [(operator, list(own)) for operator, own in groupby(found, lambda one: one.operator)]


def _percent(bins: list[int]) -> list[float]:
    total = max(1, sum(bins))
    return [100 * count / total for count in bins]


def _summed(counts: Iterable[Count]) -> list[Count]:
    """The counts of all rules of an operator on a product together."""
    found: dict[tuple[str, str], Count] = {}
    for one in counts:
        total = found.setdefault((one.operator, one.product), Count(one.operator, one.product, ""))
        for name in NUMBERS:
            setattr(total, name, getattr(total, name) + getattr(one, name))
    return list(found.values())
