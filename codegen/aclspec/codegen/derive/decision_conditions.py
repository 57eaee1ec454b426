"""Decision conditions of predicates: what has to hold for each part to decide by itself whether it is true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from aclspec.runtime.language.evaluation import OPERATORS
from aclspec.runtime.language.nodes import (
    And,
    Arith,
    Compare,
    IfElse,
    Index,
    Int,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
    substitute,
)
from aclspec.runtime.language.nodes import Call as Function
from aclspec.runtime.rules.operator_info import RuleInfo
from aclspec.runtime.search.call import Call
from aclspec.runtime.search.oracle import Oracle

Conditions: TypeAlias = tuple[tuple[Node, bool], ...]
"""Predicates with the values that they should have together."""


class DecisionConditions:
    """The decision conditions of one operator's predicates; a term is an integer if it is one in a sample call."""

    def __init__(self, oracle: Oracle, sample: Call) -> None:
        """Look through the operator's lets."""
        self.oracle = oracle
        self.lets = oracle.space.lets
        self.sample = sample

    def of_rule(self, rule: RuleInfo) -> list[Conditions]:
        """Conditions for a rule to fail and to hold and, where it would fail, for it to apply and not to apply."""
        found: list[Conditions] = []
        guard: Conditions = () if rule.when is None else ((rule.when, True),)
        broken: Conditions = () if rule.require is None else ((rule.require, False),)
        for want in (False, True):
            if rule.require is not None:
                found += [(*guard, *conditions) for conditions in self.of(rule.require, want)]
            if rule.when is not None:
                found += [(*broken, *conditions) for conditions in self.of(rule.when, want)]
        nodes = [node for node in (rule.when, rule.require) if node is not None]
        found += [(*guard, *conditions) for node in nodes for conditions in self._divisions(node)]
        return list(dict.fromkeys(found))

    def unguarded(self, rule: RuleInfo) -> list[Conditions]:
        """Conditions for a rule to be broken where its guard does not hold."""
        if rule.when is None or rule.require is None:
            return []
        return [
            (*broken, *conditions)
            for broken in self.of(rule.require, False)
            for conditions in self.of(rule.when, False)
        ]

    def _divisions(self, node: Node) -> Iterator[Conditions]:
        """What is divided by a constant on and beside that constant."""
        for part in self.oracle.parts(node):
            match part:
                case (
                    Arith(op="//" | "%", left=left, right=Int(value=size))
                    | Function(func="ceil_div", args=(left, Int(value=size)))
                ) if size > 1:
                    yield from (((Compare("==", left, Int(size + step)), True),) for step in (-1, 0, 1))
                case _:
                    continue

    def of(self, node: Node, want: bool) -> Iterator[Conditions]:
        """Conditions for a predicate to be true, or false, each by one of its parts."""
        match node:
            case Name(id=name) if name in self.lets:
                yield from self.of(self.lets[name], want)
            case Not(operand=operand):
                yield from self.of(operand, not want)
            case And(items=items) | Or(items=items):
                deciding = isinstance(node, Or) == want
                for place, item in enumerate(items):
                    others = tuple((other, want != deciding) for other in (*items[:place], *items[place + 1 :]))
                    yield from ((*others, *conditions) for conditions in self.of(item, want))
            case IfElse(cond=cond, then=then, orelse=orelse):
                yield from (((cond, True), *conditions) for conditions in self.of(then, want))
                yield from (((cond, False), *conditions) for conditions in self.of(orelse, want))
            case Quantifier(kind=kind) if (kind == "any") == want:
                last = Arith("-", Function("len", (node.over,)), Int(1))
                one, other = (substitute(node.body, {node.var: Index(node.over, at)}) for at in (Int(0), last))
                yield from (((other, not want), *conditions) for conditions in self.of(one, want))
                yield (one, not want), (other, want)
            case Compare(op=op, left=left, right=right) if self._is_integer(node):
                for step in (-1, 0, 1):
                    if OPERATORS[op](step, 0) is want:
                        beside = Arith("+", right, Int(1) if step > 0 else Negate(Int(1)))
                        side = Int(right.value + step) if isinstance(right, Int) else beside if step else right
                        yield ((Compare("==", left, side), True),)
            case _:
                yield ((node, want),)

    def _is_integer(self, node: Compare) -> bool:
        values = [self.oracle.value(side, self.sample) for side in (node.left, node.right)]
        return node.op not in ("in", "not in") and any(
            isinstance(one, int) and not isinstance(one, bool) for one in values
        )
