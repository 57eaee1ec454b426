"""The operators known by signature alone: one table in the package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from aclspec.codegen.render.build import Target, header_line
from aclspec.codegen.render.environment import template
from aclspec.codegen.source.folders import SIGNATURES
from aclspec.runtime.rules.operator_info import OperatorInfo


def render_table(operators: Sequence[OperatorInfo], target: Target) -> dict[PurePosixPath, str]:
    """The module that `aclspec.runtime.api.declared` reads; none without such operators."""
    if not operators:
        return {}
    rows = {one.snake: (one.name, one.header, " ".join(key for key, _ in one.products), _row(one)) for one in operators}
    text = template("signatures.py.j2").render(header=header_line(f"specs/{SIGNATURES}"), rows=rows)
    return {target.folder / "_declared.py": text}


def _row(info: OperatorInfo) -> str:
    return ", ".join(f"{one.name} {one.snake} {'const ' * one.const}{one.direction} {one.type}" for one in info.params)
