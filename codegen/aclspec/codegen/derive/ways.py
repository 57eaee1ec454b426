"""The different ways to make a predicate true, or false.

A rule may fail in several ways: each conjunct by itself, one below a bound and one above, one element too few and one
too many, each branch of a choice. A way is a list of wishes that a call should grant together; some ways are
impossible, and then no call is found for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from aclspec.codegen.derive.wishes import Want, Way, Wish, inside, is_counter, opposite, substitute
from aclspec.runtime.predicate.nodes import (
    And,
    Arith,
    Bool,
    Call,
    Compare,
    IfElse,
    Index,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
)

MAX_WAYS = 24


class Ways:
    """The ways of one operator's predicates; ``sample`` gives the value of an expression in some call that is valid."""

    def __init__(self, lets: dict[str, Node], sample: Callable[[Node], Any]) -> None:
        """Look through these lets."""
        self._lets = lets
        self._sample = sample

    def of(self, node: Node, want: bool) -> list[Way]:
        """Every way to make a predicate true, or false; each way includes the predicate's own wish."""
        own = Wish(node, "true" if want else "false")
        found = self.plain(node, want)
        branches, sized = self.branches(node), self._sized(node)
        crossed = [(*way, *branch) for way, branch in product(found, branches)]
        found += [(own, *sized), *((*way, *sized) for way in found)] if sized else []
        found += crossed[:MAX_WAYS]
        found += [(own, *way) for way in (*branches, *((wish,) for wish in sized))]
        return list(dict.fromkeys(found))[: 2 * MAX_WAYS] or [(own,)]

    def plain(self, node: Node, want: bool) -> list[Way]:
        """The ways to make a predicate true, or false, whichever branch of a choice its operands come from."""
        return [(Wish(node, "true" if want else "false"), *way) for way in self._ways(node, want)]

    def branches(self, node: Node) -> list[Way]:
        """Every way into each branch of the choices inside an expression."""
        conditions = (part.cond for part in inside(node, self._lets) if isinstance(part, IfElse))
        return [way for condition in dict.fromkeys(conditions) for way in self._both(condition)]

    def _sized(self, node: Node) -> Way:
        """Wishes that no operand of the arithmetic in a predicate be one that changes nothing, such as 0 or 1."""
        operands = (
            operand
            for part in inside(node, self._lets)
            if isinstance(part, Arith)
            for operand in (part.left, part.right)
        )
        return tuple(
            Wish(Compare(">=", operand, Int(2)), "true")
            for operand in dict.fromkeys(operands)
            if not isinstance(operand, Int | Negate) and not is_counter(operand) and self._is_integer(operand)
        )

    def _is_integer(self, node: Node) -> bool:
        value = self._sample(node)
        return isinstance(value, int) and not isinstance(value, bool)

    def _both(self, condition: Node) -> Iterator[Way]:
        for want in (True, False):
            yield from self._ways(condition, want)

    def _ways(self, node: Node, want: bool) -> list[Way]:
        match node:
            case Name(id=name) if name in self._lets:
                return self._ways(self._lets[name], want)
            case Not(operand=operand):
                return self._ways(operand, not want)
            case And(items=items):
                return self._junction(items, want, deciding=not want)
            case Or(items=items):
                return self._junction(items, want, deciding=want)
            case IfElse(cond=cond, then=then, orelse=orelse):
                taken = [(Wish(cond, "true"), *way) for way in self._ways(then, want)]
                return taken + [(Wish(cond, "false"), *way) for way in self._ways(orelse, want)]
            case Quantifier():
                return self._quantified(node, want)
            case Compare():
                return self._compared(node, want)
            case Call(func="is_empty", args=(tensor,)) if want:
                last = Arith("-", Call("rank", (tensor,)), Int(1))
                return [_true(Compare("==", Call("dim", (tensor, axis)), Int(0))) for axis in (Int(0), last)]
            case _:
                return [(Wish(node, "true" if want else "false"),)]

    def _junction(self, items: tuple[Node, ...], want: bool, deciding: bool) -> list[Way]:
        """Item by item: the one that decides stands alone; where all must agree, each takes its turn to vary."""
        ways: list[Way] = []
        for place, item in enumerate(items):
            others = items[:place] + items[place + 1 :]
            rest: Want = ("not true" if want else "not false") if deciding else ("true" if want else "false")
            ways += [(*way, *(Wish(other, rest) for other in others)) for way in self._ways(item, want)]
        return ways

    def _quantified(self, node: Quantifier, want: bool) -> list[Way]:
        """The first and the last element by turns; and for what holds of all, the lengths 0, 1 and 2."""
        length = Call("len", (node.over,))
        if (node.kind == "all") == want:
            return [(Wish(Compare("==", length, Int(count)), "true"),) for count in (0, 1, 2)]
        last = Arith("-", length, Int(1))
        elements = (Index(node.over, Int(0)), Index(node.over, last))
        bodies = [substitute(node.body, node.var, element) for element in elements]
        return [(Wish(body, "true" if want else "false"), *way) for body in bodies for way in self._ways(body, want)]

    def _compared(self, node: Compare, want: bool) -> list[Way]:
        op = node.op if want else opposite(node.op)
        left, right = node.left, node.right
        if op in ("in", "not in"):
            return self._member(left, right, op == "in")
        value = self._sample(left)
        other = self._sample(right)
        if isinstance(value, tuple) or isinstance(other, tuple):
            return self._lists(op, left, right)
        if not any(isinstance(item, int | float) and not isinstance(item, bool) for item in (value, other)):
            return [_true(Compare(op, left, right))]
        below, above = Arith("-", right, Int(1)), Arith("+", right, Int(1))
        sides = {
            "==": (right,),
            "!=": (below, above),
            "<": (below,),
            "<=": (right, below),
            ">": (above,),
            ">=": (right, above),
        }
        return [_true(Compare("==", left, side)) for side in sides[op]]

    def _member(self, left: Node, right: Node, want: bool) -> list[Way]:
        """Each member in turn, or the integers beside the members."""
        whole = (_true(Compare("in" if want else "not in", left, right)),)
        if not isinstance(right, ListOf):
            return list(whole)
        if want:
            return [_true(Compare("==", left, item)) for item in right.items]
        values = [item.value for item in right.items if isinstance(item, Int)]
        beside = sorted({value + step for value in values for step in (-1, 1)} - set(values))
        return [_true(Compare("==", left, Int(value))) for value in beside] or list(whole)

    def _lists(self, op: str, left: Node, right: Node) -> list[Way]:
        """Lists differ by length, at their first element, or at their last."""
        if op != "!=":
            return [_true(Compare(op, left, right))]
        one, other = Call("len", (left,)), Call("len", (right,))
        same = Wish(Compare("==", one, other), "true")
        places: Iterable[Node] = (Int(0), Arith("-", one, Int(1)))
        ends = [Compare("!=", Index(left, place), Index(right, place)) for place in places]
        return [
            *(_true(Compare(unequal, one, other)) for unequal in ("<", ">")),
            *((same, Wish(end, "true")) for end in ends),
            (same, *(Wish(end, "true") for end in ends)),
        ]


def _true(node: Node) -> Way:
    return () if node == Bool(True) else (Wish(node, "true"),)
