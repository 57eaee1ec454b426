"""What the site shows that follows from the specs: operators, the pages over all of them, the scripts of the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from aclspec.codegen.pages.diagram import diagram, example_shapes
from aclspec.codegen.pages.indexes import render_indexes
from aclspec.codegen.pages.matrix import matrix
from aclspec.codegen.pages.operator import Page, operator_pages
from aclspec.codegen.pages.probes import Probes
from aclspec.codegen.render.build import target_of
from aclspec.codegen.render.grammar import render_script as render_script_of_grammar
from aclspec.codegen.render.javascript.files import FOLDER, render_script, render_shared_scripts
from aclspec.codegen.render.manual.words import LANGS, Lang
from aclspec.codegen.spec.project import Project
from aclspec.runtime.testing.suite import Suite


@dataclass(frozen=True, slots=True)
class Site:
    """The pages of operators in HTML, and the other files as texts, by their paths below the folder of pages."""

    pages: dict[str, Page]
    files: dict[str, str]


def site_of(project: Project, suites: Mapping[str, Suite]) -> Site:
    """The generated part of the site; the form starts from calls of ``suites``."""
    pages: dict[str, Page] = {}
    for operator in project.operators:
        probes = Probes(operator.info)
        tensors = example_shapes(operator) if operator.info.facts.has_rules else ()
        for lang in LANGS:
            table, figure = matrix(operator, lang, probes), diagram(tensors, lang)
            found = operator_pages(project, operator, lang, table, figure)
            pages |= {f"{lang}/operators/{path}.md": page for path, page in found.items()}
    scripts = {path.relative_to("docs").as_posix(): text for path, text in render_scripts(project, suites).items()}
    grammar = render_script_of_grammar(project.pasted, (operator.info for operator in project.operators))
    return Site(pages, render_indexes(project) | scripts | {f"{FOLDER.relative_to('docs')}/grammar.js": grammar})


def render_scripts(
    project: Project, suites: Mapping[str, Suite], langs: Sequence[Lang | None] = LANGS
) -> dict[PurePosixPath, str]:
    """The scripts of the form, one for each operator and language; None stands for one in all languages."""
    target = target_of(project)
    files = render_shared_scripts(project, target)
    for operator in project.operators:
        info = operator.info
        if info.name in suites:
            suite = replace(suites[info.name], info=info)
            for lang in langs:
                files |= render_script(project, info, suite, target, lang)
    return files
