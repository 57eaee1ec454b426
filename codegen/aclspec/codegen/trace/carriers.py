"""What carries a clause: the places of the specs that name it, each with its anchor in the manual."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from aclspec.codegen.load import Operator, Project
from aclspec.codegen.naming import Name
from aclspec.codegen.spec.checks import TABLE_KINDS, TableCheck
from aclspec.codegen.spec.params import Param

Kind: TypeAlias = Literal["rule", "field", "dtypes", "product", "formula", "example", "interface", "note"]
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


@dataclass(frozen=True, slots=True)
class Carrier:
    """A place of a spec that names clauses.

    ``name`` says which one of its kind: a rule's id, ``gradOut.dtype``, a product's key. ``anchor`` is where the manual
    page of the operator tells of it, ``rules`` are the rules that make it felt.
    """

    operator: str
    kind: Kind
    name: str
    anchor: str
    clauses: tuple[str, ...]
    rules: tuple[str, ...] = ()

    @property
    def param(self) -> str:
        """The parameter of a field."""
        return self.name.partition(".")[0]

    @property
    def field(self) -> str:
        """The field of the parameter."""
        return self.name.partition(".")[2]


def carriers(project: Project) -> tuple[Carrier, ...]:
    """Every carrier of a project that names a clause, in the order of the specs."""
    return tuple(carrier for operator in project.operators for carrier in carriers_of(operator) if carrier.clauses)


def carriers_of(operator: Operator) -> Iterator[Carrier]:
    """The carriers of one operator."""
    spec, name = operator.spec, operator.spec.op
    if spec.source is not None:
        yield Carrier(name, "interface", spec.header, "interface", spec.source.clauses)
    for listed in spec.products:
        yield Carrier(name, "product", listed.product, "products", listed.clauses)
    for formula in spec.formula:
        yield Carrier(name, "formula", formula.id, f"formula-{formula.id}", formula.clauses)
    for param in spec.params:
        yield from _fields(operator, param)
    for row in spec.dtypes:
        rules = tuple(rule.id for rule in operator.info.rules if rule.kind in ("dtype", "dtypes"))
        yield Carrier(name, "dtypes", ", ".join(row.row), "dtypes", row.clauses, rules)
    for rule in operator.info.rules:
        yield Carrier(name, "rule", rule.id, f"rule-{rule.id}", rule.clauses, (rule.id,))
    yield from _borrowed(operator)
    for example in spec.examples:
        yield Carrier(name, "example", example.id, f"example-{example.id}", example.clauses)
    for note in spec.notes:
        yield Carrier(name, "note", note.id, f"note-{note.id}", note.clauses, note.rules)


def _fields(operator: Operator, param: Param) -> Iterator[Carrier]:
    """The fields of a parameter that name clauses."""
    anchor = f"param-{Name(param.name).kebab}"
    for field, clauses in param.clauses.items():
        rules = tuple(rules_about(operator, param.name, FACTS[field])) if field in FACTS else ()
        yield Carrier(operator.spec.op, "field", f"{param.name}.{field}", anchor, clauses, rules)


def rules_about(operator: Operator, param: str, kind: str) -> Iterator[str]:
    """The rules that check a fact of the table for a parameter, by themselves or for an entry that says so."""
    for rule in operator.info.rules:
        if rule.kind == kind and param in rule.params:
            yield rule.id
    for check in _lenders(operator):
        if check.kind == kind and param in _targets(check) and check.by is not None:
            yield check.by.replace("{it}", Name(param).kebab)


def _borrowed(operator: Operator) -> Iterator[Carrier]:
    """Entries that have no rule of their own, but say which rule carries their fact, and name clauses."""
    for check in _lenders(operator):
        for param in _targets(check):
            rule = str(check.by).replace("{it}", Name(param).kebab)
            clauses = tuple(clause.replace("{it}", param) for clause in check.clauses)
            yield Carrier(operator.spec.op, "rule", rule, f"rule-{rule}", clauses, (rule,))


def _lenders(operator: Operator) -> Iterator[TableCheck]:
    return (check for check in operator.spec.checks if isinstance(check, TableCheck) and check.by is not None)


def _targets(check: TableCheck) -> Iterable[str]:
    """The parameters that an entry names; ``all`` with ``by`` names none in particular."""
    assert check.kind in TABLE_KINDS
    return () if check.targets == "all" else check.targets
