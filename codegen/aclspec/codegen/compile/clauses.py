"""Clauses: the references of a spec are checked, and each place that names one becomes a carrier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from aclspec.codegen.compile.context import Context, Path
from aclspec.codegen.source.findings import did_you_mean
from aclspec.codegen.source.naming import Name
from aclspec.codegen.spec.checks import Check, Rule, TableCheck
from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.codegen.spec.project import Operator, Project
from aclspec.codegen.spec.tables import ClausesFile


@dataclass(frozen=True, slots=True)
class Use:
    """One mention of a clause: its id, with ``{it}`` filled in, and where it stands in the file."""

    clause: str
    path: Path


def check_clauses(context: Context, files: Sequence[ClausesFile]) -> None:
    """Every clause that a spec names exists, and belongs to the operator's own document."""
    known = [clause.id for file in files for clause in file.clauses]
    for use in uses(context.spec):
        if use.clause not in known:
            text = f"A clause ({use.clause}) does not exist{did_you_mean(use.clause, known)}"
            context.report(use.path, "unknown-clause", text)
    document = context.spec.source.document if context.spec.source else None
    documents = {file.document: file for file in files}
    if document is not None and document in documents and documents[document].operator != context.spec.op:
        text = f"The document ({document}) describes {documents[document].operator}, not {context.spec.op}."
        context.report(("source", "document"), "unknown-clause", text)


def uses(spec: OperatorSpec) -> Iterator[Use]:
    """Every mention of a clause in a spec, in the order of the file."""
    if spec.source is not None:
        yield from _listed(spec.source.clauses, ("source",))
    for group in ("products", "formula"):
        for index, entry in enumerate(getattr(spec, group)):
            yield from _listed(entry.clauses, (group, index))
    for index, param in enumerate(spec.params):
        for name, clauses in param.clauses.items():
            for position, clause in enumerate(clauses):
                yield Use(clause, ("params", index, "clauses", name, position))
    for group in ("dtypes", "checks", "examples", "notes"):
        for index, entry in enumerate(getattr(spec, group)):
            names = _elements(spec, entry) if isinstance(entry, Check) else ("",)
            for name in names:
                yield from _listed(tuple(clause.replace("{it}", name) for clause in entry.clauses), (group, index))


def _listed(clauses: tuple[str, ...], path: Path) -> Iterator[Use]:
    for position, clause in enumerate(clauses):
        yield Use(clause, (*path, "clauses", position))


def _elements(spec: OperatorSpec, check: Check) -> tuple[str, ...]:
    """The parameters that ``{it}`` stands for in an entry."""
    if isinstance(check, Rule):
        return check.each or ("",)
    if isinstance(check, TableCheck):
        return tuple(param.name for param in spec.params) if check.targets == "all" else check.targets
    return ("",)


Kind: TypeAlias = Literal["interface", "product", "formula", "field", "row", "rule", "precision", "example", "note"]
Mention: TypeAlias = tuple[Kind, str, tuple[str, ...]]
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
_ANCHORS: dict[Kind, str] = {
    "interface": "prototype",
    "product": "products",
    "formula": "formula-{}",
    "field": "param-{}",
    "row": "dtypes",
    "rule": "rule-{}",
    "precision": "precision",
    "example": "example-{}",
    "note": "note-{}",
}


def clause_anchor(clause: str) -> str:
    """The anchor of a clause on the page of its document's operator."""
    return f"clause-{clause.replace('.', '-')}"


@dataclass(frozen=True, slots=True)
class Carrier:
    """A place of a spec that names clauses.

    ``name`` says which one of its kind: a rule's id, ``gradOut.dtype``, a product's key. ``anchor`` is its place on the
    manual page of the operator, ``rules`` are the rules that enforce it.
    """

    operator: str
    kind: Kind
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
    """The carriers of one operator; what names clauses in several places is one carrier."""
    found: dict[tuple[Kind, str], list[str]] = {}
    for kind, name, clauses in _mentions(operator):
        if clauses:
            found.setdefault((kind, name), []).extend(clauses)
    for (kind, name), named in found.items():
        anchor = _ANCHORS[kind].format(name.partition(".")[0])
        rules = tuple(dict.fromkeys(_rules(operator, kind, name)))
        yield Carrier(operator.spec.op, kind, name, anchor, tuple(dict.fromkeys(named)), rules)


def _mentions(operator: Operator) -> Iterator[Mention]:
    """Everything in a spec that may name clauses, with those it names."""
    spec = operator.spec
    if spec.source is not None:
        yield "interface", spec.header, spec.source.clauses
    yield from (("product", listed.product, listed.clauses) for listed in spec.products)
    yield from (("formula", formula.id, formula.clauses) for formula in spec.formula)
    for param in spec.params:
        yield from (("field", f"{param.name}.{field}", clauses) for field, clauses in param.clauses.items())
    yield from (("row", str(number), row.clauses) for number, row in enumerate(spec.dtypes, 1))
    yield from (("rule", rule.id, rule.clauses) for rule in operator.info.rules)
    for check, param_name, rule_id in _lent(operator):
        yield "rule", rule_id, tuple(clause.replace("{it}", param_name) for clause in check.clauses)
    precision = () if spec.compute is None else spec.compute.precision
    yield from (("precision", str(number), row.clauses) for number, row in enumerate(precision, 1))
    yield from (("example", example.id, example.clauses) for example in spec.examples)
    yield from (("note", note.id, note.clauses) for note in spec.notes)


def _lent(operator: Operator) -> Iterator[tuple[TableCheck, str, str]]:
    """Entries without a rule of their own, by parameter, with the rule that they say covers their fact."""
    for check in operator.spec.checks:
        if isinstance(check, TableCheck) and check.by is not None and check.targets != "all":
            yield from ((check, name, check.by.replace("{it}", Name(name).kebab)) for name in check.targets)


def _rules(operator: Operator, kind: Kind, name: str) -> Iterator[str]:
    """The rules that fail where what the carrier says does not hold."""
    rules = operator.info.rules
    if kind == "rule":
        yield name
    elif kind == "row":
        yield from (rule.id for rule in rules if rule.kind in ("dtype", "dtypes"))
    elif kind == "product":
        yield from (rule.id for rule in rules if rule.kind == "product")
    elif kind == "field":
        param, _, field = name.partition(".")
        fact = FACTS.get(field)
        yield from (rule.id for rule in rules if rule.kind == fact and param in rule.params)
        yield from (lent for check, named, lent in _lent(operator) if check.kind == fact and named == param)
