"""What a run of conformance costs: one worker against the bare loop, two against one, a piece's scheduling, memory.

``python -m tests.benchmarks.conform [CALLS]`` prints the rows, one JSON object a line; calls are those whose memory is
measured, of which there are 100,000 unless it says otherwise. A million take 20 minutes.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from aclspec import ops
from aclspec.codegen.conform.calls import Piece, Settings, read_call
from aclspec.codegen.conform.cases import plan
from aclspec.codegen.conform.fleet import fleet
from aclspec.codegen.conform.judge import Judge
from aclspec.codegen.conform.process import Caller
from aclspec.codegen.conform.run import Execute, alone, conform
from aclspec.codegen.simulator.root import build_root

OPERATORS = ops.names()[::3]
PRODUCT = "atlas_a2"
SCHEDULED = 300
"""Pieces without a call, of which the time of one is that of its scheduling."""


def measure_conform(calls: int) -> Iterator[dict[str, Any]]:
    """A row for each figure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build_root([ops.get(name).info for name in ops.names(declared=True)], folder / "root")
        settings = Settings("simulator", forbidden=True, root=str(folder / "root" / "cann"))
        pieces = list(plan(OPERATORS, (PRODUCT,), 0, 0))
        count = sum(len(piece.calls) for piece in pieces)
        bare = _bare(pieces)
        yield {"what": "bare loop in this process, backend numpy", "calls": count, "seconds": bare}
        numpy = replace(settings, backend="numpy", root=None)
        yield _compared("one worker from its start, backend numpy", count, _run(numpy, pieces, folder, alone), bare)
        first, again = _twice(numpy, pieces)
        yield _compared("the process of the calls, as it starts", count, first, bare)
        yield _compared("the process of the calls, once operators are loaded", count, again, bare)
        judged = _judged(numpy, pieces)
        yield _compared("the same loop without a process of its own, backend numpy", count, judged, bare)
        one = _run(settings, pieces, folder, alone)
        yield {"what": "one worker, backend simulator", "calls": count, "seconds": one}
        with fleet(None, 2) as found:
            _run(settings, pieces[:2], folder, found.execute)  # until both have started
            two = _run(settings, pieces, folder, found.execute)
            yield _compared("two workers, backend simulator", count, two, one)
            empty = [replace(pieces[0], calls=(), seed=at) for at in range(SCHEDULED)]
            took = _run(settings, empty, folder, found.execute)
            yield {"what": "scheduling a piece", "pieces": SCHEDULED, "seconds": took / SCHEDULED}
        yield from _memory(settings, calls, folder)


def _compared(what: str, calls: int, seconds: float, other: float) -> dict[str, Any]:
    return {"what": what, "calls": calls, "seconds": seconds, "ratio": seconds / other}


def _timed(function: Callable[[], object]) -> float:
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def _bare(pieces: Sequence[Piece]) -> float:
    """Read each call, ask the generated check and phase one, and compare."""

    def loop() -> None:
        for piece in pieces:
            operator = ops.get(piece.operator)
            for text in piece.calls:
                values = read_call(operator.info, text).values()
                verdict = operator.check(piece.product, True, *values)
                status, *_ = operator.get_workspace_size(*values, product=piece.product, conformance="library")
                assert int(status) == (0 if verdict is None else verdict.library)

    loop()  # modules are loaded
    return _timed(loop)


def _twice(settings: Settings, pieces: Sequence[Piece]) -> tuple[float, float]:
    """All pieces through one process, which is started for them, and then through the same one again."""
    caller = Caller(settings)
    try:
        first, again = (_timed(lambda: [caller.rows(piece) for piece in pieces]) for _ in range(2))
    finally:
        caller.close()
    return first, again


def _judged(settings: Settings, pieces: Sequence[Piece]) -> float:
    judge = Judge(settings)
    return _timed(lambda: [judge.answer(piece, one) for piece in pieces for one in judge.planned(piece)])


def _run(settings: Settings, pieces: Sequence[Piece], folder: Path, execute: Execute) -> float:
    out = folder / f"{time.monotonic_ns()}.parquet"
    return _timed(lambda: conform(pieces, settings, out, execute))


def _memory(settings: Settings, calls: int, folder: Path) -> Iterator[dict[str, Any]]:
    """What this process and that of the calls hold after a fifth of a number of random calls, and after all.

    Operators are loaded one after the other, and the caches of both are full long before a fifth.
    """
    pieces = list(plan(OPERATORS, (PRODUCT,), -(-calls // len(OPERATORS)), 0, derived=False))
    held: list[tuple[int, int, int]] = []

    def watch(doing: str, done: int, of: int, calls: int, findings: int) -> None:
        own = psutil.Process()
        child = next(one for one in own.children() if "conform.child" in " ".join(one.cmdline()))
        held.append((calls, own.memory_info().rss, child.memory_info().rss))

    out = folder / "memory.parquet"
    took = _timed(lambda: conform(pieces, settings, out, alone, watch))
    made, _, _ = held[-1]
    early = next(one for one in held if one[0] >= made / 5)
    for what, at in (("the run", 1), ("its calls", 2)):
        figures = {"bytes_early": early[at], "bytes_late": held[-1][at], "bytes_most": max(one[at] for one in held)}
        yield {"what": f"memory of the process of {what}", "calls": made, "seconds": took, **figures}


if __name__ == "__main__":
    for row in measure_conform(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000):
        print(json.dumps(row), flush=True)
