"""The tables of ``aclspec replay`` for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from aclspec.cli import output
from aclspec.runtime.replay.judging import KINDS, Answer
from aclspec.runtime.replay.summary import Failure, Obstacle, Port, Summary


def show(summary: Summary, shown: int) -> None:
    """Print a summary, at most so many rows of each table of calls."""
    files = output.count(summary.files, "file")
    different = f"{summary.different} of them different"
    output.show(output.plain(f"{output.count(summary.calls, 'call')} in {files}, {different}"))
    for note in summary.notes:
        output.show(output.plain(f"note: {note}"))
    _operators(summary)
    if summary.failures:
        output.show(output.plain("Failed calls", "bold"))
        for one in summary.failures[:shown]:
            _show_lines(_failure(one))
        _more(len(summary.failures), shown)
    if summary.ports:
        _ports(summary, shown)
    if summary.runs:
        _runs(summary, shown)


def _operators(summary: Summary) -> None:
    heads = ("operator", "calls", "different", "failed", "cached", "phase one", "phase two", "")
    rows = [
        (
            one.name,
            one.calls,
            one.different,
            one.failed or "",
            one.cached or "",
            _time(one.first, one.calls),
            _time(one.second, one.launches),
            "" if one.judged else "not judged",
        )
        for one in summary.operators
    ]
    output.show(output.table(None, heads, rows))


def _time(seconds: float, calls: int) -> str:
    """The mean of a call."""
    return f"{seconds / calls * 1e6:.0f} us" if calls else ""


def _failure(one: Failure) -> list[str]:
    rule = f"{one.rule}: " if one.rule else ""
    return [
        f"{output.count(one.count, 'time')} on {one.product}: {one.status}",
        f"  {rule}{one.reasons[0] if one.reasons else ''}",
        *(f"  {reason}" for reason in one.reasons[1:3]),
        *(f"  fix: {fix}" for fix in one.fixes[:3]),
        f"  {one.call}",
    ]


def _ports(summary: Summary, shown: int) -> None:
    rows = [(port.product, *(port.calls[kind] or "" for kind in KINDS)) for port in summary.ports]
    output.show(output.table("Calls by product", ("product", *KINDS), rows))
    for port in summary.ports:
        if port.obstacles or port.not_judged:
            _show_lines(_obstacles(port))
    heads = ("call", "times", *(port.product for port in summary.ports))
    calls = sorted(summary.ported, key=lambda one: all(answer.kind == "works" for answer in one.answers.values()))
    table = [(one.call, one.count, *map(_answer, one.answers.values())) for one in calls[:shown]]
    output.show(output.table("Call by call", heads, table))
    _more(len(calls), shown)


def _obstacles(port: Port) -> list[str]:
    lines = [f"What stands in the way on {port.product}"]
    for one in port.obstacles:
        lines += [f"  {_stopped(one)}", f"    {one.rule}: {one.reason}", *(f"    fix: {fix}" for fix in one.fixes[:2])]
    return lines + [f"  {output.count(count, 'call')} not judged: {why}" for why, count in port.not_judged.items()]


def _stopped(one: Obstacle) -> str:
    what = "refused with" if one.kind == "refused" else "taken by CANN, forbidden by its document:"
    return f"{output.count(one.calls, 'call')} {what} {one.status}"


def _answer(answer: Answer) -> str:
    return "yes" if answer.kind == "works" else str(answer.status) if answer.kind == "refused" else answer.kind


def _runs(summary: Summary, shown: int) -> None:
    heads = ("call", "data", "outcome", "output", "error / tolerance", "ms", "")
    runs = sorted(summary.runs, key=lambda run: ("differs", "failed", "agrees", "not run").index(run.verdict))
    rows = [
        (
            run.call,
            run.data,
            run.verdict,
            run.worst.output if run.worst else "",
            f"{run.worst.ratio:.3g}" if run.worst else "",
            f"{run.seconds * 1e3:.2g}" if run.seconds else "",
            run.note,
        )
        for run in runs[:shown]
    ]
    output.show(output.table("Run again", heads, rows))
    _more(len(runs), shown)
    counts = {verdict: sum(run.verdict == verdict for run in runs) for verdict in ("agrees", "differs", "failed")}
    left = sum(run.verdict == "not run" for run in runs)
    text = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    output.show(output.plain(f"{output.count(len(runs), 'call')} run again: {text}, {left} not run"))


def _show_lines(lines: Sequence[str]) -> None:
    for line in lines:
        output.show(output.plain(line))


def _more(count: int, shown: int) -> None:
    if count > shown:
        output.show(output.plain(f"... and {count - shown} more; --json and --html have all"))
