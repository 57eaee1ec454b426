"""On a terminal of 60 columns no line is longer; in a pipe no line is broken."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.replay.conftest import Write, line, prelu, tensor, write

__all__ = ["write"]
COLUMNS = 60
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COMMAND = [sys.executable, "-m", "aclspec.cli"]
EXPLAIN = ["explain", "prelu_backward", "--grad-output", "bfloat16[4,2]", "--self", "bfloat16[4,2]"]
EXPLAIN += ["--weight", "bfloat16[3]"]


def on_terminal(words: list[str]) -> list[str]:
    """The lines that a command shows on a terminal of COLUMNS columns, without colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    with subprocess.Popen([*COMMAND, *words], stdout=theirs, stderr=theirs, stdin=theirs, env=variables) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so where the other end is closed
                break
            if not part:
                break
            shown += part
        os.close(ours)
        process.wait()
    plain = ESCAPE.sub("", shown.decode("utf-8"))
    return [one.rstrip("\r").rpartition("\r")[2] for one in plain.split("\n")]  # progress is written over itself


def calls(write: Write) -> Path:
    bf16 = {name: tensor(*shape, dtype="BF16") for name, shape in (("self", (4, 2)), ("weight", (2,)), ("out", (4, 2)))}
    return write(prelu(2), prelu(3, status=161002), line("aclnnPrelu", bf16))


@pytest.mark.parametrize("name", ["explain", "show", "replay"])
def test_a_narrow_terminal(name: str, write: Write) -> None:
    words = {
        "explain": EXPLAIN,
        "show": ["show", "prelu_backward"],
        "replay": ["replay", str(calls(write)), "--product", "all"],
    }[name]
    lines = on_terminal(words)
    assert len(lines) > 10
    assert [one for one in lines if len(one.rstrip()) > COLUMNS] == []


def test_a_pipe_has_whole_lines() -> None:
    done = subprocess.run([*COMMAND, *EXPLAIN], capture_output=True, text=True, env=os.environ | {"COLUMNS": "60"})
    assert "The number of elements of weight is 3; it must be 1 or the channel count of self (2)." in done.stdout
