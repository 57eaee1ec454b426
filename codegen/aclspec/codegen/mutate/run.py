"""Mutate the generated modules of a package and report the mutants that no derived case detects."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import TypeVar

import yaml
from rich.console import Console
from rich.progress import track

from aclspec.codegen.mutate.judge import Judge
from aclspec.codegen.mutate.mutants import mutants
from aclspec.codegen.trace.sources import SuiteFile

T = TypeVar("T")
ENOUGH = 0.97
"""Of the mutants of an operator whose survivors nobody has looked at yet, how many have to be killed."""


class BadList(Exception):
    """The file of equivalent mutants is not what it should be."""


def read(path: Path) -> dict[str, dict[str, str]]:
    """Reasons by operator and description; empty where there is no file."""
    if not path.exists():
        return {}
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        raise BadList(f"{path} is not YAML: {error}") from error
    if not isinstance(loaded, dict):
        raise BadList(f"{path} is not a mapping from operators to lists of mutants.")
    return {str(operator): dict(_entries(path, str(operator), entries)) for operator, entries in loaded.items()}


def read_names(path: Path) -> frozenset[str]:
    """The names in a YAML list; none where there is no file."""
    if not path.exists():
        return frozenset()
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8")) or []
    except yaml.YAMLError as error:
        raise BadList(f"{path} is not YAML: {error}") from error
    if not isinstance(loaded, list):
        raise BadList(f"{path} is not a list of names.")
    return frozenset(map(str, loaded))


def _entries(path: Path, operator: str, entries: object) -> Iterable[tuple[str, str]]:
    if not isinstance(entries, list):
        raise BadList(f"The value of {operator} in {path} is not a list of mutants.")
    for entry in entries:
        if not isinstance(entry, dict) or set(entry) != {"mutant", "reason"} or not all(entry.values()):
            raise BadList(f"An entry of {operator} in {path} has not the keys mutant and reason: {entry}.")
        yield str(entry["mutant"]), str(entry["reason"])


def stale(listed: Mapping[str, str], survivors: Iterable[str], known: Iterable[str]) -> list[str]:
    """What is wrong with the entries of one operator: mutants that do not exist, or that the cases kill."""
    alive, existing = set(survivors), set(known)
    return [
        f"The listed mutant ({name}) {'is killed' if name in existing else 'does not exist'}; take it off the list."
        for name in listed
        if name not in alive
    ]


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

    def ok(self, reviewed: bool = True) -> bool:
        """Whether every mutant is killed or explained, and every explanation is needed.

        Of an operator that is not yet reviewed, whether enough of them are killed.
        """
        enough = not self.survivors or (not reviewed and len(self.survivors) <= (1 - ENOUGH) * self.mutants)
        return enough and not self.complaints


def run(package: str, file: SuiteFile, listed: Mapping[str, str]) -> Result:
    """Judge every mutant of one operator."""
    start = time.monotonic()
    name = PurePosixPath(file.file).stem.removeprefix("test_")
    module = import_module(f"{package}.{name}")
    judge = Judge(module, replace(file.suite, info=module.OPERATOR.info))
    faults = judge.faults()
    if faults:
        text = f"The cases fail on {', '.join(faults)} as generated; run the tests first."
        return Result(file.suite.operator, 0, (), (), (text,), time.monotonic() - start)
    found = mutants(ast.parse(_source(module)))
    alive = [mutant.description for mutant in found if not judge.kills(mutant)]
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


def watched(steps: Iterable[T], total: int, what: str) -> Iterable[T]:
    """The steps, with a bar on a terminal and nothing elsewhere."""
    console = Console(stderr=True)
    return track(steps, what, total, console=console, disable=not console.is_terminal)


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
