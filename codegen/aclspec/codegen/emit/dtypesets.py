"""The dtypes that a term can have, as the rules about dtypes have left them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from aclspec.codegen.emit.rowdata import RowData
from aclspec.runtime import shapes
from aclspec.runtime.dtypes import DType
from aclspec.runtime.predicate.nodes import Call, IfElse, InRows, Name, Node, Symbol

if TYPE_CHECKING:
    from aclspec.codegen.emit.facts import Facts


def promotable(left: Node, right: Node, facts: Facts) -> bool:
    """Whether two terms surely have a common dtype."""
    sides = dtypes_of(left, facts), dtypes_of(right, facts)
    if None in sides:
        return False
    return all(shapes.promotable(one, other) for one, other in product(sides[0] or (), sides[1] or ()))


def dtypes_of(node: Node, facts: Facts) -> frozenset[DType] | None:
    """Every dtype that a term can have where it is defined; None where that is not known."""
    match node:
        case Symbol(kind="dtype", name=name):
            return frozenset((DType[name],))
        case Call(func="dtype", args=(Name(id=name),)) | Name(id=name):
            return _column(name, facts)
        case IfElse(then=then, orelse=orelse):
            return _joined(dtypes_of(then, facts), dtypes_of(orelse, facts))
        case Call(func="promote", args=(one, other)):
            left, right = dtypes_of(one, facts), dtypes_of(other, facts)
            if left is None or right is None:
                return None
            return frozenset(shapes.promote(a, b) for a, b in product(left, right) if shapes.promotable(a, b))
        case _:
            return None


def _column(name: str, facts: Facts) -> frozenset[DType] | None:
    """The dtypes that the rows allow a parameter which a rule has found in them."""
    rows = RowData(facts.scope, facts.scope.info.rows)
    if InRows((name,)) not in facts.true or not facts.places <= rows.places:
        return None
    found: frozenset[DType] = frozenset()
    for place in facts.places:
        column = rows.column(place, name)
        if column is None:
            return None
        found |= {DType[dtype] for dtype in column}
    return found


def _joined(one: frozenset[DType] | None, other: frozenset[DType] | None) -> frozenset[DType] | None:
    return None if one is None or other is None else one | other
