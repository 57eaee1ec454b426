"""Texts are wrapped as the standard library wraps them."""

from __future__ import annotations

import textwrap
from random import Random

import pytest

from aclspec.codegen.wrapping import wrapped

WORDS = ("a", "of", "tensor", "well-known", "gradOutput", "的形状", "x" * 30, "-", "(1,", "2)")
SPACES = (" ",) * 30 + ("  ", "\n", "\t", "\u3000", "\xa0")


@pytest.mark.parametrize("seed", range(60))
def test_lines_are_those_of_textwrap(seed: int) -> None:
    random = Random(seed)
    for _ in range(40):
        parts = [random.choice(WORDS) + random.choice(SPACES[: random.choice((1, 30, len(SPACES)))]) for _ in range(30)]
        text = "".join(parts[: random.randrange(30)])
        text = random.choice((text, text.strip(), f" {text}"))
        width, first, later = random.randrange(20, 50), random.choice(("", "# ", "    ")), random.choice(("", "    "))
        expected = textwrap.wrap(
            text, width, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
        )
        assert wrapped(text, width, first, later) == expected
