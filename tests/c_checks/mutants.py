"""Mutants of a check in C: copies of its function, each with one change, in one library."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any, NamedTuple

from aclspec.codegen.render.c.files import render_c
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.suite import Suite
from tests.c_checks.agreeing import PLACES
from tests.c_checks.random_calls import random_calls
from tests.c_checks.written import WRITTEN
from tests.support.c_checks import Arguments, CVerdict, as_in_c, compile_checks, decided, write

_SWAPPED = {
    "==": ("!=",),
    "!=": ("==",),
    "<=": ("<", ">"),
    ">=": (">", "<"),
    "<": ("<=", ">="),
    ">": (">=", "<="),
    "&&": ("||",),
    "||": ("&&",),
    "+": ("-",),
}
_TOKEN = re.compile(r"(?<= )(==|!=|<=|>=|<|>|&&|\|\||\+)(?= |$)|(?<![\w.\"])(\d+)(?![\w.\"])|(?<=[( ])(!)(?=[\w(])")
_STATUS = re.compile(r"DECIDE\((\d+), (\"[^\"]+\"), (\d+), (\d+), ")
SECONDS = 30
"""A mutant that takes longer runs for ever."""
RANDOM = 2_000
"""So many of the random calls that `make test-full` holds the check in C against Python with."""


class Mutant(NamedTuple):
    """A change of one line: the rule that it stands for, what stood there, and what stands there now."""

    rule: str
    line: int
    text: str

    def __str__(self) -> str:
        """Without the line, so that it stays the same while nothing changes at that place."""
        return f"{self.rule}: {self.text}"


def function_of(source: str) -> tuple[str, str, str]:
    """What stands before the check of an operator's source, the check, and what follows."""
    start = source.index("void aclspec_check_")
    end = source.index("\n}\n", start) + 3
    return source[:start], source[start:end], source[end:]


def mutants(check: str) -> Iterator[tuple[Mutant, str]]:
    """Every mutant of a function, with its text."""
    lines = check.splitlines()
    for at, line in enumerate(lines[2:], 2):
        code = line.split("//")[0]
        for changed in _changed(code):
            text = "\n".join([*lines[:at], changed, *lines[at + 1 :]]) + "\n"
            yield Mutant(_rule(lines[at:]), at, f"`{code.strip()}` becomes `{changed.strip()}`"), text


def _changed(code: str) -> Iterator[str]:
    if (found := _STATUS.search(code)) is not None:
        for group in (3, 4):
            yield code[: found.start(group)] + str(int(found[group]) + 1) + code[found.end(group) :]
        return
    if "arguments[" in code or "aclspec_verdict" in code or not re.search(r"[=<>!&|+]|\d", code):
        return
    for found in _TOKEN.finditer(code):
        before, after = code[: found.start()], code[found.end() :]
        if found[1]:
            for swapped in _SWAPPED[found[1]]:
                yield before + swapped + after
        elif found[2]:
            yield f"{before}{int(found[2]) + 1}{after}"
        else:
            yield before + after


def _rule(lines: Sequence[str]) -> str:
    """The rule whose decision comes next."""
    found = next((one for line in lines if (one := _STATUS.search(line))), None)
    return "" if found is None else found[2].strip('"').rpartition(".")[2]


class Mutated:
    """The library of an operator's mutants, and the calls that are to notice."""

    def __init__(self, operator: Operator, suite: Suite, folder: Path, compiler: str, sample: int | None) -> None:
        """Of all mutants, or of a sample, which is the same in every run."""
        self.operator = operator
        files = render_c([operator.info], KEYS)
        path = PurePosixPath("operators", f"{operator.snake}.c")
        before, check, after = function_of(files[path])
        pairs = list(mutants(check))
        if sample is not None:
            pairs = Random(operator.name).sample(pairs, sample)
        self.mutants = [mutant for mutant, _ in pairs]
        name = f"aclspec_check_{operator.snake}"
        copies = [text.replace(name, f"mutant_{at}", 1) for at, (_, text) in enumerate(pairs)]
        write(folder, {**files, path: "\n".join([before, check, *copies, after])})
        flags = ("-std=c11", "-fPIC", "-O0", "-w")
        self.library = ctypes.CDLL(str(compile_checks(folder, compiler, flags)))
        self.original = self.library[name]
        self.known = [arguments(operator.info, suite.call(case)) for case in suite.cases]
        self.known += WRITTEN.get(operator.name, ())
        self.random = [call for call, *_ in islice(random_calls(operator, suite), RANDOM)]

    def _answers(self, function: Any, call: Arguments) -> list[Any]:
        found = []
        for product, mode in PLACES:
            verdict = CVerdict()
            function(KEYS.index(product), mode == "library", call.array, ctypes.byref(verdict))
            found.append(decided(verdict))
        return found

    def survivors(self) -> list[Mutant]:
        """The mutants that no derived call notices, none by hand and no random one."""
        left = list(range(len(self.mutants)))
        for calls in (self.known, self.random):
            left = self._survivors(left, calls) if left else []
        return [self.mutants[at] for at in left]

    def _survivors(self, mutants: list[int], calls: Sequence[Mapping[str, Any]]) -> list[int]:
        given = [Arguments(self.operator.info, as_in_c(call)) for call in calls]
        wanted = [self._answers(self.original, call) for call in given]

        def is_noticed(at: int) -> bool:
            function = self.library[f"mutant_{at}"]
            return any(self._answers(function, call) != one for call, one in zip(given, wanted, strict=True))

        return [at for at in mutants if not _dies(partial(is_noticed, at))]


def _dies(is_noticed: Callable[[], bool]) -> bool:
    """Whether a mutant is noticed, or ends or stops its process; it runs in one of its own."""
    child = os.fork()
    if child == 0:
        faulthandler.disable()  # a mutant may well read through a null pointer
        signal.alarm(SECONDS)
        os._exit(1 if is_noticed() else 0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
