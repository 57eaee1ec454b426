"""What test files say, read from their source without running it: clauses, rules, and generated suites."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aclspec.runtime.testing.statements import Calls
from aclspec.runtime.testing.suite import Suite

_RULE = re.compile(r"(aclnn[A-Za-z0-9]+)\.([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Mark:
    """A test that names a clause: ``@pytest.mark.clause("004.phase2.1")``."""

    test: str
    file: str
    line: int
    clause: str | None
    """None: the argument is not a literal, so that nobody can say which clause is meant."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A string in a test that reads as the full id of a rule."""

    file: str
    line: int
    operator: str
    rule: str


def read_tests(root: Path, directory: Path) -> tuple[list[Mark], list[Mention]]:
    """The marks and mentions of every test file below a directory; files are named from the root."""
    marks: list[Mark] = []
    mentions: list[Mention] = []
    for path in sorted(directory.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        file = relative(root, path)
        marks += _marks(tree, file)
        mentions += _mentions(tree, file)
    return marks, mentions


def relative(root: Path, path: Path) -> str:
    """The name of a file as seen from the root, which need not be above it."""
    return Path(os.path.relpath(path, root)).as_posix()


def _marks(tree: ast.Module, file: str) -> Iterator[Mark]:
    """Marks on functions, on classes, for all their tests, and on the whole file as ``pytestmark``."""
    whole = [call for node in tree.body if _is_pytestmark(node) for call in _calls(node)]
    yield from _marks_in(tree.body, file, (), whole)


def _marks_in(body: list[ast.stmt], file: str, outer: tuple[str, ...], inherited: list[ast.Call]) -> Iterator[Mark]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            own = [call for decorator in node.decorator_list for call in _calls(decorator)]
            yield from _marks_in(node.body, file, (*outer, node.name), [*inherited, *own])
        elif isinstance(node, _Function) and node.name.startswith("test"):
            test = "::".join([file, *outer, node.name])
            for call in [*inherited, *(call for decorator in node.decorator_list for call in _calls(decorator))]:
                yield from (Mark(test, file, call.lineno, clause) for clause in _arguments(call))


def _is_pytestmark(node: ast.stmt) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in targets)


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """Every ``….mark.clause(…)`` in a decorator, those of single parameters too."""
    for found in ast.walk(node):
        if isinstance(found, ast.Call) and ast.unparse(found.func).endswith("mark.clause"):
            yield found


def _arguments(call: ast.Call) -> Iterator[str | None]:
    for argument in call.args:
        literal = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        yield argument.value if literal else None  # type: ignore[attr-defined]


def _mentions(tree: ast.Module, file: str) -> Iterator[Mention]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = _RULE.fullmatch(node.value)
            if match:
                yield Mention(file, node.lineno, match[1], match[2])


_GROUPS = ("cells", "cases", "refused", "computing", "examples")
"""The methods of the runner that give the parameters of a test function."""


class UnreadableSuite(Exception):
    """A statement of a generated test file has an argument that is no literal."""


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A generated test file: its name, its suite, and the test function that runs each group of cases.

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
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    calls: Calls | None = None
    receivers: dict[str, Any] = {}
    for call, target in _module_calls(tree):
        match call.func:
            case ast.Name(id="Calls"):
                args, keywords = _literal_arguments(call, path)
                calls = receivers[target] = Calls(*args, **keywords)
            case ast.Attribute(value=ast.Name(id=name), attr=statement) if name in receivers:
                args, keywords = _literal_arguments(call, path)
                receivers[target] = getattr(receivers[name], statement)(*args, **keywords)
    return None if calls is None else SuiteFile(relative(root, path), calls.suite(), dict(_runs(tree)))


def _module_calls(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """The calls that are statements of a module, each with the name that its result gets."""
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                yield call, name
            case ast.Expr(value=ast.Call() as call):
                yield call, ""


def _literal_arguments(call: ast.Call, path: Path) -> tuple[list[Any], dict[str, Any]]:
    try:
        args = [ast.literal_eval(arg) for arg in call.args]
        pairs = [(word.arg, ast.literal_eval(word.value)) for word in call.keywords]
    except ValueError as error:
        text = f"{path}:{call.lineno}: An argument is no literal ({ast.unparse(call)})."
        raise UnreadableSuite(text) from error
    keywords = {name: value for name, value in pairs if name is not None}
    for name, value in pairs:
        keywords |= value if name is None else {}
    return args, keywords


def _runs(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The groups that the test functions are parametrized with: ``cases("valid")`` or ``examples()``."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            for call in (one for mark in node.decorator_list for one in ast.walk(mark) if isinstance(one, ast.Call)):
                if isinstance(call.func, ast.Attribute) and call.func.attr in _GROUPS:
                    groups = [str(arg.value) for arg in call.args if isinstance(arg, ast.Constant)]
                    yield from ((group, node.name) for group in groups or [call.func.attr])
