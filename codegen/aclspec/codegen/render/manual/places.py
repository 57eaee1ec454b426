"""Where each part of a spec stands: the sections of its operator's page, and the page of every anchor."""

from __future__ import annotations

from collections.abc import Iterable

from aclspec.codegen.compile.clauses import clause_anchor
from aclspec.codegen.spec.project import Operator, Project
from aclspec.codegen.spec.tables import ClausesFile, ClauseSpec


def clauses_file(project: Project, operator: Operator) -> ClausesFile | None:
    """The clauses of the original document of an operator."""
    return next((file for file in project.clauses if file.operator == operator.info.name), None)


def clauses_of(project: Project, operator: Operator) -> tuple[ClauseSpec, ...]:
    """The clauses themselves."""
    file = clauses_file(project, operator)
    return () if file is None else tuple(file.clauses)


def sections(operator: Operator) -> tuple[str, ...]:
    """The anchors of the sections of an operator's page, in their order."""
    info, spec = operator.info, operator.spec
    has_rules, has_kernel = info.facts.has_rules, info.facts.has_kernel
    shown = {
        "prototype": True,
        "ask": has_rules,
        "products": True,
        "formulas": bool(spec.formula),
        "parameters": True,
        "dtypes": bool(info.rows),
        "checks": has_rules,
        "outputs": bool(has_rules and (info.infer or info.not_inferred)),
        "precision": has_kernel,
        "caveats": bool(info.caveats),
        "notes": bool(spec.notes),
        "examples": bool(info.examples),
        "more": True,
    }
    return tuple(section for section, is_shown in shown.items() if is_shown)


def places(operator: Operator, clauses: Iterable[ClauseSpec]) -> dict[str, str]:
    """The page of each anchor, by its path below the folder of operators without its suffix."""
    info, spec = operator.info, operator.spec
    first, *further = [f"example-{example.id}" for example in info.examples] or [""]
    here = [
        *sections(operator),
        *(f"formula-{formula.id}" for formula in spec.formula),
        *(f"param-{param.name}" for param in info.params),
        *(f"rule-{rule.id}" for rule in info.checks),
        *(f"note-{note.id}" for note in spec.notes),
        *(f"caveat-{caveat.id}" for caveat in info.caveats),
        *filter(None, [first]),
    ]
    found = dict.fromkeys(here, info.snake)
    found |= dict.fromkeys(further, f"{info.snake}/examples")
    return found | dict.fromkeys((clause_anchor(clause.id) for clause in clauses), f"{info.snake}/clauses")
