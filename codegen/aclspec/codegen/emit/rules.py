"""The rules of an operator, one after the other, as conditions under which a call breaks them.

Each rule is compiled with what the rules before it have established, and adds what it establishes itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.firing import Implication
from aclspec.codegen.emit.guards import not_null, strict
from aclspec.codegen.emit.logic import conj
from aclspec.codegen.emit.pretty import quoted
from aclspec.codegen.emit.program import Part, Section, Test
from aclspec.codegen.emit.python import FALSE, TRUE, Py, Text, compare
from aclspec.codegen.emit.scope import Place, Scope
from aclspec.codegen.emit.tables import PRODUCT, Tables, frozen, kept
from aclspec.runtime.info import MODES, Mode, RuleInfo
from aclspec.runtime.predicate.nodes import And, IfElse, InRows, Name, Node, Not, Or, Quantifier


@dataclass
class RuleCompiler:
    """Compiles rules in their order; ``facts`` are those behind the last one so far.

    They remember what came of the next rule, so that operators whose rules begin alike are compiled alike only once.
    """

    conditions: Conditions
    facts: Facts

    @property
    def scope(self) -> Scope:
        """The names of the operator."""
        return self.facts.scope

    @property
    def tables(self) -> Tables:
        """Conditions on the product and the mode."""
        return self.conditions.rows.tables

    def compile(self, given: Iterable[RuleInfo]) -> list[Part]:
        """Every rule that can decide a call; the product rule first, since nothing is asked of an unlisted product."""
        rules = [rule for rule in given if rule.outcome == "error"]
        rules.sort(key=lambda rule: rule.kind != "product")
        return [part for run in _runs(rules) for part in self._run(run)]

    def _run(self, run: Sequence[RuleInfo]) -> Iterator[Part]:
        """Rules enforced in the same modes: in a block when there are several and that is only one mode."""
        before = self.facts
        modes = frozenset(place for place in self.scope.places if place[0] in modes_of(run[0]))
        if len(run) == 1 or before.places <= modes:
            for rule in run:
                yield from self._test(rule, self.facts)
            return
        tests = [test for rule in run for test in self._test(rule, self.facts.restrict(modes))]
        if len(tests) > 1:
            yield Section(self.tables.where(modes, before.places, "mode"), [*tests], before)
        else:
            yield from (Test(test.rule, self._condition(test.rule, before), before) for test in tests)

    def _test(self, rule: RuleInfo, facts: Facts) -> Iterator[Test]:
        rows = [self.conditions.read(node) for node in (rule.when, rule.require) if node is not None]
        condition = facts.latest("decides", (rule, rows), lambda: self._condition(rule, facts))
        places, said = self._said(rule)
        told = places, [(one.places, one.premises, one.conclusion) for one in said]
        self.facts = self.facts.latest("behind", told, lambda: self.facts.restrict(places).learn(said))
        if condition != FALSE:
            yield Test(rule, condition, facts)

    def _places(self, rule: RuleInfo) -> frozenset[Place]:
        """Where a rule is enforced."""
        products = rule.products or self.scope.universe
        return frozenset((mode, product) for mode in modes_of(rule) for product in products)

    def _condition(self, rule: RuleInfo, facts: Facts) -> Py:
        """The condition under which the rule decides the call."""
        asked = self.tables.where(self._places(rule), facts.places, rule.id)
        inside = facts.restrict(self._places(rule))
        if rule.kind == "product":
            return conj(asked, self._unlisted())
        guard = TRUE if rule.when is None else self.conditions.holds(rule.when, inside)
        if rule.kind == "shortcut" or rule.require is None:
            return conj(asked, guard) if rule.kind == "shortcut" else FALSE
        if rule.when is not None:
            inside = inside.assume(rule.when)
        return conj(asked, guard, self.conditions.fails(rule.require, inside))

    def _unlisted(self) -> Py:
        listed = [product for product in self.scope.universe if product in dict(self.scope.info.products)]
        if len(listed) == len(self.scope.universe):
            return FALSE
        if len(listed) == 1:
            return compare(PRODUCT, "!=", Text(quoted(listed[0])))
        return compare(PRODUCT, "not in", kept("listed", "", frozen(map(quoted, listed))))

    def _said(self, rule: RuleInfo) -> tuple[frozenset[Place], list[Implication]]:
        """Where a rule may let a call through, and what holds behind it."""
        places = self._places(rule)
        if rule.kind == "product":
            listed = dict(self.scope.info.products)
            gone = frozenset(place for place in places if place[1] not in listed)
            return self.scope.places - gone, []
        if rule.kind == "shortcut" and rule.when is None:
            return self.scope.places - places, []
        if rule.kind == "shortcut" and rule.when is not None:
            inside = self.facts.restrict(places)
            return self.scope.places, list(self._settled(rule.when, False, places, (), inside))
        if rule.require is not None:
            premises = () if rule.when is None else (rule.when,)
            inside = self.facts.restrict(places)
            inside = inside if rule.when is None else inside.assume(rule.when)
            return self.scope.places, list(self._settled(rule.require, True, places, premises, inside))
        return self.scope.places, []

    def _settled(
        self, node: Node, value: bool, places: frozenset[Place], premises: tuple[Node, ...], facts: Facts
    ) -> Iterator[Implication]:
        """What follows from "not false" (``value``) or from "not true": the predicate, or its negation, if defined."""
        match node:
            case Not(operand=operand):
                yield from self._settled(operand, not value, places, premises, facts)
            case And(items=items) if value:
                for item in items:
                    yield from self._settled(item, True, places, premises, facts)
            case Or(items=items) if not value:
                for item in items:
                    yield from self._settled(item, False, places, premises, facts)
            case InRows(params=(name,)) if value:
                checked = self.scope.info.param(name).checked
                asked = (*premises, not_null(Name(name)), *(() if checked is None else (checked,)))
                yield Implication(places & self.conditions.rows.data.places, asked, node)
            case InRows():
                return
            case IfElse(cond=cond, then=then, orelse=orelse):
                yes, no = facts.assume(cond, True), facts.assume(cond, False)
                yield from self._settled(then, value, places, (*premises, cond), yes)
                yield from self._settled(orelse, value, places, (*premises, Not(cond)), no)
            case Quantifier(over=over, body=body):
                inside = facts.assume_defined(over).within(node)
                asked_of = () if self.conditions.surely(over, facts) else strict(over, self.scope)
                if asked_of is not None and self.conditions.surely(body, inside):
                    yield Implication(places, (*premises, *asked_of), node if value else Not(node))
            case _:
                known = self.conditions.surely(node, facts)
                guards = () if known else strict(node, self.scope)
                if guards is not None:
                    yield Implication(places, (*premises, *guards), node if value else Not(node))


def modes_of(rule: RuleInfo) -> tuple[Mode, ...]:
    """The modes that enforce a rule; a shortcut may leave them unsaid."""
    return tuple(mode for mode, _ in rule.status) or (MODES if rule.kind == "shortcut" else ())


def _runs(rules: Sequence[RuleInfo]) -> Iterator[list[RuleInfo]]:
    """Adjacent rules that are enforced in the same modes."""
    run: list[RuleInfo] = []
    for rule in rules:
        if run and (modes_of(rule) != modes_of(run[0]) or "product" in (rule.kind, run[0].kind)):
            yield run
            run = []
        run.append(rule)
    if run:
        yield run
