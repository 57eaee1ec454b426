"""What is known at a place of the generated code.

Facts come from the conditions around the place and from the rules before it: a check that let the call through has
established its rule, but only in the modes and for the products that enforce it, only where its ``when`` held and
only if it was defined; that is an `Implication`, which fires as soon as all of this is known.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from aclspec.codegen.emit.bounds import Bounds
from aclspec.codegen.emit.guards import Partial, guards
from aclspec.codegen.emit.integers import negated, of_integers
from aclspec.codegen.emit.proofs import certain, proves, said_of, universal
from aclspec.codegen.emit.scope import Place, Scope
from aclspec.runtime.predicate.functions import ELEMENTS
from aclspec.runtime.predicate.nodes import (
    And,
    Call,
    Compare,
    Each,
    IfElse,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
)


@dataclass(frozen=True, slots=True)
class Implication:
    """At these places, when the premises hold, so does the conclusion."""

    places: frozenset[Place]
    premises: tuple[Node, ...]
    conclusion: Node


@dataclass(frozen=True)
class Facts:
    """``places``: the modes and products that can get here. ``true``: predicates that hold. ``bounds``: of integers.

    ``correlated`` collects the pointers that a rule with a guard has shown not to be null: a reader of the
    generated code sees why, a static type checker does not. ``memo`` keeps what was worked out from these facts.
    """

    scope: Scope
    places: frozenset[Place]
    true: frozenset[Node] = frozenset()
    bounds: Bounds = field(default_factory=Bounds)
    implications: tuple[Implication, ...] = ()
    correlated: set[str] = field(default_factory=set)
    memo: dict[Hashable, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    @cached_property
    def universal(self) -> tuple[Quantifier, ...]:
        """What is known to hold of every element of some list."""
        return tuple(found for fact in self.true if (found := universal(fact)) is not None)

    def restrict(self, places: frozenset[Place]) -> Facts:
        """The facts where only these places remain."""
        return self if self.places <= places else replace(self, places=self.places & places)._fired()

    def bind(self, var: str, kind: str) -> Facts:
        """The facts inside a quantifier."""
        return replace(self, scope=self.scope.bind(var, kind))

    def within(self, node: Quantifier | Each) -> Facts:
        """What is known of the variable for each element of a list that is known to be defined."""
        key = ("within", node.var, node.over)
        if key not in self.memo:
            inside = self.bind(node.var, ELEMENTS[self.scope.kind(node.over)])
            variable, over = Name(node.var), self.scope.expand(node.over)
            match over:
                case Call(func="range", args=(start, stop)):
                    inside = inside.assume(Compare(">=", variable, start)).assume(Compare("<", variable, stop))
            known = [said_of(fact, variable) for fact in self.universal if fact.over == over]
            for fact in sorted(known, key=repr):
                inside = inside.assume(fact)
            self.memo[key] = inside
        found: Facts = self.memo[key]
        return found

    def learn(self, implications: Iterable[Implication]) -> Facts:
        """The facts after a rule has let the call through."""
        expand = self.scope.expand
        new = [
            replace(i, premises=tuple(map(expand, i.premises)), conclusion=expand(i.conclusion)) for i in implications
        ]
        return replace(self, implications=(*self.implications, *new))._fired()

    def assume(self, node: Node, value: bool = True) -> Facts:
        """The facts where this predicate is defined and has this value."""
        key = ("assume", node, value)
        if key not in self.memo:
            self.memo[key] = self._with(self.scope.expand(node), value)._fired()
        found: Facts = self.memo[key]
        return found

    def supposing(self, node: Node, value: bool) -> Facts:
        """The facts in one case of a proof, where a predicate without lets has this value."""
        key = ("suppose", node, value)
        if key not in self.memo:
            self.memo[key] = replace(self, correlated=set())._with(node, value)._fired()
        found: Facts = self.memo[key]
        return found

    def noting(self, node: Node) -> Facts:
        """The facts where a predicate without lets holds, without asking what else is decided then."""
        return self._with(node, True)

    def assume_defined(self, node: Node) -> Facts:
        """The facts where this node has a value."""
        key = ("known", node)
        if key not in self.memo:
            found = self._defined(self.scope.expand(node))
            self.memo[key] = self if found is self else found._fired()
        facts: Facts = self.memo[key]
        return facts

    def trust(self, node: Node) -> Facts:
        """The facts where this node has a value for reasons that a static type checker cannot follow."""
        facts = self.assume_defined(node)
        for fact in facts.true - self.true:
            match fact:
                case Not(operand=Call(func="is_null", args=(Name(id=name),))):
                    self.correlated.add(name)
        return facts

    def proves(self, node: Node) -> bool:
        """Whether the predicate is known to be true wherever it is defined."""
        key = ("proves", node)
        if key not in self.memo:
            expanded = self.scope.expand(node)
            self.memo[key] = proves(expanded, self) or self._proves_by_place(expanded)
        return bool(self.memo[key])

    def _proves_by_place(self, node: Node) -> bool:
        """Whether a comparison of integers holds in each mode and on each product, for reasons of its own."""
        if not isinstance(node, Compare) or not of_integers(node, self.scope):
            return False
        parts = self._parts()
        return len(parts) > 1 and all(proves(node, part) for part in parts)

    def _parts(self) -> list[Facts]:
        """The facts of the places where the same rules have let the call through, apart."""
        if "parts" not in self.memo:
            groups: dict[tuple[bool, ...], set[Place]] = {}
            for place in self.places:
                groups.setdefault(tuple(place in i.places for i in self.implications), set()).add(place)
            self.memo["parts"] = [self.restrict(frozenset(group)) for group in groups.values() if len(groups) > 1]
        found: list[Facts] = self.memo["parts"]
        return found

    def _fired(self) -> Facts:
        """The facts after every implication whose premises are known."""
        facts, waiting = self._decided(), self.implications
        while True:
            ready = [i for i in waiting if facts.places <= i.places and all(certain(p, facts) for p in i.premises)]
            if not ready:
                return replace(facts, implications=waiting)
            for implication in ready:
                facts = facts._noting(implication)._with(implication.conclusion, True)
            facts = facts._decided()
            waiting = tuple(i for i in waiting if i not in ready)

    def _decided(self) -> Facts:
        """The facts after every alternative of which all cases but one are ruled out."""
        facts = self
        for node in [fact for fact in self.true if isinstance(fact, Or)]:
            left = [item for item in node.items if not proves(Not(item), facts, 0)]
            if len(left) == 1 and left[0] not in facts.true:
                facts = facts._with(left[0], True)
        return facts

    def _noting(self, implication: Implication) -> Facts:
        guarded = implication.premises or implication.places != self.scope.places
        match implication.conclusion:
            case Not(operand=Call(func="is_null", args=(Name(id=name),))) if guarded:
                if implication.conclusion not in self.true:
                    self.correlated.add(name)
        return self

    def _with(self, node: Node, value: bool) -> Facts:
        """This predicate, with lets expanded, and what follows from it."""
        match node:
            case Not(operand=operand):
                return self._with(operand, not value)._noted(node if value else operand)
            case And(items=items) if value:
                return self._each(items, True)
            case Or(items=items) if not value:
                return self._each(items, False)
            case And(items=items):
                return self._noted(Not(node))._noted(Or(tuple(Not(item) for item in items)))
            case Or() | IfElse():
                return self._noted(node if value else Not(node))
            case Compare():
                return self._compared(node if value else negated(node), node, value)
            case Quantifier(over=over):
                return self._defined(over)._noted(node if value else Not(node))
            case _:
                return self._defined(node)._noted(node if value else Not(node))

    def _each(self, items: tuple[Node, ...], value: bool) -> Facts:
        facts = self
        for item in items:
            facts = facts._with(item, value)
        return facts

    def _noted(self, node: Node) -> Facts:
        return self if node in self.true else replace(self, true=self.true | {node})

    def _defined(self, node: Node) -> Facts:
        """What follows from a node's having a value; of what is not strict, the part that decides it."""
        facts = self
        for guard in guards(node, self.scope):
            match guard:
                case (
                    Partial(node=IfElse(cond=decisive))
                    | Partial(node=Quantifier(over=decisive))
                    | Partial(node=Each(over=decisive))
                ):
                    facts = facts._defined(decisive)
                case Partial():
                    continue
                case _ if guard not in facts.true:
                    facts = facts._with(self.scope.expand(guard), True)
        return facts

    def _compared(self, node: Compare, given: Compare, value: bool) -> Facts:
        """A comparison that holds; ``given`` is how it was written, and had this ``value``."""
        facts = self._defined(node.left)._defined(node.right)
        if of_integers(node, self.scope):
            return replace(facts._noted(node), bounds=facts.bounds.learn(node))
        facts = facts._noted(given if value else Not(given))
        if node.op == "==" and self.scope.kind(node.left) in ELEMENTS:
            return replace(facts, bounds=facts.bounds.equal(node.left, node.right))
        return facts
