"""The examples in the help and in the reference page are run as they stand."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aclspec.cli.app import ORDER
from aclspec.cli.main import main
from aclspec.cli.reference import commands
from aclspec.runtime.testing.amount import amount
from tests.importer.conftest import PAGE


def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Callable[[str], str]) -> None:
    program("cc")  # of which simulator build makes use
    monkeypatch.chdir(tmp_path)
    Path("page.md").write_text(PAGE, encoding="utf-8")
    np.save("g.npy", np.ones((4, 2), np.float32))
    np.savez("data.npz", x=np.arange(8, dtype=np.float32).reshape(4, 2))
    examples = [line.removeprefix("$ ") for line in commands("en").splitlines() if line.startswith("$ aclspec ")]
    assert list(dict.fromkeys(shlex.split(example)[1] for example in examples)) == list(ORDER)
    Path("calls.jsonl").write_text('{"aclspec_record": 2}\n', encoding="utf-8")
    elsewhere = ["watch", "docs"]  # one has no end; the other makes the site that the tests of the site look at
    elsewhere += amount(["trace", "simulator", "layer"], ["trace", "simulator", "layer"], [])  # long; tested elsewhere
    words = {example: shlex.split(example)[1:] for example in examples}
    ends = {example: main(given) for example, given in words.items() if given[0] not in elsewhere}
    # The example of explain shows a call that fails.
    assert [shlex.split(example)[1] for example, status in ends.items() if status != 0] == ["explain"]
    assert Path("result.npz").is_file()
