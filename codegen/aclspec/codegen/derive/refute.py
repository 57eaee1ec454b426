"""Which goals no call can reach, seen from the goal alone: wishes that contradict each other, or a rule that holds.

What a way wishes of one term is put together: a rank is 3 and is 4, a format is NCL where the rank asks for NCHW. Only
what is certain counts, so that a goal is given up for which every search would have failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aclspec.codegen.derive.domains import Domain, domain_of
from aclspec.codegen.derive.oracle import applies
from aclspec.codegen.derive.plainer import Plainer
from aclspec.codegen.derive.space import Space
from aclspec.codegen.derive.trial import Goal
from aclspec.codegen.derive.wishes import opposite
from aclspec.codegen.predicate.intervals import is_list
from aclspec.runtime.info import RuleInfo
from aclspec.runtime.predicate.nodes import And, Bool, Call, Compare, IfElse, Index, Name, Node, Not, Or
from aclspec.runtime.predicate.walk import names
from aclspec.runtime.testing.suite import Cell

_ROUNDS = 3
_TERMS = 3
_MIRROR = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class Contradiction(Exception):
    """Something would have to be two things."""


class Refuter:
    """Tells goals out of reach, for one operator."""

    def __init__(self, space: Space) -> None:
        """Find the rules that say something of few terms."""
        self.space = space
        self.plainer = Plainer(space.lets)
        kinds = zip(space.names, space.kinds, strict=True)
        self.lists = frozenset(name for name, kind in zip(space.names, space.kinds, strict=True) if kind.endswith("s"))
        self.floats = frozenset(name for name, kind in kinds if kind in ("float", "floats", "scalar", "scalars"))
        self.rules = space.info.rules
        self.places = {rule.id: place for place, rule in enumerate(self.rules)}
        self.nulls = {rule.require: rule.id for rule in self.rules if rule.when is None and rule.require is not None}
        self._about: dict[Node, list[RuleInfo]] = {}
        for rule in space.info.rules:
            if rule.outcome == "error" and rule.require is not None:
                terms = set(self.terms(self.plainer.of(rule.require)))
                for term in terms if len(terms) <= _TERMS else ():
                    self._about.setdefault(term, []).append(rule)

    def refutes(self, goal: Goal, cell: Cell) -> bool:
        """Whether no call can be what the goal asks for."""
        bound = self._bound(goal, cell)
        known = Known(self, bound)
        try:
            for _ in range(_ROUNDS):
                before = known.size
                known.wish(goal)
                known.obey({rule.id: rule for term in known.domains for rule in self._about.get(term, ())})
                if known.size == before:
                    break
        except Contradiction:
            return True
        return False

    def _bound(self, goal: Goal, cell: Cell) -> frozenset[str]:
        """The rules that must not fail in a call that reaches the goal: none behind a shortcut that it may take."""
        shortcuts = (place for place, rule in enumerate(self.rules) if rule.kind == "shortcut")
        if goal.anything:
            last = self.places.get(goal.reaching or "", 0)
        else:
            begin = self.places.get(goal.target or "", 0)
            last = next((place for place in shortcuts if place > begin), len(self.rules))
        reached = (rule for rule in self.rules[:last] if rule.outcome == "error" and applies(rule, cell))
        free = frozenset() if goal.anything else goal.allowed | {goal.target}
        return frozenset(rule.id for rule in reached) - free

    def terms(self, node: Node) -> Iterator[Node]:
        """What a predicate compares with constants, or asks as it stands."""
        match node:
            case Not(operand=operand):
                yield from self.terms(operand)
            case And(items=items) | Or(items=items):
                for item in items:
                    yield from self.terms(item)
            case IfElse(cond=cond, then=then, orelse=orelse):
                for part in (cond, then, orelse):
                    yield from self.terms(part)
            case Compare(left=left, right=right):
                if domain_of("==", right) is not None or domain_of("in", right) is not None:
                    yield left
                else:
                    listed = is_list(left, self.lists) or is_list(right, self.lists)
                    yield from (self.plainer.of(Call("len", (side,))) if listed else side for side in (left, right))
            case Bool():
                return
            case _:
                yield node


class Known:
    """What must be so in a call that reaches a goal."""

    def __init__(self, refuter: Refuter, bound: frozenset[str]) -> None:
        """Nothing yet, but that these rules do not fail."""
        self.refuter = refuter
        self.bound = bound
        self.domains: dict[Node, Domain] = {}
        self.size = 0

    def wish(self, goal: Goal) -> None:
        """What a goal asks for in so many words."""
        plain = self.refuter.plainer.of
        if goal.target is not None:
            target = self.refuter.rules[self.refuter.places[goal.target]]
            for node, want in ((target.when, True), (target.require, False)):
                if node is not None:
                    self.learn(plain(node), want)
        for wish in goal.wishes:
            node = plain(wish.node)
            if wish.want in ("true", "false"):
                self.learn(node, wish.want == "true")
            elif self.holds(node) is (wish.want == "not true"):
                raise Contradiction

    def obey(self, rules: Mapping[str, RuleInfo]) -> None:
        """Those of some rules that must not fail, where they apply."""
        plain = self.refuter.plainer.of
        for rule in rules.values():
            binding = rule.id in self.bound and (rule.when is None or self.holds(plain(rule.when)) is True)
            if binding and rule.require is not None:
                self._hold(plain(rule.require))

    def _hold(self, require: Node) -> None:
        if self.holds(require) is False:
            raise Contradiction
        if isinstance(require, Compare) and all(map(self._is_defined, self.refuter.terms(require))):
            self.learn(require, True)

    def _is_defined(self, term: Node) -> bool:
        """Whether a term is known to have a value: it has one already, or it is a fact of a tensor that is not null."""
        match term:
            case Call(func="rank" | "len" | "format" | "dtype", args=(Name() as name,)):
                there = self.refuter.nulls.get(Not(Call("is_null", (name,))))
                return term in self.domains or there in self.bound
        return term in self.domains

    def learn(self, node: Node, want: bool) -> None:
        """A predicate is defined and has this value."""
        match node:
            case Bool(value=value):
                if value is not want:
                    raise Contradiction
            case Not(operand=operand):
                self.learn(operand, not want)
            case And(items=items) if want:
                for item in items:
                    self.learn(item, True)
            case Or(items=items) if not want:
                for item in items:
                    self.learn(item, False)
            case And(items=items) | Or(items=items):
                self._one_of(items, want)
            case IfElse(cond=cond, then=then, orelse=orelse):
                chosen = self.holds(cond)
                if chosen is not None:
                    self.learn(then if chosen else orelse, want)
            case Compare(op=op, left=left, right=right) if not names(node) & self.refuter.floats:
                self._narrow(op if want else opposite(op), left, right, node, want)
            case Name() | Index() | Call():
                self._meet(node, Domain.of((want,)))

    def _one_of(self, items: tuple[Node, ...], want: bool) -> None:
        """Some item decides; where all others are known not to, the one left does."""
        left = [item for item in items if self.holds(item) is not (not want)]
        if not left:
            raise Contradiction
        if len(left) == 1:
            self.learn(left[0], want)

    def _narrow(self, op: str, left: Node, right: Node, node: Node, want: bool) -> None:
        domain = domain_of(op, right)
        if domain is not None:
            self._meet(left, domain)
            return
        mirrored = domain_of(_MIRROR.get(op, op), left)
        if mirrored is not None and op not in ("in", "not in"):
            self._meet(right, mirrored)
            return
        if left == right and op in ("!=", "<", ">"):
            raise Contradiction
        self._meet(node, Domain.of((want,)))
        if op == "==":
            self._same(left, right)

    def _same(self, left: Node, right: Node) -> None:
        """Two things are equal, and so are their lengths where they are lists."""
        refuter = self.refuter
        if is_list(left, refuter.lists) or is_list(right, refuter.lists):
            left, right = (refuter.plainer.of(Call("len", (side,))) for side in (left, right))
        for one, other in ((left, right), (right, left)):
            known, fixed = domain_of("==", one) or self.domains.get(one, Domain()), domain_of("==", other)
            if fixed is None:
                self._meet(other, known)
            elif fixed.meet(known).is_empty:
                raise Contradiction

    def _meet(self, term: Node, domain: Domain) -> None:
        before = self.domains.get(term)
        met = domain if before is None else before.meet(domain)
        if met.is_empty:
            raise Contradiction
        if met != before:
            self.domains[term] = met
            self.size += 1

    def holds(self, node: Node) -> bool | None:
        """The value of a predicate that is known to be defined; None where it may be either, or undefined."""
        match node:
            case Bool(value=value):
                return value
            case Not(operand=operand):
                inner = self.holds(operand)
                return None if inner is None else not inner
            case And(items=items):
                return self._junction(items, False)
            case Or(items=items):
                return self._junction(items, True)
            case IfElse(cond=cond, then=then, orelse=orelse):
                chosen = self.holds(cond)
                return None if chosen is None else self.holds(then if chosen else orelse)
            case Compare(op=op, left=left, right=right):
                domain = domain_of(op, right)
                if domain is not None and left in self.domains:
                    return self.domains[left].within(domain)
        known = self.domains.get(node)
        return None if known is None else known.truth

    def _junction(self, items: tuple[Node, ...], deciding: bool) -> bool | None:
        values = [self.holds(item) for item in items]
        if deciding in values:
            return deciding
        return None if None in values else not deciding
