"""Which dtypes a term can be, by what the rows allow each parameter alone once its own dtype has been checked."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.language.nodes import Call, Compare, Int, ListOf, Name, Node, Symbol
from aclspec.runtime.rules import shapes

OfParameter = Callable[[str], frozenset[DType] | None]
"""The dtypes of a parameter; None where they are not known."""


def decided(node: Node, of: OfParameter) -> bool | None:
    """The value of a predicate, where it is defined, if it is the same for all dtypes that the rows allow."""
    match node:
        case Call(func="promotable", args=(one, other)):
            pairs = _pairs(one, other, of) or []
            scalar = isinstance(one, Name)
            every = (shapes.promotable_scalar(*pair) if scalar else shapes.promotable(*pair) for pair in pairs)
            return True if pairs and all(every) else None
        case Call(func="promotable_all", args=(ListOf(items=items),)):
            found = [_dtypes(item, of) for item in items]
            columns = [one for one in found if one]
            return True if len(columns) == len(found) and all(map(shapes.promotable_all, product(*columns))) else None
        case Compare(op="!=", left=Call(func="itemsize", args=(term,)), right=Int(value=0)):
            known = _dtypes(term, of) or ()
            return True if known and all(map(shapes.itemsize, known)) else None
        case Compare(op="in" | "not in" as op, left=term, right=ListOf(items=items)):
            return _among(_dtypes(term, of), items, op == "in")
        case Compare(op="==" | "!=" as op, left=term, right=Symbol() as item):
            return _among(_dtypes(term, of), (item,), op == "==")
    return None


def _among(found: frozenset[DType] | None, items: tuple[Node, ...], value: bool) -> bool | None:
    """Whether a dtype is among those named."""
    if not found or not all(isinstance(item, Symbol) and item.kind == "dtype" for item in items):
        return None
    named = {DType[item.name] for item in items if isinstance(item, Symbol)}
    return value if found <= named else not value if found.isdisjoint(named) else None


def _dtypes(node: Node, of: OfParameter) -> frozenset[DType] | None:
    """The dtypes that a term can be."""
    match node:
        case Name(id=name) | Call(func="dtype", args=(Name(id=name),)):
            return of(name)
        case Call(func="promote", args=(one, other)):
            pairs = _pairs(one, other, of)
            if pairs is None:
                return None
            if isinstance(one, Name):
                return frozenset(shapes.promote_scalar(*pair) for pair in pairs if shapes.promotable_scalar(*pair))
            return frozenset(shapes.promote(*pair) for pair in pairs if shapes.promotable(*pair))
    return None


def _pairs(one: Node, other: Node, of: OfParameter) -> list[tuple[DType, DType]] | None:
    left, right = _dtypes(one, of), _dtypes(other, of)
    return None if left is None or right is None else list(product(left, right))
