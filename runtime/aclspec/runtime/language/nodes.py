"""The abstract syntax tree of a predicate.

A rule's check, sentence, samples and violations all come from its tree. Nodes are immutable; trees of the same text
are equal, wherever that text stood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Final, TypeAlias, TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Position:
    """Where a node stood in its YAML file: one-based line and column."""

    line: int
    column: int


class _Cached:
    """Room for the hash of a tree and for its free names."""

    __slots__ = ("_hash", "_names")


@dataclass(frozen=True, slots=True)
class _Node(_Cached):
    """What all nodes have: a place in a file, which does not count in comparisons."""

    at: Position | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass_transform(frozen_default=True)
def _node(cls: type[_T]) -> type[_T]:
    """A frozen dataclass that computes its hash once."""
    node = dataclass(frozen=True, slots=True)(cls)
    hash_of = node.__hash__

    def __hash__(self: _T) -> int:
        try:
            return self._hash  # type: ignore[attr-defined, no-any-return]
        except AttributeError:
            object.__setattr__(self, "_hash", hash_of(self))
            return self._hash  # type: ignore[attr-defined, no-any-return]

    node.__hash__ = __hash__  # type: ignore[assignment]
    return node


@_node
class Int(_Node):
    """An integer literal."""

    value: int


@_node
class Float(_Node):
    """A floating-point literal."""

    value: float

    def __eq__(self, other: object) -> bool:
        """Whether the other one is written the same; -0.0 is another text than 0.0."""
        return isinstance(other, Float) and repr(self.value) == repr(other.value)


@_node
class Bool(_Node):
    """``true`` or ``false``."""

    value: bool


@_node
class Str(_Node):
    """A string literal."""

    value: str


@_node
class Symbol(_Node):
    """A dtype or a format by name, such as ``FLOAT16`` or ``NCHW``; ``kind`` is "dtype" or "format"."""

    kind: str
    name: str


@_node
class Name(_Node):
    """A parameter, a ``let`` or a variable of an enclosing ``all``/``any``."""

    id: str


@_node
class ListOf(_Node):
    """A list literal, ``[a, b, c]``."""

    items: tuple[Node, ...]


@_node
class Not(_Node):
    """``not operand``."""

    operand: Node


@_node
class Negate(_Node):
    """``-operand``."""

    operand: Node


@_node
class Arith(_Node):
    """``left op right`` with op one of ``+ - * // %``; ``//`` and ``%`` round down, as in Python."""

    op: str
    left: Node
    right: Node


@_node
class Compare(_Node):
    """``left op right`` with op one of ``== != < <= > >= in``, or ``not in``; a chain is an `And` of these."""

    op: str
    left: Node
    right: Node


@_node
class And(_Node):
    """All items hold; false decides before undefined (Kleene)."""

    items: tuple[Node, ...]


@_node
class Or(_Node):
    """Some item holds; true decides before undefined (Kleene)."""

    items: tuple[Node, ...]


@_node
class IfElse(_Node):
    """``then if cond else orelse``; undefined when the condition is."""

    cond: Node
    then: Node
    orelse: Node


@_node
class Call(_Node):
    """A function of the fixed library (see ``functions.py``) applied to arguments."""

    func: str
    args: tuple[Node, ...]


@_node
class Index(_Node):
    """``base[index]``; undefined outside 0 <= index < length (no negative indices)."""

    base: Node
    index: Node


@_node
class Quantifier(_Node):
    """``all(body for var in over)`` or ``any(...)``; ``kind`` is "all" or "any"."""

    kind: str
    var: str
    over: Node
    body: Node


@_node
class Each(_Node):
    """``[body for var in over]``, the list of what the body is for each element; undefined when it is for one."""

    var: str
    over: Node
    body: Node


@_node
class InRows(_Node):
    """The dtypes of these tensor parameters together stand in a dtype row of the product.

    One parameter: its dtype is one that some row allows. A null parameter matches every cell;
    with no parameter left the node is undefined. Written by the spec compiler, never by hand.
    """

    params: tuple[str, ...]


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


NEGATED: Final = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not in", "not in": "in"}
FLIPPED: Final = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


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
    try:
        return node._names  # type: ignore[union-attr, no-any-return]
    except AttributeError:
        found = _free_names(node)
        object.__setattr__(node, "_names", found)
        return found


def _free_names(node: Node) -> frozenset[str]:
    match node:
        case Name(id=name):
            return frozenset({name})
        case InRows(params=params):
            return frozenset(params)
        case Quantifier(var=var, over=over, body=body) | Each(var=var, over=over, body=body):
            return names(over) | (names(body) - {var})
        case _:
            return frozenset().union(*(names(child) for child in children(node)))


def rebuild(node: Node, function: Callable[[Node], Node]) -> Node:
    """The same node with the function of each of its children in their place."""
    before = children(node)
    after = tuple(map(function, before))
    if all(new is old for new, old in zip(after, before, strict=True)):
        return node
    if isinstance(node, ListOf | And | Or):
        return type(node)(after, at=node.at)
    if isinstance(node, Call):
        return Call(node.func, after, at=node.at)
    parts = iter(after)
    changed = {one.name: next(parts) for one in fields(node) if isinstance(getattr(node, one.name), _Node)}
    return replace(node, **changed)  # type: ignore[arg-type]


def substitute(node: Node, found: Mapping[str, Node]) -> Node:
    """The tree with these nodes for free names."""
    match node:
        case Name(id=name):
            return found.get(name, node)
        case Quantifier(var=var, over=over, body=body) | Each(var=var, over=over, body=body):
            inner = {name: one for name, one in found.items() if name != var}
            return replace(node, over=substitute(over, found), body=substitute(body, inner))
        case _:
            return rebuild(node, lambda child: substitute(child, found))
