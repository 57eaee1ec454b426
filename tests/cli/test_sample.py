"""The command ``sample``: two files that a compiler takes, and nothing of a person's overwritten."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.cli.main import main

ROOT = Path(__file__).parents[2]


def test_the_program_and_its_header(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "folder"
    assert main(["sample", "aclnnMul", "--out", str(out), "--json"]) == 0
    written = json.loads(capfd.readouterr().out)["written"]
    assert written == [str(out / "mul.cpp"), str(out / "sample.h")]
    assert "aclnnMulGetWorkspaceSize(" in (out / "mul.cpp").read_text(encoding="utf-8")
    assert re.findall(r'^#include "([^/]*)"$', (out / "mul.cpp").read_text(encoding="utf-8"), re.M) == ["sample.h"]


def test_a_committed_program_is_what_the_command_writes(tmp_path: Path) -> None:
    assert main(["sample", "prelu", "--out", str(tmp_path)]) == 0
    assert main(["sample", "add", "--out", str(tmp_path)]) == 0
    committed = ROOT / "generated" / "samples"
    for name in ("prelu.cpp", "add.cpp", "sample.h"):
        assert (tmp_path / name).read_bytes() == (committed / name).read_bytes()


@pytest.mark.parametrize("spoil", [lambda path: path.write_text("mine"), lambda path: path.mkdir()])
def test_what_is_there_stays(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], spoil: Callable[[Path], object]
) -> None:
    spoil(tmp_path / "sample.h")
    assert main(["sample", "prelu", "--out", str(tmp_path)]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["sample.h"]
    assert "sample.h exists already" in capfd.readouterr().err


def test_an_operator_without_a_program(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", "aclnnForeachDivScalarList", "--out", str(tmp_path)]) == 2
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr().err.startswith("aclspec: The operator (aclnnForeachDivScalarList) has no C++ program: ")
