"""Names and import lines of generated modules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aclspec.codegen.emit.pretty import group, lay_out
from aclspec.codegen.emit.printer import INDENT, WIDTH, width
from aclspec.runtime.info import RuleInfo


def rule_of(case: str, rules: Mapping[str, RuleInfo]) -> RuleInfo | None:
    """The rule, of those by their ids, that a violation with this id breaks: its id begins with that of the rule."""
    start, hyphen, _ = case.rpartition("-")
    while hyphen and start not in rules:
        start, hyphen, _ = start.rpartition("-")
    return rules.get(start) if hyphen else None


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
