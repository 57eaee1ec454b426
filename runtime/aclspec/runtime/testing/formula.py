"""Formulas of references: the language of predicates with more arithmetic, on tensors.

A formula also has ``/``, ``**`` and slices, and ``null``; its lists are Python's, its indices count from the end where
they are negative, and it calls functions of a table that its user brings. What the names stand for, and what arrays
are, its user decides.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from aclspec.runtime.language.evaluation import OPERATORS, Code, Evaluator, Frame
from aclspec.runtime.language.nodes import Call, Node, children, names
from aclspec.runtime.language.parser import FORMULA, PredicateError, parse

Functions = Mapping[str, Callable[..., Any]]


class FormulaError(ValueError):
    """A text is no formula."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: its tree, and the names and the functions in it."""

    tree: Node
    names: frozenset[str]
    functions: frozenset[str]


@cache
def parse_formula(text: str) -> Formula:
    """The formula of a text; `FormulaError` says what it has that no formula has."""
    try:
        tree = parse(text, dialect=FORMULA)
    except PredicateError as error:
        raise FormulaError(f"A formula ({text}) is wrong. {error.message.replace('predicate', 'formula')}") from error
    return Formula(tree, names(tree), frozenset(_called(tree)))


def _called(node: Node) -> Iterator[str]:
    """The functions that a tree calls."""
    if isinstance(node, Call):
        yield node.func
    for child in children(node):
        yield from _called(child)


class _FormulaEvaluator(Evaluator):
    """Evaluates formulas; the ``call`` of a frame looks names up, and null is a value like any other."""

    operators: ClassVar[Mapping[str, Callable[[Any, Any], Any]]] = {
        **OPERATORS,
        "//": operator.floordiv,
        "%": operator.mod,
        "/": operator.truediv,
        "**": operator.pow,
    }
    sequence = list

    def __init__(self, functions: Functions) -> None:
        super().__init__()
        self.functions = functions

    @staticmethod
    def item(values: Any, index: Any) -> Any:
        return values[index]

    def value(self, name: str) -> Code:
        return lambda frame: frame.variables[name] if name in frame.variables else frame.call(name)

    def call(self, func: str, args: tuple[Node, ...]) -> Code:
        function, codes = self.functions[func], [self.code(arg) for arg in args]
        return lambda frame: function(*[code(frame) for code in codes])


def evaluate_formula(formula: Formula, lookup: Callable[[str], Any], functions: Functions) -> Any:
    """The value of a formula, of whose names ``lookup`` says what they stand for."""

    def found(name: str) -> Any:
        return None if name == "null" else lookup(name)

    return _FormulaEvaluator(functions).code(formula.tree)(Frame(found))
