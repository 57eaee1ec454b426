"""What the simulator costs: to build it, and a call of both phases from C++ on a tiny tensor.

``python -m tests.benchmarks.simulator`` prints the rows, one JSON object a line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.timing import seconds

PROGRAM = Path(__file__).parent / "simulator_calls.cpp"
BUILDS = 3


def measure_simulator() -> Iterator[dict[str, Any]]:
    """A row for each figure: what it is of, and its seconds; the best of several."""
    with tempfile.TemporaryDirectory() as folder:
        root, program = Path(folder, "root"), Path(folder, "calls")
        build = partial(_run, sys.executable, "-m", "aclspec.cli", "simulator", "build", "--out", str(root))
        yield {"what": "aclspec simulator build", "seconds": min(seconds(build, 1) for _ in range(BUILDS))}
        places = f"-I{root}/include", f"-L{root}/lib64"
        _run(
            "g++", "-std=c++17", "-O2", str(PROGRAM), *places, "-lascendcl", "-lnnopbase", "-lopapi", "-o", str(program)
        )
        found: dict[str, float] = json.loads(_run(str(program), LD_LIBRARY_PATH=f"{root}/lib64"))
        for phase, time in found.items():
            yield {"what": f"aclnnPrelu (2, 2) from C++, {phase}", "seconds": time}


def _run(*command: str, **variables: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ACLSPEC_")}
    return subprocess.run(command, env=kept | variables, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    for row in measure_simulator():
        print(json.dumps(row))
