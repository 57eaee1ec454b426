"""What a check takes in C, as the layer compiles it, beside the straight-line check in Python, in one run.

``python -m tests.benchmarks.checks [OPERATORS]`` prints a row for each operator, and how many times as fast C is.
"""

from __future__ import annotations

import ctypes
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from aclspec import ops
from aclspec.codegen.layer.build import FLAGS
from aclspec.codegen.render.c.files import write_checks
from aclspec.codegen.trace.sources import read_suites
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.testing.expected import arguments
from tests.benchmarks.timing import seconds
from tests.support.c_checks import Arguments, CChecks, CVerdict, as_in_c, compile_checks

ROOT = Path(__file__).resolve().parents[2]
CASES = 3
"""Calls of an operator that pass, and as many that a rule refuses."""
ROUNDS = 9
"""Of both sides in turn; the shortest counts, in which nothing else ran."""
PYTHON, C = 50, 500
"""Calls of each side in a round."""


class Row(NamedTuple):
    """The seconds of a check in Python and in C, means over some calls of an operator."""

    operator: str
    calls: int
    python: float
    c: float

    @property
    def ratio(self) -> float:
        """How many times as fast C is."""
        return self.python / self.c


def measure_checks(names: Sequence[str], folder: Path) -> Iterator[Row]:
    """A row for each operator; the checks are compiled into a folder."""
    write_checks([ops.get(name).info for name in names], folder)
    (folder / "repeat.c").write_bytes(Path(__file__).with_name("repeat.c").read_bytes())
    flags = [flag for flag in FLAGS if "visibility" not in flag]
    checks = CChecks(compile_checks(folder, "cc", flags, workers=2))
    suites = read_suites(ROOT, ROOT / "generated" / "tests")
    for name in names:
        operator = ops.get(name)
        suite = replace(suites[operator.name].suite, info=operator.info)
        cases = (*suite.valid[:CASES], *suite.violations[:CASES])
        found = [_measured(operator, checks, arguments(operator.info, suite.call(case))) for case in cases]
        yield Row(operator.name, len(found), *(statistics.mean(column) for column in zip(*found, strict=True)))


def _measured(operator: Operator, checks: CChecks, call: dict[str, Any]) -> tuple[float, float]:
    """The seconds of one check in Python and in C, which give the same answer."""
    values, product = list(as_in_c(call).values()), operator.info.products[0][0]
    given, verdict = Arguments(operator.info, as_in_c(call)), CVerdict()
    wanted = operator.check(product, True, *values)
    repeat = checks.library.repeat
    repeat.restype = ctypes.c_double
    check = ctypes.cast(checks.library[f"aclspec_check_{operator.snake}"], ctypes.c_void_p)
    in_c = partial(repeat, check, KEYS.index(product), True, given.array, ctypes.byref(verdict), ctypes.c_long(C))
    in_c()
    found = None if verdict.rule is None else verdict.rule.decode()
    if found != (None if wanted is None else wanted.rule):
        raise AssertionError(f"{operator.name}: C says {found}, Python {wanted and wanted.rule}: {call}")
    in_python = partial(operator.check, product, True, *values)
    rounds = [(seconds(in_python, PYTHON), in_c() / C) for _ in range(ROUNDS)]
    python, c = (min(column) for column in zip(*rounds, strict=True))
    return python, c


def main(names: Sequence[str]) -> None:
    """Measure the operators that are named, or all, and print the rows."""
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for row in measure_checks([ops.get(name).snake for name in names or ops.names()], Path(folder)):
            rows.append(row)
            print(
                f"{row.operator:44}{row.python * 1e6:9.2f} us {row.c * 1e6:8.3f} us in C  x{row.ratio:.0f}", flush=True
            )
    least = min(rows, key=lambda row: row.ratio)
    slowest = max(rows, key=lambda row: row.c)
    middle = statistics.median(row.ratio for row in rows)
    print(
        f"{len(rows)} checks: C is x{middle:.1f} as fast in the median, x{least.ratio:.1f} at least ({least.operator})."
    )
    print(f"The longest check in C takes {slowest.c * 1e6:.2f} us ({slowest.operator}).")


if __name__ == "__main__":
    main(sys.argv[1:])
