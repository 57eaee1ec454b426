"""Hostile texts: each gives an answer, in work that grows with the length and no faster."""

from __future__ import annotations

import random

import pytest

from aclspec import ops
from aclspec.runtime.why.answer import MOST_ANSWERS, MOST_TEXT, Why
from aclspec.runtime.why.grammar import MOST_LINE, grammar

BOMBS = {
    "one line": "aclnn" * 40_000,
    "words": "call aclnn" * 20_000,
    "codes": "161002 " * 20_000,
    "operators": "\n".join(f"call aclnnMadeUp{at} failed" for at in range(5_000)),
    "lists": "dtype support list [" * 5_000,
    "broadcast": "and " * 40_000,
    "brackets": "aclnnAdd(self=" * 3_000,
    "json": '{"arguments": ' * 5_000,
    "json lines": '{"arguments": {}, "operator": 1}\n' * 2_000,
    "dots": "torch." + "a." * 40_000,
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_answered(text: str) -> None:
    found = ops.why(text)
    assert isinstance(found, Why)
    assert len(found.answers) <= 2 * MOST_ANSWERS
    assert str(found)


def test_random_bytes_are_answered() -> None:
    noise = random.Random(0)
    for size in (1, 100, 20_000):
        found = ops.why(noise.randbytes(size))
        assert isinstance(found, Why)
    assert ops.why(b"\xff\xfe call aclnnAdd failed").answers[0].operator == "aclnnAdd"


def test_a_text_that_is_too_long_is_cut_and_says_so() -> None:
    found = ops.why("x\n" * MOST_TEXT + "call aclnnAdd failed")
    assert found.notes[0] == f"The text has {2 * MOST_TEXT + 20} characters; the first {MOST_TEXT} were read."
    assert not found.found


def test_no_pattern_scans_a_long_line_more_than_a_few_times() -> None:
    """The characters that a pattern may touch per start are bounded, since counts are: see the subset."""
    line = "aclnnA" * MOST_LINE
    assert sum(len(text) for _, text in grammar().find(line)) <= 40 * MOST_LINE


def test_colours_and_controls_do_not_hide_a_name() -> None:
    assert ops.why("\x1b[31mcall aclnn\x1b[0mAdd failed").answers[0].operator == "aclnnAdd"


@pytest.mark.parametrize("text", [None, 1, ["x"]])
def test_what_is_no_text_is_refused(text: object) -> None:
    with pytest.raises(TypeError, match="neither a string nor bytes"):
        ops.why(text)  # type: ignore[arg-type]


def test_a_product_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="neither a product nor a SoC"):
        ops.why("x", "made up")
