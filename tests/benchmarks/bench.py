"""``make bench``: measures, prints, and writes the figures that the site shows.

Ratios count, not times, and nothing is asserted. Every row is written as soon as it is measured::

    make bench ARGS="[--only kernels,calls,imports,generation] [--operator NAME] [--dtype NAMES]"
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "site" / "data" / "benchmarks.json"
PARTS = ("calls", "kernels", "imports", "generation")
KEEP = {"MALLOC_TRIM_THRESHOLD_": "4294967296", "MALLOC_MMAP_THRESHOLD_": "4294967296"}
"""With these, memory that is given back stays in the process: else PyTorch would pay page faults for its outputs."""


def main(arguments: list[str]) -> int:
    """Measure what is asked for and write it beside what was measured before."""
    options = _options(arguments)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.pop(name, None)  # both sides use their threads
    if any(os.environ.get(name) != value for name, value in KEEP.items()):
        os.execve(sys.executable, [sys.executable, "-m", "tests.benchmarks.bench", *arguments], {**os.environ, **KEEP})
    from aclspec import ops
    from tests.benchmarks import calls, device, generation, kernels, machine
    from tests.benchmarks.figures import Figures

    if not kernels.measured(options.operator):
        print(f"bench: the operator ({options.operator}) is in no name of {', '.join(ops.names())}", file=sys.stderr)
        return 2
    figures = Figures(FIGURES)
    figures.put("machine", {**machine.describe(), "date": date.today().isoformat()})
    limits = machine.limits()
    for part in options.only:
        if part == "kernels":
            whole = not (options.operator or options.dtype)
            figures.measure(part, kernels.measure(options.operator, options.dtype), _kernel(limits), whole)
            limits = {name: max(value, limits[name]) for name, value in machine.limits().items()}
        if part == "calls":
            figures.measure(part, chain(calls.measure_calls(), device.measure_device()), _call, True)
        if part == "imports":
            figures.measure(part, calls.measure_import(), str, True)
        if part == "generation":
            figures.measure(part, generation.measure_generation(), str, True)
        figures.put("limits", limits)
    print(f"memory {limits['bytes'] / 1e9:.1f} GB/s, products {limits['operations'] / 1e9:.0f} G operations/s")
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", type=_parts, default=PARTS, help="parts, with commas")
    parser.add_argument("--operator", default="", help="kernels of operators with this in a name of theirs")
    parser.add_argument("--dtype", type=lambda text: text.split(","), default=(), help="kernels of these dtypes alone")
    return parser.parse_args(arguments)


def _parts(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in PARTS:
            raise argparse.ArgumentTypeError(f"the part ({name}) is none of {', '.join(PARTS)}")
    return names


def _kernel(limits: dict[str, float]) -> Any:
    def line(row: dict[str, Any]) -> str:
        least = max(row["moved"] / limits["bytes"], row["operations"] / limits["operations"])
        ways = (
            f"{name} {one['seconds'] * 1e3:9.3f} ms x{one['ratio']:6.2f} ±{one['noise']:4.0%} "
            f"{least / one['seconds']:5.0%}"
            for name in ("torch", "numpy")
            if (one := row.get(name))
        )
        return f"{row['operator']:32}{row['shape']:52}{row['dtype']:9} {'   '.join(ways)}"

    return line


def _call(row: dict[str, Any]) -> str:
    ratio = f"  x{row['ratio']:.2f} ±{row['noise']:.0%}" if "ratio" in row else ""
    took = f"{row['seconds'] * 1e6:8.1f} us, {row['over'] * 1e6:6.1f} over the kernel"
    return f"{row['operator']:32}{row['way']:23}{took}{ratio}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
