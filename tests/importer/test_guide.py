"""The guide about drafting is followed: its page gives its draft, and its commands run."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from aclspec.cli.main import main
from tests.support.fences import blocks, words

GUIDE = Path(__file__).parents[2] / "site/docs/en/guides/importing.md"
HEADER = """aclnnStatus aclnnToySoakGetWorkspaceSize(
    const aclTensor* cloth, int64_t dye, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
"""


def test_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    Path("aclnn_toy_soak.h").write_text(HEADER, encoding="utf-8")
    files = {block.title: block.text for block in blocks(GUIDE) if block.title}
    for name in ("toy.md", "facts.json"):
        Path(name).write_text(files[name], encoding="utf-8")
    Path("pages").mkdir()
    commands = [line for block in blocks(GUIDE) if block.language == "sh" for line in block.text.splitlines()]
    for number, command in enumerate(one for one in commands if one.startswith("aclspec ")):
        arguments = [word if word != "drafts" or number != 1 else "others" for word in words(command)[1:]]
        assert main(arguments) == 0, command
    assert Path("drafts/toy_soak.yaml").read_text(encoding="utf-8") == files["drafts/toy_soak.yaml"]
