"""Calls that reach a rule and show one way in which it fails, holds or does not apply, whatever later rules say.

They stand in where no valid call and no violation of the rule alone shows that way, as where another rule about the
same sizes must fail too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aclspec.codegen.derive.call import Call as Arguments
from aclspec.codegen.derive.coverage import failing
from aclspec.codegen.derive.deriver import QUICK, Deriver, Sample
from aclspec.codegen.derive.oracle import applies
from aclspec.codegen.derive.trial import Goal
from aclspec.codegen.derive.wishes import Way, Wish, substitute
from aclspec.runtime.info import RuleInfo
from aclspec.runtime.predicate.nodes import Arith, Call, Index, Int, Node, Quantifier
from aclspec.runtime.testing.suite import Cell


def reached(deriver: Deriver, known: Iterable[Arguments]) -> list[Sample]:
    """A call for each way that the known calls do not show."""
    calls = list(dict.fromkeys([*known, *deriver.valid]))
    samples: list[Sample] = []
    for rule in deriver.info.rules:
        if rule.outcome != "error" or rule.require is None:
            continue
        cells = _places(deriver, rule)
        limit = QUICK // 3 if rule.when is None else QUICK
        starts = deriver.starts(f"{rule.id}-reached")
        for goal in _goals(deriver, rule):
            if not any(deriver.solver.grants(goal, call, cell) for cell in cells for call in calls):
                tries = (deriver.solver.solve(goal, cell, starts, limit) for cell in cells)
                found = next((call for call in tries if call is not None), None)
                if found is not None:
                    samples.append(Sample(f"{rule.id}-reached", found))
                    calls.append(found)
    return samples


def _goals(deriver: Deriver, rule: RuleInfo) -> Iterator[Goal]:
    """Each way to fail, first of all rules; each way to hold; each way not to apply, though it would fail."""
    assert rule.require is not None
    everything = frozenset(other.id for other in deriver.info.rules)
    guard = () if rule.when is None else (Wish(rule.when, "true"),)
    for way in (*deriver.ways.of(rule.require, False), *_in_part(rule.require)):
        yield Goal((*guard, *way), target=rule.id, allowed=everything)
    for way in deriver.ways.of(rule.require, True):
        yield Goal((*guard, *way), anything=True, reaching=rule.id)
    if rule.when is not None:
        for way in deriver.ways.of(rule.when, False):
            yield Goal((failing(deriver.space, rule.require), *way), anything=True, reaching=rule.id)


def _in_part(node: Node) -> Iterator[Way]:
    """What is said of all elements does not hold for the first of several, or for the last, alone."""
    if isinstance(node, Quantifier) and node.kind == "all":
        last = Arith("-", Call("len", (node.over,)), Int(1))
        first, other = (substitute(node.body, node.var, Index(node.over, place)) for place in (Int(0), last))
        yield Wish(first, "false"), Wish(other, "true")
        yield Wish(first, "true"), Wish(other, "false")


def _places(deriver: Deriver, rule: RuleInfo) -> list[Cell]:
    """The first and the last kind of cell that a rule applies in, which differ in mode and product as far as may be."""
    cells = [cell for cell in deriver.representatives if applies(rule, cell)]
    return list(dict.fromkeys([*cells[-1:], *cells[:1]]))
