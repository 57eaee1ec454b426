"""Every environment variable that the sources read stands in a guide, in both languages, and no guide names another."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
READ = re.compile(r"""["'](ACLSPEC_[A-Z_]+)["']""")
NAMED = re.compile(r"\bACLSPEC_[A-Z_]+\b")
OF_TESTS = {"ACLSPEC_TESTS", "ACLSPEC_SEEDS", "ACLSPEC_REQUIRE_PROGRAMS", "ACLSPEC_SIMULATOR_FAULT"}


def variables() -> set[str]:
    """What the hand-written sources in Python and C read from the environment."""
    sources = [*(TOP / "runtime").rglob("*.py"), *(TOP / "codegen").rglob("*.py"), *(TOP / "runtime").rglob("*.[ch]")]
    read = (path for path in sources if path.parent.name != "c")  # what writes C quotes names of C
    return {name for path in read for name in READ.findall(path.read_text("utf-8"))}


def test_there_are_some() -> None:
    assert {"ACLSPEC_PRODUCT", "ACLSPEC_STRICT", "ACLSPEC_CACHE"} <= variables()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guides_tell_each_variable(lang: str) -> None:
    guides = "\n".join(path.read_text("utf-8") for path in (TOP / "site/docs" / lang).rglob("*.md"))
    assert variables() - OF_TESTS - set(NAMED.findall(guides)) == set()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guides_tell_no_variable_that_nothing_reads(lang: str) -> None:
    guides = "\n".join(path.read_text("utf-8") for path in (TOP / "site/docs" / lang).rglob("*.md"))
    names_of_c = set(NAMED.findall((TOP / "codegen/aclspec/codegen/render/c/library/checks.h").read_text("utf-8")))
    assert set(NAMED.findall(guides)) - OF_TESTS - variables() - names_of_c == set()
