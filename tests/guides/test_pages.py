"""What README and the site show is true: their code is run, and what they print is compared.

The Chinese pages have the same code as the English ones; a test of the site sees to it.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from aclspec.runtime.language.parser import parse
from tests.support.fences import Block, blocks, words
from tests.support.simulated import as_device, build_once, shared_folder

TOP = Path(__file__).parents[2]
FOLLOWED = (
    "adding-an-operator.md",
    "checks-in-c.md",
    "cpp.md",
    "llama.md",
    "mindspore.md",
    "porting.md",
    "pytorch.md",
    "torch-library.md",
    "why-did-my-call-fail.md",
)
"""Pages that tests of their own follow from the first command to the last."""
PAGES = [TOP / "README.md", *sorted(path for path in (TOP / "site/docs/en").rglob("*.md") if path.name not in FOLLOWED)]
SLOW = {"spec.md", "writing-a-predicate.md"}
"""Pages with commands that read the specs of all operators."""
ON_THE_SIMULATOR = {"npu.md"}
LANGUAGES = {"python", "text", "console", "sh", "yaml", "predicate"}


def _name(page: Path) -> str:
    return page.relative_to(TOP).as_posix()


@pytest.fixture(
    params=[pytest.param(page, marks=[pytest.mark.all] if page.name in SLOW else []) for page in PAGES], ids=_name
)
def page(
    request: pytest.FixtureRequest, program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Block, ...]]:
    if request.param.name not in ON_THE_SIMULATOR:
        yield blocks(request.param)
        return
    program("g++")
    with as_device(build_once(shared_folder(tmp_path_factory))):
        yield blocks(request.param)


def test_python_blocks_run_and_print_what_the_page_shows(page: tuple[Block, ...]) -> None:
    scope: dict[str, Any] = {"__name__": "__page__"}
    for at, block in enumerate(page):
        if block.language != "python":
            continue
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(block.text, block.where, "exec"), scope)
        after = page[at + 1] if at + 1 < len(page) else None
        if after is not None and after.language == "text" and printed.getvalue():
            assert printed.getvalue() == after.text, after.where


def test_commands_run_and_print_what_the_page_shows(page: tuple[Block, ...], tmp_path: Path) -> None:
    (tmp_path / "specs").symlink_to(TOP / "specs")
    for block in page:
        for command, shown in block.commands if block.language == "console" else ():
            done = run(command, tmp_path)
            assert done.returncode == 0, f"{block.where}: {command}\n{done.stdout}{done.stderr}"
            for line in shown.splitlines():
                assert line.strip() in done.stdout, f"{block.where}: {command}\n{done.stdout}"


def test_predicates_are_read(page: tuple[Block, ...]) -> None:
    for block in page:
        if block.language == "predicate":
            parse(block.text.strip())


def test_no_block_is_of_a_language_that_nothing_looks_at(page: tuple[Block, ...]) -> None:
    assert {block.language for block in page} <= LANGUAGES


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command of a page, by the programs of this environment."""
    head, *rest = words(command)
    program = shutil.which(head, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert program is not None, head
    return subprocess.run([program, *rest], cwd=folder, capture_output=True, text=True, timeout=120)
