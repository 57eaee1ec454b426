"""Predicates as clauses: that they are true, or false, with the actual values of a call where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from aclspec.runtime.predicate.functions import FUNCTIONS
from aclspec.runtime.predicate.nodes import (
    And,
    Bool,
    Call,
    Compare,
    IfElse,
    InRows,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
)
from aclspec.runtime.predicate.values import UNDEFINED, shape_of
from aclspec.runtime.predicate.wording.comparisons import Comparisons, is_plain
from aclspec.runtime.predicate.wording.kinds import is_clause
from aclspec.runtime.predicate.wording.patterns import broadcasts_to, constant_side_right, exclude, simplified
from aclspec.runtime.predicate.wording.quantified import quantified
from aclspec.runtime.predicate.wording.rows import in_rows
from aclspec.runtime.predicate.wording.values import value_text

Last = Literal["and", "or"]


@dataclass(frozen=True, slots=True)
class Writer(Comparisons):
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
                return self.comparison(constant_side_right(node), truth)
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
        return self.broadcast(item, truth) or self.clause(item, truth)

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
            return self.compared(compares, truth, last)
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
        let = self.let(name)
        if let is None:
            return self.language.boolean(self._name(name), truth)
        if let.doc is None:
            return self.clause(let.value, truth)
        return self.language.applies(self.language.pick(let.doc), truth)

    def _branch(self, cond: Node, then: Node, orelse: Node, truth: bool) -> str:
        """A conditional predicate: in a call, the branch that it takes and why."""
        chosen = self.value(cond)
        by_case = isinstance(orelse, IfElse) and exclude(cond, orelse.cond)
        if chosen is UNDEFINED:
            return self._cases(cond, then, orelse, truth, by_case)
        if by_case and chosen is False:
            return self.clause(orelse, truth)
        branch = then if chosen else orelse
        return self.language.despite(self.clause(cond, chosen), self.clause(branch, truth), contrast=False)

    def _cases(self, cond: Node, then: Node, orelse: Node, truth: bool, by_case: bool) -> str:
        """A conditional predicate in the manual; a last branch that is always true is left out."""
        texts = self.clause(cond), self.clause(then, truth)
        if orelse == Bool(True) and truth:
            return self.language.guarded(*texts)
        rest = self.clause(orelse, truth)
        if by_case:
            return self.language.case_by_case([self.language.guarded(*texts), rest])
        return self.language.otherwise(*texts, rest)


def _func(node: Node) -> str:
    """The function that a node calls, under a ``not`` or not; empty for another node."""
    inner = node.operand if isinstance(node, Not) else node
    return inner.func if isinstance(inner, Call) and len(inner.args) == 1 and is_clause(inner) else ""


def _subject(node: Node) -> object:
    """What neighbours share to be told in one clause: the left side compared, or the function and its truth."""
    if isinstance(node, Compare):
        flipped = constant_side_right(node)
        return flipped.left if is_plain(flipped) else None
    return (_func(node), isinstance(node, Not)) if _func(node) else None
