"""Which part of a spec carries which clause of the original document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from aclspec.codegen.compile.context import Path, kebab
from aclspec.codegen.spec.checks import Check, JointCheck, ProductCheck, Rule, Shortcut, TableCheck
from aclspec.codegen.spec.operator import OperatorSpec

CarrierKind: TypeAlias = Literal["source", "product", "formula", "param", "row", "rule", "example", "note"]


@dataclass(frozen=True, slots=True)
class Use:
    """One mention of a clause: its id with ``{it}`` filled in, what carries it, and where it stands.

    ``carrier`` is the id of the carrier among its kind: a rule's id, ``gradInput.dtype`` for a field of a parameter,
    a product's key, the number of a dtype row. A check that leaves its fact to another rule names that rule.
    """

    clause: str
    kind: CarrierKind
    carrier: str
    path: Path


def uses(spec: OperatorSpec) -> Iterator[Use]:
    """Every mention of a clause in a spec, in the order of the file."""
    if spec.source is not None:
        yield from _listed(spec.source.clauses, "source", spec.op, ("source", "clauses"))
    for index, product in enumerate(spec.products):
        yield from _listed(product.clauses, "product", product.product, ("products", index, "clauses"))
    for index, formula in enumerate(spec.formula):
        yield from _listed(formula.clauses, "formula", formula.id, ("formula", index, "clauses"))
    for index, param in enumerate(spec.params):
        for name, clauses in param.clauses.items():
            yield from _listed(clauses, "param", f"{param.name}.{name}", ("params", index, "clauses", name))
    for index, row in enumerate(spec.dtypes):
        yield from _listed(row.clauses, "row", str(index), ("dtypes", index, "clauses"))
    for index, check in enumerate(spec.checks):
        for rule, name in rule_ids(spec, check):
            clauses = tuple(clause.replace("{it}", name) for clause in check.clauses)
            yield from _listed(clauses, "rule", rule, ("checks", index, "clauses"))
    for index, example in enumerate(spec.examples):
        yield from _listed(example.clauses, "example", example.id, ("examples", index, "clauses"))
    for index, note in enumerate(spec.notes):
        yield from _listed(note.clauses, "note", note.id, ("notes", index, "clauses"))


def _listed(clauses: tuple[str, ...], kind: CarrierKind, carrier: str, path: Path) -> Iterator[Use]:
    for index, clause in enumerate(clauses):
        yield Use(clause, kind, carrier, (*path, index))


def rule_ids(spec: OperatorSpec, check: Check) -> Iterator[tuple[str, str]]:
    """The id of each rule that an entry makes (or names with ``by``), with the parameter that ``{it}`` stands for."""
    match check:
        case ProductCheck():
            yield "product", ""
        case JointCheck(id=rule_id) | Shortcut(shortcut=rule_id):
            yield rule_id, ""
        case Rule(id=rule_id, each=each):
            for name in each or ("",):
                yield rule_id.replace("{it}", kebab(name)), name
        case TableCheck():
            pattern = check.by or check.id or f"{check.kind}-{{it}}"
            names = check.targets if check.targets != "all" else tuple(param.name for param in spec.params)
            for name in names:
                yield pattern.replace("{it}", kebab(name)), name
