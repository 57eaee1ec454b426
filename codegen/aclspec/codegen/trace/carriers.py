"""What carries a clause: the places of the specs that name it, each with its anchor in the manual and its rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aclspec.codegen.clauses import CarrierKind, rule_ids, uses
from aclspec.codegen.load import Operator, Project
from aclspec.codegen.spec.checks import TableCheck

FACTS = {
    "dtype": "dtype",
    "formats": "format",
    "rank": "rank",
    "required": "null",
    "optional": "null",
    "empty": "empty",
    "noncontiguous": "contiguous",
    "lengths": "length",
    "values": "value",
}
"""The kind of check that tests a field of the parameter table."""
_ANCHORS: dict[CarrierKind, str] = {
    "source": "prototype",
    "product": "products",
    "formula": "formula-{}",
    "param": "param-{}",
    "row": "dtypes",
    "rule": "rule-{}",
    "example": "example-{}",
    "note": "note-{}",
}


@dataclass(frozen=True, slots=True)
class Carrier:
    """A place of a spec that names clauses.

    ``name`` says which one of its kind: a rule's id, ``gradOut.dtype``, a product's key. ``anchor`` is where the manual
    page of the operator tells of it, ``rules`` are the rules that make it felt.
    """

    operator: str
    kind: CarrierKind
    name: str
    anchor: str
    clauses: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def param(self) -> str:
        """The parameter of a field."""
        return self.name.partition(".")[0]

    @property
    def field(self) -> str:
        """The field of the parameter."""
        return self.name.partition(".")[2]


def carriers(project: Project) -> tuple[Carrier, ...]:
    """Every carrier of a project, in the order of the specs."""
    return tuple(carrier for operator in project.operators for carrier in carriers_of(operator))


def carriers_of(operator: Operator) -> Iterator[Carrier]:
    """The carriers of one operator; what names several clauses is one carrier."""
    found: dict[tuple[CarrierKind, str], list[str]] = {}
    for use in uses(operator.spec):
        found.setdefault((use.kind, use.carrier), []).append(use.clause)
    for (kind, name), clauses in found.items():
        anchor = _ANCHORS[kind].format(name.partition(".")[0])
        rules = tuple(dict.fromkeys(_rules(operator, kind, name)))
        yield Carrier(operator.spec.op, kind, name, anchor, tuple(dict.fromkeys(clauses)), rules)


def _rules(operator: Operator, kind: CarrierKind, name: str) -> Iterator[str]:
    """The rules that fail where what the carrier says does not hold."""
    if kind == "rule":
        yield name
    elif kind == "param":
        param, _, field = name.partition(".")
        yield from _rules_about(operator, param, FACTS.get(field, ""))
    elif kind == "row":
        yield from (rule.id for rule in operator.info.rules if rule.kind in ("dtype", "dtypes"))
    elif kind == "product":
        yield from (rule.id for rule in operator.info.rules if rule.kind == "product")


def _rules_about(operator: Operator, param: str, kind: str) -> Iterator[str]:
    """The rules that check a fact of the table for a parameter, whether by themselves or for an entry that says so."""
    for check in operator.spec.checks:
        if isinstance(check, TableCheck) and check.kind == kind:
            yield from (rule for rule, name in rule_ids(operator.spec, check) if name == param)
