"""The page "Adding an operator", followed literally in an empty folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.fences import blocks, words

PAGE = Path(__file__).parents[2] / "site/docs/en/guides/adding-an-operator.md"


@pytest.mark.timeout(900)
def test_the_tutorial_works_as_it_is_written(tmp_path: Path) -> None:
    ran = 0
    for block in blocks(PAGE):
        if block.title is not None:
            target = tmp_path / block.title
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        for command, shown in block.commands if block.language == "console" else ():
            printed = follow(command, tmp_path, block.where)
            assert [line for line in shown.splitlines() if line not in printed.splitlines()] == [], (
                f"{block.where}: {command}\n{printed}"
            )
            ran += 1
    assert ran >= 8
    derived = follow("python -m pytest -q tests --collect-only", tmp_path, "collection")
    assert "other-broadcast" in derived
    assert "out-shape" in derived


@pytest.mark.timeout(300)
def test_a_new_operator_is_right_as_it_stands(tmp_path: Path) -> None:
    follow("aclspec new aclnnBrandNew --specs s --kernels k.deep", tmp_path, "new")
    follow("aclspec lint s", tmp_path, "lint")
    follow("aclspec generate --specs s --out o --package my.ops", tmp_path, "generate")
    follow("aclspec generate --specs s --out o --package my.ops --check", tmp_path, "check")
    follow("python -m pytest -q o/tests", tmp_path, "test", PYTHONPATH=f"{tmp_path}/o{os.pathsep}{tmp_path}")


def follow(command: str, folder: Path, where: str, **environment: str) -> str:
    """Run a command of the page as its reader would, with the programs of this environment."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    head, *rest = words(command)
    program = shutil.which(head, path=path)
    assert program is not None, head
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "ACLSPEC"))}
    done = subprocess.run(
        [program, *rest], cwd=folder, env={**clean, "PATH": path, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{where}: {command}\n{done.stdout}\n{done.stderr}"
    return done.stdout
