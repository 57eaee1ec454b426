"""What follows from facts by the implications and the alternatives among them.

A premise that was not certain once is asked again only after something that it hangs on has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from aclspec.codegen.emit.bounds import UNBOUNDED, Bounds
from aclspec.codegen.emit.proofs import proves
from aclspec.codegen.emit.questions import Question, questions
from aclspec.codegen.emit.scope import Place, Scope
from aclspec.codegen.emit.stakes import Stake, of_proof
from aclspec.codegen.emit.terms import denied
from aclspec.codegen.same import Same
from aclspec.runtime.predicate.nodes import Call, Name, Node, Not, Or

if TYPE_CHECKING:
    from aclspec.codegen.emit.facts import Facts


@dataclass(frozen=True, slots=True, eq=False)
class Implication:
    """At these places, when the premises hold, so does the conclusion."""

    places: frozenset[Place]
    premises: tuple[Node, ...]
    conclusion: Node

    def expanded(self, scope: Scope) -> Expanded:
        """The same without lets, and with premises that are asked one by one."""
        asked = dict.fromkeys(question for premise in self.premises for question in questions(premise, scope))
        return Expanded(self.places, tuple(asked), scope.expand(self.conclusion))


@dataclass(frozen=True, slots=True, eq=False)
class Expanded:
    """An implication without lets, whose premises are all that has to be proved."""

    places: frozenset[Place]
    premises: tuple[Question, ...]
    conclusion: Node


class Change(NamedTuple):
    """What became known between two states of the facts; ``terms`` are those whose bounds may tell more now."""

    true: frozenset[Node]
    terms: frozenset[Node]
    of_elements: bool
    of_places: bool

    def touches(self, stake: Stake) -> bool:
        """Whether the answer to a question may have changed."""
        return (
            not self.true.isdisjoint(stake.asked)
            or not self.terms.isdisjoint(stake.terms)
            or (stake.of_elements and self.of_elements)
            or (stake.of_places and self.of_places)
        )


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Facts as they were when they were last looked through, and what was not certain then.

    ``waiting`` gives for each implication the first premise that was not certain, by its place, and what it hangs on;
    ``open`` gives for each alternative the same of two cases that were not ruled out, or nothing when there is no more
    to find out from it.
    """

    places: frozenset[Place] = frozenset()
    true: frozenset[Node] = frozenset()
    bounds: Bounds = UNBOUNDED
    waiting: Waiting = field(default_factory=dict)
    open: Mapping[Node, tuple[Stake, ...]] = field(default_factory=dict)

    def change(self, facts: Facts) -> Change:
        """What has become known since."""
        true = facts.true - self.true
        anything = bool(true) or facts.bounds is not self.bounds
        of_places = anything or facts.places != self.places
        return Change(true, facts.bounds.changed(self.bounds), anything and bool(facts.universal), of_places)


Waiting: TypeAlias = "Mapping[Expanded, tuple[int, Stake]]"
NOTHING = State()


def fired(facts: Facts) -> Facts:
    """The facts after every implication whose premises are known, and what follows from that."""
    facts, state = _decided(facts), facts.fired
    while True:
        change = state.change(facts)
        ready, waiting = _looked_through(facts, state.waiting, change)
        state = State(facts.places, facts.true, facts.bounds, waiting=waiting)
        if not ready:
            return facts.looked_through(state)
        for implication in ready:
            _note_correlated(implication, facts)
            facts = facts.noting(implication.conclusion)
        fired_now = frozenset(ready)
        facts = _decided(facts.waiting_for(tuple(i for i in facts.implications if i not in fired_now)))


def _looked_through(
    facts: Facts, before: Waiting, change: Change
) -> tuple[list[Expanded], dict[Expanded, tuple[int, Stake]]]:
    """The implications whose premises are certain here, and of each other one what a premise that is not hangs on."""
    ready: list[Expanded] = []
    waiting: dict[Expanded, tuple[int, Stake]] = {}
    answers: dict[Question, bool] = {}
    for implication in _applying(Same(facts.implications), facts.places):
        last = before.get(implication)
        if last is not None and not change.touches(last[1]):
            waiting[implication] = last
        else:
            premises, at = implication.premises, 0 if last is None else last[0]
            while at < len(premises) and _answer(premises[at], facts, answers):
                at += 1
            if at == len(premises):
                ready.append(implication)
            else:
                waiting[implication] = at, premises[at].stake(facts.scope)
    return ready, waiting


@lru_cache(maxsize=256)
def _applying(implications: Same[tuple[Expanded, ...]], places: frozenset[Place]) -> tuple[Expanded, ...]:
    """Those that speak of all these places; what has waited is among them, for places only become fewer."""
    return tuple([implication for implication in implications.value if places <= implication.places])


def _answer(question: Question, facts: Facts, answers: dict[Question, bool]) -> bool:
    """Whether it is certain; several implications ask the same."""
    known = answers.get(question)
    if known is None:
        known = answers[question] = question.is_certain(facts)
    return known


def _note_correlated(implication: Expanded, facts: Facts) -> None:
    """Note a pointer that is shown not to be null only where something else holds."""
    guarded = implication.premises or implication.places != facts.scope.places
    match implication.conclusion:
        case Not(operand=Call(func="is_null", args=(Name(id=name),))) if guarded:
            if implication.conclusion not in facts.true:
                facts.correlated.append(name)


def _decided(facts: Facts) -> Facts:
    """The facts after every alternative of which all cases but one are ruled out."""
    alternatives = facts.alternatives
    if not alternatives:
        return facts
    before, known, start = facts.decided, facts, facts
    change = before.change(facts)
    undecided: dict[Node, tuple[Stake, ...]] = {}
    for node in alternatives:
        stakes = before.open.get(node)
        if stakes is None or any(map(change.touches, stakes)):
            left = _not_ruled_out(node, known)
            if len(left) == 1 and left[0] not in known.true:
                known = known.noting(left[0])
            stakes = tuple(of_proof(denied(case), facts.scope) for case in left) if len(left) > 1 else ()
        undecided[node] = stakes
    return known.looked_at_cases(State(start.places, start.true, start.bounds, open=undecided))


def _not_ruled_out(node: Or, facts: Facts) -> list[Node]:
    """Two cases that may still hold, or the only one."""
    left: list[Node] = []
    for item in node.items:
        if not proves(denied(item), facts, 0):
            left.append(item)
            if len(left) == 2:
                break
    return left
