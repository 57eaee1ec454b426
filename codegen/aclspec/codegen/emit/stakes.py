"""What the answer to a question hangs on, so that it is asked again only when something of that has changed.

The questions are those of `proofs` without looking at choices case by case, which is how implications are fired.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from aclspec.codegen.emit.guards import IS_THERE, PROMOTABLE, strict
from aclspec.codegen.emit.integers import negated, of_integers
from aclspec.codegen.emit.linear import terms_below
from aclspec.codegen.emit.scope import Scope
from aclspec.codegen.emit.terms import choices, denied, elements, replaced
from aclspec.runtime.predicate.nodes import And, Bool, Call, Compare, IfElse, Node, Not, Or


@dataclass(frozen=True, slots=True)
class Stake:
    """``asked``: predicates that would decide if they were known; ``terms``: integers whose bounds would.

    An answer is ``of_elements`` when whatever is known of each element of some list may decide it, and ``of_places``
    when the places that can get here may.
    """

    asked: frozenset[Node]
    terms: frozenset[Node]
    of_elements: bool
    of_places: bool


def of_certain(node: Node, scope: Scope) -> Stake:
    """What it hangs on whether a predicate is certain."""
    return _remembered(scope.certain_stakes, node, scope, _Collector.certain)


def of_proof(node: Node, scope: Scope) -> Stake:
    """What it hangs on whether a predicate is proved without looking at choices case by case."""
    return _remembered(scope.proof_stakes, node, scope, _Collector.proves)


def _remembered(
    known: dict[Node, Stake], node: Node, scope: Scope, collect: Callable[[_Collector, Node], None]
) -> Stake:
    found = known.get(node)
    if found is None:
        collector = _Collector(scope)
        collect(collector, node)
        found = known[node] = collector.stake()
    return found


@dataclass(slots=True)
class _Collector:
    """Goes the ways of `proofs.certain` and `proofs.proves`, all of them, and notes what they ask."""

    scope: Scope
    asked: set[Node] = field(default_factory=set)
    terms: set[Node] = field(default_factory=set)
    of_elements: bool = False
    of_places: bool = False

    def stake(self) -> Stake:
        """All that was noted."""
        return Stake(frozenset(self.asked), frozenset(self.terms), self.of_elements, self.of_places)

    def certain(self, node: Node) -> None:
        """Whether a predicate is known to be defined and true."""
        self.asked.add(node)
        match node:
            case And(items=items) | Or(items=items):
                for item in items:
                    self.certain(item)
            case Not(operand=And(items=items) | Or(items=items)):
                for item in items:
                    self.certain(denied(item))
            case _:
                for guard in (*(strict(node, self.scope) or ()), node):
                    self.proves(self.scope.expand(guard))

    def proves(self, node: Node) -> None:
        """Whether a predicate is true wherever it is defined."""
        self.asked.add(node)
        match node:
            case Not(operand=operand):
                self._refutes(operand)
            case And(items=items) | Or(items=items):
                for item in items:
                    self.proves(item)
            case IfElse(cond=cond, then=then, orelse=orelse):
                self._by_cases(cond, then, orelse)
            case Compare() if of_integers(node, self.scope):
                self._compares(node)
            case Call(func=func):
                self.of_places = self.of_places or func == PROMOTABLE
                self.of_elements = self.of_elements or func == IS_THERE
            case _:
                return

    def _refutes(self, node: Node) -> None:
        match node:
            case Bool():
                return
            case Not(operand=operand):
                self.proves(operand)
            case And(items=items) | Or(items=items):
                for item in items:
                    self.proves(denied(item))
            case IfElse(cond=cond, then=then, orelse=orelse):
                self._by_cases(cond, denied(then), denied(orelse))
            case Compare() if of_integers(node, self.scope):
                self.proves(negated(node))
            case _:
                return

    def _by_cases(self, cond: Node, then: Node, orelse: Node) -> None:
        for node in (cond, denied(cond), then, orelse):
            self.proves(node)

    def _compares(self, node: Compare) -> None:
        self.terms.add(node.left)
        self.terms |= terms_below(node.left) | terms_below(node.right)
        choice = next(iter(choices(node)), None)
        if choice is not None:
            then, orelse = (self.scope.expand(replaced(node, choice, arm)) for arm in (choice.then, choice.orelse))
            self._by_cases(choice.cond, then, orelse)
        elif elements(node):
            self.of_elements = True
