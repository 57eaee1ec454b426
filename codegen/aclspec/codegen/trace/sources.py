"""What test files say, read from their source without running it: clauses, rules, and generated suites."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aclspec.runtime.testing.corpus import path_of, read
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


_RUNS = "ITEMS.params()"
"""What a generated test file has that makes the calls of its corpus."""


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A generated test file, and the suite of its corpus."""

    file: str
    suite: Suite


def read_suites(root: Path, directory: Path) -> dict[str, SuiteFile]:
    """The suites of the generated test files that run a corpus, by operator; files are named from the root."""
    found = (read_suite(root, path) for path in sorted(directory.rglob("test_*.py")))
    return {file.suite.operator: file for file in found if file is not None}


def read_suite(root: Path, path: Path) -> SuiteFile | None:
    """The suite of one generated test file; None for one that runs no corpus."""
    corpus = path_of(path.parent, path.stem.removeprefix("test_"))
    if not corpus.is_file() or _RUNS not in path.read_text(encoding="utf-8"):
        return None
    return SuiteFile(relative(root, path), read(corpus.read_text(encoding="utf-8")).suite)
