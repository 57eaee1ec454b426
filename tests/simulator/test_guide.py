"""The guides "Test C++ without an NPU" and "Why did my call fail?", followed from their first command to their last."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.fences import blocks

TOP = Path(__file__).parents[2]
GUIDES = TOP / "site/docs/en/guides"
PAGES = {"cpp.md": 9, "why-did-my-call-fail.md": 15}
"""Each with the least number of its commands."""
PROLOGUE = "set -e\nif [ -f simulator/set_env.sh ]; then . simulator/set_env.sh; fi\n"


def is_printed(line: str, printed: str) -> bool:
    """Whether a line of the page is there; three dots stand for what differs from run to run."""
    return re.search("[^\n]*".join(map(re.escape, line.split("..."))), printed) is not None


@pytest.mark.all
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", PAGES)
def test_the_guide_works_as_it_is_written(tmp_path: Path, program: Callable[[str], str], page: str) -> None:
    for name in ("cc", "g++", "cmake"):
        program(name)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ACLSPEC", "ASCEND"))}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    for folder in ("generated", "site"):  # the programs of a checkout
        (tmp_path / folder).symlink_to(TOP / folder)
    ran = 0
    for block in blocks(GUIDES / page):
        if block.title is not None:
            (tmp_path / block.title).write_text(block.text, encoding="utf-8")
        for command, shown in block.commands if block.language == "console" else ():
            words = [program("bash"), "-c", PROLOGUE + command]
            done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
            printed = done.stdout + done.stderr
            assert done.returncode == 0, f"{block.where}: {command}\n{printed}"
            assert [line for line in shown.splitlines() if not is_printed(line, printed)] == [], f"{command}\n{printed}"
            ran += 1
    assert ran >= PAGES[page]
