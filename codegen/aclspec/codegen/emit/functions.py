"""The bodies of the generated ``infer`` and ``precision``."""

from __future__ import annotations

from collections.abc import Iterator

from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.layout import comment, statement
from aclspec.codegen.emit.printer import INDENT
from aclspec.codegen.emit.python import FALSE, TRUE, Bracket, Fill, Py, Text, conj
from aclspec.codegen.emit.scope import Scope, identifier
from aclspec.codegen.emit.tables import Tables
from aclspec.codegen.emit.values import tuple_of
from aclspec.runtime.info import InferInfo, ParamInfo, PrecisionInfo
from aclspec.runtime.predicate.nodes import Name, Node


def emit_infer(scope: Scope, conditions: Conditions) -> tuple[tuple[str, ...], frozenset[str]]:
    """The body of ``infer``: one output after the other, None where nothing follows; and its correlated pointers."""
    facts = Facts(scope, scope.places)
    rules = {rule.param: rule for rule in scope.info.infer}
    outputs = [param for param in scope.info.params if param.is_output]
    lines: list[str] = []
    for param in outputs:
        lines += _output(param, rules.get(param.name), facts, conditions)
    lines += statement("return ", tuple_of([Text(_local(param)) for param in outputs]), "", 1, {})
    return tuple(lines), frozenset(facts.correlated)


def _local(param: ParamInfo) -> str:
    """The local that describes an output; one that is written in place has its input under its own name."""
    return identifier(param.name) if param.direction == "out" else f"{identifier(param.name)}_out"


def _output(param: ParamInfo, rule: InferInfo | None, facts: Facts, conditions: Conditions) -> Iterator[str]:
    name = _local(param)
    wanted = TRUE if param.required is None else conditions.holds(param.required, facts)
    facts = facts if param.required is None else facts.assume(param.required)
    known, value = _described(param, rule, facts, conditions)
    condition = conj(wanted, known)
    if condition == TRUE:
        yield from statement(f"{name}: shapes.Inferred = ", value, "", 1, {})
        return
    yield f"{INDENT}{name}: shapes.Inferred = None"
    if condition != FALSE:
        yield from statement("if ", condition, ":", 1, {})
        yield from statement(f"{name} = ", value, "", 2, {})


def _described(param: ParamInfo, rule: InferInfo | None, facts: Facts, conditions: Conditions) -> tuple[Py, Py]:
    """The condition under which the output is known, and its shape, dtype and format."""
    if rule is None:
        if param.direction == "out":
            return FALSE, Text("None")
        tensor = Text(identifier(param.name))
        parts = [Fill(f"{{0.}}.{fact}", (tensor,)) for fact in ("shape", "dtype", "format")]
        return conditions.defined(Name(param.name), facts), tuple_of(list(parts))
    known: list[Py] = []
    values: list[Py] = []
    for node in (rule.shape, rule.dtype, rule.format):
        if node is None:
            values.append(Text("None"))
            continue
        known.append(conditions.defined(node, facts))
        facts = facts.assume_defined(node)
        values.append(conditions.values.value(node, facts))
    return conj(*known), tuple_of(values)


def emit_precision(scope: Scope, tables: Tables, conditions: Conditions, passed: Facts) -> tuple[str, ...]:
    """The body of ``precision``: the first row whose guards hold, for a call that every rule let through."""
    lines: list[str] = []
    for at, row in enumerate(scope.info.compute.precision):
        condition, value = _row(row, at, scope, tables, conditions, passed)
        if condition != FALSE and row.doc is not None:
            lines += comment(row.doc.en, 1)
        if condition == TRUE:
            return (*lines, *statement("return ", value, "", 1, {}))
        if condition != FALSE:
            lines += statement("if ", condition, ":", 1, {})
            lines += statement("return ", value, "", 2, {})
    return (*lines, f"{INDENT}return {{}}")


def _row(
    row: PrecisionInfo, at: int, scope: Scope, tables: Tables, conditions: Conditions, facts: Facts
) -> tuple[Py, Py]:
    """The condition of a row, and the dict of its roles and settings."""
    asked: Py = TRUE
    if row.products:
        places = frozenset(place for place in scope.places if place[1] in row.products)
        asked = tables.where(places, facts.places, f"precision-{at + 1}")
        facts = facts.restrict(places)
    guard = TRUE if row.when is None else conditions.holds(row.when, facts)
    facts = facts if row.when is None else facts.assume(row.when)
    known, values = _entries([node for _, node in row.entries], facts, conditions)
    items = (Fill(f'"{name}": {{0}}', (value,)) for (name, _), value in zip(row.entries, values, strict=True))
    return conj(asked, guard, known), Bracket("{", tuple(items), "}")


def _entries(nodes: list[Node], facts: Facts, conditions: Conditions) -> tuple[Py, list[Py]]:
    known: list[Py] = []
    values: list[Py] = []
    for node in nodes:
        known.append(conditions.defined(node, facts))
        facts = facts.assume_defined(node)
        values.append(conditions.values.value(node, facts))
    return conj(*known), values
