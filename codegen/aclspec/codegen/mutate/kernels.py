"""Mutate the kernels of a package and report the mutants that no random call, compared with its reference, detects.

``python -m aclspec.codegen.mutate.kernels``: exit status 0 when every mutant that was tried is killed or explained.
A function that several operators use is mutated once; the first operator whose numbers are off kills the mutant.
"""

from __future__ import annotations

import argparse
import ast
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, partial
from importlib import import_module
from io import StringIO
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path, PurePosixPath
from random import Random
from types import FunctionType, ModuleType
from typing import Any

import pytest
import yaml

from aclspec.codegen.mutate.kernel_mutants import KernelMutant, kernel_mutants
from aclspec.codegen.mutate.run import BadList, watched
from aclspec.codegen.trace.sources import SuiteFile, read_suites
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.execution.backends import KERNELS
from aclspec.runtime.tensors.tensor import leaves
from aclspec.runtime.testing import Numbers, Runner
from aclspec.runtime.testing.reference_runs import Compared, References

CALLS = 300
SECONDS = 8
"""Of CPU for each operator that uses a mutant; one that runs longer does not end: it is killed."""
TEST_SECONDS = 120
"""Of CPU for the hand-written tests of a module."""
FEW = 12
"""Operators; a module that more of them use is mutated by a run of all mutants alone."""
_SMALL = 1000
"""Elements of the largest tensor of a call that is made in small parts."""
_MEMORY = 6 << 30


Constants = Mapping[str, Mapping[str, int]]
"""Values of constants by module and name."""


class _TooLong(BaseException):
    """The time of a mutant is over; no kernel catches it."""


@dataclass(frozen=True)
class Listed:
    """What the list of a project says: mutants that mean the same, with reasons, and what else judges the others.

    ``tests`` has hand-written tests by module: a mutant that no random call shows is killed where one of them fails.
    ``small`` has, by module and constant, values with which calls are made too, one set after the other: kernels that
    take large arrays in parts, or go another way with them, do so with small ones.
    """

    reasons: Mapping[str, str]
    small: Sequence[Constants]
    tests: Mapping[str, Sequence[str]]
    unreviewed: frozenset[str] = frozenset()
    """Modules whose survivors nobody has looked at yet; a sample is of others."""

    def tests_in(self, root: Path) -> dict[str, list[Path]]:
        """The tests by module, as files of a checkout."""
        return {module: [root / path for path in paths] for module, paths in self.tests.items()}

    def reason(self, description: str) -> str | None:
        """The entry that explains a mutant: its own, or that of a pattern with ``*``."""
        found = (entry for entry in self.reasons if entry == description or fnmatchcase(description, _pattern(entry)))
        return next(found, None)


def _pattern(entry: str) -> str:
    """Only ``*`` is special: brackets stand in many an expression."""
    return entry.replace("[", "[[]").replace("?", "[?]")


