"""The manual: a page for every operator, and the pages over all of them, in English and Chinese."""

from __future__ import annotations

from pathlib import PurePosixPath

from aclspec.codegen.load import Operator, Project
from aclspec.codegen.render.environment import template
from aclspec.codegen.render.manual.indexes import indexes
from aclspec.codegen.render.manual.page import operator_page
from aclspec.codegen.render.manual.words import LANGS

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
    return {
        PurePosixPath("docs", lang, path): template(f"docs/{name}").render(page=indexes(project, lang))
        for lang in LANGS
        for path, name in _INDEXES.items()
    }
