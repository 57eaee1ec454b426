"""The queue of tasks, which is on: nothing waits for what waits for it, and no process is left."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from aclspec.runtime.testing.amount import amount

SCRIPT = Path(__file__).parent / "queued.py"
CASES = ("exit", "empty_cache", "query", "threads", "fork", "spawn")
MARK = "ACLSPEC_TESTED_PROGRAM"


def left(mark: str) -> list[str]:
    """The processes that have the mark of a run in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_text("utf-8").replace("\0", " "))
        except OSError:
            continue
    return [words for words in found if words]


@pytest.mark.parametrize("case", CASES)
def test_it_ends_and_leaves_nothing(case: str) -> None:
    assert os.environ.get("TASK_QUEUE_ENABLE", "1") != "0"
    for _ in range(amount(1, 2, 50)):
        mark = uuid.uuid4().hex
        done = subprocess.run(
            [sys.executable, str(SCRIPT), case],
            env={**os.environ, MARK: mark},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
        until = time.monotonic() + 5
        while left(mark) and time.monotonic() < until:
            time.sleep(0.05)
        assert left(mark) == []
