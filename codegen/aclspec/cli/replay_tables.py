"""The tables of ``aclspec replay`` for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aclspec.cli import output
from aclspec.runtime.replay.judging import KINDS, Answer
from aclspec.runtime.replay.summary import VERDICTS, Failure, Port, Summary
from aclspec.runtime.replay.words import WORDS, count, obstacle
from aclspec.runtime.rules.sentences import Lang


class Tables:
    """The tables of a summary in one language; each table of calls shows at most ``shown`` rows."""

    def __init__(self, summary: Summary, lang: Lang, shown: int) -> None:
        """Of this summary."""
        self.summary, self.lang, self.shown = summary, lang, shown
        self.words = WORDS[lang]

    def show(self) -> None:
        """Print them."""
        one = self.summary
        self._say("total", calls=self._count(one.calls), files=self._count(one.files, "file"), different=one.different)
        for note in one.notes:
            output.show(output.plain(f"{self.words['note']}: {note}"))
        self._operators()
        if one.failures:
            output.show(output.plain(self.words["failures"], "bold"))
            for failure in one.failures[: self.shown]:
                _show_lines(self._failure(failure))
            self._more(len(one.failures))
        if one.ports:
            self._ports()
        if one.runs:
            self._runs()

    def _operators(self) -> None:
        rows = [
            (
                one.name,
                one.calls,
                one.different,
                one.failed or "",
                one.cached or "",
                _time(one.first, one.calls),
                _time(one.second, one.launches),
                "" if one.judged else self.words["not judged"],
            )
            for one in self.summary.operators
        ]
        self._table(None, ("operator", "calls", "different", "failed", "cached", "one", "two"), rows, ("",))

    def _failure(self, one: Failure) -> list[str]:
        rule = f"{one.rule}: " if one.rule else ""
        times = self._count(one.count, "time")
        return [
            self.words["failure"].format(times=times, product=one.product, status=one.status),
            f"  {rule}{one.reasons[0] if one.reasons else ''}",
            *(f"  {reason}" for reason in one.reasons[1:3]),
            *(f"  {self.words['fix']}: {fix}" for fix in one.fixes[:3]),
            f"  {one.call}",
            *([f"  {self.words['place'].format(file=one.place.file, line=one.place.line)}"] if one.place else []),
        ]

    def _ports(self) -> None:
        ports = self.summary.ports
        rows = [(port.product, *(port.calls[kind] or "" for kind in KINDS)) for port in ports]
        self._table("products", ("product", *KINDS), rows)
        for port in ports:
            if port.obstacles or port.not_judged:
                _show_lines(self._obstacles(port))
        calls = self.summary.refused_first
        table = [(one.call, one.count, *map(self._answer, one.answers.values())) for one in calls[: self.shown]]
        self._table("each", ("call", "count"), table, [port.product for port in ports])
        self._more(len(calls))

    def _obstacles(self, port: Port) -> list[str]:
        lines = [self.words["obstacles"].format(product=port.product)]
        for one in port.obstacles:
            stops = obstacle(one.calls, one.kind, one.status, self.lang)
            lines += [f"  {stops}", f"    {one.rule}: {one.reason}"]
            lines += [f"    {self.words['fix']}: {fix}" for fix in one.fixes[:2]]
        unjudged = self.words["unjudged"]
        return lines + [
            f"  {unjudged.format(calls=self._count(number), why=why)}" for why, number in port.not_judged.items()
        ]

    def _answer(self, answer: Answer) -> str:
        if answer.kind == "refused":
            return str(answer.status)
        return self.words["yes" if answer.kind == "works" else answer.kind]

    def _runs(self) -> None:
        runs = self.summary.differing_first
        rows = [
            (
                run.call,
                self.words.get(run.data, ""),
                self.words[run.verdict],
                run.worst.output if run.worst else "",
                f"{run.worst.ratio:.3g}" if run.worst else "",
                f"{run.seconds * 1e3:.2g}" if run.seconds else "",
                run.note,
            )
            for run in runs[: self.shown]
        ]
        self._table("runs", ("call", "data", "outcome", "output", "error", "ms"), rows, ("",))
        self._more(len(runs))
        counts = {verdict: sum(run.verdict == verdict for run in runs) for verdict in VERDICTS}
        self._say("ran", calls=self._count(len(runs)), left=counts["not run"], **counts)

    def _table(
        self, title: str | None, heads: Iterable[str], rows: Iterable[Sequence[object]], more: Iterable[str] = ()
    ) -> None:
        """Print a table by the keys of its title and of its heads, with more of them behind."""
        named = [*(self.words[head] for head in heads), *more]
        output.show(output.table(None if title is None else self.words[title], named, rows))

    def _count(self, number: int, noun: str = "call") -> str:
        return count(number, noun, self.lang)

    def _say(self, key: str, **values: object) -> None:
        output.show(output.plain(self.words[key].format(**values)))

    def _more(self, number: int) -> None:
        if number > self.shown:
            self._say("more", count=number - self.shown)


def _time(seconds: float, calls: int) -> str:
    """The mean of a call."""
    return f"{seconds / calls * 1e6:.0f} us" if calls else ""


def _show_lines(lines: Iterable[str]) -> None:
    for line in lines:
        output.show(output.plain(line))
