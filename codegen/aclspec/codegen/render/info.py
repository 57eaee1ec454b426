"""The compiled spec of one operator as JSON, which `aclspec.runtime.rules.operator_data` reads."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args

from aclspec.codegen.render.build import header_line
from aclspec.runtime.language.nodes import Node
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.operator_data import MARK
from aclspec.runtime.rules.operator_info import OperatorInfo

_NODES = get_args(Node)


def render_info(info: OperatorInfo) -> str:
    """The text of the file ``_info/<op>.json``: a field a line, and of a table a part a line."""
    data = {MARK: header_line(info.spec), **_data(info)}
    return f"{_laid_out(data, '')}\n"


def _data(value: Any) -> Any:
    """A value as JSON data; a dataclass without the fields that have their default, a tuple of pairs as an object."""
    if isinstance(value, _NODES):
        return unparse(value)
    if is_dataclass(value):
        held = {item: getattr(value, item.name) for item in fields(value)}
        written = {item.name: part for item, part in held.items() if item.default is MISSING or part != item.default}
        return {name: _data(part) for name, part in written.items()}
    if not isinstance(value, tuple):
        return value
    if value and all(isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], str) for part in value):
        return {name: _data(part) for name, part in value}
    return [_data(part) for part in value]


def _laid_out(data: Any, indent: str) -> str:
    """An object of tables, a table, or a line."""
    tables = data.values() if isinstance(data, dict) else ()
    if any(isinstance(part, list) and part and isinstance(part[0], dict) for part in tables):
        lines = [f"{json.dumps(name)}: {_laid_out(part, f'{indent}  ')}" for name, part in data.items()]
        return _block("{", lines, "}", indent)
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return _block("[", [_line(part) for part in data], "]", indent)
    return _line(data)


def _block(opening: str, lines: list[str], closing: str, indent: str) -> str:
    inner = f",\n{indent}  ".join(lines)
    return f"{opening}\n{indent}  {inner}\n{indent}{closing}"


def _line(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)
