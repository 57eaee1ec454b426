"""``python -m aclspec.codegen.mutate``: exit status 0 when the cases kill enough mutants, else 1.

None may survive in which a rule is dropped, its status is another one, a product or a mode of it is dropped, or a
comparison is off by one. Of all others 97 of 100 are to be killed. A mutant is masked, and not counted, where cases
tell the changed rule from the rule as it was, but rules before it refuse all of these.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from zlib import crc32

from aclspec.codegen.mutate.run import complaints, report, run, watched
from aclspec.codegen.trace.sources import read_suites


def main(argv: list[str] | None = None) -> int:
    """Mutate the operators that the arguments name, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m aclspec.codegen.mutate", description=__doc__)
    parser.add_argument("operators", nargs="*", help="C names; all of them where none is given")
    parser.add_argument("--sample", type=int, help="only this many operators, drawn by a checksum of their names")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: here)")
    parser.add_argument("--package", default="aclspec.ops", help="the generated package")
    parser.add_argument("--tests", type=Path, help="the generated tests (default: ROOT/generated/tests)")
    options = parser.parse_args(argv)
    root = options.root.resolve()
    tests = (options.tests or root / "generated" / "tests").resolve()
    files = read_suites(tests, tests) if tests.is_dir() else {}
    unknown = [name for name in options.operators if name not in files]
    if unknown or not files:
        parser.error(f"no generated test in {tests} is about {', '.join(unknown) or 'any operator'}")
    chosen = options.operators or sorted(files)
    if options.sample is not None:
        chosen = sorted(sorted(chosen, key=lambda name: crc32(name.encode()))[: options.sample])
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), get_context("fork")) as pool:
        judged = pool.map(run, repeat(options.package), map(files.__getitem__, chosen))
        results = list(watched(judged, len(chosen), "Operators"))
    print(report(results))
    return 1 if complaints(results) else 0


if __name__ == "__main__":
    sys.exit(main())
