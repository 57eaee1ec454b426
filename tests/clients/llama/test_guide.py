"""The guide's options are those of the build that the tests are about, and its last line generates."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import gguf
import pytest
from conftest import Execute
from model import write
from prepare import OPTIONS, TARGETS

SITE = Path(__file__).parents[3] / "site" / "docs"
FENCE = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(lang: str) -> list[list[str]]:
    """The words of each line of the guide's first block."""
    block = FENCE.search((SITE / lang / "guides" / "llama.md").read_text("utf-8"))
    assert block is not None
    return [shlex.split(line, comments=True) for line in block[1].replace("\\\n", " ").splitlines()]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide(execute: Execute, tmp_path: Path, lang: str) -> None:
    *_, configure, build, run = commands(lang)
    assert configure[:5] == ["aclspec", "simulator", "run", "--", "cmake"]
    options = dict(word[2:].split("=") for word in configure if word.startswith("-D"))
    assert options.items() <= OPTIONS.items()
    assert build[-1] in TARGETS
    write(tmp_path / "model.gguf", gguf.GGMLQuantizationType.F16)
    program, *words = run[run.index("--") + 1 :]
    words[words.index("model.gguf")] = str(tmp_path / "model.gguf")
    done = execute(Path(program).name, *words)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "Once" in done.stdout
