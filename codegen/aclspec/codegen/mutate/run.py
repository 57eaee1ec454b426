"""Mutate the generated modules of a package and report the mutants that no derived case detects."""

from __future__ import annotations

import ast
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import NamedTuple, TypeVar

from rich.console import Console
from rich.progress import track

from aclspec.codegen.mutate.judge import Judge
from aclspec.codegen.mutate.mutants import STRICT, mutants
from aclspec.codegen.trace.sources import SuiteFile

T = TypeVar("T")
ENOUGH = 0.97
"""Of the mutants that are of no strict kind, how many have to be killed."""


class BadList(Exception):
    """The file of mutants that may survive is not what it should be."""


class Judged(NamedTuple):
    """A mutant that no case kills."""

    kind: str
    description: str
    masked: bool
    """Whether cases tell the changed rule from the rule as it was, but rules before it refuse all of these."""


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of the mutants of one operator; ``mutants`` counts them by kind."""

    operator: str
    mutants: Mapping[str, int]
    alive: tuple[Judged, ...]
    fault: str
    seconds: float


def run(package: str, file: SuiteFile) -> Result:
    """Judge every mutant of one operator."""
    start = time.monotonic()
    name = PurePosixPath(file.file).stem.removeprefix("test_")
    module = import_module(f"{package}.{name}")
    judge = Judge(module, replace(file.suite, info=module.OPERATOR.info))
    faults = judge.faults()
    if faults:
        text = f"The cases fail on {', '.join(faults)} as generated; run the tests first."
        return Result(file.suite.operator, {}, (), text, time.monotonic() - start)
    found = mutants(ast.parse(_source(module)))
    alive = [mutant for mutant in found if not judge.kills(mutant)]
    return Result(
        operator=file.suite.operator,
        mutants=Counter(mutant.kind for mutant in found),
        alive=tuple(Judged(one.kind, one.description, judge.masks(one)) for one in alive),
        fault="",
        seconds=time.monotonic() - start,
    )


def _source(module: ModuleType) -> str:
    assert module.__file__ is not None
    return Path(module.__file__).read_text(encoding="utf-8")


def watched(steps: Iterable[T], total: int, what: str) -> Iterable[T]:
    """The steps, with a bar on a terminal and nothing elsewhere."""
    console = Console(stderr=True)
    return track(steps, what, total, console=console, disable=not console.is_terminal)


@dataclass(frozen=True, slots=True)
class Count:
    """How many mutants of a kind there are, how many are masked, and how many survive."""

    mutants: int
    masked: int
    surviving: int

    def enough(self, share: float) -> bool:
        """Whether no larger share of those that are not masked survives than is allowed."""
        return self.surviving <= (1 - share) * (self.mutants - self.masked)


def counts(results: Sequence[Result]) -> dict[str, Count]:
    """The mutants of all operators by kind, first the kinds whose mutants must all be killed."""
    kinds = dict.fromkeys((*STRICT, *sorted({kind for one in results for kind in one.mutants})))
    alive = [one for result in results for one in result.alive]
    return {
        kind: Count(
            sum(one.mutants.get(kind, 0) for one in results),
            sum(one.kind == kind and one.masked for one in alive),
            sum(one.kind == kind and not one.masked for one in alive),
        )
        for kind in kinds
    }


def complaints(results: Sequence[Result]) -> list[str]:
    """What is not as it has to be: of the strict kinds none survives, of all others together 3 of 100."""
    found = [f"{one.operator}: {one.fault}" for one in results if one.fault]
    by_kind = counts(results)
    for kind in STRICT:
        if by_kind[kind].surviving:
            found.append(f"{by_kind[kind].surviving} mutants of the kind {kind} survive; expected none.")
    others = [count for kind, count in by_kind.items() if kind not in STRICT]
    rest = Count(*(sum(getattr(one, name) for one in others) for name in ("mutants", "masked", "surviving")))
    if not rest.enough(ENOUGH):
        text = f"{rest.surviving} of {rest.mutants - rest.masked} mutants of other kinds survive"
        found.append(f"{text}; expected at most {1 - ENOUGH:.0%}.")
    return found


def report(results: Sequence[Result]) -> str:
    """A line an operator, below it what no case kills, and at the end the counts by kind."""
    lines = []
    for result in results:
        masked = sum(one.masked for one in result.alive)
        lines.append(
            f"{result.operator}: {sum(result.mutants.values())} mutants, {masked} masked by other rules, "
            f"{len(result.alive) - masked} survive ({result.seconds:.1f} s)"
        )
        lines += [f"  {'masked' if one.masked else 'survives'} ({one.kind}): {one.description}" for one in result.alive]
    lines.append(f"{'kind':38}{'mutants':>9}{'killed':>9}{'masked':>9}{'survive':>9}")
    for kind, count in counts(results).items():
        killed = count.mutants - count.masked - count.surviving
        lines.append(f"{kind:38}{count.mutants:9}{killed:9}{count.masked:9}{count.surviving:9}")
    return "\n".join((*lines, *complaints(results)))
