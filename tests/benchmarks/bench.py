"""``make bench``: measures, prints, and writes the figures that the site shows.

Ratios count, not times, and nothing is asserted::

    make bench ARGS="[--only kernels,calls,imports,generation] [--operator NAME] [--specs 10,100,1000]"
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "site" / "data" / "benchmarks.json"
PARTS = ("kernels", "calls", "imports", "generation")


def main(arguments: list[str]) -> int:
    """Measure what is asked for and write it beside what was measured before."""
    options = _options(arguments)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.pop(name, None)  # both sides use their threads
    from tests.benchmarks import calls, generation, kernels, machine

    figures: dict[str, Any] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    figures["machine"] = {**machine.describe(), "date": date.today().isoformat()}
    figures["limits"] = limits = machine.limits()
    print(f"memory {limits['bytes'] / 1e9:.1f} GB/s, products {limits['operations'] / 1e9:.0f} G operations/s")
    if "kernels" in options.only:
        figures["kernels"] = _shown(kernels.measure(limits, options.operator), _kernel)
    if "calls" in options.only:
        figures["calls"] = _shown(calls.measure_calls(), _call)
    if "imports" in options.only:
        figures["imports"] = _shown(calls.measure_import(), str)
    if "generation" in options.only:
        figures["generation"] = _shown(generation.measure_generation(options.specs), str)
    beside = FIGURES.with_suffix(".new")
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    beside.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    beside.replace(FIGURES)
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", type=lambda text: text.split(","), default=PARTS, help="parts, with commas")
    parser.add_argument("--operator", default="", help="kernels of operators with this in their name")
    parser.add_argument("--specs", type=lambda text: tuple(map(int, text.split(","))), default=(10, 100))
    return parser.parse_args(arguments)


def _shown(rows: Iterable[dict[str, Any]], line: Any) -> list[dict[str, Any]]:
    kept = []
    for row in rows:
        print(line(row), flush=True)
        kept.append(row)
    return kept


def _kernel(row: dict[str, Any]) -> str:
    ways = (
        f"{name} {one['seconds'] * 1e3:9.3f} ms x{one['ratio']:6.2f} {one['limit']:5.0%} {one['memory'] >> 10:7d} K"
        for name in ("native", "numpy")
        if (one := row.get(name))
    )
    return f"{row['operator']:32}{row['shape']:52}{row['dtype']:9} {'   '.join(ways)}"


def _call(row: dict[str, Any]) -> str:
    ratio = f"  x{row['ratio']:.2f}" if "ratio" in row else ""
    took = f"{row['seconds'] * 1e6:8.1f} us, {row['over'] * 1e6:6.1f} over the kernel"
    return f"{row['operator']:32}{row['way']:15}{took}{ratio}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
