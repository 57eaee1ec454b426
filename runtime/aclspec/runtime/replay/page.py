"""One HTML page of a summary: tables and plots, with nothing to fetch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from math import isfinite

from aclspec.runtime.replay.html import code, document, figure, heading, table
from aclspec.runtime.replay.judging import KINDS, Answer
from aclspec.runtime.replay.plots import bars
from aclspec.runtime.replay.summary import Failure, Port, PortedCall, Summary
from aclspec.runtime.replay.words import WORDS, count
from aclspec.runtime.rules.sentences import Lang

MOST = 5000
"""Rows of a table of calls: a browser shows more only slowly."""


class Page:
    """The page of a summary in one language."""

    def __init__(self, summary: Summary, lang: Lang) -> None:
        """Of this summary."""
        self.summary, self.lang = summary, lang
        self.words: Mapping[str, str] = WORDS[lang]

    def render(self) -> str:
        """The text of the file."""
        return document(self.words["title"], self.lang, self._parts())

    def _parts(self) -> Iterator[str]:
        one = self.summary
        calls, files = count(one.calls, "call", self.lang), count(one.files, "file", self.lang)
        yield f"<p>{self.words['total'].format(calls=calls, files=files, different=one.different)}</p>"
        yield from (f"<p>{escape(note)}</p>" for note in one.notes)
        yield from self._operators()
        if one.failures:
            yield heading(self.words["failures"])
            yield self._table(("call", "count", "product", "status", "why"), map(self._failure, one.failures))
        if one.ports:
            yield from self._ports()
        if one.runs:
            yield from self._runs()

    def _operators(self) -> Iterator[str]:
        yield heading(self.words["operators"])
        rows = [
            (
                f"<code>{escape(one.name)}</code>" + ("" if one.judged else f" ({self.words['not judged']})"),
                one.calls,
                one.different,
                one.failed or "",
                one.cached or "",
                f"{one.first * 1e3:.3g}",
                f"{one.second * 1e3:.3g}",
            )
            for one in self.summary.operators
        ]
        yield self._table(("operator", "calls", "different", "failed", "cached", "first", "second"), rows)
        if rows:
            yield self._plot([(one.name, one.calls + one.cached) for one in self.summary.operators], "plot calls")
            times = [(one.name, (one.first + one.second) * 1e3) for one in self.summary.operators]
            yield self._plot(times, "plot time")

    def _failure(self, one: Failure) -> Sequence[object]:
        return (code(one.call), one.count, one.product, one.status, self._why(one.rule, one.reasons, one.fixes))

    def _why(self, rule: str | None, reasons: Iterable[str], fixes: Iterable[str]) -> str:
        lines = [*map(escape, reasons), *(f"{self.words['fix']}: {escape(fix)}" for fix in fixes)]
        return "<br>".join(([code(rule)] if rule else []) + lines)

    def _ports(self) -> Iterator[str]:
        yield heading(self.words["products"])
        rows = [(one.product, *(one.calls[kind] or "" for kind in KINDS)) for one in self.summary.ports]
        yield self._table(("product", *KINDS), rows)
        for port in self.summary.ports:
            if port.obstacles or port.not_judged:
                yield heading(self.words["obstacles"].format(product=port.product), 3)
                yield self._table(("calls", "different", "status", "why", "call"), self._obstacles(port))
        yield heading(self.words["each"])
        rows = [(code(one.call), one.count, *map(self._answer, one.answers.values())) for one in self._ported()]
        yield self._table(("call", "count"), rows, [one.product for one in self.summary.ports])

    def _ported(self) -> list[PortedCall]:
        calls = sorted(
            self.summary.ported, key=lambda one: {answer.kind for answer in one.answers.values()} == {"works"}
        )
        return calls[:MOST]

    def _obstacles(self, port: Port) -> Iterator[Sequence[object]]:
        for one in port.obstacles:
            status = one.status if one.kind == "refused" else f"{self.words['undocumented']}: {one.status}"
            yield (one.calls, one.different, status, self._why(one.rule, [one.reason], one.fixes), code(one.call))
        for why, calls in port.not_judged.items():
            yield (calls, "", self.words["not judged"], escape(why), "")

    def _answer(self, answer: Answer) -> str:
        if answer.kind == "works":
            return self.words["yes"]
        title = escape(answer.rule or answer.reason)
        text = str(answer.status) if answer.kind == "refused" else self.words[answer.kind]
        return f'<span title="{title}">{escape(text)}</span>'

    def _runs(self) -> Iterator[str]:
        yield heading(self.words["runs"])
        order = ("differs", "failed", "agrees", "not run")
        runs = sorted(self.summary.runs, key=lambda run: order.index(run.verdict))
        rows = [
            (
                code(run.call),
                self.words.get(run.data, ""),
                self.words[run.verdict],
                run.worst.output if run.worst else "",
                f"{run.worst.ratio:.3g}" if run.worst else "",
                escape(run.note),
            )
            for run in runs[:MOST]
        ]
        yield self._table(("call", "data", "outcome", "output", "error", "note"), rows)
        errors: dict[str, float] = {}
        for run in runs:
            if run.worst and isfinite(run.worst.ratio):
                errors[run.operator] = max(run.worst.ratio, errors.get(run.operator, 0.0))
        if errors:
            yield self._plot(list(errors.items()), "plot error", 1.0)

    def _plot(self, pairs: Sequence[tuple[str, float]], key: str, mark: float | None = None) -> str:
        return figure(self.words[key], bars(key.replace(" ", "-"), pairs, mark))

    def _table(self, heads: Iterable[str], rows: Iterable[Sequence[object]], more: Iterable[str] = ()) -> str:
        """A table by the keys of its heads, with more of them behind; the cells of its rows are HTML, numbers apart."""
        return table([*(self.words[head] for head in heads), *more], rows)


def render(summary: Summary, lang: Lang = "en") -> str:
    """The page of a summary."""
    return Page(summary, lang).render()
