"""What is known at a place of the generated code, and what follows from it directly."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Self

from aclspec.codegen.emit.bounds import UNBOUNDED, Bounds
from aclspec.codegen.emit.firing import NOTHING, Expanded
from aclspec.codegen.emit.guards import Partial, guards
from aclspec.codegen.emit.integers import negated, of_integers
from aclspec.codegen.emit.scope import Place, Scope
from aclspec.codegen.emit.terms import denied, universal
from aclspec.runtime.predicate.functions import ELEMENTS
from aclspec.runtime.predicate.nodes import And, Compare, Each, IfElse, Node, Not, Or, Quantifier


class Known:
    """``places``: the modes and products that can get here. ``true``: predicates that hold. ``bounds``: of integers.

    ``alternatives`` and ``universal`` are those among ``true`` that hold in one of several cases, or of every element
    of some list. ``implications`` wait for their premises; ``fired`` and ``decided`` say since when. ``correlated``
    collects the pointers that a rule with a guard has shown not to be null: a reader of the generated code sees why, a
    static type checker does not. ``memo`` keeps what was worked out from these facts, and what was collected meanwhile.
    """

    __slots__ = (
        "alternatives",
        "bounds",
        "correlated",
        "decided",
        "fired",
        "implications",
        "memo",
        "places",
        "scope",
        "true",
        "universal",
    )

    def __init__(self, scope: Scope, places: frozenset[Place]) -> None:
        """Nothing is known but the places."""
        self.scope, self.places, self.bounds = scope, places, UNBOUNDED
        self.true: frozenset[Node] = frozenset()
        self.alternatives: tuple[Or, ...] = ()
        self.universal: tuple[Quantifier, ...] = ()
        self.implications: tuple[Expanded, ...] = ()
        self.fired, self.decided = NOTHING, NOTHING
        self.correlated: list[str] = []
        self.memo: dict[Hashable, tuple[Any, tuple[str, ...]]] = {}

    def copy(self) -> Self:
        """The same facts, of which nothing is worked out yet."""
        made = type(self).__new__(type(self))
        made.scope, made.places, made.true, made.bounds = self.scope, self.places, self.true, self.bounds
        made.alternatives, made.universal, made.implications = self.alternatives, self.universal, self.implications
        made.fired, made.decided, made.correlated = self.fired, self.decided, self.correlated
        made.memo = {}
        return made

    def assuming(self, node: Node, value: bool) -> Self:
        """This predicate, with lets expanded, and what follows from it."""
        match node:
            case Not(operand=operand):
                return self.assuming(operand, not value)._noted(node if value else operand)
            case And(items=items) if value:
                return self.assuming_each(items, True)
            case Or(items=items) if not value:
                return self.assuming_each(items, False)
            case And(items=items):
                return self._noted(denied(node))._noted(Or(tuple(denied(item) for item in items)))
            case Or() | IfElse():
                return self._noted(node if value else denied(node))
            case Compare():
                return self._compared(node if value else negated(node), node, value)
            case Quantifier(over=over):
                return self.defining(over)._noted(node if value else denied(node))
            case _:
                return self.defining(node)._noted(node if value else denied(node))

    def assuming_each(self, items: tuple[Node, ...], value: bool) -> Self:
        """The same for several predicates."""
        facts = self
        for item in items:
            facts = facts.assuming(item, value)
        return facts

    def _noted(self, node: Node) -> Self:
        if node in self.true:
            return self
        made = self.copy()
        made.true = self.true | {node}
        if isinstance(node, Or):
            made.alternatives = (*self.alternatives, node)
        every = universal(node)
        if every is not None:
            made.universal = (*self.universal, every)
        return made

    def _bounded(self, bounds: Bounds) -> Self:
        if bounds is self.bounds:
            return self
        made = self.copy()
        made.bounds = bounds
        return made

    def defining(self, node: Node) -> Self:
        """What follows from a node's having a value; of what is not strict, the part that decides it."""
        facts = self
        for guard in guards(node, self.scope):
            match guard:
                case (
                    Partial(node=IfElse(cond=decisive))
                    | Partial(node=Quantifier(over=decisive))
                    | Partial(node=Each(over=decisive))
                ):
                    facts = facts.defining(decisive)
                case Partial():
                    continue
                case _ if guard not in facts.true:
                    facts = facts.assuming(self.scope.expand(guard), True)
        return facts

    def _compared(self, node: Compare, given: Compare, value: bool) -> Self:
        """A comparison that holds; ``given`` is how it was written, and had this ``value``."""
        facts = self.defining(node.left).defining(node.right)
        if of_integers(node, self.scope):
            return facts._noted(node)._bounded(facts.bounds.learn(node))
        facts = facts._noted(given if value else Not(given))
        if node.op == "==" and self.scope.kind(node.left) in ELEMENTS:
            return facts._bounded(facts.bounds.equal(node.left, node.right))
        return facts
