"""Generation against the number of specs, which are our own in turn, each under another name of its operator.

From the second copy on one number of each is another one too: an integer of a predicate, a default, or a dtype that is
left out of a list, so that each is derived by itself. A change that makes a spec wrong is not taken, and the next one
is tried. Without ``numbers`` only the names differ.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from aclspec.codegen.load import load_operator, load_tables
from aclspec.runtime.dtypes import DType

SPECS = Path(__file__).resolve().parents[2] / "specs"
_INTEGER = re.compile(r"(?<![\w.])(?:[89]|[1-9]\d+)(?![\w.])")
"""An integer of a predicate that is a bound, and no axis or count of axes."""
_TRIES = 12


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
            environment = {**os.environ, "ACLSPEC_CACHE": str(Path(folder) / "cache")}
            row["full"], row["memory"] = _generate(specs, out, environment)
            row["again"], _ = _generate(specs, out, environment)
            row["check"], _ = _generate(specs, out, environment, "--check")
            one = next(path for path in sorted(specs.glob("*/*.yaml")) if path.parent.name not in ("common", "clauses"))
            one.write_text(re.sub(r"(?m)^(  en: )", r"\1Changed. ", one.read_text(), count=1))
            row["changed"], _ = _generate(specs, out, environment)
            yield row
            last = row


def synthesize(folder: Path, count: int, numbers: bool = True) -> None:
    """So many specs: each of ours in turn with a number in its names, and with one of its numbers changed."""
    shutil.copytree(SPECS / "common", folder / "common")
    tables = load_tables(folder, [])
    ours = [path for path in sorted(SPECS.glob("*/*.yaml")) if path.parent.name not in ("common", "clauses")]
    trees = [_without_clauses(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in ours]
    for number in range(count):
        path, tree = ours[number % len(ours)], trees[number % len(ours)]
        target = folder / path.parent.name / f"{path.stem}_n{number}.yaml"
        target.parent.mkdir(parents=True, exist_ok=True)
        changes = islice(_perturbed(tree, number // len(ours)), _TRIES) if numbers and number >= len(ours) else ()
        for changed in (*changes, tree):
            text = yaml.safe_dump(changed, sort_keys=False, allow_unicode=True, width=10_000)
            target.write_text(text.replace(tree["op"], f"{tree['op']}N{number}"), encoding="utf-8")
            operator, findings = load_operator(folder, target, tables)
            if operator is not None and all(finding.severity != "error" for finding in findings):
                break


def _perturbed(tree: Any, turn: int) -> Iterator[Any]:
    """The spec with one thing changed, a different thing first at each turn."""
    places = list(_places(tree, ()))
    for at in range(len(places)):
        path, change = places[(7 * turn + at) % len(places)]
        yield _replaced(tree, path, change(turn))


def _places(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Callable[[int], Any]]]:
    """What can be changed, and how."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key not in ("examples", "summary", "notes", "formula", "doc"):
                yield from _places(value, (*path, key))
    elif isinstance(node, list):
        if len(node) > 1 and all(isinstance(item, str) and item in DType.__members__ for item in node):
            yield path, lambda turn: [item for place, item in enumerate(node) if place != turn % len(node)]
        for place, value in enumerate(node):
            yield from _places(value, (*path, place))
    elif path[-1] in ("require", "when") and isinstance(node, str) and _INTEGER.search(node):
        yield path, lambda turn: _INTEGER.sub(lambda found: str(int(found[0]) + 1 + turn), node, count=1)
    elif path[-1] == "default":
        yield path, lambda turn: not node if isinstance(node, bool) else node + 1 if isinstance(node, int) else node


def _replaced(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    if isinstance(node, dict):
        return {**node, path[0]: _replaced(node[path[0]], path[1:], value)}
    return [_replaced(item, path[1:], value) if place == path[0] else item for place, item in enumerate(node)]


def _without_clauses(node: Any) -> Any:
    """A spec that stands alone, without what the documents say."""
    if isinstance(node, dict):
        return {key: _without_clauses(value) for key, value in node.items() if key != "clauses"}
    return [_without_clauses(value) for value in node] if isinstance(node, list) else node


def _generate(specs: Path, out: Path, environment: dict[str, str], *more: str) -> tuple[float, int]:
    """Seconds, and the most memory that a run of the command and its processes took together."""
    options = ["--specs", str(specs), "--out", str(out), "--package", "many", *more]
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as said:
        words = [sys.executable, "-m", "aclspec.cli", "generate", *options]
        process = subprocess.Popen(words, stdout=said, stderr=said, env=environment)
        memory = 0
        while process.poll() is None:
            memory = max(memory, _resident(process.pid))
            time.sleep(0.02)
        seconds = time.perf_counter() - begin
        if process.returncode:
            said.seek(0)
            raise RuntimeError(said.read()[-4000:])
    return seconds, memory


def _resident(root: int) -> int:
    """The memory of a process and of those that it started, what they share counted once for each."""
    parents: dict[int, int] = {}
    pages: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(") ")[2].split()[1])
            pages[int(folder.name)] = int((folder / "statm").read_text().split()[1])
        except (OSError, ValueError):
            continue  # it ended
    ours = {root}
    while True:
        more = {pid for pid, parent in parents.items() if parent in ours} - ours
        if not more:
            break
        ours |= more
    return sum(pages.get(pid, 0) for pid in ours) * os.sysconf("SC_PAGE_SIZE")
