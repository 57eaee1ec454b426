"""Names and import lines of generated modules."""

from __future__ import annotations

from collections.abc import Iterable

from aclspec.codegen.emit.pretty import group, lay_out
from aclspec.codegen.emit.printer import INDENT, WIDTH, width


def result_class(name: str) -> str:
    """The class of an operator's outputs."""
    return f"{name.removeprefix('aclnn') or name}Result"


def import_lines(module: str, names: Iterable[str], depth: int = 0) -> list[str]:
    """``from module import names``, sorted and broken as a formatter does it; nothing when there are no names.

    The lines are indented by ``depth`` levels.
    """
    ordered = sorted(names, key=lambda name: (not name.isupper(), not name[:1].isupper(), name.lower()))
    if not ordered:
        return []
    line = f"{INDENT * depth}from {module} import {', '.join(ordered)}"
    if width(line) <= WIDTH:
        return [line]
    return list(lay_out(f"from {module} import ", group("(", ordered, ")"), depth=depth))
