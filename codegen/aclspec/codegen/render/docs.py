"""The manual: a page for every operator, and the pages over all of them, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from aclspec.codegen.load import Operator, Project
from aclspec.codegen.render.environment import template
from aclspec.codegen.render.manual.indexes import IndexEntry, index_entry, indexes
from aclspec.codegen.render.manual.page import operator_page
from aclspec.codegen.render.manual.words import LANGS
from aclspec.runtime.info import OperatorInfo

_INDEXES = {
    "operators/index.md": "index.md.j2",
    "support.md": "support.md.j2",
    "products.md": "products.md.j2",
    "status-codes.md": "status-codes.md.j2",
}


def render_docs(project: Project, operator: Operator) -> dict[PurePosixPath, str]:
    """The pages of one operator, by their path below the generated files."""
    return {
        PurePosixPath("docs", lang, "operators", f"{operator.info.snake}.md"): template("docs/operator.md.j2").render(
            page=operator_page(project, operator, lang)
        )
        for lang in LANGS
    }


def render_doc_indexes(project: Project) -> dict[PurePosixPath, str]:
    """The pages over all operators, by their path below the generated files."""
    return render_indexes(project, [index_entries(operator.info) for operator in project.operators])


def index_entries(info: OperatorInfo) -> tuple[IndexEntry, ...]:
    """What an operator gives to the pages over all operators, in every language."""
    return tuple(index_entry(info, lang) for lang in LANGS)


def render_indexes(project: Project, entries: Sequence[tuple[IndexEntry, ...]]) -> dict[PurePosixPath, str]:
    """The pages over operators that are known by their entries; ``project`` has the tables."""
    found: dict[PurePosixPath, str] = {}
    for place, lang in enumerate(LANGS):
        page = indexes(project, [entry[place] for entry in entries], lang)
        for path, name in _INDEXES.items():
            found[PurePosixPath("docs", lang, path)] = template(f"docs/{name}").render(page=page)
    return found
