"""The verdict of the rules on a call, in every target, as a set of bits.

A bit stands for a rule, or for a rule with the dtype rows of some targets; it is set where the rule fails, or where the
guard of a shortcut holds. Rules about the same parameters form a group, whose bits are memoised by the values of those
parameters: a neighbour of a known call asks only the rules about what changed. A verdict starts from the previous one,
since a search looks at the neighbours of a call one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import is_, or_
from typing import Any, NamedTuple

from aclspec.runtime.abi.status import Status
from aclspec.runtime.language.evaluation import Code, Frame, Rows
from aclspec.runtime.language.nodes import InRows, Node, children, names
from aclspec.runtime.rules.interpreter import evaluate, evaluator_of
from aclspec.runtime.rules.operator_info import RuleInfo
from aclspec.runtime.search.call import Call, TensorMeta, Value, described, key_of
from aclspec.runtime.search.space import Space, Target, applies, targets


@dataclass
class Kind:
    """Targets that ask the same rules with the same dtype rows; ``active`` are their bits."""

    targets: list[Target]
    rows: Rows
    active: int = 0


class Check(NamedTuple):
    """A rule with the dtype rows that it is asked with, and its bit."""

    rule: RuleInfo
    bit: int
    when: Code | None
    require: Code | None
    rows: Rows


class Group:
    """The checks about the same parameters."""

    def __init__(self, places: tuple[int, ...]) -> None:
        """Start empty."""
        self.checks: list[Check] = []
        self.mask = 0
        """The bits of the checks."""
        self.places = places
        self.key = key_of(places)
        self.memo: dict[Hashable, int] = {}


class Oracle:
    """The rules of one operator."""

    def __init__(self, space: Space) -> None:
        """Compile every rule."""
        self.space = space
        self.compiler = evaluator_of(space.info)
        self.checks: list[Check] = []
        self.shortcuts = 0
        self.groups: dict[tuple[int, ...], Group] = {}
        self.kinds = self._kinds()
        self.kind_of = {target: kind for kind in self.kinds for target in kind.targets}
        self.verdicts: dict[Call, int] = {}
        self._latest: tuple[Call, int] = ((object(),) * len(space.names), 0)
        self._depending: dict[tuple[bool, ...], list[Group]] = {}
        self._places: dict[tuple[Node, ...], tuple[int, ...]] = {}
        self._remembered: dict[tuple[Node, int], Callable[[Call], Any]] = {}
        self._reached: dict[int, int] = {}
        self._broken: dict[tuple[Call, int], list[Node]] = {}
        self._confirmed = 0
        self._undefined = [rule for rule in space.info.rules if rule.outcome == "undefined"]
        for rule in space.info.rules:
            if rule.outcome == "error" and rule.kind != "product":
                self._add(rule)

    def _kinds(self) -> list[Kind]:
        found: dict[Any, Kind] = {}
        for target in targets(self.space.info):
            rows = self.compiler.rows(*target)
            rules = tuple(
                (one.id, dict(one.status).get(target.mode)) for one in self.space.info.rules if applies(one, target)
            )
            found.setdefault((id(rows), rules), Kind([], rows)).targets.append(target)
        return list(found.values())

    def _add(self, rule: RuleInfo) -> None:
        nodes = [node for node in (rule.when, rule.require) if node is not None]
        depends = any(isinstance(part, InRows) for node in nodes for part in self.parts(node))
        when, require = (None if node is None else self.compiler.code(node) for node in (rule.when, rule.require))
        group = self.groups.setdefault(places := self.places(*nodes), Group(places))
        seen: list[Check] = []
        for kind in self.kinds:
            if not applies(rule, kind.targets[0]):
                continue
            check = next((one for one in seen if not depends or one.rows == kind.rows), None)
            if check is None:
                check = Check(rule, 1 << len(self.checks), when, require, kind.rows)
                seen.append(check)
                self.checks.append(check)
                group.checks.append(check)
                group.mask |= check.bit
            kind.active |= check.bit
            if rule.kind == "shortcut":
                self.shortcuts |= check.bit

    def parts(self, node: Node) -> Iterator[Node]:
        """A tree's nodes, seen through lets and through the guards of dtype rows."""
        yield node
        lets = [self.space.lets[name] for name in names(node) if name in self.space.lets] if not children(node) else []
        guards = [self.space.info.param(name).checked for name in node.params] if isinstance(node, InRows) else []
        for child in (*children(node), *lets, *guards):
            if child is not None:
                yield from self.parts(child)

    def places(self, *nodes: Node) -> tuple[int, ...]:
        """The parameters that predicates depend on, by index."""
        if nodes not in self._places:
            found = {name for node in nodes for part in self.parts(node) for name in names(part)}
            self._places[nodes] = tuple(sorted(self.space.index[name] for name in found if name in self.space.index))
        return self._places[nodes]

    def bits(self, rule: str) -> int:
        """The bits of a rule, for whatever dtype rows."""
        return sum(check.bit for check in self.checks if check.rule.id == rule)

    def remembered(self, node: Node, rows: Rows = ()) -> Callable[[Call], Any]:
        """The value of an expression in a call, computed once for the parameters that it depends on."""
        found = self._remembered.get((node, id(rows)))
        if found is None:
            key, code, memo = key_of(self.places(node)), self.compiler.code(node), dict[Hashable, Any]()

            def value_of(call: Call) -> Any:
                found = memo.get(values := key(call))
                if found is None:
                    found = memo[values] = code(Frame(call, rows))
                return found

            found = self._remembered[node, id(rows)] = value_of
        return found

    def value(self, node: Node, call: Call, rows: Rows = ()) -> Any:
        """The value of any expression."""
        return self.remembered(node, rows)(call)

    def verdict(self, call: Call) -> int:
        """The bits of all rules that fail and of all shortcuts whose guard holds."""
        found = self.verdicts.get(call)
        if found is None:
            latest, found = self._latest
            frame = Frame(call)
            for group in self._groups_about(tuple(map(is_, call, latest))):
                key = group.key(call)
                bits = group.memo.get(key)
                if bits is None:
                    bits = group.memo[key] = self._bits(group, frame)
                found = found & ~group.mask | bits
            self.verdicts[call] = found
            self._latest = call, found
        return found

    def _groups_about(self, same: tuple[bool, ...]) -> list[Group]:
        """The groups about parameters that are not the same."""
        found = self._depending.get(same)
        if found is None:
            groups = self.groups.values()
            found = [group for group in groups if not group.places or not all(same[place] for place in group.places)]
            self._depending[same] = found
        return found

    def _bits(self, group: Group, frame: Frame) -> int:
        found = 0
        for check in group.checks:
            frame.rows = check.rows
            applies = check.when is None or check.when(frame) is True
            if applies and (check.require is None or check.require(frame) is False):
                found |= check.bit
        return found

    def failing(self, bits: int, kind: Kind) -> int:
        """The bits of the rules that fail in a kind of target; none of those behind a shortcut that is taken."""
        bits &= kind.active
        taken = bits & self.shortcuts
        return bits & ((taken & -taken) - 1) if taken else bits

    def reached(self, bits: int, kind: Kind) -> int:
        """The bits of all rules up to the one that decides."""
        bits &= kind.active
        return kind.active & (((bits & -bits) << 1) - 1 if bits else -1)

    def reached_anywhere(self, bits: int) -> int:
        """The bits of all rules that are reached in some kind of target."""
        if bits not in self._reached:
            self._reached[bits] = reduce(or_, (self.reached(bits, kind) for kind in self.kinds), 0)
        return self._reached[bits]

    def is_valid(self, call: Call, kind: Kind) -> bool:
        """Whether no rule fails, whatever shortcut is taken, and the result is defined."""
        return not self.failing(self.verdict(call), kind) and not self.undefined(call, kind)

    def undefined(self, call: Call, kind: Kind) -> list[Node]:
        """The requirements that a call breaks with an undefined result; none where it takes a shortcut."""
        if not self._undefined or self.verdict(call) & kind.active & self.shortcuts:
            return []
        found = self._broken.get((call, id(kind)))
        if found is None:
            found = self._broken[call, id(kind)] = self._breaking(call, kind)
        return found

    def _breaking(self, call: Call, kind: Kind) -> list[Node]:
        return [
            rule.require
            for rule in self._undefined
            if rule.require is not None
            and applies(rule, kind.targets[0])
            and (rule.when is None or self.value(rule.when, call, kind.rows) is True)
            and self.value(rule.require, call, kind.rows) is False
        ]

    def rules(self, bits: int) -> tuple[str, ...]:
        """The ids of the rules of these bits, in the order of the checks."""
        return tuple(check.rule.id for check in self.checks if check.bit & bits)

    def outcome(self, call: Call, kind: Kind) -> str:
        """Status and rules, or the shortcut that is taken."""
        failing = self.failing(self.verdict(call), kind)
        if failing:
            rules = self.rules(failing)
            status = dict(self.space.info.rule(rules[0]).status)[kind.targets[0].mode]
            return " ".join([str(int(Status[status])), *rules])
        taken = self.verdict(call) & kind.active & self.shortcuts
        return " ".join([str(int(Status.ACLNN_SUCCESS)), *self.rules(taken & -taken)])

    def confirm(self, call: Call) -> None:
        """Hold the remembered verdict on a call, in one kind of targets after the other, against a fresh report."""
        kind = self.kinds[self._confirmed % len(self.kinds)]
        self._confirmed += 1
        mapping = dict(zip(self.space.names, map(_as_given, call), strict=True))
        report = evaluate(self.space.info, mapping, *kind.targets[0])
        names = [*report.failing, *([report.shortcut] if report.shortcut else [])]
        if self.outcome(call, kind) != " ".join([str(int(report.status)), *names]):
            raise AssertionError(f"The remembered verdict and a fresh report disagree about {mapping}.")


def _as_given(value: Value) -> Any:
    """A value with every tensor as a call gives it: the interpreter asks for strides and storage."""
    if isinstance(value, tuple):
        return tuple(map(_as_given, value))
    return described(value) if isinstance(value, TensorMeta) else value
