"""What is known at a place of the generated code.

Facts come from the conditions around the place and from the rules before it: a check that let the call through has
established its rule, but only in the modes and for the products that enforce it, only where its ``when`` held and
only if it was defined; that is an `Implication`, which fires as soon as all of this is known.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from aclspec.codegen.emit.firing import Expanded, Implication, State, fired
from aclspec.codegen.emit.integers import of_integers
from aclspec.codegen.emit.known import Known
from aclspec.codegen.emit.proofs import proves
from aclspec.codegen.emit.scope import Place
from aclspec.codegen.emit.terms import said_of
from aclspec.runtime.predicate.functions import ELEMENTS
from aclspec.runtime.predicate.nodes import Call, Compare, Each, Name, Node, Not, Quantifier

_T = TypeVar("_T")


class Facts(Known):
    """What is known, and the questions about it that the compiler asks."""

    __slots__ = ()

    def remembered(self, key: Hashable, found: Callable[[], _T]) -> _T:
        """What was worked out before, or is now; the same pointers are collected either way."""
        known = self.memo.get(key)
        if known is None:
            start = len(self.correlated)
            value = found()
            self.memo[key] = value, tuple(dict.fromkeys(self.correlated[start:]))
            return value
        self.correlated += known[1]
        before: _T = known[0]
        return before

    def latest(self, what: str, key: Hashable, found: Callable[[], _T]) -> _T:
        """The same of what is worked out for one key after the other: only what was for the last one is kept."""
        last = self.memo.get(what)
        if last is not None and last[0][0] != key:
            del self.memo[what]
        return self.remembered(what, lambda: (key, found()))[1]

    def restrict(self, places: frozenset[Place]) -> Facts:
        """The facts where only these places remain."""
        if self.places <= places:
            return self
        return self.remembered(("restrict", self.places & places), lambda: fired(self._at(self.places & places)))

    def _at(self, places: frozenset[Place]) -> Facts:
        made = self.copy()
        made.places = places
        return made

    def bind(self, var: str, kind: str) -> Facts:
        """The facts inside a quantifier."""
        made = self.copy()
        made.scope = self.scope.bind(var, kind)
        return made

    def within(self, node: Quantifier | Each) -> Facts:
        """What is known of the variable for each element of a list that is known to be defined."""
        return self.remembered(("within", node.var, node.over), lambda: self._within(node))

    def _within(self, node: Quantifier | Each) -> Facts:
        inside = self.bind(node.var, ELEMENTS[self.scope.kind(node.over)])
        variable, over = Name(node.var), self.scope.expand(node.over)
        match over:
            case Call(func="range", args=(start, stop)):
                inside = inside.assume(Compare(">=", variable, start)).assume(Compare("<", variable, stop))
        known = [said_of(fact, variable) for fact in self.universal if fact.over == over]
        for fact in sorted(known, key=repr):
            inside = inside.assume(fact)
        return inside

    def learn(self, implications: Iterable[Implication]) -> Facts:
        """The facts after a rule has let the call through."""
        new = (implication.expanded(self.scope) for implication in implications)
        return fired(self.waiting_for((*self.implications, *new)))

    def waiting_for(self, implications: tuple[Expanded, ...]) -> Facts:
        """The facts with these implications in the place of all others."""
        made = self.copy()
        made.implications = implications
        return made

    def looked_through(self, state: State) -> Facts:
        """The facts, of which it is noted which premises are not certain."""
        made = self.copy()
        made.fired = state
        return made

    def looked_at_cases(self, state: State) -> Facts:
        """The facts, of which it is noted which cases are not ruled out."""
        made = self.copy()
        made.decided = state
        return made

    def assume(self, node: Node, value: bool = True) -> Facts:
        """The facts where this predicate is defined and has this value."""
        return self.remembered(("assume", node, value), lambda: fired(self.assuming(self.scope.expand(node), value)))

    def supposing(self, node: Node, value: bool) -> Facts:
        """The facts in one case of a proof, where a predicate without lets has this value."""
        return self.remembered(("suppose", node, value), lambda: fired(self._alone().assuming(node, value)))

    def _alone(self) -> Facts:
        made = self.copy()
        made.correlated = []
        return made

    def noting(self, node: Node) -> Facts:
        """The facts where a predicate without lets holds, without asking what else is decided then."""
        return self.assuming(node, True)

    def noting_all(self, nodes: tuple[Node, ...]) -> Facts:
        """The same for several predicates."""
        return self.remembered(("noted", nodes), lambda: self._unless_same(self.assuming_each(nodes, True))) or self

    def assume_defined(self, node: Node) -> Facts:
        """The facts where this node has a value."""
        return self.remembered(("known", node), lambda: self._where_defined(node)) or self

    def _where_defined(self, node: Node) -> Facts | None:
        found = self._unless_same(self.defining(self.scope.expand(node)))
        return None if found is None else fired(found)

    def _unless_same(self, found: Facts) -> Facts | None:
        """What follows; facts that remembered themselves would not be given back before a cycle is looked for."""
        return None if found is self else found

    def trust(self, node: Node) -> Facts:
        """The facts where this node has a value for reasons that a static type checker cannot follow."""
        facts = self.assume_defined(node)
        for fact in facts.true - self.true:
            match fact:
                case Not(operand=Call(func="is_null", args=(Name(id=name),))):
                    self.correlated.append(name)
        return facts

    def proves(self, node: Node) -> bool:
        """Whether the predicate is known to be true wherever it is defined."""
        return self.remembered(("proves", node), lambda: self._proved(self.scope.expand(node)))

    def _proved(self, node: Node) -> bool:
        return proves(node, self) or self._proved_by_place(node)

    def _proved_by_place(self, node: Node) -> bool:
        """Whether a comparison of integers holds in each mode and on each product, for reasons of its own."""
        if not isinstance(node, Compare) or not of_integers(node, self.scope):
            return False
        parts = self.remembered("parts", self._parts)
        return bool(parts) and all(proves(node, self.restrict(part)) for part in parts)

    def _parts(self) -> tuple[frozenset[Place], ...]:
        """The places where the same rules have let the call through, apart; none where that tells no more at some."""
        apart = [i.places for i in self.implications if not self.places <= i.places]
        groups: dict[tuple[bool, ...], set[Place]] = {}
        for place in sorted(self.places):
            groups.setdefault(tuple(place in places for places in apart), set()).add(place)
        if len(groups) < 2 or not all(map(any, groups)):
            return ()
        return tuple(map(frozenset, groups.values()))
