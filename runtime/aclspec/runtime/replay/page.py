"""One HTML page of a summary: tables and plots, with nothing to fetch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from math import isfinite

from aclspec.runtime.replay.judging import KINDS, Answer
from aclspec.runtime.replay.plots import bars
from aclspec.runtime.replay.summary import Failure, Port, PortedCall, Summary
from aclspec.runtime.replay.words import VALUES, WORDS
from aclspec.runtime.rules.sentences import Lang

MOST = 5000
"""Rows of a table of calls: a browser shows more only slowly."""
_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #8884; padding: .25rem .6rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.bad { color: #c03535; } code { font-size: 13px; overflow-wrap: anywhere; }
figure { margin: 1rem 0; } svg { background: #fff; height: auto; max-width: 100%; }
"""


class Page:
    """The page of a summary in one language."""

    def __init__(self, summary: Summary, lang: Lang) -> None:
        """Of this summary."""
        self.summary, self.lang = summary, lang
        self.words: Mapping[str, str] = WORDS[lang]

    def render(self) -> str:
        """The text of the file."""
        title = escape(self.words["title"])
        head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
        body = "\n".join(self._parts())
        return (
            f'<!DOCTYPE html>\n<html lang="{self.lang}"><head>{head}<style>{_STYLE}</style></head>\n'
            f"<body>\n<h1>{title}</h1>\n{body}\n</body></html>\n"
        )

    def _parts(self) -> Iterator[str]:
        one = self.summary
        yield f"<p>{self.words['total'].format(calls=one.calls, files=one.files, different=one.different)}</p>"
        yield from (f"<p>{escape(note)}</p>" for note in one.notes)
        yield from self._operators()
        if one.failures:
            yield self._heading("failures")
            yield self._table(("call", "count", "product", "status", "why"), map(self._failure, one.failures))
        if one.ports:
            yield from self._ports()
        if one.runs:
            yield from self._runs()

    def _operators(self) -> Iterator[str]:
        yield self._heading("operators")
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
        return (_code(one.call), one.count, one.product, one.status, self._why(one.rule, one.reasons, one.fixes))

    def _why(self, rule: str | None, reasons: Iterable[str], fixes: Iterable[str]) -> str:
        lines = [*map(escape, reasons), *(f"{self.words['fix']}: {escape(fix)}" for fix in fixes)]
        return "<br>".join(([_code(rule)] if rule else []) + lines)

    def _ports(self) -> Iterator[str]:
        yield self._heading("products")
        rows = [(one.product, *(one.calls[kind] or "" for kind in KINDS)) for one in self.summary.ports]
        yield self._table(("product", *KINDS), rows)
        for port in self.summary.ports:
            if port.obstacles or port.not_judged:
                yield f"<h3>{escape(self.words['obstacles'].format(product=port.product))}</h3>"
                yield self._table(("calls", "different", "status", "why", "call"), self._obstacles(port))
        yield self._heading("each")
        heads = "".join(f"<th>{escape(one.product)}</th>" for one in self.summary.ports)
        table = [(_code(one.call), one.count, *map(self._answer, one.answers.values())) for one in self._ported()]
        yield self._table(("call", "count"), table, heads)

    def _ported(self) -> list[PortedCall]:
        calls = sorted(
            self.summary.ported, key=lambda one: {answer.kind for answer in one.answers.values()} == {"works"}
        )
        return calls[:MOST]

    def _obstacles(self, port: Port) -> Iterator[Sequence[object]]:
        for one in port.obstacles:
            status = one.status if one.kind == "refused" else f"{self.words['undocumented']}: {one.status}"
            yield (one.calls, one.different, status, self._why(one.rule, [one.reason], one.fixes), _code(one.call))
        for why, count in port.not_judged.items():
            yield (count, "", self.words["not judged"], escape(why), "")

    def _answer(self, answer: Answer) -> str:
        if answer.kind == "works":
            return self.words["yes"]
        title = escape(answer.rule or answer.reason)
        text = str(answer.status) if answer.kind == "refused" else self.words[answer.kind]
        return f'<span title="{title}">{escape(text)}</span>'

    def _runs(self) -> Iterator[str]:
        yield self._heading("runs")
        order, values = ("differs", "failed", "agrees", "not run"), VALUES[self.lang]
        runs = sorted(self.summary.runs, key=lambda run: order.index(run.verdict))
        rows = [
            (
                _code(run.call),
                values.get(run.data, run.data),
                values.get(run.verdict, run.verdict),
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

    def _heading(self, key: str) -> str:
        return f"<h2>{escape(self.words[key])}</h2>"

    def _plot(self, pairs: Sequence[tuple[str, float]], key: str, mark: float | None = None) -> str:
        label = self.words[key]
        return f"<figure><figcaption>{escape(label)}</figcaption>{bars(key.replace(' ', '-'), pairs, mark)}</figure>"

    def _table(self, heads: Sequence[str], rows: Iterable[Sequence[object]], more: str = "") -> str:
        """A table; the cells of its rows are HTML, numbers apart."""
        top = "".join(f"<th>{escape(self.words[head])}</th>" for head in heads)
        lines = ["".join(map(_cell, row)) for row in rows]
        body = "\n".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><thead><tr>{top}{more}</tr></thead>\n<tbody>{body}</tbody></table>"


def render(summary: Summary, lang: Lang = "en") -> str:
    """The page of a summary."""
    return Page(summary, lang).render()


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _cell(value: object) -> str:
    return f'<td class="number">{value}</td>' if isinstance(value, int | float) else f"<td>{value}</td>"
