"""For every rule, the fewest calls in which it is the first to fail: alone, or with the fewest others seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice
from operator import or_
from typing import NamedTuple

from aclspec.codegen.analysis.consistency.rules import refuted
from aclspec.codegen.derive.search import Goal, Search
from aclspec.codegen.source.findings import listing
from aclspec.runtime.language.nodes import Position
from aclspec.runtime.rules.operator_info import MODES, RuleInfo
from aclspec.runtime.search.call import Call
from aclspec.runtime.search.space import Target, applies, vacuous

_STARTS_ALONE, _STARTS = 6, 20
"""How many calls a search starts from, for a rule that fails alone and for one that fails first."""


class Problem(NamedTuple):
    """A rule that decides no call in a mode, and a sentence about it, and its place where it is not the rule's."""

    rule: str
    message: str
    at: Position | None = None


@dataclass
class Violations:
    """The violating calls with their rules, and the rest of `Cases`."""

    samples: list[tuple[str, Call]] = field(default_factory=list)
    companions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    gaps: dict[str, tuple[Target, ...]] = field(default_factory=dict)
    errors: list[Problem] = field(default_factory=list)
    undecided: list[Problem] = field(default_factory=list)


def falsify(search: Search, written: Sequence[Call] = ()) -> list[Falsification]:
    """Search the violations of every rule, in the order of the checks; ``written`` are calls that the spec states."""
    rules = (rule for rule in search.space.info.rules if rule.require is not None and rule.outcome == "error")
    found = []
    for rule in rules:
        found.append(Falsification(search, rule))
        found[-1].search_calls(written)
    return found


def violations(found: Iterable[Falsification]) -> Violations:
    """What was found; the calls that were tried since for other ends count too."""
    result = Violations()
    for one in found:
        one.into(result)
    return result


class Falsification:
    """The violations of one rule."""

    def __init__(self, search: Search, rule: RuleInfo) -> None:
        """Nothing found yet."""
        self.search, self.oracle, self.rule = search, search.oracle, rule
        self.bits = self.oracle.bits(rule.id)
        self.kinds = {
            number: kind
            for number, kind in enumerate(self.oracle.kinds)
            if applies(rule, kind.targets[0]) and not vacuous(search.space, rule, kind.targets[0])
        }
        self.found: dict[Call, dict[int, int]] = {}
        """The companions of the rule, by call and kind of targets in which the rule is the first to fail."""
        self.fewest: dict[int, int] = {}
        """The fewest companions in each kind of targets; 0 where the rule fails alone."""
        self.chosen: dict[Call, set[int]] = {}
        """The calls to show, each with the kinds of targets it is for."""

    def search_calls(self, written: Sequence[Call]) -> None:
        """Search where the calls met do not suffice."""
        self._meet(self.search.judged())
        if self._missed():
            self._meet((call, self.oracle.verdict(call)) for call in written)
        self._search_alone()
        for number in self._missed():
            self._search(number, Goal(self.bits, -(self.bits & -self.bits)), _STARTS)
        self._meet_tried()
        self._choose()

    def into(self, result: Violations) -> None:
        """Add what was found to the result."""
        self._meet_tried()
        self._judge(self._missed(), result)
        self._choose()
        result.samples += [(self.rule.id, call) for call in self.chosen]
        shown = (self.found[call][number] for call, numbers in self.chosen.items() for number in numbers)
        companions = reduce(or_, shown, 0)
        if companions:
            result.companions[self.rule.id] = tuple(dict.fromkeys(self.oracle.rules(companions)))

    def _meet_tried(self) -> None:
        """Remember what any call shows that was tried so far, where nothing else shows it."""
        if self._missed():
            self._meet(self.oracle.verdicts.items())

    def _missed(self) -> list[int]:
        return [number for number in self.kinds if number not in self.fewest]

    def _meet(self, judged: Iterable[tuple[Call, int]]) -> None:
        """Remember the calls in which the rule is the first to fail, of calls with their verdicts."""
        for call, bits in judged:
            for number, kind in self.kinds.items() if bits & self.bits else ():
                failing = self.oracle.failing(bits, kind)
                if failing & -failing & self.bits:
                    others = self.found.setdefault(call, {})[number] = failing & ~self.bits
                    if number not in self.fewest or others.bit_count() < self.fewest[number].bit_count():
                        self.fewest[number] = others

    def _search_alone(self) -> None:
        """Search calls that break no other rule, or one; not where all companions of a failed search are asked too."""
        given_up: list[int] = []
        for number, kind in self.kinds.items():
            fewest = self.fewest.get(number)
            if fewest is None or (fewest and not any(one & kind.active == one for one in given_up)):
                self._search(number, Goal(self.bits), _STARTS_ALONE)
                others = self.fewest.get(number, 0)
                for check in self.oracle.checks:
                    if check.bit & others and self.fewest[number].bit_count() > 1:
                        self._search(number, Goal(self.bits, check.bit), _STARTS_ALONE)
                given_up += [left] if (left := self.fewest.get(number)) else []

    def _search(self, number: int, goal: Goal, starts: int) -> None:
        """Search, and meet every call that was tried on the way."""
        known = len(self.oracle.verdicts)
        found = self.search.solve(goal, self.kinds[number], starts)
        self._meet(islice(reversed(self.oracle.verdicts.items()), len(self.oracle.verdicts) - known))
        if found is not None:
            self._meet([(found, self.oracle.verdict(found))])

    def _choose(self) -> None:
        """Choose the fewest and plainest calls with the fewest companions for the kinds that no chosen one shows."""
        shown = {
            call: {number for number, others in found.items() if others.bit_count() == self.fewest[number].bit_count()}
            for call, found in self.found.items()
        }
        left = set(self.fewest).difference(*self.chosen.values())
        while left:
            call = min(shown, key=lambda one: (-len(shown[one] & left), self.search.distance(one)))
            self.chosen[call] = self.chosen.get(call, set()) | (shown[call] & left)
            left -= shown[call]

    def _judge(self, missed: list[int], result: Violations) -> None:
        """An error for each mode in which the rule provably never decides; undecided is what no call shows."""
        info = self.search.space.info
        proofs = {number: refuted(info, self.rule, *self.kinds[number].targets[0]) for number in missed}
        if missed:
            result.gaps[self.rule.id] = tuple(target for number in missed for target in self.kinds[number].targets)
        for mode in MODES:
            here = {
                target: number for number, kind in self.kinds.items() for target in kind.targets if target.mode == mode
            }
            reasons = [proofs.get(number) for number in here.values()]
            if reasons and reasons[0] and all(reasons):
                result.errors.append(Problem(self.rule.id, f"In {mode} mode a{reasons[0][1:]}"))
            if products := [target.product for target, number in here.items() if proofs.get(number, "") is None]:
                text = f"the rule {info.name}.{self.rule.id} can fail first in {mode} mode on {listing(products)}"
                tried = f"none of the calls tried ({len(self.oracle.verdicts)}) shows it"
                result.undecided.append(Problem(self.rule.id, f"It is not decided whether {text}: {tried}."))
