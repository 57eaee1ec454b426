"""Expressions in the plainest form: lets written out, constants computed, one word for one thing."""

from __future__ import annotations

from collections.abc import Mapping

from aclspec.codegen.derive.closures import ARITH, COMPARE
from aclspec.codegen.predicate.rebuild import rebuild
from aclspec.runtime.predicate.nodes import (
    Arith,
    Bool,
    Call,
    Compare,
    Each,
    Index,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Quantifier,
)
from aclspec.runtime.predicate.relations import FLIPPED
from aclspec.runtime.predicate.values import UNDEFINED


class Plainer:
    """Writes expressions of one operator plainer, and remembers them."""

    def __init__(self, lets: Mapping[str, Node]) -> None:
        """With these lets."""
        self._lets = lets
        self._plain: dict[Node, Node] = {}

    def of(self, node: Node) -> Node:
        """The same expression, plainer."""
        found = self._plain.get(node)
        if found is None:
            found = self._plain[node] = self._reduced(self._inside(node))
        return found

    def _inside(self, node: Node) -> Node:
        """The expression with its parts plainer."""
        if isinstance(node, Name):
            return self.of(self._lets[node.id]) if node.id in self._lets else node
        return node if isinstance(node, Quantifier | Each) else rebuild(node, self.of)

    def _reduced(self, node: Node) -> Node:
        match node:
            case Negate(operand=Int(value=value)):
                return Int(-value)
            case Arith(op=op, left=Int(value=left), right=Int(value=right)):
                value = ARITH[op](left, right)
                return node if value is UNDEFINED else Int(value)
            case Call(func="len", args=(Call(func="shape", args=args),)):
                return Call("rank", args)
            case Call(func="len", args=(ListOf(items=items),)):
                return Int(len(items))
            case Call(func="len", args=(Call(func="range", args=(Int(value=start), Int(value=stop))),)):
                return Int(max(stop - start, 0))
            case Index(base=Call(func="range", args=(Int(value=start), Int(value=stop))), index=Int(value=at)):
                return Int(start + at) if 0 <= at < stop - start else node
            case Index(base=ListOf(items=items), index=Int(value=at)) if 0 <= at < len(items):
                return items[at]
            case Index(base=Call(func="shape", args=(tensor,)), index=at):
                return Call("dim", (tensor, at))
            case Compare(op=op, left=Int(value=left), right=Int(value=right)) if op in FLIPPED:
                return Bool(COMPARE[op](left, right))
            case Compare(op=op, left=Int() | Bool() as number, right=right) if op in FLIPPED:
                return Compare(FLIPPED[op], right, number)
        return node
