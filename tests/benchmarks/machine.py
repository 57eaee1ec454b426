"""The machine, its limits and the versions: what a figure is worth nothing without."""

from __future__ import annotations

import os
import platform
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from aclspec.runtime import __version__
from aclspec.runtime.native.library import library, threads
from tests.benchmarks.timing import seconds

COPIED = 1 << 25
"""float32 elements of the copy that measures memory, 128 MB."""


def describe() -> dict[str, Any]:
    """Names and versions."""
    import torch

    c = library()
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "threads": threads(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "aclspec": __version__,
        "instructions": None if c is None else c.ffi.string(c.lib.aclspec_instruction_set()).decode(),
    }


def limits() -> dict[str, float]:
    """Bytes a second of a copy on as many threads as the kernels take, and float32 operations a second of a product."""
    many = threads()
    source, target = np.ones(COPIED, np.float32), np.empty(COPIED, np.float32)
    parts = [slice(at * COPIED // many, (at + 1) * COPIED // many) for at in range(many)]

    def copy() -> None:
        workers = [threading.Thread(target=np.copyto, args=(target[part], source[part])) for part in parts]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    copy()
    square = np.ones((2048, 2048), np.float32)
    product = np.empty_like(square)
    moved, made = 2 * source.nbytes, 2 * 2048**3
    return {
        "bytes": moved / min(seconds(copy, 1) for _ in range(5)),
        "operations": made / min(seconds(lambda: np.matmul(square, square, out=product), 1) for _ in range(5)),
    }


def peak_memory(run: Callable[[], object]) -> int:
    """The bytes that a run takes at most beyond what is there before it: NumPy's, and the scratch of compiled kernels.

    Buffers on the stack, up to 4 KB a thread, are not counted.
    """
    c = library()
    run()
    if c is not None:
        c.lib.aclspec_scratch()
    tracemalloc.start()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return int(peak + (0 if c is None else c.lib.aclspec_scratch()))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()
