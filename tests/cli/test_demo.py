"""The demo: what explains a call comes first, and no array has more than eight numbers in a row."""

from __future__ import annotations

import re

import numpy as np
import pytest

from aclspec.cli import demo

FEW = 8


def test_the_explanation_is_first_and_arrays_are_short(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [one for one in demo._documents() if one[0].info.snake in ("prelu_backward", "avg_pool2d_backward")]
    monkeypatch.setattr(demo, "_documents", lambda: iter(calls))
    assert demo.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Would this work?")
    assert any(line.endswith(": works") for line in lines)
    numbers = [len(re.findall(r"\d+\.\d+", line)) for line in lines]
    assert max(numbers) == FEW


def test_an_array_of_more_than_a_few_numbers_shows_the_first() -> None:
    assert demo._shown(np.arange(2, dtype=np.float32)) == "float32[2] [0.0, 1.0]"
    assert demo._shown(np.arange(9, dtype=np.int32).reshape(3, 3)) == "int32[3,3] 0, 1, 2, 3, 4, 5, 6, 7, ..."
