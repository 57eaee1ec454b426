"""The guide "Checks in a C++ project", followed from its first command to its last."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.support.fences import blocks

PAGE = Path(__file__).parents[2] / "site/docs/en/guides/checks-in-c.md"


def test_the_guide_works_as_it_is_written(tmp_path: Path, program: Callable[[str], str]) -> None:
    for name in ("gcc", "g++"):
        program(name)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    ran = 0
    for block in blocks(PAGE):
        if block.title is not None:
            (tmp_path / block.title).write_text(block.text, encoding="utf-8")
        for command, shown in block.commands if block.language == "console" else ():
            words = [program("bash"), "-c", command]
            done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
            assert done.returncode == 0, f"{block.where}: {command}\n{done.stdout}{done.stderr}"
            assert shown in done.stdout, f"{block.where}: {command}\n{done.stdout}"
            ran += 1
    assert ran == 4
