"""Rules that can never fail, never hold, never run, or only say again what an earlier rule said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.context import Context
from aclspec.codegen.compile.lower import replace_names
from aclspec.codegen.consistency.coverage import covers
from aclspec.codegen.predicate.intervals import Interval
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.predicate.vacuity import EITHER, FALSE, TRUE, Facts, conjuncts, possible
from aclspec.codegen.same import Same
from aclspec.codegen.spec.checks import Rule
from aclspec.runtime.info import LetInfo, OperatorInfo, RuleInfo
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.nodes import Node


class _Problem(NamedTuple):
    """What is wrong with a rule: with its guard or with its requirement."""

    part: str
    kind: str
    text: str


def check_rules(context: Context, info: OperatorInfo, compiled: ChecksCompiler) -> None:
    """Check every rule for itself and against those before it."""
    types = tuple((param.name, param.type) for param in info.params)
    place = _first(tuple(map(Same, info.lets)), types)
    for rule in map(Same, info.rules):
        for part, kind, text in _problems(place, rule):
            path = compiled.paths[rule.value.id]
            stands = part == "when" or isinstance(context.spec.checks[int(path[1])], Rule)
            context.report((*path, part) if stands else path, kind, text)
        place = _next(place, rule)


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A place between the rules, the same in all operators that have the very same ones up to there.

    ``facts`` are those of the types of parameters, ``seen`` the rules before it that may refuse a call.
    """

    lets: Lets
    facts: Facts
    seen: tuple[RuleInfo, ...] = ()


@lru_cache(maxsize=64)
def _first(lets: tuple[Same[LetInfo], ...], types: tuple[tuple[str, str], ...]) -> _Place:
    """The place before all rules."""
    return _Place(lets_of(lets), _type_facts(types))


@lru_cache(maxsize=1 << 12)
def _next(place: _Place, rule: Same[RuleInfo]) -> _Place:
    """The place after a rule."""
    refuses = rule.value.outcome == "error" and rule.value.kind != "shortcut"
    return _Place(place.lets, place.facts, (*place.seen, rule.value) if refuses else place.seen)


@lru_cache(maxsize=1 << 12)
def _problems(place: _Place, rule: Same[RuleInfo]) -> tuple[_Problem, ...]:
    """What is wrong with a rule at its place."""
    return tuple(_checked(rule.value, place.lets, place.facts, place.seen))


def _checked(rule: RuleInfo, lets: Lets, facts: Facts, seen: Sequence[RuleInfo]) -> Iterator[_Problem]:
    if rule.when is not None and possible(lets.expand(rule.when), facts) == FALSE:
        text = f"A rule ({rule.id}) never applies: its guard ({unparse(rule.when)}) is never true."
        yield _Problem("when", "vacuous", text)
    elif rule.kind == "shortcut" and rule.when is not None and possible(lets.expand(rule.when), facts) == TRUE:
        text = f"A shortcut ({rule.id}) is always taken; its condition ({unparse(rule.when)}) is never false."
        yield _Problem("when", "vacuous", text)
    elif rule.when is not None and possible(lets.expand(rule.when), _after(seen, rule, lets, facts)) == FALSE:
        guard = unparse(rule.when)
        text = f"A rule ({rule.id}) never applies: rules before it refuse every call that its guard ({guard}) is for."
        yield _Problem("when", "vacuous", text)
    elif rule.require is not None:
        yield from _checked_rule(rule, lets, facts, seen)


def _after(seen: Sequence[RuleInfo], rule: RuleInfo, lets: Lets, facts: Facts) -> Facts:
    """What holds of every call that reaches a rule: what the rules before it demand without a guard."""
    return facts.assuming(
        lets.expand(earlier.require)
        for earlier in seen
        if earlier.require is not None and earlier.when is None and covers(earlier, rule)
    )


class Lets:
    """The lets of an operator, each with those before it put in."""

    def __init__(self, lets: Iterable[LetInfo]) -> None:
        """Put in the lets of an operator."""
        self.values: dict[str, Node] = {}
        for let in lets:
            self.values[let.name] = replace_names(let.value, self.values)

    def expand(self, node: Node) -> Node:
        """A tree with its lets put in."""
        return _expanded(self, Same(node))


@lru_cache(maxsize=1 << 12)
def _expanded(lets: Lets, node: Same[Node]) -> Node:
    """The very same tree with lets put in."""
    return replace_names(node.value, lets.values)


@lru_cache(maxsize=64)
def lets_of(lets: tuple[Same[LetInfo], ...]) -> Lets:
    """The lets that many operators have."""
    return Lets(let.value for let in lets)


def _type_facts(types: Iterable[tuple[str, str]]) -> Facts:
    """What the C types alone say of the parameters."""
    kinds = {name: PARAM_TYPES[kind] for name, kind in types}
    ranges = {name: Interval(kind.low, kind.high) for name, kind in kinds.items() if kind.is_integer}
    lists = frozenset(name for name, kind in kinds.items() if kind.predicate in ("ints", "bools", "floats"))
    floats = frozenset(name for name, kind in kinds.items() if kind.predicate in ("float", "floats"))
    return Facts(ranges, frozenset(), lists, floats)


def _checked_rule(rule: RuleInfo, lets: Lets, facts: Facts, seen: Sequence[RuleInfo]) -> Iterator[_Problem]:
    """Whether a rule can fail, alone and after those before it, and whether it can hold."""
    if rule.require is None:
        return
    require = lets.expand(rule.require)
    guards = [] if rule.when is None else [lets.expand(rule.when)]
    own = possible(require, facts.assuming(guards))
    if own == TRUE:
        given = " where its guard holds" if possible(require, facts) != TRUE else ""
        text = f"A rule ({rule.id}) never fails: its requirement ({unparse(rule.require)}) is always true{given}."
        yield _Problem("require", "vacuous", text)
    elif own == FALSE and rule.kind == "rule" and rule.when is None and not rule.products:
        text = f"A rule ({rule.id}) fails every call: its requirement ({unparse(rule.require)}) is never true."
        yield _Problem("require", "vacuous", text)
    elif not rule.fails_with:
        yield from _repeated(rule, require, lets, facts.assuming(guards), seen)


def _repeated(rule: RuleInfo, require: Node, lets: Lets, facts: Facts, seen: Sequence[RuleInfo]) -> Iterator[_Problem]:
    """Whether the rules before this one leave it nothing to refuse."""
    guards = set(conjuncts(lets.expand(rule.when))) if rule.when is not None else set()
    before = [earlier for earlier in seen if covers(earlier, rule) and _asked(earlier, guards, lets)]
    everything = facts.assuming(lets.expand(earlier.require) for earlier in before if earlier.require is not None)
    if possible(require, everything) == EITHER and everything.ranges.is_sound:
        return
    for earlier in before:
        if earlier.require is None:
            continue
        facts = facts.assuming([lets.expand(earlier.require)])
        if possible(require, facts) == TRUE:
            text = f"A rule ({rule.id}) never fails first: {earlier.id} and others before it refuse what it would."
            yield _Problem("require", "repeated", text)
            return


def _asked(earlier: RuleInfo, guards: set[Node], lets: Lets) -> bool:
    """Whether an earlier rule applies wherever these guards hold."""
    if earlier.require is None:
        return False
    needed = lets.expand(earlier.when) if earlier.when is not None else None
    return needed is None or needed in guards or set(conjuncts(needed)[1:] or [needed]) <= guards
