"""Names in generated C: those of a spec, made different from the words that C and the generated code use."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

_KEYWORDS: Final = """
    alignas alignof asm auto bool break case char const constexpr continue default do double else enum extern false
    float for goto if inline int long main register restrict return short signed sizeof static struct switch true
    typedef typeof union unsigned void volatile wide while
"""
_OWN: Final = "arguments at all clause_start index language library out product say some unseen verdict"
_PLACE: Final = re.compile(r"at\d+\Z")


@cache
def reserved() -> frozenset[str]:
    """The words that no local may have as its name: those of C and of the header of the checks."""
    support = files("aclspec.codegen.emit.c").joinpath("support.h").read_text(encoding="utf-8")
    return frozenset((*_KEYWORDS.split(), *_OWN.split(), *re.findall(r"\b\w+(?=\()", support)))


def local_name(name: str) -> str:
    """A name of a spec as a local of C."""
    return f"{name}_" if name in reserved() or _PLACE.match(name) else name


def constant_name(name: str) -> str:
    """The name of a module's constant."""
    return name.removeprefix("_")


def product_name(key: str) -> str:
    """The number of a product by its key."""
    return f"ACLSPEC_{key.upper()}"
