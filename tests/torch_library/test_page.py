"""The page about torch.library, followed from its first line to its last."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.fences import blocks

PAGE = Path(__file__).parents[2] / "site/docs/en/guides/torch-library.md"


@pytest.mark.all
def test_the_program_prints_what_the_page_shows(torch: Any) -> None:
    """In a process of its own, since PyTorch remembers an operator that it called without a gradient."""
    found = blocks(PAGE)
    program = "\n".join(block.text for block in found if block.language == "python")
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(block.text for block in found if block.language == "text")
