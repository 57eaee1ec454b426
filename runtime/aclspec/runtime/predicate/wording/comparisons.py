"""Comparisons as clauses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aclspec.runtime.predicate.nodes import Arith, Bool, Call, Compare, IfElse, Int, ListOf, Node
from aclspec.runtime.predicate.values import UNDEFINED
from aclspec.runtime.predicate.wording.facts import FACTS
from aclspec.runtime.predicate.wording.kinds import is_clause, is_literal
from aclspec.runtime.predicate.wording.language import Last
from aclspec.runtime.predicate.wording.nouns import Nouns
from aclspec.runtime.predicate.wording.patterns import broadcasts_to
from aclspec.runtime.predicate.wording.terms import opened


@dataclass(frozen=True, slots=True)
class Comparisons(Nouns):
    """Writes comparisons."""

    def broadcast(self, node: Node, truth: bool) -> str:
        """The clause that one shape broadcasts to another; empty for a node that says something else."""
        pair = broadcasts_to(node)
        return "" if pair is None else f"{self.noun(pair[0])} {self.language.broadcasts(truth, self.noun(pair[1]))}"

    def comparison(self, node: Compare, truth: bool) -> str:
        """The clause of one comparison."""
        if node.op in ("in", "not in") and isinstance(node.right, IfElse):
            return self.clause(_hoisted(node, node.right), truth)
        if node.op in ("==", "!="):
            equal = truth == (node.op == "==")
            if isinstance(node.right, Bool):
                return self.clause(node.left, equal == node.right.value)
            if self.is_clause(node.left) or self.is_clause(node.right):
                return self._equivalence(node.left, node.right, equal)
            if broadcasts_to(node) is not None:
                return self.broadcast(node, truth)
        return self.compared([node], truth, "and")

    def _equivalence(self, left: Node, right: Node, equal: bool) -> str:
        """Two predicates compared: in a call, what each of them is."""
        values = self.value(left), self.value(right)
        if UNDEFINED in values:
            return self.language.exactly_when(self.clause(left), self.clause(right, equal))
        return self.language.clauses([self.clause(left, values[0]), self.clause(right, values[1])], last="and")

    def compared(self, nodes: Sequence[Compare], truth: bool, last: Last) -> str:
        """Comparisons of one left side, as one subject with its predicates."""
        left = nodes[0].left
        excluded = [right for node in nodes for right in _excluded(node, truth)]
        if last == "and" and len(nodes) > 1 and all(_excluded(node, truth) for node in nodes):
            return self.language.neither(self.noun(left), [self.noun(right) for right in excluded])
        if last == "or" and len(nodes) > 2 and all(_is_equality(node, truth) for node in nodes):
            verb = self.language.one_of(True, [self.noun(node.right) for node in nodes], self.env is not None)
            return f"{self.noun(left)} {verb}"
        pinned = len(nodes) == 1 and _is_equality(nodes[0], truth) and is_literal(nodes[0].right)
        subject = self.bare(left) if pinned else self.noun(left)
        if len(nodes) == 1 and (divisor := _divisor(nodes[0])) is not None:
            dividend, by = divisor
            verb = self.language.divisible(_is_equality(nodes[0], truth), self.noun(by))
            return f"{self.noun(dividend)} {verb}"
        return self.language.predicates(subject, [self.verb(node, truth) for node in nodes], last=last)

    def verb(self, node: Compare, truth: bool) -> str:
        """The predicate of one comparison."""
        if node.op in ("in", "not in"):
            member = truth == (node.op == "in")
            if not isinstance(node.right, ListOf):
                return self.language.element_of(member, self.noun(node.right))
            return self.language.one_of(member, [self.noun(item) for item in node.right.items], self.env is not None)
        right = self.noun(node.right)
        if not truth and node.op not in ("==", "!=") and self._unordered(node):
            return self.language.not_ordered(node.op, right)
        if node.op in ("==", "!=") and self._is_fact(node.left) and self._is_fact(node.right):
            return self.language.same(_is_equality(node, truth), right)
        return self.language.relation(node.op, truth, right, is_literal(node.right) or isinstance(node.right, ListOf))

    def _is_fact(self, node: Node) -> bool:
        """Whether a term is what a tensor is like rather than a number."""
        inner = opened(self, node)
        return isinstance(inner, Call) and inner.func in FACTS

    def _unordered(self, node: Compare) -> bool:
        values = [self.value(side) for side in (node.left, node.right)]
        return any(isinstance(value, float) and math.isnan(value) for value in values)


def _hoisted(node: Compare, choice: IfElse) -> IfElse:
    """Membership in one of several lists as one of several memberships."""
    inside = [replace(node, right=branch) for branch in (choice.then, choice.orelse)]
    then, orelse = (_hoisted(one, one.right) if isinstance(one.right, IfElse) else one for one in inside)
    return IfElse(choice.cond, then, orelse)


def is_plain(node: Compare) -> bool:
    """Whether a comparison reads as a subject and a predicate, so that others of the same subject may join it."""
    clauses = isinstance(node.right, Bool | IfElse) or is_clause(node.left) or is_clause(node.right)
    return not clauses and broadcasts_to(node) is None and _divisor(node) is None


def _is_equality(node: Compare, truth: bool) -> bool:
    return node.op in ("==", "!=") and truth == (node.op == "==")


def _excluded(node: Compare, truth: bool) -> tuple[Node, ...]:
    """What the left side is said not to be."""
    if node.op in ("==", "!=") and not _is_equality(node, truth):
        return (node.right,)
    if node.op in ("in", "not in") and truth == (node.op == "not in") and isinstance(node.right, ListOf):
        return node.right.items
    return ()


def _divisor(node: Compare) -> tuple[Node, Node] | None:
    """Dividend and divisor of ``x % y == 0``."""
    match node:
        case Compare(op="==" | "!=", left=Arith(op="%", left=dividend, right=divisor), right=Int(value=0)):
            return dividend, divisor
        case _:
            return None
