"""Generation against the number of specs, which are copies of our own (see `tests.benchmarks.synthetic`).

Where each is derived by itself, that takes nearly all of a full run; for larger numbers the derived cases of ours are
put where those of their copies are looked for, so that what is measured is all the rest.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.benchmarks.synthetic import change, keep_cases, synthesize

_WAYS = ("derived", "at hand")
_EACH = 10
"""With so many specs a rule of each is changed, one after the other."""


def measure_generation(counts: tuple[int, ...], budget: float) -> Iterator[dict[str, Any]]:
    """A full run from nothing, one with nothing changed, one with one spec changed, a check, and a run elsewhere.

    With ten specs also one with a rule changed, for each of them. A number of specs is left out, and said to be, where
    the one before it foretells more than ``budget`` seconds.
    """
    for cases in _WAYS:
        last: dict[str, Any] = {}
        for count in sorted(counts):
            if last and last["full"] / last["specs"] * count > budget:
                foretold = last["full"] / last["specs"] * count
                print(f"{count} specs, cases {cases}: left out, about {foretold:.0f} s")
                continue
            last = _measured(count, cases)
            yield last


def _measured(count: int, cases: str) -> dict[str, Any]:
    """One row."""
    with tempfile.TemporaryDirectory() as folder:
        specs, out, cache = (Path(folder) / name for name in ("specs", "out", "cache"))
        for made, original in synthesize(specs, count):
            if cases == "at hand":
                keep_cases(made, original, cache)
        row: dict[str, Any] = {"specs": count, "cases": cases}
        environment = {**os.environ, "ACLSPEC_CACHE": str(cache)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's Python does not compile all modules in each run
        row["full"], row["memory"] = _generate(specs, out, environment)
        row["again"], _ = _generate(specs, out, environment)
        row["check"], _ = _generate(specs, out, environment, "--check")
        one = next(path for path in sorted(specs.glob("*/*.yaml")) if path.parent.name != "common")
        one.write_text(re.sub(r"(?m)^(  en: )", r"\1Changed. ", one.read_text(), count=1))
        row["changed"], _ = _generate(specs, out, environment)
        if cases == "derived" and count <= _EACH:
            row["rule"] = sorted(_rule_changed(specs, out, environment))
        shutil.rmtree(out)
        row["elsewhere"], _ = _generate(specs, Path(folder) / "elsewhere", environment)
        return row


def _rule_changed(specs: Path, out: Path, environment: dict[str, str]) -> Iterator[float]:
    """Seconds after a number in a rule of one spec is another one, for each spec in turn."""
    for path in sorted(specs.glob("*/*.yaml")):
        if path.parent.name != "common" and change(specs, path):
            (specs / "rules.lock").unlink()  # instead of acknowledging each rule whose meaning is another one
            yield _generate(specs, out, environment)[0]


def _generate(specs: Path, out: Path, environment: dict[str, str], *more: str) -> tuple[float, int]:
    """Seconds, and the most memory that a run of the command and its processes took together."""
    options = ["--specs", str(specs), "--out", str(out), "--package", "many", *more]
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as said:
        words = [sys.executable, "-m", "aclspec.cli", "generate", *options]
        process = subprocess.Popen(words, stdout=said, stderr=said, env=environment)
        memory = 0
        while not _ended(process):
            memory = max(memory, _resident(process.pid))
        seconds = time.perf_counter() - begin
        if process.returncode:
            said.seek(0)
            raise RuntimeError(said.read()[-4000:])
    return seconds, memory


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process ends in the next moment."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(0.05)
    return process.returncode is not None


def _resident(root: int) -> int:
    """The memory of a process and of those that it started, what they share counted once."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):  # it ended
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(") ")[2].split()[1])
    ours = {root}
    while True:
        more = {pid for pid, parent in parents.items() if parent in ours} - ours
        if not more:
            break
        ours |= more
    return sum(map(_proportional, ours))


def _proportional(pid: int) -> int:
    """The memory of one process, what it shares with others by its part."""
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) << 10
    return 0
