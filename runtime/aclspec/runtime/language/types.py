"""The type checker of predicates: every mistake of a tree, each at its own place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.suggest import one_of, question
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.functions import ELEMENTS, FUNCTIONS, LISTS, MAX_RANGE, Overload
from aclspec.runtime.language.nodes import Node, Position, children
from aclspec.runtime.language.parser import SYMBOLS
from aclspec.runtime.language.unparse import unparse

EMPTY_LIST = "list"
"""The type of ``[]``, which is a list of anything."""


def is_list(kind: str) -> bool:
    """Whether values of this type are lists."""
    return kind in ELEMENTS or kind == EMPTY_LIST


def fits(found: str, wanted: str) -> bool:
    """Whether a value of type ``found`` may stand where ``wanted`` is expected."""
    return unify(found, wanted) == wanted


def unify(left: str, right: str) -> str | None:
    """The type of both, an int being also a float and ``[]`` any list."""
    if left == right:
        return left
    if is_list(left) and is_list(right):
        if EMPTY_LIST in (left, right):
            return left if right == EMPTY_LIST else right
        element = unify(ELEMENTS[left], ELEMENTS[right])
        return LISTS[element] if element else None
    return "float" if {left, right} == {"int", "float"} else None


def dtype_hint(word: str, known: Collection[str]) -> str:
    """`question` for a word that may be another spelling of a dtype, such as FLOAT32 or BFLOAT16."""
    with suppress(ValueError):
        if (meant := DType.parse(word).name) in known:
            return f"; did you mean {meant}?"
    return question(word, known)


def a(kind: str) -> str:
    """A type with its article."""
    if kind in ELEMENTS and kind not in ("tensors", "scalars"):
        return f"a list of {ELEMENTS[kind]}"
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


@dataclass(slots=True)
class Problem:
    """A mistake in a tree."""

    at: Position | None
    kind: str
    message: str


def resolve(node: ast.Call, types: Sequence[str | None]) -> str | Problem | None:
    """The result type of a call; None when an argument has a mistake of its own."""
    overloads = FUNCTIONS[node.func]
    fitting = [overload for overload in overloads if overload.accepts_count(len(types))]
    if not fitting:
        counts = one_of(dict.fromkeys(_count(overload) for overload in overloads))
        given = f"{len(types)} argument{'s' * (len(types) != 1)}"
        text = f"A call of {node.func} has {given} ({unparse(node)}); expected {counts}."
        return Problem(node.at, "arity", text)
    found = [kind for kind in types if kind]
    if len(found) < len(types):
        return None
    for overload in fitting:
        if all(fits(kind, wanted) for kind, wanted in zip(found, _wanted(overload, len(found)), strict=True)):
            return overload.result
    return _bad_argument(node, found, fitting)


def _bad_argument(node: ast.Call, found: list[str], overloads: list[Overload]) -> Problem:
    """The first argument that no overload takes; the last when each is taken by some."""
    wanted = [
        dict.fromkeys(_wanted(overload, len(found))[index] for overload in overloads) for index in range(len(found))
    ]
    refused = (i for i, kind in enumerate(found) if not any(fits(kind, want) for want in wanted[i]))
    index = next(refused, len(found) - 1)
    text = f"Argument {index + 1} of {node.func} ({unparse(node.args[index])}) is {a(found[index])}"
    return Problem(node.args[index].at, "type", f"{text}; expected {one_of([a(want) for want in wanted[index]])}.")


def _wanted(overload: Overload, count: int) -> tuple[str, ...]:
    """The argument types of an overload for a number of arguments."""
    return overload.args + overload.args[-1:] * (count - len(overload.args))


def _count(overload: Overload) -> str:
    number = len(overload.args)
    return f"{number} or more" if overload.variadic else str(number)


INCOMPARABLE = ("tensor", "scalar", "tensors", "scalars")


_ORDERED = ("<", "<=", ">", ">=")


def _steps(node: Node) -> int:
    """How many elements the ranges of a tree have at most: those inside each other multiply."""
    inner = [_steps(child) for child in children(node)]
    match node:
        case ast.Call(func="range", args=(ast.Int(value=start), ast.Int(value=stop))):
            return min(max(stop - start, 1), MAX_RANGE)
        case ast.Call(func="range"):
            return MAX_RANGE
        case ast.Quantifier() | ast.Each():
            return inner[0] * inner[1]
    return max(inner, default=1)


@dataclass(slots=True)
class Checker:
    """Checks trees against the types of the names in scope; ``problems`` collects what is wrong.

    A tree with a mistake has no type (None), and nothing more is said of what holds it.
    """

    scope: Mapping[str, str]
    hidden: Mapping[str, str] = field(default_factory=dict)
    """Names that exist but may not stand here, and what a message says of each."""
    problems: list[Problem] = field(default_factory=list, kw_only=True)

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
            case ast.Int():
                return "int"
            case ast.Float():
                return "float"
            case ast.Bool() | ast.InRows():
                return "bool"
            case ast.Str():
                return "string"
            case ast.Symbol(kind=kind):
                return kind
            case ast.Name(id=name):
                return self._name(node, name, scope)
            case _:
                return self._compound(node, scope)

    def _name(self, node: Node, name: str, scope: dict[str, str]) -> str | None:
        if name not in scope and name in self.hidden:
            self.report(node, "undefined-name", self.hidden[name])
            return None
        if name not in scope:
            hint = dtype_hint(name, (*scope, *FUNCTIONS, *SYMBOLS))
            if name in FUNCTIONS:
                hint = f"; a function is called, as in {name}(...)."
            self.report(node, "undefined-name", f"A name ({name}) is neither a parameter nor a let{hint}")
            return None
        # A let that is itself wrong has the type "": nothing is said of its users.
        return scope[name] or None

    def _compound(self, node: Node, scope: dict[str, str]) -> str | None:
        match node:
            case ast.Not(operand=operand):
                return self._all_of("bool", (operand,), scope, "an operand of not", "bool")
            case ast.And(items=items) | ast.Or(items=items):
                word = "and" if isinstance(node, ast.And) else "or"
                return self._all_of("bool", items, scope, f"an operand of {word}", "bool")
            case ast.Negate(operand=operand):
                found = self.type_of(operand, scope)
                return self.expect_in(operand, found, ("int", "float"), "The operand of -")
            case ast.Arith():
                return self._arith(node, scope)
            case ast.Compare():
                return self._compare(node, scope)
            case ast.ListOf(items=items):
                return self._list(items, scope)
            case ast.IfElse():
                return self._conditional(node, scope)
            case ast.Call():
                return self._call(node, scope)
            case ast.Index():
                return self._index(node, scope)
            case ast.Quantifier():
                return self._quantifier(node, scope)
            case ast.Each():
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

    def _arith(self, node: ast.Arith, scope: dict[str, str]) -> str | None:
        left, right = self.type_of(node.left, scope), self.type_of(node.right, scope)
        if left is None or right is None:
            return None
        if node.op == "+" and is_list(left) and is_list(right):
            return self.unified(node, node.left, node.right, left, right, "The two sides of +")
        good = [
            self.expect_in(side, found, ("int",), f"The operand of {node.op}")
            for side, found in ((node.left, left), (node.right, right))
        ]
        if node.op in ("//", "%") and isinstance(node.right, ast.Int) and node.right.value == 0:
            self.report(node.right, "value", f"The right side of {node.op} is 0, which divides nothing.")
            return None
        return "int" if all(good) else None

    def _compare(self, node: ast.Compare, scope: dict[str, str]) -> str | None:
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

    def _list(self, items: tuple[Node, ...], scope: dict[str, str]) -> str | None:
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

    def _conditional(self, node: ast.IfElse, scope: dict[str, str]) -> str | None:
        cond = self.expect_in(node.cond, self.type_of(node.cond, scope), ("bool",), "The condition of if")
        then, orelse = self.type_of(node.then, scope), self.type_of(node.orelse, scope)
        if then is None or orelse is None:
            return None
        common = self.unified(node, node.then, node.orelse, then, orelse, "The two branches of if")
        return common if cond else None

    def _call(self, node: ast.Call, scope: dict[str, str]) -> str | None:
        types = [self.type_of(argument, scope) for argument in node.args]
        result = resolve(node, types)
        if isinstance(result, Problem):
            self.problems.append(result)
            return None
        return result if result is None or not self._counts_from_the_end(node) else None

    def _counts_from_the_end(self, node: ast.Call) -> bool:
        """Whether an axis or a bound is a negative number, for which dim and slice are undefined."""
        counted = {"dim": "rank", "slice": "len"}.get(node.func)
        negative = [one for one in node.args[1:] if counted and isinstance(one, ast.Int) and one.value < 0]
        for one in negative:
            end = f"{counted}({unparse(node.args[0])}) - {-one.value}"
            text = f"Argument {node.args.index(one) + 1} of {node.func} ({one.value}) is negative"
            self.report(one, "index", f"{text}; expected 0 or more, or {end} to count from the end.")
        return bool(negative)

    def _index(self, node: ast.Index, scope: dict[str, str]) -> str | None:
        element = self._element(node.base, scope, "The value before the index")
        index = self.expect_in(node.index, self.type_of(node.index, scope), ("int",), "An index")
        if isinstance(node.index, ast.Int) and node.index.value < 0:
            self.report(node.index, "index", f"An index ({node.index.value}) is negative; expected 0 or more.")
            return None
        return element if index else None

    def _quantifier(self, node: ast.Quantifier, scope: dict[str, str]) -> str | None:
        inner = self._inner(node, scope, node.kind)
        if inner is None:
            return None
        return self._all_of("bool", (node.body,), inner, f"the body of {node.kind}", "bool")

    def _each(self, node: ast.Each, scope: dict[str, str]) -> str | None:
        inner = self._inner(node, scope, "a list")
        found = None if inner is None else self.type_of(node.body, inner)
        if found is not None and (found not in LISTS or found in INCOMPARABLE):
            what = f"An element of a list ({unparse(node.body)}) is {a(found)}; expected a plain value."
            self.report(node.body, "type", what)
            return None
        return found and LISTS[found]

    def _inner(self, node: ast.Quantifier | ast.Each, scope: dict[str, str], what: str) -> dict[str, str] | None:
        """The scope with the variable of ``for`` in it."""
        element = self._element(node.over, scope, f"The value that {what} runs over")
        outer, within = _steps(node.over), _steps(node.body)
        if min(outer, within) > 1 and outer * within > MAX_RANGE:
            text = f"A range ({unparse(node.over)}) has another inside it: up to {outer * within} steps"
            self.report(node, "range", f"{text}; expected at most {MAX_RANGE}, or a loop over a shape or a list.")
            return None
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

    def report(self, node: Node, kind: str, message: str) -> None:
        """Note a mistake at the place of a node."""
        self.problems.append(Problem(node.at, kind, message))

    def expect_in(self, node: Node, found: str | None, wanted: tuple[str, ...], what: str) -> str | None:
        """The type of a node where it is one of those wanted; else a mistake."""
        if found is None or found in wanted:
            return found
        kinds = one_of([a(kind) for kind in wanted])
        self.report(node, "type", f"{what} ({unparse(node)}) is {a(found)}; expected {kinds}.")
        return None

    def unified(self, node: Node, first: Node, second: Node, left: str, right: str, what: str) -> str | None:
        """The common type of two nodes, or a mistake at the first of them."""
        common = unify(left, right)
        if common is None:
            text = f"{what} ({unparse(first)} and {unparse(second)}) are {a(left)} and {a(right)}; expected one type."
            self.report(node, "type", text)
        return common

    def membership(self, node: ast.Compare, left: str, right: str) -> str | None:
        """The type of a question whether an element is in a list."""
        if not is_list(right):
            self.expect_in(node.right, right, ("list",), f"The right side of {node.op}")
            return None
        element = ELEMENTS.get(right, left)
        if left in INCOMPARABLE or is_list(left) or unify(left, element) is None:
            text = f"The left side of {node.op} ({unparse(node.left)}) is {a(left)}"
            self.report(node.left, "type", f"{text}; the list ({unparse(node.right)}) has elements of type {element}.")
            return None
        return "bool"
