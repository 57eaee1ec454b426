"""The report as one page that opens from a disk: no script, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from aclspec.codegen.conform.measure import EDGES
from aclspec.codegen.conform.report import Change, Count, Errors, Kind, Report, answer_of
from aclspec.codegen.conform.reproduction import cpp, python
from aclspec.codegen.pages.svg import Picture

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1b1f24; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { border-bottom: 1px solid #d5d9de; padding: .2rem .8rem; }
th { text-align: left; } td.n { text-align: right; } tr.wrong td { background: #fdeeee; }
pre { background: #f5f6f8; padding: .8rem; overflow-x: auto; } summary { cursor: pointer; margin: .4rem 0; }
figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; } svg .t { font-size: 11px; }
svg .m { text-anchor: middle; }
svg .c0 { fill: #3b6ea8; } code { background: #f5f6f8; }
"""
_WORDS = {
    "accepted": "The backend accepts calls that the spec refuses.",
    "refused": "The backend refuses calls that the spec accepts.",
    "status": "The backend refuses with another status.",
    "execution": "Phase two fails for calls that the spec accepts.",
    "values": "Outputs are off by more than the tolerance.",
    "crash": "The call ends its process.",
    "hang": "The call does not come back.",
    "leak": "The call leaves memory behind.",
    "error": "The call cannot be made.",
}
_NUMBERS = "agree", "disagree", "not made"


def render(report: Report) -> str:
    """The page."""
    backend = report.run.get("settings", {}).get("backend", "npu")
    body = [
        "<h1>Conformance</h1>",
        _about(report.run),
        f"<p>{_total(report)}</p>",
        "<h2>Disagreements</h2>",
        *(_kind(at, kind, backend) for at, kind in enumerate(report.kinds, 1)),
        *(["<p>None.</p>"] if not report.kinds else []),
        *_changed(report),
        *_errors(report.errors),
        "<h2>Operators</h2>",
        _table(("operator", "product", *_NUMBERS), _summed(report.counts)),
        "<h2>Rules</h2>",
        *_rules(report.counts),
    ]
    head = f'<meta charset="utf-8"><title>Conformance</title><style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n' + "\n".join(body) + "\n</body></html>\n"


def _about(run: dict[str, dict[str, object]]) -> str:
    settings, environment = run.get("settings", {}), run.get("environment", {})
    words = [f"{name} {value}" for name, value in environment.items()]
    asked = ", ".join(f"{name} {settings[name]}" for name in ("backend", "mode") if name in settings)
    return f"<p>{escape('; '.join([asked, *words]))}</p>"


def _total(report: Report) -> str:
    agree, differ, skipped = (
        sum(getattr(one, name) for one in report.counts) for name in ("agree", "differ", "skipped")
    )
    return f"{agree} calls agree, {differ} disagree, {skipped} were not made."


def _kind(at: int, kind: Kind, backend: str) -> str:
    row = kind.least
    rule = f" by rule <code>{escape(row['rule'])}</code>" if row["rule"] else ""
    answer = f"expected {row['expected']}{rule}, answered {escape(answer_of(row))}"
    products = ", ".join(f"{product} ({count})" for product, count in kind.products.items())
    parts = [
        f'<h3 id="kind-{at}">{escape(row["operator"])}: {escape(_WORDS[row["outcome"]])}</h3>',
        f"<p>{kind.calls} calls, {answer}. Products: {escape(products)}.</p>",
        f"<p>The least call, on {row['product']}:</p><pre>{escape(row['call'])}</pre>",
    ]
    parts += [f"<pre>{escape(row['detail'])}</pre>"] if row["detail"] else []
    for noun, text in (("Python", python(row, backend)), ("C++", cpp(row))):
        parts.append(f"<details><summary>{noun}</summary><pre>{escape(text)}</pre></details>")
    return "\n".join(parts)


def _changed(report: Report) -> Iterator[str]:
    """What an older run answered differently."""
    if report.older is None:
        return
    yield "<h2>Changes against the older run</h2>"
    yield _about(report.older)
    yield f"<p>{report.missing} calls of the older run were not made again.</p>"
    head = ("operator", "product", "rule", "before", "after", "calls", "least call")
    yield _table(head, map(_change, report.changes)) if report.changes else "<p>None.</p>"


def _change(change: Change) -> tuple[object, ...]:
    row = change.least
    before, after = change.before, change.after
    return row["operator"], row["product"], row["rule"], before, after, change.calls, row["call"]


def _errors(errors: Iterable[Errors]) -> Iterator[str]:
    """A histogram for each operator and product."""
    found = list(errors)
    if found:
        yield "<h2>Errors in units of the last place</h2>"
    for one in found:
        worst = one.worst
        assert worst is not None
        yield f"<h3>{escape(one.operator)} on {escape(one.product)}</h3>{histogram(one)}"
        yield f"<p>The worst ({worst['worst_ulp']:.3g}) is of <code>{escape(worst['call'])}</code>.</p>"


def histogram(errors: Errors) -> str:
    """The shares of elements by error, as bars."""
    width, height, step = 40, 120, 46
    total = max(1, sum(errors.bins))
    title = f"Errors of {errors.operator} on {errors.product}"
    picture = Picture(step * len(errors.bins) + 10, height + 40, title)
    labels = ["0", *(f"≤{edge:g}" for edge in EDGES[1:]), f">{EDGES[-1]:g}"]
    for at, (count, label) in enumerate(zip(errors.bins, labels, strict=True)):
        bar = height * count / total
        left = 5 + at * step
        picture.box(left, 15 + height - bar, width, bar, "c0")
        picture.text(left + width / 2, 10 + height - bar, f"{100 * count / total:.3g}%" if count else "")
        picture.text(left + width / 2, height + 30, label)
    return str(picture)


def _summed(counts: Iterable[Count]) -> list[tuple[object, ...]]:
    """The counts of all rules of an operator on a product together."""
    found: dict[tuple[str, str], Count] = {}
    for one in counts:
        total = found.setdefault((one.operator, one.product), Count(one.operator, one.product, ""))
        total.agree, total.differ, total.skipped = (
            total.agree + one.agree,
            total.differ + one.differ,
            total.skipped + one.skipped,
        )
    return [(one.operator, one.product, one.agree, one.differ, one.skipped) for one in found.values()]


def _rules(counts: Iterable[Count]) -> Iterator[str]:
    """The counts by rule, an operator a section that opens."""
    by_operator: dict[str, list[Count]] = {}
    for one in counts:
        by_operator.setdefault(one.operator, []).append(one)
    for operator, own in by_operator.items():
        rows = [(one.rule or "none: computed", one.product, one.agree, one.differ, one.skipped) for one in own]
        opened = " open" if any(one.differ for one in own) else ""
        table = _table(("rule", "product", *_NUMBERS), rows)
        yield f"<details{opened}><summary>{escape(operator)}</summary>{table}</details>"


def _table(head: Iterable[str], rows: Iterable[tuple[object, ...]]) -> str:
    columns = list(head)
    wrong = columns.index("disagree") if "disagree" in columns else None
    lines = []
    for row in rows:
        cells = "".join(f"<td{' class=n' if isinstance(one, int) else ''}>{escape(str(one))}</td>" for one in row)
        marked = ' class="wrong"' if wrong is not None and row[wrong] else ""
        lines.append(f"<tr{marked}>{cells}</tr>")
    heads = "".join(f"<th>{escape(one)}</th>" for one in columns)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>\n" + "\n".join(lines) + "\n</tbody></table>"
