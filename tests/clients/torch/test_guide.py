"""The Python of the guide "PyTorch for Ascend without an NPU" runs and prints what the page shows."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

PAGE = Path(__file__).parents[3] / "site/docs/en/guides/pytorch.md"
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"simulator run -- python -c '([^']*)'")


def test_the_guide() -> None:
    blocks = FENCE.findall(PAGE.read_text("utf-8"))
    ran = 0
    for (language, text), (_, shown) in pairwise(blocks):
        found = LINE.search(text)
        program = text if language == "python" else found[1] if found else None
        if program is not None:
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
            assert done.stdout == shown, done.stderr
            ran += 1
    assert ran == 2
