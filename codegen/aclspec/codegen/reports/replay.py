"""The page of a recording: the tables of its summary, and plots."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TypeAlias

from markupsafe import Markup

from aclspec.codegen.reports.environment import template
from aclspec.codegen.reports.plots import bars
from aclspec.runtime.replay.judging import KINDS
from aclspec.runtime.replay.running import Run
from aclspec.runtime.replay.summary import Summary
from aclspec.runtime.replay.words import WORDS, count
from aclspec.runtime.rules.sentences import Lang

Section: TypeAlias = tuple[str, Sequence[str]]
"""A title, and lines below it."""
MOST = 5000
"""Rows of a table of calls: a browser shows more only slowly."""


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
        plots=[(words[key], svg) for key, svg in _plots(summary).items()],
        kinds=KINDS,
        kind_heads=[words[head] for head in ("product", *KINDS)],
        ported=summary.refused_first[:MOST],
        runs=summary.differing_first[:MOST],
        errors=_errors(summary.runs),
    )


def _plots(summary: Summary) -> dict[str, Markup]:
    """How often each operator was called, and how long that took."""
    if not summary.operators:
        return {}
    calls = [(one.name, one.calls + one.cached) for one in summary.operators]
    times = [(one.name, (one.first + one.second) * 1e3) for one in summary.operators]
    return {"plot calls": bars("plot-calls", calls), "plot time": bars("plot-time", times)}


def _errors(runs: Sequence[Run]) -> Markup | None:
    """The largest error of each operator in units of its tolerance; None where nothing was compared."""
    worst: dict[str, float] = {}
    for run in runs:
        if run.worst and isfinite(run.worst.ratio):
            worst[run.operator] = max(run.worst.ratio, worst.get(run.operator, 0.0))
    return bars("plot-error", list(worst.items()), 1.0) if worst else None
