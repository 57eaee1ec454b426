"""Where each clause of an original document is carried out, as a link into the operator's page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aclspec.codegen.load import Operator, Project
from aclspec.codegen.naming import Name
from aclspec.codegen.render.manual.markdown import code, escaped
from aclspec.codegen.render.manual.words import Lang, labels
from aclspec.codegen.spec.checks import TableCheck
from aclspec.codegen.spec.common import ClausesFile, ClauseSpec


@dataclass(frozen=True, slots=True)
class Carrier:
    """Something of the spec that carries a clause: its anchor on the page and a name for the link."""

    anchor: str
    label: str


@dataclass(frozen=True, slots=True)
class ClauseView:
    """A clause as the page shows it."""

    id: str
    anchor: str
    place: str
    says: str
    carried: str
    note: str


def clause_anchor(clause: str) -> str:
    """The anchor of a clause: dots would need quoting in a style sheet."""
    return f"clause-{clause.replace('.', '-')}"


def clause_file(project: Project, operator: Operator) -> ClausesFile | None:
    """The clauses of the document that the operator follows."""
    return next((file for file in project.clauses if file.operator == operator.info.name), None)


def rule_clauses(operator: Operator) -> dict[str, tuple[str, ...]]:
    """The clauses of each rule, with those of the table's facts that it carries."""
    found = {rule.id: list(rule.clauses) for rule in operator.info.rules}
    for check in operator.spec.checks:
        if isinstance(check, TableCheck) and check.by is not None and check.targets != "all":
            for target in check.targets:
                rule = found.get(check.by.replace("{it}", Name(target).kebab), [])
                rule.extend(clause.replace("{it}", target) for clause in check.clauses)
    return {rule: tuple(dict.fromkeys(clauses)) for rule, clauses in found.items()}


def carriers(operator: Operator) -> dict[str, list[Carrier]]:
    """For each clause what carries it, in the order of the page."""
    found: dict[str, list[Carrier]] = {}
    for clause, carrier in _pairs(operator):
        known = found.setdefault(clause, [])
        if carrier not in known:
            known.append(carrier)
    return found


def _pairs(operator: Operator) -> Iterator[tuple[str, Carrier]]:
    spec = operator.spec
    if spec.source is not None:
        yield from ((clause, Carrier("prototype", "")) for clause in spec.source.clauses)
    for product in spec.products:
        yield from ((clause, Carrier("products", product.product)) for clause in product.clauses)
    for formula in spec.formula:
        yield from ((clause, Carrier(f"formula-{formula.id}", formula.id)) for clause in formula.clauses)
    for param in spec.params:
        for field, clauses in param.clauses.items():
            yield from ((clause, Carrier(f"param-{param.name}", f"{param.name} {field}")) for clause in clauses)
    for row in spec.dtypes:
        yield from ((clause, Carrier("dtypes", "dtypes")) for clause in row.clauses)
    for rule, clauses in rule_clauses(operator).items():
        yield from ((clause, Carrier(f"rule-{rule}", rule)) for clause in clauses)
    for example in spec.examples:
        yield from ((clause, Carrier(f"example-{example.id}", example.id)) for clause in example.clauses)
    for note in spec.notes:
        yield from ((clause, Carrier(f"note-{note.id}", note.id)) for clause in note.clauses)


def clause_views(project: Project, operator: Operator, lang: Lang) -> tuple[ClauseView, ...]:
    """Every clause of the operator's document."""
    file = clause_file(project, operator)
    links = carriers(operator)
    return tuple(_view(clause, links.get(clause.id, []), lang) for clause in (file.clauses if file else ()))


def _view(clause: ClauseSpec, carried: list[Carrier], lang: Lang) -> ClauseView:
    words = labels(lang)
    if carried:
        told = ", ".join(
            f"[{code(one.label) if one.label else words.prototype_link}](#{one.anchor})" for one in carried
        )
    elif clause.waiver is not None:
        told = words.waived.format(escaped(getattr(clause.waiver, lang)))
    else:
        told = words.a_test
    note = "" if clause.note is None else escaped(getattr(clause.note, lang))
    place, says = escaped(getattr(clause.place, lang)), escaped(getattr(clause.says, lang))
    return ClauseView(clause.id, clause_anchor(clause.id), place, says, told, note)
