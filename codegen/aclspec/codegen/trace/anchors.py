"""The anchors of the generated manual, and the ones it must have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from aclspec.codegen.load import Operator
from aclspec.codegen.spec.common import ClausesFile
from aclspec.codegen.trace.marks import relative

LANGUAGES = ("en", "zh")
_ANCHOR = re.compile(r"\{:?\s*#([A-Za-z0-9._-]+)[^}]*\}|\bid=\"([A-Za-z0-9._-]+)\"")
_OWNED = ("rule-", "param-", "formula-", "example-", "note-", "clause-")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the manual with the anchors that it has; ``exists`` tells an empty page from a missing one."""

    file: str
    anchors: frozenset[str]
    exists: bool


def read_page(root: Path, path: Path) -> Page:
    """The anchors of a page on disk."""
    file = relative(root, path)
    if not path.is_file():
        return Page(file, frozenset(), exists=False)
    text = path.read_text(encoding="utf-8")
    return Page(file, frozenset(one or other for one, other in _ANCHOR.findall(text)), exists=True)


def operator_pages(root: Path, generated: Path, operator: Operator) -> tuple[Page, ...]:
    """The pages of an operator, one per language."""
    return tuple(
        read_page(root, generated / "docs" / language / "operators" / f"{operator.name.snake}.md")
        for language in LANGUAGES
    )


def clause_anchor(clause: str) -> str:
    """The anchor of a clause on the page of its document's operator."""
    return f"clause-{clause.replace('.', '-')}"


def wanted(operator: Operator, files: Iterable[ClausesFile]) -> Iterator[str]:
    """The anchors that the pages of an operator must have: everything of its spec, and the clauses of its document."""
    spec = operator.spec
    yield from (f"rule-{rule.id}" for rule in operator.info.rules)
    yield from (f"param-{param.name}" for param in spec.params)
    yield from (f"formula-{formula.id}" for formula in spec.formula)
    yield from (f"example-{example.id}" for example in spec.examples)
    yield from (f"note-{note.id}" for note in spec.notes)
    yield from ("prototype", "products", "precision", *(["dtypes"] if spec.dtypes else []))
    for file in files:
        if file.operator == spec.op:
            yield from (clause_anchor(clause.id) for clause in file.clauses)


def missing(page: Page, anchors: set[str]) -> list[str]:
    """The anchors that a page lacks."""
    return sorted(anchors - page.anchors)


def unknown(page: Page, anchors: set[str]) -> list[str]:
    """The anchors of a page that speak of something that the specs do not have."""
    return sorted(anchor for anchor in page.anchors - anchors if anchor.startswith(_OWNED))
