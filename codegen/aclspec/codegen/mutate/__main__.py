"""``python -m aclspec.codegen.mutate``: exit status 0 when every mutant is killed or explained, else 1.

Of operators whose survivors nobody has looked at yet, which a list names, 97 of 100 mutants are to be killed.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

from aclspec.codegen.mutate.run import BadList, read, read_names, report, run, watched
from aclspec.codegen.trace.sources import read_suites


def main(argv: list[str] | None = None) -> int:
    """Mutate the operators that the arguments name, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m aclspec.codegen.mutate", description=__doc__)
    parser.add_argument("operators", nargs="*", help="C names; all of them where none is given")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: here)")
    parser.add_argument("--package", default="aclspec.ops", help="the generated package")
    parser.add_argument("--tests", type=Path, help="the generated tests (default: ROOT/generated/tests)")
    parser.add_argument("--equivalent", type=Path, help="the list (default: ROOT/tests/mutants_equivalent.yaml)")
    parser.add_argument("--unreviewed", type=Path, help="operators (default: ROOT/tests/mutants_unreviewed.yaml)")
    options = parser.parse_args(argv)
    root = options.root.resolve()
    tests = (options.tests or root / "generated" / "tests").resolve()
    files = read_suites(tests, tests) if tests.is_dir() else {}
    unknown = [name for name in options.operators if name not in files]
    if unknown or not files:
        parser.error(f"no generated test in {tests} is about {', '.join(unknown) or 'any operator'}")
    try:
        listed = read(options.equivalent or root / "tests" / "mutants_equivalent.yaml")
        unreviewed = read_names(options.unreviewed or root / "tests" / "mutants_unreviewed.yaml")
    except BadList as error:
        parser.error(str(error))
    chosen = options.operators or sorted(files)
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), get_context("fork")) as pool:
        lists = (listed.get(name, {}) for name in chosen)
        judged = pool.map(run, repeat(options.package), map(files.__getitem__, chosen), lists)
        results = list(watched(judged, len(chosen), "Operators"))
    print(report(results))
    unknown_operators = [name for name in {*listed, *unreviewed} if name not in files]
    for name in sorted(unknown_operators):
        print(f"A list of mutants names {name}, which has no generated test.")
    return 0 if all(one.ok(one.operator not in unreviewed) for one in results) and not unknown_operators else 1


if __name__ == "__main__":
    sys.exit(main())
