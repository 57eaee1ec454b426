"""The abstract syntax tree of a predicate.

One tree is the source of everything said about a rule: the generated check, the sentence in the manual,
the message with actual values, the samples and the violations. Nodes are immutable values; two trees are
equal when they mean the same text, wherever that text stood.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar, dataclass_transform

_T = TypeVar("_T")


class _Remembering:
    """Room for what is asked of a tree again and again: its hash, which is that of all its parts, and its names."""

    __slots__ = ("_hash", "_names")


@dataclass_transform(frozen_default=True)
def _node(cls: type[_T]) -> type[_T]:
    """A frozen dataclass that computes its hash once."""
    made = dataclass(frozen=True, slots=True)(cls)
    hashed = made.__hash__

    def __hash__(self: _T) -> int:
        try:
            return self._hash  # type: ignore[attr-defined, no-any-return]
        except AttributeError:
            object.__setattr__(self, "_hash", hashed(self))
            return self._hash  # type: ignore[attr-defined, no-any-return]

    made.__hash__ = __hash__  # type: ignore[assignment]
    return made


@dataclass(frozen=True, slots=True)
class Position:
    """Where a node stood in its YAML file: one-based line and column."""

    line: int
    column: int


@_node
class Int(_Remembering):
    """An integer literal."""

    value: int
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Float(_Remembering):
    """A floating-point literal."""

    value: float
    at: Position | None = field(default=None, compare=False, repr=False)

    def __eq__(self, other: object) -> bool:
        """Whether the other one is written the same; -0.0 is another text than 0.0."""
        return isinstance(other, Float) and repr(self.value) == repr(other.value)


@_node
class Bool(_Remembering):
    """``true`` or ``false``."""

    value: bool
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Str(_Remembering):
    """A string literal."""

    value: str
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Symbol(_Remembering):
    """A dtype or a format by name, such as ``FLOAT16`` or ``NCHW``; ``kind`` is "dtype" or "format"."""

    kind: str
    name: str
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Name(_Remembering):
    """A parameter, a ``let`` or a variable of an enclosing ``all``/``any``."""

    id: str
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class ListOf(_Remembering):
    """A list literal, ``[a, b, c]``."""

    items: tuple[Node, ...]
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Not(_Remembering):
    """``not operand``."""

    operand: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Negate(_Remembering):
    """``-operand``."""

    operand: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Arith(_Remembering):
    """``left op right`` with op one of ``+ - * // %``; ``//`` and ``%`` round down, as in Python."""

    op: str
    left: Node
    right: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Compare(_Remembering):
    """``left op right`` with op one of ``== != < <= > >= in``, or ``not in``; a chain is an `And` of these."""

    op: str
    left: Node
    right: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class And(_Remembering):
    """All items hold; false decides before undefined (Kleene)."""

    items: tuple[Node, ...]
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Or(_Remembering):
    """Some item holds; true decides before undefined (Kleene)."""

    items: tuple[Node, ...]
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class IfElse(_Remembering):
    """``then if cond else orelse``; undefined when the condition is."""

    cond: Node
    then: Node
    orelse: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Call(_Remembering):
    """A function of the fixed library (see ``functions.py``) applied to arguments."""

    func: str
    args: tuple[Node, ...]
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Index(_Remembering):
    """``base[index]``; undefined outside 0 <= index < length (no negative indices)."""

    base: Node
    index: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Quantifier(_Remembering):
    """``all(body for var in over)`` or ``any(...)``; ``kind`` is "all" or "any"."""

    kind: str
    var: str
    over: Node
    body: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class Each(_Remembering):
    """``[body for var in over]``, the list of what the body is for each element; undefined when it is for one."""

    var: str
    over: Node
    body: Node
    at: Position | None = field(default=None, compare=False, repr=False)


@_node
class InRows(_Remembering):
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
