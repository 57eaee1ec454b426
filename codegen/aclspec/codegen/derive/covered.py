"""Facts of the parameter table that a rule is said to cover (``by``), and calls that pass without them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from aclspec.codegen.analysis.consistency.rules import fact
from aclspec.codegen.compile.context import Context, kebab
from aclspec.codegen.compile.lower import requirement
from aclspec.codegen.compile.params import columns, has_fact
from aclspec.codegen.derive.search import Search
from aclspec.codegen.derive.violations import Problem
from aclspec.codegen.spec.checks import TableCheck
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.language.nodes import Node, Position
from aclspec.runtime.search.call import Call, TensorMeta, literal
from aclspec.runtime.search.space import applies


class Covered(NamedTuple):
    """A fact of a parameter, the rule that is said to cover it, and the place where the spec says so."""

    kind: str
    param: str
    rule: str
    require: Node
    guard: Node | None
    at: Position


def covered(operator: Operator) -> tuple[Covered, ...]:
    """The entries with ``by`` of an operator, one for each parameter."""
    context = Context(operator.spec, operator.source, (), [])
    params = {param.name: param for param in operator.info.params}
    found = []
    for index, check in enumerate(operator.spec.checks):
        if not isinstance(check, TableCheck) or check.by is None:
            continue
        every = [name for name, param in context.params.items() if has_fact(param, check.kind, columns(context))]
        for name in every if check.targets == "all" else check.targets:
            param = params[name]
            guard = param.required if check.kind == "null" else param.checked
            rule, at = check.by.replace("{it}", kebab(name)), context.at(("checks", index, "by"))
            found.append(Covered(check.kind, name, rule, requirement(check.kind, param, context.scope), guard, at))
    return tuple(found)


def uncovered(search: Search, facts: Iterable[Covered], known: Iterable[Call]) -> Iterator[Problem]:
    """A problem for each fact without which some known call, or a neighbour of one, passes."""
    calls = list(known)
    for one in facts:
        moved = (other for call in calls for other in search.neighbours.of(call, (search.space.index[one.param],)))
        found = next((call for call in chain(search.pool, moved) if _passes(search, one, call)), None)
        if found is not None:
            values = zip(search.space.names, found, strict=True)
            shown = ", ".join(f"{name}={literal(value)}" for name, value in values)
            text = f"A rule ({one.rule}) does not cover {fact(one.kind, one.param)}: a call without it passes ({shown})"
            expected = f"expected an entry ({{{one.kind}: [{one.param}]}}) without by"
            yield Problem(one.rule, f"{text}; {expected}.", one.at)


def _passes(search: Search, one: Covered, call: Call) -> bool:
    """Whether a call lacks the fact, and no rule refuses it where the rule that is said to cover it runs.

    The parameter table states what the document says; a library may well let such a call pass by a shortcut.
    """
    oracle, rule = search.oracle, search.space.info.rule(one.rule)
    modes = dict(rule.status)
    if any(size < 0 for value in call if isinstance(value, TensorMeta) for size in value.shape):
        return False
    if one.guard is not None and oracle.value(one.guard, call) is not True:
        return False
    bits = oracle.verdict(call)
    return any(
        not oracle.failing(bits, kind)
        and applies(rule, kind.targets[0])
        and (kind.targets[0].mode == "document" or "document" not in modes)
        and oracle.value(one.require, call, kind.rows) is False
        for kind in oracle.kinds
    )
