"""Random predicates that the type checker would pass, and random calls, over the operator made by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.functions import ELEMENTS, FUNCTIONS, LISTS
from aclspec.runtime.language.nodes import (
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
from aclspec.runtime.rules.interpreter import INFERRED
from aclspec.runtime.tensors.tensor import Tensor
from tests.support.handmade import LETS, PARAMS

KINDS = {name: PARAM_TYPES[kind].predicate for name, kind, _ in PARAMS}
SCOPE = KINDS | {let.name: let.type for let in LETS}
TENSORS = tuple(name for name, kind in KINDS.items() if kind == "tensor")
DTYPES = ("FLOAT", "FLOAT16", "BF16", "INT8")
FORMATS = ("ND", "NCHW", "NCL", "FRACTAL_NZ")
COMPARABLE = ("bool", "int", "float", "string", "dtype", "format", "ints", "dtypes", "formats")
LITERALS: dict[str, Callable[[Random], Node]] = {
    "bool": lambda rng: Bool(rng.random() < 0.5),
    "int": lambda rng: Int(rng.randint(0, 9)),
    "float": lambda rng: Float(rng.choice([0.0, 0.5, 2.0])),
    "string": lambda rng: Str(rng.choice(["mean", "sum"])),
    "dtype": lambda rng: Symbol("dtype", rng.choice(DTYPES)),
    "format": lambda rng: Symbol("format", rng.choice(FORMATS)),
}
MADE = {*KINDS.values(), *LITERALS, *(LISTS[kind] for kind in LITERALS if kind in LISTS)}
"""The types of which there is a value to start from."""
Maker = Callable[[], Node]


def tree(rng: Random, kind: str = "bool", depth: int = 4, scope: Mapping[str, str] = SCOPE) -> Node:
    """A tree of a predicate type with at most this depth, over these names."""
    if depth > 0 and rng.random() < 0.8:
        return rng.choice(_larger(rng, kind, depth - 1, scope))()
    leaves: list[Maker] = [partial(Name, name) for name, type_ in scope.items() if type_ == kind]
    if kind in LITERALS:
        leaves.append(partial(LITERALS[kind], rng))
    if kind in ELEMENTS and ELEMENTS[kind] in LITERALS:
        leaves.append(lambda: ListOf((tree(rng, ELEMENTS[kind], 0, scope),)))
    return rng.choice(leaves)()


def _larger(rng: Random, kind: str, depth: int, scope: Mapping[str, str]) -> list[Maker]:
    """Makers of every construct that has the type."""

    def part(of: str) -> Node:
        return tree(rng, of, depth, scope)

    def parts(of: str) -> tuple[Node, ...]:
        return tuple(part(of) for _ in range(rng.randint(0, 3)))

    makers: list[Maker] = [lambda: IfElse(part("bool"), part(kind), part(kind))]
    for name, overloads in FUNCTIONS.items():
        for overload in overloads:
            if overload.result == kind and MADE.issuperset(overload.args):
                makers.append(partial(_called, rng, name, overload.args, part))
    if kind in ("int", "float"):
        makers.append(lambda: Negate(part(kind)))
    if kind == "int":
        makers.append(lambda: Arith(rng.choice(["+", "-", "*", "//", "%"]), part(kind), part(kind)))
    if kind in LISTS and LISTS[kind] in scope.values():
        makers.append(lambda: Index(part(LISTS[kind]), part("int")))
    if kind in ELEMENTS and ELEMENTS[kind] in LITERALS:
        makers += [lambda: ListOf(parts(ELEMENTS[kind])), lambda: Arith("+", part(kind), part(kind))]
        makers.append(partial(_each, rng, ELEMENTS[kind], depth, scope, part))
    if kind == "bool":
        makers = [*makers, *_logic(rng, depth, scope, part) * 3]
    return makers


def _each(rng: Random, kind: str, depth: int, scope: Mapping[str, str], part: Callable[[str], Node]) -> Node:
    over = rng.choice(["ints", "bools", "tensors", "floats"])
    variable = f"v{depth}"
    return Each(variable, part(over), tree(rng, kind, depth, {**scope, variable: ELEMENTS[over]}))


def _called(rng: Random, name: str, args: tuple[str, ...], part: Callable[[str], Node]) -> Node:
    if name == "is_null":
        return Call(name, (Name(rng.choice([param for param, kind in KINDS.items() if kind == args[0]])),))
    return Call(name, tuple(part(kind) for kind in args))


def _logic(rng: Random, depth: int, scope: Mapping[str, str], part: Callable[[str], Node]) -> list[Maker]:
    """Makers of what only a predicate can be."""

    def compared() -> Node:
        kind = rng.choice(COMPARABLE)
        order = ["<", "<=", ">", ">="] if kind in ("int", "float") else []
        return Compare(rng.choice(["==", "!=", *order]), part(kind), part(kind))

    def member() -> Node:
        kind = rng.choice(["int", "dtype", "format"])
        return Compare(rng.choice(["in", "not in"]), part(kind), part(LISTS[kind]))

    def quantified() -> Node:
        over = rng.choice(["ints", "bools", "tensors", "floats"])
        variable = f"v{depth}"
        body = tree(rng, "bool", depth, {**scope, variable: ELEMENTS[over]})
        return Quantifier(rng.choice(["all", "any"]), variable, part(over), body)

    def items() -> tuple[Node, ...]:
        return tuple(part("bool") for _ in range(rng.randint(2, 3)))

    return [
        compared,
        member,
        quantified,
        lambda: And(items()),
        lambda: Or(items()),
        lambda: Not(part("bool")),
        lambda: InRows(tuple(rng.sample(TENSORS, rng.randint(1, 3)))),
    ]


def tensor(rng: Random) -> Tensor | None:
    """A tensor without data, or null."""
    if rng.random() < 0.1:
        return None
    shape = [rng.choice([0, 1, 2, 3, -1]) for _ in range(rng.randint(0, 5))]
    return Tensor(shape=shape, dtype=rng.choice(DTYPES), format=rng.choice([None, *FORMATS]))


def call(rng: Random) -> dict[str, object]:
    """A call with nulls and, now and then, an inferred output."""

    def array(element: Callable[[], object]) -> object:
        return None if rng.random() < 0.1 else tuple(element() for _ in range(rng.randint(0, 3)))

    makers: dict[str, Callable[[], object]] = {
        "tensor": lambda: tensor(rng),
        "tensor_list": lambda: array(lambda: tensor(rng)),
        "scalar": lambda: rng.choice([None, 0, 2, 0.5]),
        "int_array": lambda: array(lambda: rng.randint(-1, 4)),
        "bool_array": lambda: array(lambda: rng.random() < 0.5),
        "float_array": lambda: array(lambda: rng.choice([0.5, float("nan")])),
        "bool": lambda: rng.random() < 0.5,
        "int64": lambda: rng.randint(-2, 9),
        "double": lambda: rng.choice([0.0, 0.5, float("nan"), float("inf")]),
        "string": lambda: rng.choice([None, "mean", "sum"]),
        "dtype": lambda: rng.choice(DTYPES),
    }
    given = {name: makers[kind]() for name, kind, _ in PARAMS}
    return given if rng.random() < 0.7 else {**given, "out": INFERRED}
