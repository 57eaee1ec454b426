"""Predicates as clauses: that they are true, or false, with the actual values of a call where there is one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from aclspec.runtime.predicate.functions import FUNCTIONS
from aclspec.runtime.predicate.nodes import (
    And,
    Arith,
    Bool,
    Call,
    Compare,
    IfElse,
    InRows,
    Int,
    ListOf,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
)
from aclspec.runtime.predicate.values import UNDEFINED, shape_of
from aclspec.runtime.predicate.wording.nouns import Nouns, is_clause, is_literal
from aclspec.runtime.predicate.wording.patterns import broadcasts_to, constant_side_right, simplified
from aclspec.runtime.predicate.wording.quantified import quantified
from aclspec.runtime.predicate.wording.rows import in_rows
from aclspec.runtime.predicate.wording.values import value_text

Last = Literal["and", "or"]


@dataclass(frozen=True, slots=True)
class Writer(Nouns):
    """Writes clauses. With a call, only the parts that decide the truth are told."""

    def clause(self, node: Node, truth: bool = True) -> str:
        """The clause that a predicate is true, or false."""
        match node:
            case Not(operand=operand):
                return self.clause(operand, not truth)
            case And() | Or():
                return self._joined(node, truth)
            case Bool(value=value):
                return self.language.constant(value == truth)
            case Compare():
                return self._comparison(constant_side_right(node), truth)
            case Quantifier():
                return quantified(self, node, truth)
            case InRows():
                return in_rows(self, node, truth)
            case IfElse(cond=cond, then=then, orelse=orelse):
                return self._branch(cond, then, orelse, truth)
            case Call(func=func, args=args) if is_clause(node):
                return self._called(func, [args], truth, "and")
            case Name(id=name):
                return self._flag(name, truth)
            case _:
                return self.language.boolean(self.bare(node), truth)

    def _joined(self, node: And | Or, truth: bool) -> str:
        """The parts of an ``and`` or an ``or`` that matter, as one clause."""
        items = simplified(node)
        if len(items) == 1:
            return self._part(items[0], truth)
        last: Last = "and"
        if isinstance(node, And) != truth:
            told = tuple(item for item in items if self.value(item) is truth)
            last = "and" if told else "or"
            items = told or items
        groups = self._groups(items, truth)
        texts = [self._group(group, truth, last) for group in groups]
        if last == "and" and len(groups) > 1:
            chosen = [len(group) == 1 and self._is_choice(group[0], truth) for group in groups]
            texts = [self.language.either * choice + text for choice, text in zip(chosen, texts, strict=True)]
        return self.language.clauses(texts, last=last)

    def _part(self, item: Node, truth: bool) -> str:
        """One item of an ``and``, which may be a pattern of its own."""
        pair = broadcasts_to(item)
        if pair is None:
            return self.clause(item, truth)
        return f"{self.noun(pair[0])} {self.language.broadcasts(truth, self.noun(pair[1]))}"

    def _is_choice(self, item: Node, truth: bool) -> bool:
        """Whether the item's clause offers alternatives with subjects of their own."""
        while isinstance(item, Not):
            item, truth = item.operand, not truth
        alternatives = self.env is None and isinstance(item, Or if truth else And) and broadcasts_to(item) is None
        return alternatives and len(self._groups(simplified(item), truth)) > 1  # type: ignore[arg-type]

    def _groups(self, items: Sequence[Node], truth: bool) -> list[list[Node]]:
        """The items, neighbours together that share their subject or their predicate."""
        groups: list[list[Node]] = []
        for item in items:
            if groups and _subject(item) is not None and _subject(item) == _subject(groups[-1][0]):
                groups[-1].append(item)
            else:
                groups.append([item])
        return groups

    def _group(self, group: list[Node], truth: bool, last: Last) -> str:
        first = group[0]
        if len(group) == 1:
            return self._part(first, truth)
        if isinstance(first, Compare):
            compares = [constant_side_right(item) for item in group if isinstance(item, Compare)]
            return self._compared(compares, truth, last)
        calls = [item.operand if isinstance(item, Not) else item for item in group]
        asked = truth != isinstance(first, Not)
        return self._called(_func(first), [call.args for call in calls if isinstance(call, Call)], asked, last)

    def _called(self, func: str, calls: Sequence[tuple[Node, ...]], truth: bool, last: Last) -> str:
        """A function that returns bool, of one list of arguments or of several single ones."""
        function = FUNCTIONS[func]
        phrase = function.phrase if truth or function.negated is None else function.negated
        template = self.language.pick(phrase)
        if len(calls) > 1 and last == "and":
            template = self.language.plural(template)
        subjects = [self._argument(func, arg) for args in calls for arg in args[:1]]
        others = [self._argument(func, arg) for arg in calls[0][1:]]
        return self._fill(template, [self.language.nouns(subjects, last=last), *others])

    def _argument(self, func: str, arg: Node) -> str:
        """An argument of a function that returns bool, with what makes it so."""
        tensor = self.value(arg)
        if tensor is not UNDEFINED and func == "is_empty":
            return self.language.of_shape(self.bare(arg), value_text(shape_of(tensor)))
        strides = getattr(tensor, "strides", None)
        if strides is not None and func == "is_contiguous":
            return self.language.of_strides(self.bare(arg), value_text(tuple(strides)))
        return self.bare(arg) if func == "is_null" else self.noun(arg)

    def _flag(self, name: str, truth: bool) -> str:
        """A parameter, a variable or a let of type bool."""
        let = self._let(name)
        if let is None:
            return self.language.boolean(self._name(name), truth)
        if let.doc is None:
            return self.clause(let.value, truth)
        return self.language.applies(self.language.pick(let.doc), truth)

    def _branch(self, cond: Node, then: Node, orelse: Node, truth: bool) -> str:
        """A conditional predicate: in a call, the branch that it takes and why."""
        chosen = self.value(cond)
        if chosen is UNDEFINED:
            texts = self.clause(cond), self.clause(then, truth), self.clause(orelse, truth)
            return self.language.otherwise(*texts)
        branch = then if chosen else orelse
        return self.language.despite(self.clause(cond, chosen), self.clause(branch, truth), contrast=False)

    def _comparison(self, node: Compare, truth: bool) -> str:
        if node.op in ("==", "!="):
            equal = truth == (node.op == "==")
            if isinstance(node.right, Bool):
                return self.clause(node.left, equal == node.right.value)
            if is_clause(node.left) or is_clause(node.right):
                return self._equivalence(node.left, node.right, equal)
            pair = broadcasts_to(node)
            if pair is not None:
                return self._part(node, truth)
        return self._compared([node], truth, "and")

    def _equivalence(self, left: Node, right: Node, equal: bool) -> str:
        """Two predicates compared: in a call, what each of them is."""
        values = self.value(left), self.value(right)
        if UNDEFINED in values:
            return self.language.exactly_when(self.clause(left), self.clause(right, equal))
        return self.language.clauses([self.clause(left, values[0]), self.clause(right, values[1])], last="and")

    def _compared(self, nodes: Sequence[Compare], truth: bool, last: Last) -> str:
        """Comparisons of one left side, as one subject with its predicates."""
        sides = [side for node in nodes for side in (node.left, node.right)]
        writer = replace(self, compact=self.compact or any(isinstance(side, Arith) for side in sides))
        left = nodes[0].left
        excluded = [right for node in nodes for right in _excluded(node, truth)]
        if last == "and" and len(nodes) > 1 and all(_excluded(node, truth) for node in nodes):
            return self.language.neither(writer.noun(left), [writer.noun(right) for right in excluded])
        pinned = len(nodes) == 1 and _is_equality(nodes[0], truth) and is_literal(nodes[0].right)
        subject = writer.bare(left) if pinned else writer.noun(left)
        if len(nodes) == 1 and (divisor := _divisor(nodes[0])) is not None:
            dividend, by = divisor
            verb = self.language.divisible(_is_equality(nodes[0], truth), writer.noun(by))
            return f"{writer.noun(dividend)} {verb}"
        return self.language.predicates(subject, [writer.verb(node, truth) for node in nodes], last=last)

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
        return self.language.relation(node.op, truth, right, is_literal(node.right))

    def _unordered(self, node: Compare) -> bool:
        values = [self.value(side) for side in (node.left, node.right)]
        return any(isinstance(value, float) and math.isnan(value) for value in values)


def _func(node: Node) -> str:
    """The function that a node calls, under a ``not`` or not; empty for another node."""
    inner = node.operand if isinstance(node, Not) else node
    return inner.func if isinstance(inner, Call) and len(inner.args) == 1 and is_clause(inner) else ""


def _subject(node: Node) -> object:
    """What neighbours share to be told in one clause: the left side compared, or the function and its truth."""
    if isinstance(node, Compare):
        flipped = constant_side_right(node)
        plain = not (isinstance(flipped.right, Bool) or is_clause(flipped.left) or is_clause(flipped.right))
        special = broadcasts_to(node) is not None or _divisor(flipped) is not None
        return flipped.left if plain and not special else None
    return (_func(node), isinstance(node, Not)) if _func(node) else None


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
