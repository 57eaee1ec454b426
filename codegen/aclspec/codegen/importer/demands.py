"""What a spec demands on a product in the mode document, and whether other demands follow from it.

Two rules may say the same in other words: the sides of an equation change places, a let stands for a value, one rule
says in two parts what two rules say, or a shape equals another by way of a third. So predicates have one canonical
form here, equal terms are replaced by one of them, and the prover of the generator does the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations

from aclspec.codegen.analysis.consistency.rules import type_facts
from aclspec.codegen.analysis.facts import TRUE, Facts, possible
from aclspec.codegen.compile.lower import Lets, replace_names
from aclspec.runtime.language.functions import ELEMENTS
from aclspec.runtime.language.nodes import (
    FLIPPED,
    NEGATED,
    And,
    Arith,
    Bool,
    Call,
    Compare,
    Each,
    Float,
    IfElse,
    Int,
    ListOf,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
    children,
    names,
    rebuild,
)
from aclspec.runtime.language.types import Checker
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.operator_info import OperatorInfo, RuleInfo, types_of

_SYMMETRIC = ("broadcastable", "promotable", "broadcast", "promote")
_REFLEXIVE = ("broadcastable", "promotable", "castable")
_IDEMPOTENT = ("broadcast", "promote")
_OF_SHAPE = ("shape", "rank", "dim", "numel", "is_empty")
"""Functions of a tensor that depend on its shape alone."""
_ROUNDS = 8
_LONG = 120


@dataclass(frozen=True, slots=True)
class Demand:
    """A part of a rule: ``require`` holds, where ``when`` does."""

    rule: RuleInfo
    require: Node
    when: Node | None = None

    def __str__(self) -> str:
        """The predicate and its guard."""
        return unparse(self.require) + (f" when {unparse(self.when)}" if self.when is not None else "")


def demands(info: OperatorInfo, product: str) -> Iterator[Demand]:
    """The parts of all rules that the document enforces on a product, in canonical form."""
    lets = Lets(info.lets)
    for rule in info.rules:
        enforced = rule.outcome == "undefined" or "document" in dict(rule.status)
        if rule.kind == "shortcut" or rule.require is None or not enforced:
            continue
        if not rule.products or product in rule.products:
            when = _guard(info, rule, lets)
            for part, case in _parts(canonical(lets.expand(rule.require))):
                guards = [one for one in (when, case) if one is not None]
                yield Demand(rule, part, canonical(And(tuple(guards))) if guards else None)


def _guard(info: OperatorInfo, rule: RuleInfo, lets: Lets) -> Node | None:
    """The guard without what says whether a parameter is looked at at all, which no page repeats with each rule."""
    if rule.when is None:
        return None
    looked_at = {
        canonical(lets.expand(param.checked))
        for param in info.params
        if param.name in rule.params and param.checked is not None
    }
    whole = canonical(lets.expand(rule.when))
    items = tuple(item for item in (whole.items if isinstance(whole, And) else (whole,)) if item not in looked_at)
    return None if whole in looked_at or not items else And(items) if len(items) > 1 else items[0]


def _parts(node: Node) -> Iterator[tuple[Node, Node | None]]:
    """The predicates that all hold where the whole does, each with the case in which it must.

    A loop over a conjunction is a loop over each part, shapes that broadcast do so two by two, and a value that
    depends on a condition is two cases.
    """
    match node:
        case And(items=items):
            for item in items:
                yield from _parts(item)
        case Quantifier(kind="all", body=And(items=items)):
            for item in items:
                yield from _parts(canonical(replace(node, body=item)))
        case Call(func="broadcastable", args=parts) if len(shapes := sorted(set(_leaves(parts)), key=_size)) > 2:
            for pair in combinations(shapes, 2):
                yield Call("broadcastable", pair), None
        case IfElse(cond=cond, then=then, orelse=orelse):
            yield from _cases(cond, then, orelse)
        case Compare(op=op, left=IfElse(cond=cond, then=then, orelse=orelse), right=right):
            yield from _cases(cond, Compare(op, then, right), Compare(op, orelse, right))
        case Compare(op=op, left=left, right=IfElse(cond=cond, then=then, orelse=orelse)):
            yield from _cases(cond, Compare(op, left, then), Compare(op, left, orelse))
        case _:
            yield node, None


def _cases(cond: Node, then: Node, orelse: Node) -> Iterator[tuple[Node, Node | None]]:
    for case, whole in ((cond, then), (Not(cond), orelse)):
        for part, inner in _parts(canonical(whole)):
            yield part, canonical(case if inner is None else And((case, inner)))


def _leaves(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """The shapes that broadcast together, in whatever order they are taken two by two."""
    for node in nodes:
        if isinstance(node, Call) and node.func == "broadcast":
            yield from _leaves(node.args)
        else:
            yield node


def canonical(node: Node, depth: int = 0) -> Node:
    """One form for predicates that differ in the order of operands, names of variables and the like only."""
    if isinstance(node, Quantifier | Each):
        variable = Name(f"_{depth}")
        body = node.body if node.var == variable.id else replace_names(node.body, {node.var: variable})
        node = replace(node, var=variable.id, body=body)
        return rebuild(node, lambda child: canonical(child, depth + 1))
    node = rebuild(node, lambda child: canonical(child, depth))
    match node:
        case Float(value=value) if value == int(value):
            return Int(int(value))
        case Compare():
            return _compared(node)
        case Not(operand=Not(operand=inner)):
            return inner
        case Not(operand=Compare(op=op, left=left, right=right)) if op in ("==", "!=", "in", "not in"):
            return _compared(Compare(NEGATED[op], left, right))
        case And(items=items) | Or(items=items):
            return _junction(type(node), items)
        case Call(func="broadcast", args=parts) if len(shapes := sorted(set(_leaves(parts)), key=_size)) > 2:
            return reduce(lambda whole, one: Call("broadcast", (whole, one)), shapes)
        case Call(func=func, args=(left, right)) if func in _SYMMETRIC and _size(right) < _size(left):
            return canonical(Call(func, (right, left)), depth)
        case Call(func=func, args=(left, right)) if left == right and func in (*_REFLEXIVE, *_IDEMPOTENT):
            return Bool(True) if func in _REFLEXIVE else left
        case IfElse(then=then, orelse=orelse) if then == orelse:
            return then
        case Arith() | Call(func="slice"):
            return _folded(node)
    return node


def _folded(node: Node) -> Node:
    """Sums of numbers and of lists that are written out, and the first lengths of a shape."""
    match node:
        case Arith(op="+", left=ListOf(items=left), right=ListOf(items=right)):
            return ListOf((*left, *right))
        case Arith(op=("+" | "-" | "*") as op, left=Int(value=left), right=Int(value=right)):
            return Int({"+": left + right, "-": left - right, "*": left * right}[op])
        case Call(func="slice", args=(Call(func="shape", args=(tensor,)), Int(value=low), Int(value=high))):
            if 0 <= low <= high:
                return ListOf(tuple(Call("dim", (tensor, Int(at))) for at in range(low, high)))
    return node


def _compared(node: Compare) -> Node:
    """A comparison that points up; a list of one item is that item."""
    left, op, right = node.left, node.op, node.right
    if op in ("in", "not in"):
        match right:
            case Call(func="range", args=(Int(value=low), Int(value=high))) if low < high <= low + _LONG:
                right = ListOf(tuple(map(Int, range(low, high))))
        if not isinstance(right, ListOf):
            return node
        items = tuple(sorted(dict.fromkeys(right.items), key=_size))
        return (
            Compare("==" if op == "in" else "!=", left, items[0])
            if len(items) == 1
            else Compare(op, left, ListOf(items))
        )
    if isinstance(left, Int | Float) and isinstance(right, Int | Float):
        return node
    if op in (">", ">=") or (op in ("==", "!=") and _size(left) < _size(right)):
        return Compare(FLIPPED[op], right, left)
    return node


def _junction(kind: type[And] | type[Or], items: tuple[Node, ...]) -> Node:
    """Flat, sorted, each item once; ``x == 1 or x == 2`` is membership in a list."""
    flat: dict[Node, None] = {}
    for item in items:
        flat |= dict.fromkeys(item.items if isinstance(item, kind) else (item,))
    if kind is Or:
        members: dict[Node, list[Node]] = {}
        for item in flat:
            if isinstance(item, Compare) and item.op == "==":
                members.setdefault(item.left, []).append(item.right)
            elif isinstance(item, Compare) and item.op == "in" and isinstance(item.right, ListOf):
                members.setdefault(item.left, []).extend(item.right.items)
            else:
                members[item] = []
        flat = {
            _compared(Compare("in", item, ListOf(tuple(found)))) if found else item: None
            for item, found in members.items()
        }
    ordered = tuple(sorted(flat, key=_size))
    return kind(ordered) if len(ordered) > 1 else ordered[0]


def _size(node: Node) -> tuple[int, str]:
    text = unparse(node)
    return len(text), text


def _bounds(node: Node, types: dict[str, str]) -> tuple[Node, ...]:
    """The two comparisons that say the same as membership in a list of successive integers."""
    match node:
        case Quantifier(kind="all", var=var, over=over, body=body):
            element = ELEMENTS.get(Checker(types).type_of(over, types) or "", "")
            return tuple(replace(node, body=one) for one in _bounds(body, {**types, var: element}))
        case Compare(op="in", left=left, right=ListOf(items=items)) if Checker(types).type_of(left, types) == "int":
            numbers = sorted(item.value for item in items if isinstance(item, Int))
            if numbers and len(numbers) == len(items) == numbers[-1] - numbers[0] + 1:
                return Compare("<=", Int(numbers[0]), left), Compare("<=", left, Int(numbers[-1]))
    return ()


def _is_costly(node: Node) -> bool:
    """Whether the prover would take long over a predicate that it seldom needs: one with cases, or a long one."""
    return isinstance(node, Or | IfElse) or len(unparse(node)) > _LONG


class Knowledge:
    """What follows from the demands of a spec on a product, those of the rules in their order."""

    def __init__(self, info: OperatorInfo, found: tuple[Demand, ...]) -> None:
        """Learn every demand."""
        self.info, self.demands = info, found
        self.stated = {(demand.require, demand.when) for demand in self.demands}
        always_there = {param.name for param in info.params if not param.optional and param.required is None}
        self.shapes: dict[str, str] = {}
        self.terms: dict[Node, Node] = {}
        for demand in self.demands:
            if demand.when is None and names(demand.require) <= always_there:
                self._equate(demand.require)
        self.facts: Facts = type_facts(info)
        self._learn_broadcasts(always_there)
        for demand in self.demands:
            self._learn_rank(demand.require, demand.when)
            require = self._rewritten(demand.require)
            if require == Bool(True):
                continue
            if _is_costly(require) or (demand.when is not None and _is_costly(demand.when)):
                continue
            if demand.when is None:
                self.facts = self.facts.assume(require)
            else:
                self.facts = self.facts.following(self._rewritten(demand.when), require)

    def _equate(self, node: Node) -> None:
        """Remember an equation: of two shapes for the names, of two terms for the larger one."""
        match node:
            case Compare(op="==", left=Call("shape", (Name(id=one),)), right=Call("shape", (Name(id=other),))):
                first, second = sorted((self._shape(one), self._shape(other)))
                if first != second:
                    self.shapes[second] = first
            case Compare(op="==", left=left, right=right) if _size(right) < _size(left) and right not in children(left):
                self.terms.setdefault(left, right)

    def _learn_broadcasts(self, always_there: set[str]) -> None:
        """What follows for the shape that two others broadcast to: it broadcasts to each, and takes each in."""
        for demand in self.demands:
            match demand.require:
                case Compare(op="==", left=Call("broadcast", parts) as whole, right=result) if demand.when is None:
                    if names(demand.require) <= always_there:
                        shapes = list(_leaves(parts))
                        for part in shapes:
                            self.terms.setdefault(canonical(Call("broadcast", (result, part))), result)
                            for other in (result, whole, *shapes):
                                self.stated.add((canonical(Call("broadcastable", (other, part))), None))

    def _learn_rank(self, node: Node, when: Node | None) -> None:
        """The rank that a shape which is written out gives."""
        match node:
            case Compare(op="==", left=one, right=other) if when is None:
                for shape, written in ((one, other), (other, one)):
                    if isinstance(shape, Call) and shape.func == "shape" and isinstance(written, ListOf):
                        rank = Call("rank", shape.args)
                        self.facts = self.facts.assume(self._rewritten(Compare("==", rank, Int(len(written.items)))))

    def may_have_rank(self, name: str, rank: int) -> bool:
        """Whether the demands leave a tensor this number of dimensions, as far as that can be proven."""
        node = self._rewritten(canonical(Compare("==", Call("rank", (Name(name),)), Int(rank))))
        return possible(node, self.facts) != frozenset({False})

    def _shape(self, name: str) -> str:
        while name in self.shapes:
            name = self.shapes[name]
        return name

    def _rewritten(self, node: Node) -> Node:
        """The predicate with one term for all that are equal."""
        for _ in range(_ROUNDS):
            fresh = canonical(self._replaced(node))
            if fresh == node:
                break
            node = fresh
        return node

    def _replaced(self, node: Node) -> Node:
        node = rebuild(node, self._replaced)
        match node:
            case Call(func=func, args=(Name(id=name), *rest)) if func in _OF_SHAPE and name in self.shapes:
                node = Call(func, (Name(self._shape(name)), *rest))
        return self.terms.get(node, node)

    @cached_property
    def followed(self) -> frozenset[Node]:
        """What holds everywhere, with one term for all that are equal."""
        return frozenset(self._rewritten(require) for require, when in self.stated if when is None)

    def entails(self, demand: Demand) -> bool:
        """Whether no call that meets the demands of the spec breaks this one; a list of integers may be a range."""
        bounds = _bounds(demand.require, types_of(self.info))
        return self._follows(demand) or (
            bool(bounds) and all(self._follows(replace(demand, require=one)) for one in bounds)
        )

    def _follows(self, demand: Demand) -> bool:
        if {(demand.require, demand.when), (demand.require, None)} & self.stated:
            return True
        require, facts = self._rewritten(demand.require), self.facts
        if require in self.followed:
            return True
        if demand.when is not None:
            when = self._rewritten(demand.when)
            if possible(when, facts) == frozenset({False}):
                return True
            facts = facts.assume(when)
        return require == Bool(True) or possible(require, facts) == TRUE

    def reasons(self, demand: Demand) -> list[Demand]:
        """The demands from which another one follows: those that are the same, else those that imply it alone."""
        same = [one for one in self.demands if (one.require, one.when) == (demand.require, demand.when)]
        if same or self._alone(None).entails(demand):
            return same
        about = names(demand.require)
        return [one for one in self.demands if names(one.require) >= about and self._alone(one).entails(demand)]

    def _alone(self, demand: Demand | None) -> Knowledge:
        """What follows from one demand, or from the types of the parameters alone."""
        return Knowledge(self.info, () if demand is None else (demand,))
