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
from tests.benchmarks.timing import seconds

COPIED = 1 << 25
"""float32 elements of the copy that measures memory, 128 MB."""


def describe() -> dict[str, Any]:
    """Names and versions."""
    import torch

    return {
        "processor": _processor(),
        "cores": cores(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "aclspec": __version__,
        "instructions": torch.backends.cpu.get_cpu_capability().lower(),
    }


def cores() -> int:
    """The cores that this process may run on: each side takes as many threads."""
    return len(os.sched_getaffinity(0))


def limits() -> dict[str, float]:
    """Bytes a second of a copy on all cores, and float32 operations a second of a product."""
    many = cores()
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
    """The bytes that NumPy takes at most in a run beyond what is there before it."""
    run()
    tracemalloc.start()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()
