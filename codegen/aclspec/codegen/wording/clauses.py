"""Predicates as clauses: that they are true, or false.

For a failure the predicate has this truth in the call, and the clause has only the parts that decide it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from aclspec.codegen.wording.language import Last
from aclspec.codegen.wording.nouns import Nouns, UndecidedError, opened
from aclspec.codegen.wording.patterns import (
    FACTS,
    broadcasts_to,
    constant_side_right,
    exclude,
    is_clause,
    is_literal,
    possible_subsets,
    simplified,
)
from aclspec.codegen.wording.quantified import quantified
from aclspec.codegen.wording.slots import has_placeholder
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.functions import NEGATED, PHRASES
from aclspec.runtime.language.nodes import Node
from aclspec.runtime.language.values import UNDEFINED


@dataclass(frozen=True, slots=True)
class Comparisons(Nouns):
    """Writes comparisons."""

    required: Node | None = None
    """What the rule requires by itself: where it fails, the clause says what must be."""

    def broadcast(self, node: Node, truth: bool) -> str:
        """The clause that one shape broadcasts to another; empty for a node that says something else."""
        pair = broadcasts_to(node)
        return (
            "" if pair is None else f"{self.noun(pair[0])} {self.language.say('broadcasts', truth, self.noun(pair[1]))}"
        )

    def comparison(self, node: ast.Compare, truth: bool) -> str:
        """The clause of one comparison."""
        if node.op in ("in", "not in") and isinstance(node.right, ast.IfElse):
            return self.clause(_hoisted(node, node.right), truth)
        if node.op in ("==", "!="):
            equal = truth == (node.op == "==")
            if isinstance(node.right, ast.Bool):
                return self.clause(node.left, equal == node.right.value)
            if self.is_clause(node.left) or self.is_clause(node.right):
                return self._equivalence(node.left, node.right, equal)
            if broadcasts_to(node) is not None:
                return self.broadcast(node, truth)
        text = self.compared([node], truth, "and")
        return text if truth or node != self.required else self._must(node, text)

    def _must(self, node: ast.Compare, otherwise: str) -> str:
        """What a fact of a tensor must be, with its value first; else, where that is undefined, another clause."""
        right = node.right
        if self.slots is None or not self._is_stated_fact(node) or not self.knows(right) or is_literal(right):
            return otherwise
        value, bare = self.slots.value(self.resolved(right)), self.bare(right)
        if value == bare or isinstance(right, ast.ListOf):
            return otherwise
        left = self.noun(node.left)
        text = self.language.say("must", left, value, bare)
        if isinstance(right, ast.Call) and all(isinstance(one, ast.Name) for one in right.args):
            return text  # a fact of a parameter, which is never undefined
        unknown = self.language.say("must_unknown", left, bare)
        return self.slots.choice(self.resolved(ast.Compare("==", right, right)), [text, unknown])

    def _is_stated_fact(self, node: ast.Compare) -> bool:
        """Whether an equality says what the shape, dtype or format of a tensor is."""
        left = opened(self, node.left)
        return node.op == "==" and isinstance(left, ast.Call) and left.func in ("shape", "dtype", "format")

    def joined(self, texts: Sequence[str]) -> str:
        """Clauses that all hold; those with values are joined when these are known."""
        if self.slots is not None and any(map(has_placeholder, texts)):
            return self.slots.clauses([(None, text) for text in texts])
        return self.language.clauses(texts, last="and")

    def _equivalence(self, left: Node, right: Node, equal: bool) -> str:
        """Two predicates compared: in a call, what each of them is."""
        first = self.decide(left)
        second = self.decide(right) if first is UNDEFINED or self.is_general else first is equal
        if first is UNDEFINED or second is UNDEFINED:
            return self.language.say("exactly_when", self.clause(left), self.clause(right, equal))
        return self.joined([self.clause(left, bool(first)), self.clause(right, bool(second))])

    def compared(self, nodes: Sequence[ast.Compare], truth: bool, last: Last) -> str:
        """Comparisons of one left side, as one subject with its predicates."""
        left = nodes[0].left
        excluded = [right for node in nodes for right in _excluded(node, truth)]
        if last == "and" and len(nodes) > 1 and all(_excluded(node, truth) for node in nodes):
            return f"{self.noun(left)} {self.language.one_of(False, [self.noun(right) for right in excluded], True)}"
        if last == "or" and len(nodes) > 2 and all(_is_equality(node, truth) for node in nodes):
            verb = self.language.one_of(True, [self.noun(node.right) for node in nodes], self.slots is not None)
            return f"{self.noun(left)} {verb}"
        pinned = len(nodes) == 1 and _is_equality(nodes[0], truth) and is_literal(nodes[0].right)
        subject = self.bare(left) if pinned else self.noun(left)
        if len(nodes) == 1 and (divisor := _divisor(nodes[0])) is not None:
            dividend, by = divisor
            verb = self.language.say("divisible", _is_equality(nodes[0], truth), self.noun(by))
            return f"{self.noun(dividend)} {verb}"
        return self.language.predicates(subject, [self.verb(node, truth) for node in nodes], last=last)

    def verb(self, node: ast.Compare, truth: bool) -> str:
        """The predicate of one comparison."""
        if node.op in ("in", "not in"):
            member = truth == (node.op == "in")
            if not isinstance(node.right, ast.ListOf):
                return self.language.say("element_of", member, self.noun(node.right))
            return self.language.one_of(member, [self.noun(item) for item in node.right.items], self.slots is not None)
        right = self.noun(node.right)
        if not truth and node.op not in ("==", "!=") and self._unordered(node):
            return self.language.say(f"{node.op} nan", right)
        if node.op in ("==", "!=") and self._is_fact(node.left) and self._is_fact(node.right):
            return self.language.say("same", _is_equality(node, truth), right)
        return self.language.relation(
            node.op, truth, right, is_literal(node.right) or isinstance(node.right, ast.ListOf)
        )

    def _is_fact(self, node: Node) -> bool:
        """Whether a term is what a tensor is like rather than a number."""
        inner = opened(self, node)
        return isinstance(inner, ast.Call) and inner.func in FACTS

    def _unordered(self, node: ast.Compare) -> bool:
        """Whether a side is NaN in the call."""
        sides = [side for side in (node.left, node.right) if not is_literal(side) and self.type_of(side) == "float"]
        return any(self.decide(ast.Compare("!=", side, side)) is True for side in sides)


def _hoisted(node: ast.Compare, choice: ast.IfElse) -> ast.IfElse:
    """Membership in one of several lists as one of several memberships."""
    inside = [replace(node, right=branch) for branch in (choice.then, choice.orelse)]
    then, orelse = (_hoisted(one, one.right) if isinstance(one.right, ast.IfElse) else one for one in inside)
    return ast.IfElse(choice.cond, then, orelse)


def is_plain(node: ast.Compare) -> bool:
    """Whether a comparison reads as a subject and a predicate, so that others of the same subject may join it."""
    clauses = isinstance(node.right, ast.Bool | ast.IfElse) or is_clause(node.left) or is_clause(node.right)
    return not clauses and broadcasts_to(node) is None and _divisor(node) is None


def _is_equality(node: ast.Compare, truth: bool) -> bool:
    return node.op in ("==", "!=") and truth == (node.op == "==")


def _excluded(node: ast.Compare, truth: bool) -> tuple[Node, ...]:
    """The terms that the clause denies to be the left side."""
    if node.op in ("==", "!=") and not _is_equality(node, truth):
        return (node.right,)
    if node.op in ("in", "not in") and truth == (node.op == "not in") and isinstance(node.right, ast.ListOf):
        return node.right.items
    return ()


def _divisor(node: ast.Compare) -> tuple[Node, Node] | None:
    """Dividend and divisor of ``x % y == 0``."""
    match node:
        case ast.Compare(op="==" | "!=", left=ast.Arith(op="%", left=dividend, right=divisor), right=ast.Int(value=0)):
            return dividend, divisor
        case _:
            return None


_LARGEST_GROUP = 3
"""More items with one subject than this get a clause each."""


@dataclass(frozen=True, slots=True)
class Writer(Comparisons):
    """Writes clauses."""

    def clause(self, node: Node, truth: bool = True) -> str:
        """The clause that a predicate is true, or false; where it depends on a condition, one for each outcome."""
        try:
            return self._clause(node, truth)
        except UndecidedError as undecided:
            condition = undecided.condition
        assert self.slots is not None
        outcomes = (True, False, UNDEFINED) if self.is_general else (True, False)
        writers = [replace(self, decided=self.assuming(condition, outcome)) for outcome in outcomes]
        return self.slots.choice(condition, [writer.clause(node, truth) for writer in writers])

    def _clause(self, node: Node, truth: bool) -> str:
        match node:
            case ast.Not(operand=operand):
                return self._clause(operand, not truth)
            case ast.And() | ast.Or():
                return self._joined(node, truth)
            case ast.Bool(value=value):
                return self.language.say("constant", value == truth)
            case ast.Compare():
                return self.comparison(constant_side_right(node), truth)
            case ast.Quantifier():
                return quantified(self, node, truth)
            case ast.InRows(params=params):
                return self._rows(params, truth)
            case ast.IfElse(cond=cond, then=then, orelse=orelse):
                return self._branch(cond, then, orelse, truth)
            case ast.Call(func=func, args=args) if is_clause(node):
                return self._called(func, [args], truth, "and")
            case ast.Name(id=name):
                return self._flag(name, truth)
            case _:
                return self.language.say("boolean", self.bare(node), truth)

    def _joined(self, node: ast.And | ast.Or, truth: bool) -> str:
        """The parts of an ``and`` or an ``or`` that matter, as one clause."""
        items = simplified(node)
        if len(items) == 1:
            return self._part(items[0], truth)
        groups = _groups(items)
        if isinstance(node, ast.And) == truth:
            return self._conjunction(groups, truth)
        if self.slots is None:
            return self.language.clauses([self._group(group, truth, "or") for group in groups], last="or")
        return self.slots.clauses([part for group in groups for part in self._deciding(group, truth)])

    def _conjunction(self, groups: Sequence[list[Node]], truth: bool) -> str:
        """Clauses that all hold."""
        texts = [self._group(group, truth, "and") for group in groups]
        if len(groups) > 1:
            chosen = [len(group) == 1 and self._is_choice(group[0], truth) for group in groups]
            texts = [self.language.either * choice + text for choice, text in zip(chosen, texts, strict=True)]
        return self.joined(texts)

    def _deciding(self, group: list[Node], truth: bool) -> Iterable[tuple[Node | None, str]]:
        """The clauses of a group, each with the condition on which it decides."""
        assert self.slots is not None
        subsets = [] if self.is_general or len(group) > _LARGEST_GROUP else possible_subsets(group, truth)
        if not any(len(subset) > 1 for subset in subsets):
            return [(self._condition(item, truth), self._part(item, truth)) for item in group]
        whole: Node = ast.Or(tuple(group)) if truth else ast.Not(ast.And(tuple(group)))
        return [(whole, self._chosen(group, [], subsets, truth))]

    def _chosen(self, rest: list[Node], chosen: list[Node], subsets: Sequence[list[Node]], truth: bool) -> str:
        """The clause of those items of a group that decide: ``chosen``, and some of the rest."""
        assert self.slots is not None
        if not rest:
            return self._group(chosen, truth, "and")
        first, *others = rest
        texts = []
        for extended in ([*chosen, first], chosen):
            ahead = [subset for subset in subsets if [item for item in subset if item not in others] == extended]
            texts += [self._chosen(others, extended, ahead, truth)] if ahead else []
        return self.slots.choice(self._condition(first, truth), texts) if len(texts) == 2 else texts[0]

    def _condition(self, item: Node, truth: bool) -> Node:
        """The condition on which an item decides; never where it is about every element of a list."""
        if not self.knows(item):
            return ast.Bool(False)
        resolved = self.resolved(item)
        if truth:
            return resolved
        return resolved.operand if isinstance(resolved, ast.Not) else ast.Not(resolved)

    def _part(self, item: Node, truth: bool) -> str:
        """One item of an ``and``, which may be a pattern of its own."""
        return self.broadcast(item, truth) or self.clause(item, truth)

    def _is_choice(self, item: Node, truth: bool) -> bool:
        """Whether the item's clause offers alternatives with subjects of their own."""
        while isinstance(item, ast.Not):
            item, truth = item.operand, not truth
        alternatives = (
            self.slots is None and isinstance(item, ast.Or if truth else ast.And) and broadcasts_to(item) is None
        )
        return alternatives and len(_groups(simplified(item))) > 1  # type: ignore[arg-type]

    def _group(self, group: list[Node], truth: bool, last: Last) -> str:
        first = group[0]
        if len(group) == 1:
            return self._part(first, truth)
        if isinstance(first, ast.Compare):
            compares = [constant_side_right(item) for item in group if isinstance(item, ast.Compare)]
            return self.compared(compares, truth, last)
        calls = [item.operand if isinstance(item, ast.Not) else item for item in group]
        positive = truth != isinstance(first, ast.Not)
        return self._called(_func(first), [call.args for call in calls if isinstance(call, ast.Call)], positive, last)

    def _called(self, func: str, calls: Sequence[tuple[Node, ...]], truth: bool, last: Last) -> str:
        """A function that returns bool, of one list of arguments or of several single ones."""
        template = self.pick(PHRASES[func] if truth else NEGATED.get(func, PHRASES[func]))
        if func in ("promotable", "promotable_all") and len(calls) == 1:
            every = (PHRASES if truth else NEGATED)["promotable_all"]
            return self._fill(self.pick(every), [self.dtypes(calls[0])])
        if len(calls) > 1 and last == "and":
            template = self.language.plural(template)
        subjects = [self._argument(func, arg) for args in calls for arg in args[:1]]
        others = [self._argument(func, arg) for arg in calls[0][1:]]
        return self._fill(template, [self.language.nouns(subjects, last=last), *others])

    def _argument(self, func: str, arg: Node) -> str:
        """An argument of a function that returns bool, with what makes it so."""
        if self.slots is not None and self.knows(arg) and not self.is_general:
            tensor = self.resolved(arg)
            if func == "is_empty":
                return self.language.say("of_shape", self.bare(arg), self.slots.value(ast.Call("shape", (tensor,))))
            if func in ("is_contiguous", "is_transposed"):
                return self.language.say("of_strides", self.bare(arg), self.slots.value(tensor, "/"))
        return self.bare(arg) if func == "is_null" else self.noun(arg)

    def _flag(self, name: str, truth: bool) -> str:
        """A parameter, a variable or a let of type bool."""
        let = self.let(name)
        if let is None:
            return self.language.say("boolean", self._name(name), truth)
        if let.doc is None:
            return self.clause(let.value, truth)
        return self.language.answered(self.called(let.doc), truth)

    def _rows(self, params: Sequence[str], truth: bool) -> str:
        """Dtypes that are, or are not, supported."""
        if self.slots is not None and not truth:
            return self.slots.rows(params)
        names = [self._name(name) for name in params]
        return (
            self.language.say("row", truth, names[0])
            if len(names) == 1
            else self.language.say("together", truth, self.language.nouns(names, last="and"))
        )

    def _branch(self, cond: Node, then: Node, orelse: Node, truth: bool) -> str:
        """A conditional predicate: in a call, the branch that it takes and why."""
        chosen = self.decide(cond)
        by_case = isinstance(orelse, ast.IfElse) and exclude(cond, orelse.cond)
        if chosen is UNDEFINED:
            return self._cases(cond, then, orelse, truth, by_case)
        if by_case and not chosen:
            return self.clause(orelse, truth)
        branch = then if chosen else orelse
        return self.language.say("despite", False, self.clause(cond, bool(chosen)), self.clause(branch, truth))

    def _cases(self, cond: Node, then: Node, orelse: Node, truth: bool, by_case: bool) -> str:
        """A conditional predicate in the manual; a last branch that is always true is left out."""
        texts = self.clause(cond), self.clause(then, truth)
        if orelse == ast.Bool(True) and truth:
            return self.language.say("guarded", *texts)
        rest = self.clause(orelse, truth)
        if by_case:
            return self.language.say("either_case", self.language.say("guarded", *texts), rest)
        return self.language.say("otherwise", *texts, rest)


def _groups(items: Sequence[Node]) -> list[list[Node]]:
    """The items, neighbours together that share their subject or their predicate."""
    groups: list[list[Node]] = []
    for item in items:
        if groups and _subject(item) is not None and _subject(item) == _subject(groups[-1][0]):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _func(node: Node) -> str:
    """The function that a node calls, under a ``not`` or not; empty for another node."""
    inner = node.operand if isinstance(node, ast.Not) else node
    return inner.func if isinstance(inner, ast.Call) and len(inner.args) == 1 and is_clause(inner) else ""


def _subject(node: Node) -> object:
    """What neighbours share to stand in one clause: the left side compared, or the function and its truth."""
    if isinstance(node, ast.Compare):
        flipped = constant_side_right(node)
        return flipped.left if is_plain(flipped) else None
    return (_func(node), isinstance(node, ast.Not)) if _func(node) else None
