"""``aclspec watch``: an operator is checked, generated and tested after each save."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from queue import Queue

import pytest

from tests.pipeline.conftest import PACKAGE, Small

LONGEST = 240
"""Seconds to wait for a line."""


class Watched:
    """A running ``aclspec watch`` and the lines that it prints."""

    def __init__(self, small: Small, *words: str) -> None:
        options = ["--specs", str(small.specs), "--out", str(small.out), "--package", PACKAGE]
        path = os.pathsep.join([str(small.out), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "aclspec.cli", "watch", *words, *options],
            cwd=small.root,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: Queue[str] = Queue()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            for line in stream:
                self.lines.put(line)

    def until(self, text: str) -> str:
        """The next line with a text in it."""
        while text not in (line := self.lines.get(timeout=LONGEST)):
            print(line, end="")
        return line


@pytest.fixture
def watched(small: Small) -> Iterator[Watched]:
    running = Watched(small, "copy_all")
    yield running
    running.process.kill()
    running.process.wait()
    running.reader.join()


@pytest.mark.timeout(900)
def test_each_save_is_worked_on(watched: Watched, small: Small) -> None:
    watched.until(" passed")
    text = small.spec.read_text(encoding="utf-8")
    small.spec.write_text(text.replace("rank: [0, 8]", "rank: [0, nine]", 1), encoding="utf-8")
    assert "copy_all.yaml:24:15: The value of entry 2 of rank is a string (nine)" in watched.until("nine")
    small.spec.write_text(text.replace("en: A copy of self.", "en: The same as self."), encoding="utf-8")
    watched.until(" passed")
    assert "The same as self." in small.module.read_text(encoding="utf-8")
    kernel = small.out / "outside_kernels" / "copy_all.py"
    kernel.write_text(kernel.read_text(encoding="utf-8").replace("out[...] =", "out[...] = 1 +"), encoding="utf-8")
    watched.until("FAILED")
    watched.process.send_signal(signal.SIGINT)
    watched.until("ended")
    assert watched.process.wait(LONGEST) == 0
