"""Generation of the project's own specs: from nothing, unchanged, and after a change of one spec."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SPECS = Path(__file__).resolve().parents[2] / "specs"


def measure_generation() -> Iterator[dict[str, Any]]:
    """A row for each kind of run: its wall time and the processor time of all its processes, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        specs, out, cache = (Path(folder) / name for name in ("specs", "out", "cache"))
        shutil.copytree(SPECS, specs)
        yield {"way": "cold", **_run(specs, out, cache)}
        yield {"way": "unchanged", **_run(specs, out, cache)}
        yield {"way": "unchanged, --check", **_run(specs, out, cache, "--check")}
        yield {"way": "one spec changed", **max(_changed(specs, out, cache), key=lambda row: row["seconds"])}


def _changed(specs: Path, out: Path, cache: Path) -> Iterator[dict[str, float]]:
    """The run after a change of the largest spec of each folder in turn."""
    for folder in sorted(one for one in specs.iterdir() if one.is_dir() and one.name not in ("common", "clauses")):
        path = max(folder.glob("*.yaml"), key=lambda one: one.stat().st_size)
        path.write_text(re.sub(r'(?m)^(summary: \["?)', r"\1Changed. ", path.read_text(), count=1))
        yield _run(specs, out, cache)


def _run(specs: Path, out: Path, cache: Path, *options: str) -> dict[str, float]:
    words = ["generate", "--specs", str(specs), "--out", str(out), "--package", "bench", *options]
    environment = {**os.environ, "ACLSPEC_CACHE": str(cache)}
    begin, before = time.perf_counter(), _cpu()
    command = [sys.executable, "-m", "aclspec.cli", *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return {"seconds": time.perf_counter() - begin, "cpu": _cpu() - before}


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