def read_list(path: Path) -> Listed:
    """The list of a project; empty where there is no file."""
    if not path.exists():
        return Listed({}, [], {})
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        entries, small, tests = loaded.get("equivalent", []), loaded.get("small", []), loaded.get("tests", {})
        tests = {str(module): [str(path) for path in paths] for module, paths in tests.items()}
        reasons = {str(entry["mutant"]): str(entry["reason"]) for entry in entries}
    except (yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
        raise BadList(f"{path} is no list of mutants, each with its reason: {error}") from error
    return Listed(reasons, small, tests, frozenset(loaded.get("unreviewed", ())))


class Operation:
    """One operator with the random calls that judge its kernels."""

    def __init__(self, operator: Operator, file: SuiteFile, count: int) -> None:
        """Draw the calls of an operator from its generated test file."""
        self.operator = operator
        suite = replace(file.suite, info=self.operator.info)
        self.references = References(self.operator, suite)
        self.calls = [self.references.prepare(*call) for call in self.references.calls(count)]
        self.numbers = Numbers(Runner(suite, self.operator, "numpy"))
        self.examples = self.numbers.examples()

    def modules(self) -> list[str]:
        """The modules of its kernel, and those of the same package that it imports."""
        return _modules(self.operator)

    def steps(self, part: int, parts: int) -> Iterator[Callable[[], None]]:
        """One part of the calls: the first with the examples, the others without what takes long in small parts."""
        for arguments in () if part else self.examples:
            yield partial(self.numbers.check_example, *arguments)
        for prepared in self.calls[part::parts]:
            if not part or all(one.numel <= _SMALL for value in prepared.values.values() for one in leaves(value)):
                yield partial(self.references.run, prepared, Compared())


def _operator(package: str, file: SuiteFile) -> Operator:
    """The operator of a generated test file."""
    name = PurePosixPath(file.file).stem.removeprefix("test_")
    operator: Operator = import_module(f"{package}.{name}").OPERATOR
    return operator


def _modules(operator: Operator) -> list[str]:
    name = operator.kernel.partition(":")[0]
    return _closure(name if "." in name else f"{KERNELS}.{name}")


@cache
def _closure(name: str) -> list[str]:
    """A module, and those beside it that it imports, and so on."""
    package, found = name.rpartition(".")[0], [name]
    for module in found:
        imports = [node for node in ast.walk(ast.parse(_source(module))) if isinstance(node, ast.ImportFrom)]
        names = [f"{node.module}.{name.name}" for node in imports for name in node.names if node.module == package]
        names += [node.module for node in imports if node.module and node.module.rpartition(".")[0] == package]
        found += [one for one in names if one not in found]
    return found


def _source(module: str) -> str:
    path = import_module(module).__file__
    assert path is not None
    return Path(path).read_text(encoding="utf-8")


def mutants_of(modules: Iterable[str]) -> list[KernelMutant]:
    """The mutants of some modules."""
    return [mutant for module in sorted(modules) for mutant in kernel_mutants(module, _source(module))]


class KernelJudge:
    """The operators whose calls judge the mutants of a module."""

    def __init__(
        self, operations: Sequence[Operation], small: Sequence[Constants], tests: Mapping[str, Sequence[Path]]
    ) -> None:
        """Judge by these operators, at the given small values of constants too, and by tests of each module."""
        self.operations = operations
        self.users: dict[str, list[Operation]] = {}
        for one in operations:
            for module in one.modules():
                self.users.setdefault(module, []).append(one)
        self.small = small
        self.tests = tests

    def tests_of(self, modules: Iterable[str]) -> list[Path]:
        """The hand-written tests of some modules."""
        names = {module.rpartition(".")[2] for module in modules}
        return list(dict.fromkeys(path for name in sorted(names) for path in self.tests.get(name, ())))

    def complaint(self, users: Sequence[Operation]) -> str | None:
        """What is wrong with the numbers of some operators; None where nothing is.

        A part of the calls is made with the constants as they are, and one with each set of small values.
        """
        for part, constants in enumerate(({}, *self.small)):
            turns = zip_longest(*(one.steps(part, 1 + len(self.small)) for one in users))
            with self._constants(constants):
                for step in (step for turn in turns for step in turn if step is not None):
                    try:
                        step()
                    except Exception as error:
                        return f"{type(error).__name__}: {error}"
        return None

    @contextmanager
    def _constants(self, constants: Constants) -> Iterator[None]:
        """Other values of constants, in their modules and in those that import them."""
        before: list[tuple[ModuleType, str, Any]] = []
        for name, values in constants.items():
            for constant, value in values.items():
                own = getattr(import_module(name), constant)
                for module in (sys.modules[user] for user in self.users):
                    if getattr(module, constant, None) is own:
                        before.append((module, constant, own))
                        setattr(module, constant, value)
        try:
            yield
        finally:
            for module, constant, own in before:
                setattr(module, constant, own)

    def kills(self, mutant: KernelMutant) -> bool:
        """Whether some call notices that a function has other code, within the time."""
        function = function_of(mutant)
        own = function.__code__
        function.__code__ = mutant.code
        users = self.users[mutant.module]
        try:
            with _limited(SECONDS * len(users)):
                if self.complaint(users) is not None:
                    return True
            with _limited(TEST_SECONDS):
                return failing(self.tests_of([mutant.module])) is not None
        except _TooLong:
            return True
        finally:
            function.__code__ = own


def failing(tests: Sequence[Path]) -> str | None:
    """What pytest prints where one of some tests fails or cannot run; None where all pass."""
    if not tests:
        return None
    options = ["-x", "-q", "--no-header", "--tb=line", "-p", "no:cacheprovider"]
    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        status = pytest.main([*options, *map(str, tests)])
    return None if status == pytest.ExitCode.OK else printed.getvalue()


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise _TooLong after this number of seconds of CPU."""
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _stop(*_: object) -> None:
    raise _TooLong


def function_of(mutant: KernelMutant) -> FunctionType:
    """The function whose code a mutant replaces, which every module that imports it has."""
    owner: Any = import_module(mutant.module)
    *outer, name = mutant.function.split(".")
    for one in outer:
        owner = getattr(owner, one)
    found = vars(owner)[name]
    if isinstance(found, property):
        found = found.fget
    found = getattr(found, "__func__", found)
    found = getattr(found, "func", found)  # of a cached property
    assert isinstance(found, FunctionType), f"{mutant.function} of {mutant.module} is no function."
    return found


_judging: tuple[KernelJudge, list[KernelMutant]] | None = None


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _survives(place: int) -> bool:
    assert _judging is not None
    judge, mutants = _judging
    return not judge.kills(mutants[place])


def survivors(judge: KernelJudge, chosen: list[KernelMutant], workers: int) -> list[KernelMutant]:
    """The mutants that no call notices."""
    global _judging
    _judging = judge, chosen
    with ProcessPoolExecutor(workers, get_context("fork"), _limit_memory) as pool:
        judged = pool.map(_survives, range(len(chosen)), chunksize=4)
        return [one for one, lives in zip(chosen, watched(judged, len(chosen), "Mutants"), strict=True) if lives]


def main(argv: list[str] | None = None) -> int:
    """Mutate the kernels of all operators, or a sample of their mutants."""
    parser = argparse.ArgumentParser(prog="python -m aclspec.codegen.mutate.kernels", description=__doc__)
    parser.add_argument("patterns", nargs="*", help="descriptions, with *; all mutants where none is given")
    parser.add_argument("--sample", type=int, help="number of mutants to try, of a few modules, chosen by --seed")
    parser.add_argument("--modules", type=int, default=6, help="of how many modules a sample is (default: 6)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", type=int, default=CALLS, help=f"random calls of each operator (default: {CALLS})")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="processes")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: here)")
    parser.add_argument("--package", default="aclspec.ops", help="the generated package")
    parser.add_argument("--tests", type=Path, help="the generated tests (default: ROOT/generated/tests)")
    parser.add_argument("--equivalent", type=Path, help="the list (default: ROOT/tests/kernel_mutants.yaml)")
    options = parser.parse_args(argv)
    os.environ.update(ACLSPEC_KERNELS="numpy", OMP_NUM_THREADS="1")  # PyTorch's threads do not outlive a fork
    root, start = options.root.resolve(), time.monotonic()
    tests = (options.tests or root / "generated" / "tests").resolve()
    try:
        listed = read_list(options.equivalent or root / "tests" / "kernel_mutants.yaml")
    except BadList as error:
        parser.error(str(error))
    files = read_suites(tests, tests) if tests.is_dir() else {}
    if not files:
        parser.error(f"no generated test in {tests} is about any operator")
    operators = {_operator(options.package, file): file for file in files.values()}
    compared = {one: file for one, file in operators.items() if one.info.compute.reference is not None}
    random = Random(options.seed)
    every = mutants_of({module for one in compared for module in _modules(one)})
    chosen = [one for one in every if not options.patterns or _matches(one, options.patterns)]
    if options.sample:
        modules = _sampled(compared, options.modules, random, listed.unreviewed)
        chosen = [one for one in chosen if one.module in modules]
        chosen = random.sample(chosen, min(options.sample, len(chosen)))
    judged = {one.module for one in chosen}
    users = [one for one in compared if not judged.isdisjoint(_modules(one))]
    judge = KernelJudge(
        [Operation(one, compared[one], options.calls) for one in users], listed.small, listed.tests_in(root)
    )
    complaint = judge.complaint(judge.operations) or failing(judge.tests_of(judged))
    if complaint is not None:
        print(f"The kernels fail as they are; run the tests first. {complaint}")
        return 1
    alive = survivors(judge, chosen, options.workers)
    unexplained = [one.description for one in alive if listed.reason(one.description) is None]
    stale = _stale(listed, [one.description for one in alive], {one.module for one in {*every}.difference(chosen)})
    print(
        f"kernels: {len(chosen)} of {len(every)} mutants, {len(chosen) - len(alive)} killed, "
        f"{len(alive) - len(unexplained)} equivalent, {len(unexplained)} unexplained ({time.monotonic() - start:.1f} s)"
    )
    for name in unexplained:
        print(f"  survives: {name}")
    for name in stale:
        print(f"  The listed mutant ({name}) is killed or does not exist; take it off the list.")
    return 1 if unexplained or stale else 0


def _sampled(operators: Iterable[Operator], count: int, random: Random, unreviewed: frozenset[str]) -> set[str]:
    """Some of the modules that few operators use and that are reviewed."""
    users = Counter(module for operator in operators for module in _modules(operator))
    few = sorted(
        module for module, number in users.items() if number <= FEW and module.rpartition(".")[2] not in unreviewed
    )
    return set(random.sample(few, min(count, len(few))))


def _matches(mutant: KernelMutant, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(mutant.description, _pattern(pattern)) for pattern in patterns)


def _stale(listed: Listed, alive: Sequence[str], not_whole: Iterable[str]) -> list[str]:
    """The entries that explain no survivor; those of modules whose mutants were not all tried are left out."""
    used, skipped = {listed.reason(name) for name in alive}, {module.rpartition(".")[2] for module in not_whole}
    return [entry for entry in listed.reasons if entry not in used and entry.partition(".")[0] not in skipped]


if __name__ == "__main__":
    sys.exit(main())
