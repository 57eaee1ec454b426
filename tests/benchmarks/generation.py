"""Generation against the number of specs: copies of our own, each with another name and other words."""

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

import yaml

SPECS = Path(__file__).resolve().parents[2] / "specs"


def measure_generation(counts: tuple[int, ...], budget: float) -> Iterator[dict[str, Any]]:
    """A full run from nothing, one with nothing changed, one with one spec changed, and a check.

    A number of specs is left out, and said to be, where the one before it foretells more than ``budget`` seconds.
    """
    last: dict[str, Any] = {}
    for count in sorted(counts):
        if last and last["full"] / last["specs"] * count > budget:
            print(f"{count} specs are left out: about {last['full'] / last['specs'] * count:.0f} s")
            continue
        with tempfile.TemporaryDirectory() as folder:
            specs, out = Path(folder) / "specs", Path(folder) / "out"
            synthesize(specs, count)
            row: dict[str, Any] = {"specs": count}
            row["full"], row["memory"] = _generate(specs, out)
            row["again"], _ = _generate(specs, out)
            row["check"], _ = _generate(specs, out, "--check")
            one = next(path for path in sorted(specs.glob("*/*.yaml")) if path.parent.name not in ("common", "clauses"))
            one.write_text(re.sub(r"(?m)^(  en: )", r"\1Changed. ", one.read_text(), count=1))
            row["changed"], _ = _generate(specs, out)
            yield row
            last = row


def synthesize(folder: Path, count: int) -> None:
    """So many specs: each of ours in turn with a number in its names and in its summary."""
    shutil.copytree(SPECS / "common", folder / "common")
    ours = [path for path in sorted(SPECS.glob("*/*.yaml")) if path.parent.name not in ("common", "clauses")]
    texts = [_without_clauses(path) for path in ours]
    for number in range(count):
        path, text = ours[number % len(ours)], texts[number % len(ours)]
        name = re.search(r"(?m)^op: (\w+)", text)
        assert name is not None
        target = folder / path.parent.name / f"{path.stem}_n{number}.yaml"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text.replace(name[1], f"{name[1]}N{number}"), encoding="utf-8")


def _without_clauses(path: Path) -> str:
    """A spec that stands alone, without what the documents say."""

    def strip(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: strip(value) for key, value in node.items() if key != "clauses"}
        return [strip(value) for value in node] if isinstance(node, list) else node

    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    return yaml.safe_dump(strip(loaded), sort_keys=False, allow_unicode=True, width=10_000)


def _generate(specs: Path, out: Path, *more: str) -> tuple[float, int]:
    """Seconds, and the most memory that a run of the command took."""
    words = [
        sys.executable,
        "-m",
        "aclspec.cli",
        "generate",
        "--specs",
        str(specs),
        "--out",
        str(out),
        "--package",
        "many",
    ]
    begin = time.perf_counter()
    done = subprocess.run(
        [*words, *more],
        capture_output=True,
        text=True,
        env={**os.environ, "ACLSPEC_CACHE": str(out.with_name("cache"))},
    )
    if done.returncode:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
