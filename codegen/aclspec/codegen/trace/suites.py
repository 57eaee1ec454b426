"""The derived cases as the generated test files hold them, read from their source without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aclspec.codegen.trace.marks import relative
from aclspec.runtime.testing.suite import Case, Combinations, Suite, Sweep

_CONSTRUCTORS: dict[str, Any] = {made.__name__: made for made in (Suite, Case, Sweep, Combinations, dict)}
_SOURCES = ("cells", "cases", "refused", "computing", "examples")
"""The methods of the runner that give the cases of a test function."""


class UnreadableSuite(Exception):
    """A generated test file holds something else than plain values where its cases should stand."""


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A generated test file: its name, its cases, and the test function that runs each group of them.

    Beside the groups of the suite, ``refused`` are the products that the operator does not list, ``computing`` the
    valid calls on data, and ``examples`` the examples of the spec.
    """

    file: str
    suite: Suite
    runs: Mapping[str, str]


def read_suites(root: Path, directory: Path) -> dict[str, SuiteFile]:
    """The generated test files that have a suite, by operator; files are named from the root."""
    files = (read_suite(root, path) for path in sorted(directory.rglob("test_*.py")))
    return {file.suite.operator: file for file in files if file is not None}


def read_suite(root: Path, path: Path) -> SuiteFile | None:
    """A generated test file; None if it has no suite."""
    names: dict[str, Any] = {}
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    for node in tree.body:
        target, value = _assignment(node)
        if target is not None and value is not None and _holds_cases(value, names):
            names[target] = _value(value, names, path)
    suite = next((value for value in names.values() if isinstance(value, Suite)), None)
    return None if suite is None else SuiteFile(relative(root, path), suite, _runs(tree))


def _runs(tree: ast.Module) -> dict[str, str]:
    """The groups that the test functions are parametrized with: ``cases("valid")`` or ``examples()``."""
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            for call in (one for mark in node.decorator_list for one in ast.walk(mark) if isinstance(one, ast.Call)):
                for group in _groups(call):
                    found.setdefault(group, node.name)
    return found


def _groups(call: ast.Call) -> Iterator[str]:
    if isinstance(call.func, ast.Attribute) and call.func.attr in _SOURCES:
        texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
        yield from (str(text) for text in texts or [call.func.attr])


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
