"""Run or show cases of the fuzzer: ``python -m tests.spec_fuzz FIRST LAST`` or ``python -m tests.spec_fuzz SEED``."""

from __future__ import annotations

import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

from tests.spec_fuzz.judging import TooMuch, Workshop
from tests.spec_fuzz.mutations import case_of


def main(first: int, last: int, each: int) -> int:
    """Judge a range of seeds, print the tracebacks of defects and at the end the counts."""
    warnings.simplefilter("error")
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        workshop = Workshop(Path(name))
        for seed in range(first, last):
            try:
                counts[workshop.judge(case_of(seed), seed % each == 0)] += 1
            except (Exception, TooMuch):
                counts["defect"] += 1
                print(f"=== seed {seed}, {case_of(seed).file}", traceback.format_exc(limit=-4), sep="\n", flush=True)
            if seed % 100 == 99:
                print(seed, dict(counts), flush=True)
    print(dict(counts))
    return counts["defect"]


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    if len(numbers) == 1:
        case = case_of(numbers[0])
        print(f"# {case.root / case.file}", case.text, sep="\n")
    else:
        sys.exit(bool(main(numbers[0], numbers[1], numbers[2] if numbers[2:] else 20)))
