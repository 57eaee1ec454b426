"""The report as one page that opens from a disk: no script, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape

from aclspec.codegen.conform.measure import EDGES
from aclspec.codegen.conform.report import Change, Count, Errors, Kind, Report, answer_of
from aclspec.codegen.conform.reproduction import cpp, python
from aclspec.codegen.conform.words import WORDS
from aclspec.runtime.replay.html import code, document, figure, heading, table
from aclspec.runtime.replay.plots import histogram
from aclspec.runtime.rules.sentences import Lang

_NUMBERS = "agree", "differ", "skipped"
_BINS = ["0", *(f"≤{edge:g}" for edge in EDGES[1:]), f">{EDGES[-1]:g}"]


class Page:
    """The page of a report in one language."""

    def __init__(self, report: Report, lang: Lang) -> None:
        """Of this report."""
        self.report, self.lang = report, lang
        self.words: Mapping[str, str] = WORDS[lang]

    def render(self) -> str:
        """The text of the file."""
        return document(self.words["title"], self.lang, self._parts())

    def _parts(self) -> Iterator[str]:
        one = self.report
        yield _about(one.run)
        totals = {name: sum(getattr(count, name) for count in one.counts) for name in _NUMBERS}
        yield f"<p>{self.words['total'].format(**totals)}</p>"
        yield self._heading("disagreements")
        yield from (self._kind(at, kind) for at, kind in enumerate(one.kinds, 1))
        if not one.kinds:
            yield f"<p>{self.words['none']}</p>"
        yield from self._changed()
        yield from self._errors()
        yield self._heading("operators")
        yield self._table(("operator", "product", *_NUMBERS), _summed(one.counts))
        yield self._heading("rules")
        yield from self._rules()

    def _kind(self, at: int, kind: Kind) -> str:
        row, backend = kind.least, self.report.run.get("settings", {}).get("backend", "npu")
        expected = str(row["expected"])
        if row["rule"]:
            expected = self.words["by rule"].format(expected=expected, rule=code(row["rule"]))
        products = escape(", ".join(f"{product} ({count})" for product, count in kind.products.items()))
        answer = {"expected": expected, "actual": escape(answer_of(row)), "products": products}
        parts = [
            f'<h3 id="kind-{at}">{escape(row["operator"])}: {escape(self.words[row["outcome"]])}</h3>',
            f"<p>{self.words['answer'].format(calls=kind.calls, **answer)}</p>",
            f"<p>{self.words['least'].format(product=row['product'])}</p><pre>{escape(row['call'])}</pre>",
        ]
        parts += [f"<pre>{escape(row['detail'])}</pre>"] if row["detail"] else []
        for noun, text in (("Python", python(row, backend)), ("C++", cpp(row))):
            parts.append(f"<details><summary>{noun}</summary><pre>{escape(text)}</pre></details>")
        return "\n".join(parts)

    def _changed(self) -> Iterator[str]:
        """What an older run answered differently."""
        if self.report.older is None:
            return
        yield self._heading("changes")
        yield _about(self.report.older)
        yield f"<p>{self.words['missing'].format(calls=self.report.missing)}</p>"
        heads = ("operator", "product", "rule", "before", "after", "calls", "least call")
        rows = [*map(_change, self.report.changes)]
        yield self._table(heads, rows) if rows else f"<p>{self.words['none']}</p>"

    def _errors(self) -> Iterator[str]:
        """A histogram for each operator, with a line for each product."""
        by_operator: dict[str, list[Errors]] = {}
        for one in self.report.errors:
            by_operator.setdefault(one.operator, []).append(one)
        if by_operator:
            yield self._heading("errors")
        for operator, own in by_operator.items():
            shares = {one.product: _percent(one.bins) for one in own}
            caption = self.words["share"].format(operator=operator)
            yield figure(caption, histogram(f"errors-{operator}", _BINS, shares))
            yield from (f"<p>{self._worst(one)}</p>" for one in own)

    def _worst(self, one: Errors) -> str:
        worst = one.worst
        assert worst is not None
        return self.words["worst"].format(product=one.product, ulp=worst["worst_ulp"], call=code(worst["call"]))

    def _rules(self) -> Iterator[str]:
        """The counts by rule, an operator a section that opens."""
        by_operator: dict[str, list[Count]] = {}
        for one in self.report.counts:
            by_operator.setdefault(one.operator, []).append(one)
        for operator, own in by_operator.items():
            rows = [(one.rule or self.words["computed"], one.product, *_numbers(one)) for one in own]
            opened = " open" if any(one.differ for one in own) else ""
            found = self._table(("rule", "product", *_NUMBERS), rows)
            yield f"<details{opened}><summary>{escape(operator)}</summary>{found}</details>"

    def _heading(self, key: str) -> str:
        return heading(self.words[key])

    def _table(self, heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
        """A table by the keys of its heads; its cells are text or numbers. Rows that disagree are marked."""
        wrong = heads.index("differ") if "differ" in heads else None
        cells = [tuple(escape(one) if isinstance(one, str) else one for one in row) for row in rows]
        return table([self.words[head] for head in heads], cells, lambda row: wrong is not None and bool(row[wrong]))


def render(report: Report, lang: Lang = "en") -> str:
    """The page of a report."""
    return Page(report, lang).render()


def _about(run: dict[str, dict[str, object]]) -> str:
    settings, environment = run.get("settings", {}), run.get("environment", {})
    words = [f"{name} {value}" for name, value in environment.items()]
    asked = ", ".join(f"{name} {settings[name]}" for name in ("backend", "kernels", "mode") if name in settings)
    return f"<p>{escape('; '.join([asked, *words]))}</p>"


def _change(change: Change) -> tuple[object, ...]:
    row = change.least
    before, after = change.before, change.after
    return row["operator"], row["product"], row["rule"], before, after, change.calls, row["call"]


def _percent(bins: list[int]) -> list[float]:
    total = max(1, sum(bins))
    return [100 * count / total for count in bins]


def _numbers(count: Count) -> tuple[int, ...]:
    return tuple(getattr(count, name) for name in _NUMBERS)


def _summed(counts: Iterable[Count]) -> list[tuple[object, ...]]:
    """The counts of all rules of an operator on a product together."""
    found: dict[tuple[str, str], list[int]] = {}
    for one in counts:
        total = found.setdefault((one.operator, one.product), [0] * len(_NUMBERS))
        for at, number in enumerate(_numbers(one)):
            total[at] += number
    return [(*key, *numbers) for key, numbers in found.items()]
