"""The manual: a page for every operator, and the pages over all of them, in English and Chinese."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from aclspec.codegen.load import Operator, Project
from aclspec.codegen.render.manual.indexes import indexes
from aclspec.codegen.render.manual.page import operator_page
from aclspec.codegen.render.manual.words import LANGS

_TEMPLATES = Path(__file__).parent / "templates" / "docs"
_INDEXES = {
    "operators/index.md": "index.md.j2",
    "products.md": "products.md.j2",
    "status-codes.md": "status-codes.md.j2",
}


def render_docs(project: Project, operator: Operator) -> dict[PurePosixPath, str]:
    """The pages of one operator, by their path below the generated files."""
    return {
        PurePosixPath("docs", lang, "operators", f"{operator.info.snake}.md"): _rendered(
            "operator.md.j2", operator_page(project, operator, lang)
        )
        for lang in LANGS
    }


def render_doc_indexes(project: Project) -> dict[PurePosixPath, str]:
    """The pages over all operators, by their path below the generated files."""
    return {
        PurePosixPath("docs", lang, path): _rendered(template, indexes(project, lang))
        for lang in LANGS
        for path, template in _INDEXES.items()
    }


def _rendered(template: str, page: object) -> str:
    return _environment().get_template(template).render(page=page)


@cache
def _environment() -> Environment:
    """Markdown is written as it stands: nothing is escaped here, every text comes escaped."""
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        comment_start_string="<#",  # the usual one begins an anchor of a heading
        comment_end_string="#>",
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
