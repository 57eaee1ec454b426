"""The type checker of predicates: every mistake of a tree, each at its own place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aclspec.codegen.findings import did_you_mean, one_of
from aclspec.codegen.predicate.expectations import INCOMPARABLE, Expectations
from aclspec.codegen.predicate.kinds import EMPTY_LIST, a, fits, is_list
from aclspec.codegen.predicate.overloads import Problem, resolve
from aclspec.codegen.predicate.parser import SYMBOLS
from aclspec.codegen.predicate.unparse import unparse
from aclspec.runtime.predicate.functions import ELEMENTS, FUNCTIONS, LISTS
from aclspec.runtime.predicate.nodes import (
    And,
    Arith,
    Bool,
    Call,
    Compare,
    Each,
    Float,
    IfElse,
    Index,
    InRows,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
    Str,
    Symbol,
)

_ORDERED = ("<", "<=", ">", ">=")


@dataclass(slots=True)
class Checker(Expectations):
    """Checks trees against the types of the names in scope; ``problems`` collects what is wrong.

    A tree with a mistake has no type (None), and nothing more is said of what holds it.
    """

    scope: Mapping[str, str]
    hidden: Mapping[str, str] = field(default_factory=dict)
    """Names that exist but may not stand here, and what a message says of each."""

    def check(
        self, node: Node, expected: str | tuple[str, ...] | None = None, what: str = "The predicate"
    ) -> str | None:
        """The type of a tree; with ``expected`` also that the whole is of that type, or of one of several."""
        found = self.type_of(node, dict(self.scope))
        wanted = (expected,) if isinstance(expected, str) else expected or ()
        if wanted and found and not any(fits(found, kind) for kind in wanted):
            kinds = one_of([a(kind) for kind in wanted])
            self.report(node, "type", f"{what} ({unparse(node)}) is {a(found)}; expected {kinds}.")
            return None
        return found

    def type_of(self, node: Node, scope: dict[str, str]) -> str | None:
        """The type of a node, or None after a mistake below it."""
        match node:
            case Int():
                return "int"
            case Float():
                return "float"
            case Bool() | InRows():
                return "bool"
            case Str():
                return "string"
            case Symbol(kind=kind):
                return kind
            case Name(id=name):
                return self._name(node, name, scope)
            case _:
                return self._compound(node, scope)

    def _name(self, node: Node, name: str, scope: dict[str, str]) -> str | None:
        if name not in scope and name in self.hidden:
            self.report(node, "undefined-name", self.hidden[name])
            return None
        if name not in scope:
            hint = did_you_mean(name, (*scope, *FUNCTIONS, *SYMBOLS))
            if name in FUNCTIONS:
                hint = f"; a function is called, as in {name}(...)."
            self.report(node, "undefined-name", f"A name ({name}) is neither a parameter nor a let{hint}")
            return None
        # A let that is itself wrong has the type "": nothing is said of its users.
        return scope[name] or None

    def _compound(self, node: Node, scope: dict[str, str]) -> str | None:
        match node:
            case Not(operand=operand):
                return self._all_of("bool", (operand,), scope, "an operand of not", "bool")
            case And(items=items) | Or(items=items):
                word = "and" if isinstance(node, And) else "or"
                return self._all_of("bool", items, scope, f"an operand of {word}", "bool")
            case Negate(operand=operand):
                found = self.type_of(operand, scope)
                return self.expect_in(operand, found, ("int", "float"), "The operand of -")
            case Arith():
                return self._arith(node, scope)
            case Compare():
                return self._compare(node, scope)
            case ListOf(items=items):
                return self._list(node, items, scope)
            case IfElse():
                return self._conditional(node, scope)
            case Call():
                return self._call(node, scope)
            case Index():
                return self._index(node, scope)
            case Quantifier():
                return self._quantifier(node, scope)
            case Each():
                return self._each(node, scope)
        raise TypeError(f"not a node of a predicate: {node!r}")

    def _all_of(
        self, wanted: str, nodes: tuple[Node, ...], scope: dict[str, str], what: str, result: str
    ) -> str | None:
        """Check that all nodes are of one type; ``result`` when they are."""
        types = [self.type_of(node, scope) for node in nodes]
        good = [
            self.expect_in(node, found, (wanted,), what.capitalize()) for node, found in zip(nodes, types, strict=True)
        ]
        return result if all(good) else None

    def _arith(self, node: Arith, scope: dict[str, str]) -> str | None:
        left, right = self.type_of(node.left, scope), self.type_of(node.right, scope)
        if left is None or right is None:
            return None
        if node.op == "+" and is_list(left) and is_list(right):
            return self.unified(node, node.left, node.right, left, right, "The two sides of +")
        good = [
            self.expect_in(side, found, ("int",), f"The operand of {node.op}")
            for side, found in ((node.left, left), (node.right, right))
        ]
        if node.op in ("//", "%") and isinstance(node.right, Int) and node.right.value == 0:
            self.report(node.right, "value", f"The right side of {node.op} is 0, which divides nothing.")
            return None
        return "int" if all(good) else None

    def _compare(self, node: Compare, scope: dict[str, str]) -> str | None:
        left, right = self.type_of(node.left, scope), self.type_of(node.right, scope)
        if left is None or right is None:
            return None
        if node.op in ("in", "not in"):
            return self.membership(node, left, right)
        for side, found in ((node.left, left), (node.right, right)):
            if found in INCOMPARABLE:
                text = f"A comparison has {a(found)} ({unparse(side)}); expected a value, such as its shape or dtype."
                self.report(side, "type", text)
                return None
        if node.op in _ORDERED:
            sides = ((node.left, left), (node.right, right))
            good = [self.expect_in(side, found, ("int", "float"), f"The operand of {node.op}") for side, found in sides]
            return "bool" if all(good) else None
        common = self.unified(node, node.left, node.right, left, right, f"The two sides of {node.op}")
        return "bool" if common else None

    def _list(self, node: Node, items: tuple[Node, ...], scope: dict[str, str]) -> str | None:
        types = [self.type_of(item, scope) for item in items]
        if not items:
            return EMPTY_LIST
        element = types[0]
        for item, found in zip(items, types, strict=True):
            if found is None or element is None:
                return None
            if found not in LISTS or found in INCOMPARABLE:
                self.report(
                    item, "type", f"An element of a list ({unparse(item)}) is {a(found)}; expected a plain value."
                )
                return None
            common = self.unified(item, items[0], item, element, found, "Two elements of a list")
            element = common
        return LISTS[element] if element else None

    def _conditional(self, node: IfElse, scope: dict[str, str]) -> str | None:
        cond = self.expect_in(node.cond, self.type_of(node.cond, scope), ("bool",), "The condition of if")
        then, orelse = self.type_of(node.then, scope), self.type_of(node.orelse, scope)
        if then is None or orelse is None:
            return None
        common = self.unified(node, node.then, node.orelse, then, orelse, "The two branches of if")
        return common if cond else None

    def _call(self, node: Call, scope: dict[str, str]) -> str | None:
        types = [self.type_of(argument, scope) for argument in node.args]
        result = resolve(node, types)
        if isinstance(result, Problem):
            self.problems.append(result)
            return None
        return result

    def _index(self, node: Index, scope: dict[str, str]) -> str | None:
        element = self._element(node.base, scope, "The value before the index")
        index = self.expect_in(node.index, self.type_of(node.index, scope), ("int",), "An index")
        if isinstance(node.index, Int) and node.index.value < 0:
            self.report(node.index, "index", f"An index ({node.index.value}) is negative; expected 0 or more.")
            return None
        return element if index else None

    def _quantifier(self, node: Quantifier, scope: dict[str, str]) -> str | None:
        inner = self._inner(node, scope, node.kind)
        if inner is None:
            return None
        return self._all_of("bool", (node.body,), inner, f"the body of {node.kind}", "bool")

    def _each(self, node: Each, scope: dict[str, str]) -> str | None:
        inner = self._inner(node, scope, "a list")
        found = None if inner is None else self.type_of(node.body, inner)
        if found is not None and (found not in LISTS or found in INCOMPARABLE):
            what = f"An element of a list ({unparse(node.body)}) is {a(found)}; expected a plain value."
            self.report(node.body, "type", what)
            return None
        return found and LISTS[found]

    def _inner(self, node: Quantifier | Each, scope: dict[str, str], what: str) -> dict[str, str] | None:
        """The scope with the variable of ``for`` in it."""
        element = self._element(node.over, scope, f"The value that {what} runs over")
        if node.var in scope:
            self.report(node, "shadowed-name", f"The variable of {what} ({node.var}) hides another name.")
            return None
        return None if element is None else {**scope, node.var: element}

    def _element(self, node: Node, scope: dict[str, str], what: str) -> str | None:
        """The type of the elements of a list."""
        kind = self.type_of(node, scope)
        if kind == EMPTY_LIST:
            self.report(node, "type", f"{what} ({unparse(node)}) is empty; expected a list with elements.")
        elif kind and kind not in ELEMENTS:
            self.expect_in(node, kind, ("list",), what)
        return ELEMENTS.get(kind or "")
