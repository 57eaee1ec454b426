"""The abstract syntax tree of a predicate.

One tree is the source of everything said about a rule: the generated check, the sentence in the manual,
the message with actual values, the samples and the violations. Nodes are immutable values; two trees are
equal when they mean the same text, wherever that text stood.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Position:
    """Where a node stood in its YAML file: one-based line and column."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Int:
    """An integer literal."""

    value: int
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Float:
    """A floating-point literal."""

    value: float
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Bool:
    """``true`` or ``false``."""

    value: bool
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Str:
    """A string literal."""

    value: str
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A dtype or a format by name, such as ``FLOAT16`` or ``NCHW``; ``kind`` is "dtype" or "format"."""

    kind: str
    name: str
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter, a ``let`` or a variable of an enclosing ``all``/``any``."""

    id: str
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list literal, ``[a, b, c]``."""

    items: tuple[Node, ...]
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """``not operand``."""

    operand: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Negate:
    """``-operand``."""

    operand: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Arith:
    """``left op right`` with op one of ``+ - * // %``; ``//`` and ``%`` round down, as in Python."""

    op: str
    left: Node
    right: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right`` with op one of ``== != < <= > >= in``, or ``not in``; a chain is an `And` of these."""

    op: str
    left: Node
    right: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    """All items hold; false decides before undefined (Kleene)."""

    items: tuple[Node, ...]
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """Some item holds; true decides before undefined (Kleene)."""

    items: tuple[Node, ...]
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IfElse:
    """``then if cond else orelse``; undefined when the condition is."""

    cond: Node
    then: Node
    orelse: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the fixed library (see ``functions.py``) applied to arguments."""

    func: str
    args: tuple[Node, ...]
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Index:
    """``base[index]``; undefined outside 0 <= index < length (no negative indices)."""

    base: Node
    index: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Quantifier:
    """``all(body for var in over)`` or ``any(...)``; ``kind`` is "all" or "any"."""

    kind: str
    var: str
    over: Node
    body: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Each:
    """``[body for var in over]``, the list of what the body is for each element; undefined when it is for one."""

    var: str
    over: Node
    body: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class InRows:
    """The dtypes of these tensor parameters together stand in a dtype row of the product.

    One parameter: its dtype is one that some row allows. A null parameter matches every cell;
    with no parameter left the node is undefined. Written by the spec compiler, never by hand.
    """

    params: tuple[str, ...]
    at: Position | None = field(default=None, compare=False, repr=False)


Node: TypeAlias = (
    Int
    | Float
    | Bool
    | Str
    | Symbol
    | Name
    | ListOf
    | Not
    | Negate
    | Arith
    | Compare
    | And
    | Or
    | IfElse
    | Call
    | Index
    | Quantifier
    | Each
    | InRows
)


def children(node: Node) -> tuple[Node, ...]:
    """The direct sub-trees of a node, left to right."""
    match node:
        case ListOf(items=items) | And(items=items) | Or(items=items):
            return items
        case Call(args=args):
            return args
        case Not(operand=operand) | Negate(operand=operand):
            return (operand,)
        case Arith(left=left, right=right) | Compare(left=left, right=right):
            return (left, right)
        case IfElse(cond=cond, then=then, orelse=orelse):
            return (cond, then, orelse)
        case Index(base=base, index=index):
            return (base, index)
        case Quantifier(over=over, body=body) | Each(over=over, body=body):
            return (over, body)
        case _:
            return ()


def names(node: Node) -> frozenset[str]:
    """Every free name in the tree: parameters and lets, not variables bound by ``for``."""
    match node:
        case Name(id=name):
            return frozenset({name})
        case InRows(params=params):
            return frozenset(params)
        case Quantifier(var=var, over=over, body=body) | Each(var=var, over=over, body=body):
            return names(over) | (names(body) - {var})
        case _:
            return frozenset().union(*(names(child) for child in children(node)))
