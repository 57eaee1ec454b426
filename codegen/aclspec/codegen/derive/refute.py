"""Which goals no call can reach, seen from the goal alone: wishes that contradict each other, or a rule that must hold.

What a way wishes of one term is put together: a rank is 3 and is 4, a format is NCL where the rank asks for NCHW. Only
what is certain counts, so that a goal is given up for which every search would have failed.
"""

from __future__ import annotations

from aclspec.codegen.derive.known import Contradiction, Known, Terms
from aclspec.codegen.derive.oracle import applies
from aclspec.codegen.derive.space import Space
from aclspec.codegen.derive.trial import Goal
from aclspec.runtime.info import RuleInfo
from aclspec.runtime.predicate.nodes import Call, Compare, Name, Node, Not
from aclspec.runtime.testing.suite import Cell

_ROUNDS = 3
_TERMS = 3
"""Rules of more terms seldom follow from a goal."""


class Refuter:
    """Tells goals out of reach, for one operator."""

    def __init__(self, space: Space) -> None:
        """Find the rules that say something of few terms."""
        self.terms = Terms(space)
        self.rules = space.info.rules
        self._places = {rule.id: place for place, rule in enumerate(self.rules)}
        self._unguarded = {rule.require: rule.id for rule in self.rules if rule.when is None}
        self._about: dict[Node, list[RuleInfo]] = {}
        for rule in self.rules:
            if rule.outcome == "error" and rule.require is not None:
                terms = set(self.terms.of(self.terms.plain(rule.require)))
                for term in terms if len(terms) <= _TERMS else ():
                    self._about.setdefault(term, []).append(rule)

    def refutes(self, goal: Goal, cell: Cell) -> bool:
        """Whether no call can be what the goal asks for."""
        bound = self._bound(goal, cell)
        known = Known(self.terms)
        try:
            for _ in range(_ROUNDS):
                before = known.size
                self._wish(goal, known)
                self._obey(bound, known)
                if known.size == before:
                    break
        except Contradiction:
            return True
        return False

    def _bound(self, goal: Goal, cell: Cell) -> frozenset[str]:
        """The rules that must not fail in a call that reaches the goal; those behind a shortcut may do so unseen."""
        if goal.anything:
            last, free = self._places.get(goal.reaching or "", 0), frozenset[str | None]()
        else:
            begin = self._places.get(goal.target or "", -1)
            shortcuts = (place for place, rule in enumerate(self.rules) if rule.kind == "shortcut" and place > begin)
            last, free = next(shortcuts, len(self.rules)), goal.allowed | {goal.target}
        reached = (rule for rule in self.rules[:last] if rule.outcome == "error" and applies(rule, cell))
        return frozenset(rule.id for rule in reached if rule.id not in free)

    def _wish(self, goal: Goal, known: Known) -> None:
        """Learn what a goal asks for in so many words."""
        plain = self.terms.plain
        if goal.target is not None:
            target = self.rules[self._places[goal.target]]
            for node, want in ((target.when, True), (target.require, False)):
                if node is not None:
                    known.learn(plain(node), want)
        for wish in goal.wishes:
            if wish.want in ("true", "false"):
                known.learn(plain(wish.node), wish.want == "true")
            elif known.holds(plain(wish.node)) is (wish.want == "not true"):
                raise Contradiction

    def _obey(self, bound: frozenset[str], known: Known) -> None:
        """Learn what the rules say that must not fail, about the terms of which something is known."""
        plain = self.terms.plain
        about = {rule.id: rule for term in known.domains for rule in self._about.get(term, ()) if rule.id in bound}
        for rule in about.values():
            if rule.require is not None and (rule.when is None or known.holds(plain(rule.when)) is True):
                require = plain(rule.require)
                if known.holds(require) is False:
                    raise Contradiction
                if isinstance(require, Compare) and self._is_defined(require, bound, known):
                    known.learn(require, True)

    def _is_defined(self, node: Node, bound: frozenset[str], known: Known) -> bool:
        """Whether the terms have a value: something is known of each, or it is a fact of what must not be null."""
        for term in self.terms.of(node):
            match term:
                case Call(func="rank" | "len" | "format" | "dtype", args=(Name() as name,)):
                    there = self._unguarded.get(Not(Call("is_null", (name,)))) in bound
                case _:
                    there = False
            if not there and term not in known.domains:
                return False
        return True
