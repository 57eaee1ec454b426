"""Mutate the generated modules of a package and tell what the derived cases do not notice."""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from types import ModuleType

from aclspec.codegen.mutate.equivalent import stale
from aclspec.codegen.mutate.judge import Judge
from aclspec.codegen.mutate.mutants import mutants
from aclspec.codegen.trace.suites import SuiteFile

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of the mutants of one operator."""

    operator: str
    mutants: int
    survivors: tuple[str, ...]
    explained: tuple[str, ...]
    complaints: tuple[str, ...]
    seconds: float

    @property
    def killed(self) -> int:
        """How many mutants the cases noticed."""
        return self.mutants - len(self.survivors) - len(self.explained)

    @property
    def ok(self) -> bool:
        """Whether every mutant is killed or explained, and every explanation is needed."""
        return not self.survivors and not self.complaints


def run(package: str, file: SuiteFile, listed: Mapping[str, str], progress: Progress) -> Result:
    """Judge every mutant of one operator."""
    start = time.monotonic()
    name = PurePosixPath(file.file).stem.removeprefix("test_")
    module = import_module(f"{package}.{name}")
    judge = Judge(module, file.suite)
    faults = judge.faults()
    if faults:
        text = f"The cases fail on {', '.join(faults)} as generated; run the tests first."
        return Result(file.suite.operator, 0, (), (), (text,), time.monotonic() - start)
    found = mutants(ast.parse(_source(module)))
    alive = []
    for place, mutant in enumerate(found, 1):
        if not judge.kills(mutant):
            alive.append(mutant.description)
        progress(file.suite.operator, place, len(found))
    return Result(
        operator=file.suite.operator,
        mutants=len(found),
        survivors=tuple(one for one in alive if one not in listed),
        explained=tuple(one for one in alive if one in listed),
        complaints=tuple(stale(listed, alive, (mutant.description for mutant in found))),
        seconds=time.monotonic() - start,
    )


def _source(module: ModuleType) -> str:
    assert module.__file__ is not None
    return Path(module.__file__).read_text(encoding="utf-8")


def show_progress(operator: str, done: int, total: int) -> None:
    """A line that is written over on a terminal; a line every thousand mutants elsewhere."""
    if sys.stderr.isatty():
        print(f"\r{operator}: {done}/{total}", end="\n" if done == total else "", file=sys.stderr, flush=True)
    elif done == total or done % 1000 == 0:
        print(f"{operator}: {done}/{total}", file=sys.stderr, flush=True)


def report(results: Iterable[Result]) -> str:
    """A line an operator, and below it what was not noticed."""
    lines = []
    for result in results:
        lines.append(
            f"{result.operator}: {result.mutants} mutants, {result.killed} killed, "
            f"{len(result.explained)} equivalent, {len(result.survivors)} unexplained ({result.seconds:.1f} s)"
        )
        lines += [f"  survives: {name}" for name in result.survivors]
        lines += [f"  {complaint}" for complaint in result.complaints]
    return "\n".join(lines)
