"""README and guides begin with the commands that most readers need."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fences import blocks

TOP = Path(__file__).parents[2]
GUIDES = TOP / "site/docs/en/guides"
WITHOUT = {"faq.md", "pictures.md"}
"""Questions and drawings: they have no first command."""
FIRST_SCREEN = 45
MOST_WORDS = 110


@pytest.mark.parametrize("page", sorted(path for path in GUIDES.glob("*.md") if path.name not in WITHOUT), ids=str)
def test_a_guide_begins_with_a_command(page: Path) -> None:
    before = page.read_text(encoding="utf-8").partition("```")[0]
    assert blocks(page)[0].language in ("sh", "console", "python")
    assert len(before.split()) <= MOST_WORDS


def test_readme_begins_with_installation_and_three_commands() -> None:
    first = [block for block in blocks(TOP / "README.md") if int(block.where.partition(":")[2]) < FIRST_SCREEN]
    text = "\n".join(block.text for block in first)
    commands = ("pip install '.[cli]'", "aclspec why", "aclspec simulator run -- python", "aclspec new", "aclspec lint")
    assert [command for command in commands if command not in text] == []
    assert [block.language for block in first].count("text") == 1


def test_the_command_of_readme_that_needs_pytorch_is_that_of_the_guide() -> None:
    """The test of the guide runs it, in an environment with PyTorch's package."""
    (shown,) = (block for block in blocks(TOP / "README.md") if "torch-npu" in block.text)
    guide = blocks(GUIDES / "pytorch.md")
    assert set(shown.text.replace(" && ", "\n").splitlines()) <= set(guide[0].text.splitlines())
    printed = [block.text for block in blocks(TOP / "README.md") if block.language == "text"]
    assert printed[0] == guide[1].text
