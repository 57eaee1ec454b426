"""Names and import lines of generated modules."""

from __future__ import annotations

from collections.abc import Iterable

from aclspec.codegen.emit.pretty import group, lay_out


def result_class(name: str) -> str:
    """The class of an operator's outputs."""
    return f"{name.removeprefix('aclnn') or name}Result"


def import_lines(module: str, names: Iterable[str]) -> list[str]:
    """``from module import names``, sorted and broken as a formatter does it; nothing when there are no names."""
    ordered = sorted(names, key=lambda name: (not name.isupper(), not name[:1].isupper(), name.lower()))
    if not ordered:
        return []
    line = f"from {module} import {', '.join(ordered)}"
    if len(line) <= 120:
        return [line]
    return list(lay_out(f"from {module} import ", group("(", ordered, ")")))
