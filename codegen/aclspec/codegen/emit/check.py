"""The rules of an operator, one after the other, as conditions under which a call breaks them.

Each rule is lowered with what the rules before it have established, and adds what it establishes itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from aclspec.codegen.analysis.facts import Facts
from aclspec.codegen.emit.constants import PRODUCT, Constants
from aclspec.codegen.emit.dtype_rows import Place
from aclspec.codegen.emit.fact_set import FactSet, implied, initial
from aclspec.codegen.emit.guards import not_null
from aclspec.codegen.emit.lowered import FALSE, TRUE, Python, conj
from aclspec.codegen.emit.lowering import Lowering
from aclspec.codegen.emit.printer import Block, Line, Statement, call, quoted
from aclspec.codegen.emit.scope import Scope
from aclspec.runtime.abi.status import Status
from aclspec.runtime.language.nodes import And, Compare, Name, Node, Not, Str, names
from aclspec.runtime.rules import sentences
from aclspec.runtime.rules.operator_info import MODES, Mode, RuleInfo


class CheckCompiler:
    """Compiles the rules in their order; ``known`` is what is known behind the last one so far."""

    def __init__(self, scope: Scope, constants: Constants) -> None:
        """Nothing is known before the first rule."""
        self.scope, self.constants, self.known = scope, constants, initial(scope)
        self.lowering = Lowering(scope, constants)

    def compile(self) -> Iterator[Statement]:
        """Every rule that can decide a call; the product rule first, since no rule applies to an unlisted product."""
        rules = [rule for rule in self.scope.info.rules if rule.outcome == "error"]
        rules.sort(key=lambda rule: rule.kind != "product")
        for (modes, _), run in groupby(rules, lambda rule: (modes_of(rule), rule.kind == "product")):
            yield from self._run(modes, list(run))

    def _run(self, modes: tuple[Mode, ...], rules: Sequence[RuleInfo]) -> Iterator[Statement]:
        """Adjacent rules enforced in the same modes: in a block when there are several and that is only one mode."""
        before = self.known
        places = frozenset(place for place in self.scope.places if place[0] in modes)
        tests = []
        for rule in rules:
            known = self.known.restrict(places) if len(rules) > 1 else self.known
            condition = self._condition(rule, known)
            if condition != FALSE:
                tests.append((rule, condition, known))
            self.known = self._after(rule)
        where = self.constants.where(places, before.places) if len(rules) > 1 else TRUE
        if where != TRUE and len(tests) == 1:
            rule, condition, _ = tests[0]
            yield self._test(rule, conj(where, condition), before)
        elif where != TRUE and tests:
            yield Block(where, tuple(self._test(*test) for test in tests), before)
        else:
            yield from (self._test(*test) for test in tests)

    def _test(self, rule: RuleInfo, condition: Node, known: FactSet) -> Block:
        verdict = Line("return ", self._verdict(rule), known)
        return Block(condition, (verdict,), known, sentences.requirement(rule))

    def _verdict(self, rule: RuleInfo) -> Python:
        """The verdict of a rule that decides: its id, its status in each mode and the effect of a shortcut."""
        status = {mode: int(Status[code]) if rule.kind != "shortcut" else 0 for mode, code in rule.status}
        effect = rule.effect or "unwritten" if rule.kind == "shortcut" else None
        codes = {mode: str(status.get(mode, 0)) for mode in MODES}
        named = {} if effect is None else {"effect": quoted(effect)}
        return Python(call("Verdict", quoted(f"{self.scope.info.name}.{rule.id}"), **codes, **named))

    def _places(self, rule: RuleInfo) -> frozenset[Place]:
        """Where a rule is enforced."""
        products = rule.products or self.scope.universe
        return frozenset((mode, product) for mode in modes_of(rule) for product in products)

    def _condition(self, rule: RuleInfo, known: FactSet) -> Node:
        """The condition under which the rule decides the call; it names products and modes only where it has to."""
        places = self._places(rule)
        inside = known.restrict(places)
        condition = self._broken(rule, inside)
        elsewhere = known.places - places
        if elsewhere:
            never = frozenset(
                place for place in elsewhere if self._broken(rule, known.restrict(frozenset((place,)))) == FALSE
            )
            if self._broken(rule, known.restrict(places | never)) != condition:
                never = frozenset()
            condition = conj(self.constants.where(places, known.places - never), condition)
        return condition

    def _broken(self, rule: RuleInfo, known: FactSet) -> Node:
        """The condition under which a call breaks a rule that is enforced here, or takes a shortcut."""
        if rule.kind == "product":
            return self._unlisted()
        guard = TRUE if rule.when is None else self.lowering.holds(rule.when, known)
        if rule.kind == "shortcut":
            return guard
        if rule.require is None or guard == FALSE:
            return FALSE
        inside = known if rule.when is None else self._guarded(rule.when, rule.require, known)
        return conj(guard, self.lowering.fails(rule.require, inside))

    def _guarded(self, when: Node, require: Node, known: FactSet) -> FactSet:
        """What is known where a guard is true; no static type checker knows that a local variable tells of null."""
        inside = known.assume(when)
        if not names(when).isdisjoint(self.scope.lets):
            read = names(self.scope.expand(require))
            self.lowering.untyped |= {
                name
                for name in self.scope.params
                if name in read
                and self.scope.may_be_null(name)
                and inside.proves(not_null(Name(name)))
                and not known.proves(not_null(Name(name)))
            }
        return inside

    def _unlisted(self) -> Node:
        listed = [product for product in self.scope.universe if product in dict(self.scope.info.products)]
        if len(listed) == len(self.scope.universe):
            return FALSE
        if len(listed) == 1:
            return Compare("!=", PRODUCT, Str(listed[0]))
        return Compare("not in", PRODUCT, self.constants.products(listed, "listed"))

    def _after(self, rule: RuleInfo) -> FactSet:
        """What is known behind a rule: it is not false of the call, or the shortcut is not taken."""
        places = self._places(rule)
        if rule.kind == "product":
            listed = dict(self.scope.info.products)
            return self.known.restrict(self.scope.places - {place for place in places if place[1] not in listed})
        if rule.kind == "shortcut":
            if rule.when is None:
                return self.known.restrict(self.scope.places - places)
            return self._established(Not(rule.when), None, places)
        return self.known if rule.require is None else self._established(rule.require, rule.when, places)

    def _established(self, node: Node, when: Node | None, places: frozenset[Place]) -> FactSet:
        """What is known where a predicate is not false, or its guard not true."""
        inside = self.known.restrict(places)
        if not inside.places:
            return self.known
        inside = inside if when is None else inside.assume(when)
        expand = self.scope.expand
        surely = self.lowering.surely(node.operand if isinstance(node, Not) else node, inside)
        needed = None if surely else self._needed(node, inside)

        def change(facts: Facts) -> Facts:
            if needed is not None:
                premise = And(tuple(map(expand, needed if when is None else (when, *needed))))
                facts = facts.following(premise, expand(node))
            if when is not None:
                return facts.following(expand(when), expand(node)) if surely else facts
            return facts.assume(expand(node)) if surely else facts.assuming([expand(node)])

        if surely and (when is not None or self.known.places - places):
            self.lowering.untyped |= set(_pointers(node, self.scope)) - {
                name for name in self.scope.params if self.known.proves(not_null(Name(name)))
            }
        return self.known.after(places, change)

    def _needed(self, node: Node, known: FactSet) -> tuple[Node, ...] | None:
        """The pointers that have to be there for a predicate to have a value; None where it needs more than that."""
        pointers: list[Node] = []
        for guard in implied(node, self.scope):
            if not known.proves(guard):
                if not isinstance(guard, Not):
                    return None
                pointers.append(guard)
                known = known.assume(guard)
        return tuple(pointers) if pointers and self.lowering.surely(node, known) else None


def _pointers(node: Node, scope: Scope) -> Iterator[str]:
    parts = node.items if isinstance(node, And) else (node,)
    return (name for name in scope.params if scope.may_be_null(name) and not_null(Name(name)) in parts)


def modes_of(rule: RuleInfo) -> tuple[Mode, ...]:
    """The modes that enforce a rule; a shortcut may leave them unsaid."""
    return tuple(mode for mode, _ in rule.status) or (MODES if rule.kind == "shortcut" else ())
