"""What all workers of a test run share: made by the first that asks."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path


def once(folder: Path, make: Callable[[Path], object]) -> Path:
    """The folder, which ``make`` fills where no other worker has; they wait for it."""
    done = folder.with_suffix(".done")
    with open(folder.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            done.touch()
    return folder
