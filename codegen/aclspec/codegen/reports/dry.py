"""The porting report of a run on the dry device: as lines of text, and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aclspec.codegen.reports.replay import Section, render
from aclspec.runtime.replay.dry import GIB, DryRun
from aclspec.runtime.replay.summary import Obstacle, Port
from aclspec.runtime.replay.words import WORDS, count, obstacle
from aclspec.runtime.rules.sentences import Lang

PLACES = 5
"""Places of an obstacle in the text; the page and JSON have all."""


def page(run: DryRun, lang: Lang) -> str:
    """The page: what the device saw, then that of `aclspec replay`."""
    return render(run.summary, lang, list(_sections(run, lang)))


def text(run: DryRun, lang: Lang) -> str:
    """The report for a terminal."""
    return "".join(f"{line}\n" for line in _lines(run, lang))


def _lines(run: DryRun, lang: Lang) -> Iterator[str]:
    for title, lines in _sections(run, lang)[:1]:
        yield from (title, *(f"  {line}" for line in lines))
    for port in run.summary.ports:
        yield from _port(port, lang)
    for title, lines in _sections(run, lang)[1:]:
        yield from (title, *(f"  {line}" for line in lines))


def _port(port: Port, lang: Lang) -> Iterator[str]:
    words = WORDS[lang]
    if not port.obstacles:
        yield words["free"].format(product=port.product)
    else:
        yield words["obstacles"].format(product=port.product)
    for one in port.obstacles:
        yield from _obstacle(one, lang)
    for why, number in port.not_judged.items():
        yield "  " + words["unjudged"].format(calls=count(number, "call", lang), why=why)


def _obstacle(one: Obstacle, lang: Lang) -> Iterator[str]:
    words = WORDS[lang]
    yield "  " + obstacle(one.calls, one.kind, one.status, lang)
    yield f"    {one.rule}: {one.reason}"
    yield from (f"    {words['fix']}: {fix}" for fix in one.fixes[:2])
    yield f"    {one.call}"
    yield from (f"    {line}" for line in list(_places(one.places, lang))[:PLACES])


def _places(places: Mapping[str, int], lang: Lang) -> Iterator[str]:
    for place, times in places.items():
        yield WORDS[lang]["from"].format(place=place, times=count(times, "time", lang))


def _sections(run: DryRun, lang: Lang) -> list[Section]:
    words = WORDS[lang]
    total = words["dry"].format(calls=count(run.summary.calls, "call", lang), product=run.product)
    found: list[Section] = [(total, run.summary.notes)]
    if run.peaks:
        found.append((words["memory"], [*(_peak(run, device, lang) for device in run.peaks), words["unknown memory"]]))
    unknown = [(one.name, one.calls) for one in run.summary.operators if not one.judged]
    found.append((words["no rules"], list(_places(dict(unknown), lang))))
    found.append((words["unseen"], list(_places(run.unseen, lang))))
    found.append((words["may differ"], list(_differing(run, lang))))
    return [found[0], *(one for one in found[1:] if one[1])]


def _peak(run: DryRun, device: int, lang: Lang) -> str:
    words, peak = WORDS[lang], run.peaks[device]
    fits = words["enough" if peak <= run.memory else "too little"]
    return words["peak"].format(device=device, peak=peak / GIB, memory=run.memory / GIB, fits=fits)


def _differing(run: DryRun, lang: Lang) -> Iterator[str]:
    words = WORDS[lang]
    for one in run.copies:
        said = words["copied"].format(times=count(one.count, "time", lang), function=one.function, bytes=one.bytes)
        yield words["from"].format(place=one.place, times=said) if one.place else said
    for output in run.longest:
        calls = count(output.calls, "call", lang)
        yield words["longest"].format(output=output.output, operator=output.operator, calls=calls)
        yield from (f"  {line}" for line in _places(output.places, lang))
