"""What the layer costs: to build it, to load it, and calls before a stub of CANN that does nothing.

``python -m tests.benchmarks.layer`` prints the rows, one JSON object a line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.timing import seconds
from tests.layer.conftest import compile_stub

LOADS = 20
RUNS = 3
"""Of each side by side; the best counts."""


def measure_layer() -> Iterator[dict[str, Any]]:
    """A row for each figure: what it is of, and its seconds; what the layer adds, where both sides are measured."""
    with tempfile.TemporaryDirectory() as name:
        folder, root = Path(name), Path(name, "layer")
        build = partial(_run, {}, sys.executable, "-m", "aclspec.cli", "layer", "build", "--out", str(root))
        yield {"what": "aclspec layer build", "seconds": seconds(build, 1)}
        compile_stub(folder, "cc")
        plain = {"LD_LIBRARY_PATH": str(folder)}
        layered = plain | {"LD_PRELOAD": str(root / "op_api" / "lib" / "libcust_opapi.so")}
        yield {"what": "loading the layer", "seconds": _loading(folder, layered) - _loading(folder, plain)}
        sides = {
            "without": plain,
            "with": layered,
            "recording": layered | {"ACLSPEC_RECORD": str(folder / "calls")},
        }
        found: dict[str, dict[str, float]] = {side: {} for side in sides}
        for _ in range(RUNS):
            for side, variables in sides.items():
                for what, time in json.loads(_run(variables, str(folder / "cost"))).items():
                    found[side][what] = min(time, found[side].get(what, time))
        for what, time in found["without"].items():
            yield {"what": f"{what}, what the layer adds", "seconds": (found["with"][what] - time) / 1e9}
            more = found["recording"][what] - found["with"][what]
            yield {"what": f"{what}, what recording adds to that", "seconds": more / 1e9}


def _loading(folder: Path, variables: Mapping[str, str]) -> float:
    """The time of a process that makes no call."""
    return min(seconds(partial(_run, variables, str(folder / "hostile"), "0", "0"), 1) for _ in range(LOADS))


def _run(variables: Mapping[str, str], *command: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ACLSPEC_")}
    return subprocess.run(command, env=kept | dict(variables), capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    for row in measure_layer():
        print(json.dumps(row))
