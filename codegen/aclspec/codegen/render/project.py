"""Everything that is generated from a project of specs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from aclspec.codegen.load import Operator, Project
from aclspec.codegen.render.docs import render_docs, render_indexes
from aclspec.codegen.render.headers import render_headers
from aclspec.codegen.render.info import render_info
from aclspec.codegen.render.javascript.files import render_script, render_shared_scripts
from aclspec.codegen.render.module import render_operator
from aclspec.codegen.render.package import render_package
from aclspec.codegen.render.report import render_report
from aclspec.codegen.render.samples import render_sample
from aclspec.codegen.render.share import Share, share_of
from aclspec.codegen.render.target import OWN_PACKAGE, Target
from aclspec.codegen.render.tests import render_tests
from aclspec.codegen.schema import schema_files

Files = dict[PurePosixPath, str]
"""Texts by their path below the generated folder."""


def target_of(project: Project, package: str = OWN_PACKAGE) -> Target:
    """The target of a package: the operators of a project on all of its products."""
    return Target(package, tuple(product.key for product in project.products))


def render_project(
    project: Project, package: str = OWN_PACKAGE, progress: Callable[[str], None] | None = None
) -> Files:
    """The text of every generated file, by its path below the generated folder; ``progress`` hears what comes next."""
    target = target_of(project, package)
    files: Files = {}
    for operator in project.operators:
        if progress is not None:
            progress(operator.info.name)
        files |= render_files(project, operator, target)
    files |= render_shared(project, [share_of(operator) for operator in project.operators], target)
    return dict(sorted(files.items()))


def render_shared(project: Project, shares: Sequence[Share], target: Target) -> Files:
    """The files that belong to no single operator; of the project only the tables are asked."""
    files: Files = dict(render_package(shares, target))
    files |= render_indexes(project, [share.entries for share in shares])
    files |= render_shared_scripts(project, target)
    headers = render_headers(share.declared for share in shares)
    files |= {PurePosixPath("include") / path: text for path, text in headers.items()}
    if target.package == OWN_PACKAGE:
        files |= {PurePosixPath(path): text for path, text in schema_files().items()}
    files[PurePosixPath("report.md")] = render_report(project, target, [share.report for share in shares])
    return files


def render_files(project: Project, operator: Operator, target: Target) -> Files:
    """The files of one operator."""
    snake = operator.info.snake
    return {
        target.folder / f"{snake}.py": render_operator(operator, target),
        target.folder / "_info" / f"{snake}.py": render_info(operator, target),
        **render_tests(operator, target),
        **render_sample(operator.info),
        **render_docs(project, operator),
        **render_script(project, operator, target),
    }
