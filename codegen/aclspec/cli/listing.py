"""``aclspec list``."""

from __future__ import annotations

from aclspec.cli import operators, output
from aclspec.cli.errors import GOOD
from aclspec.runtime.info import OperatorInfo


def perform(as_json: bool) -> int:
    """Show the operators, one a line."""
    infos = [operators.find(name).info for name in operators.names()]
    if as_json:
        output.show_json([_summary(info) for info in infos])
        return GOOD
    rows = [(info.name, info.snake, info.category, info.summary.en) for info in infos]
    output.show(output.table(None, ("operator", "Python", "category", "what it computes"), rows))
    return GOOD


def _summary(info: OperatorInfo) -> dict[str, object]:
    return {
        "name": info.name,
        "snake": info.snake,
        "category": info.category,
        "summary": {"en": info.summary.en, "zh": info.summary.zh},
        "products": [key for key, _ in info.products],
        "header": info.header,
    }
