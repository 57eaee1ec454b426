"""Where each clause of an original document is carried out, as a link into the operator's page."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

from aclspec.codegen.carriers import Carrier, carriers_of
from aclspec.codegen.load import Operator, Project
from aclspec.codegen.render.manual.markdown import code, escaped
from aclspec.codegen.render.manual.words import Lang, labels
from aclspec.codegen.spec.common import ClausesFile, ClauseSpec
from aclspec.codegen.trace.anchors import clause_anchor


@dataclass(frozen=True, slots=True)
class ClauseView:
    """A clause as the page shows it."""

    id: str
    anchor: str
    place: str
    says: str
    carried: str
    note: str


def clause_file(project: Project, operator: Operator) -> ClausesFile | None:
    """The clauses of the document that the operator follows."""
    return next((file for file in project.clauses if file.operator == operator.info.name), None)


def rule_clauses(operator: Operator) -> dict[str, tuple[str, ...]]:
    """The clauses of each rule, with those of the table's facts that it carries."""
    found = {carrier.name: carrier.clauses for carrier in carriers_of(operator) if carrier.kind == "rule"}
    return {rule.id: found.get(rule.id, ()) for rule in operator.info.rules}


def clause_views(project: Project, operator: Operator, lang: Lang) -> tuple[ClauseView, ...]:
    """Every clause of the operator's document."""
    file = clause_file(project, operator)
    found = list(carriers_of(operator))
    return tuple(
        _view(clause, [carrier for carrier in found if clause.id in carrier.clauses], lang)
        for clause in (file.clauses if file else ())
    )


def _view(clause: ClauseSpec, carried: list[Carrier], lang: Lang) -> ClauseView:
    words = labels(lang)
    if carried:
        links = dict.fromkeys(f"[{_label(carrier, words)}](#{carrier.anchor})" for carrier in carried)
        told = ", ".join(links)
    elif clause.waiver is not None:
        told = words.waived.format(escaped(getattr(clause.waiver, lang)))
    else:
        told = words.a_test
    note = "" if clause.note is None else escaped(getattr(clause.note, lang))
    place, says = escaped(getattr(clause.place, lang)), escaped(getattr(clause.says, lang))
    return ClauseView(clause.id, clause_anchor(clause.id), place, says, told, note)


def _label(carrier: Carrier, words: SimpleNamespace) -> str:
    """What the link to a carrier says."""
    by_kind = {"interface": words.prototype_link, "row": words.rows_link, "precision": words.precision_link}
    return by_kind.get(carrier.kind) or code(carrier.name)
