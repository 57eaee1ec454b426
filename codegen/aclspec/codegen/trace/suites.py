"""The derived cases as the generated test files hold them, read from their source without running it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aclspec.runtime.testing.suite import Case, Combinations, Suite, Sweep

_CONSTRUCTORS = {made.__name__: made for made in (Suite, Case, Sweep, Combinations)}


class UnreadableSuite(Exception):
    """A generated test file holds something else than plain values where its cases should stand."""


def read_suites(root: Path, directory: Path) -> dict[str, Suite]:
    """The suite of each generated test file that has one, by the file's name from the root."""
    return {
        path.relative_to(root).as_posix(): suite
        for path in sorted(directory.rglob("*.py"))
        if (suite := read_suite(path)) is not None
    }


def read_suite(path: Path) -> Suite | None:
    """The suite of a generated test file; None if it has none."""
    names: dict[str, Any] = {}
    for node in ast.parse(path.read_text(encoding="utf-8"), str(path)).body:
        target, value = _assignment(node)
        if target is None or value is None or not _holds_cases(value, names):
            continue
        names[target] = _value(value, names, path)
    return next((value for value in names.values() if isinstance(value, Suite)), None)


def _assignment(node: ast.stmt) -> tuple[str | None, ast.expr | None]:
    """The name and the value of a plain assignment at the top of a module."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, node.value
    return None, None


def _holds_cases(node: ast.expr, names: Mapping[str, Any]) -> bool:
    """Whether a value is made of cases, or of plain values that cases may use."""
    calls = {ast.unparse(found.func) for found in ast.walk(node) if isinstance(found, ast.Call)}
    used = {found.id for found in ast.walk(node) if isinstance(found, ast.Name)} - calls
    return calls <= _CONSTRUCTORS.keys() and used <= names.keys()


def _value(node: ast.expr, names: Mapping[str, Any], path: Path) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return tuple(_value(item, names, path) for item in items)
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return {_value(key, names, path): _value(value, names, path) for key, value in pairs if key is not None}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names, path)
        case ast.Name(id=name):
            return names[name]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            given = {word.arg: _value(word.value, names, path) for word in keywords if word.arg is not None}
            return _CONSTRUCTORS[name](*(_value(arg, names, path) for arg in args), **given)
        case _:
            raise UnreadableSuite(f"{path}:{node.lineno}: A case is not a plain value ({ast.unparse(node)}).")
