"""Everything that is generated from a project of specs; nothing here touches the disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from pydantic import TypeAdapter

from aclspec.codegen.compile.fingerprint import rule_digests
from aclspec.codegen.derive.report import count
from aclspec.codegen.render.build import OWN_PACKAGE, OperatorBuild, Target, header_line
from aclspec.codegen.render.environment import template
from aclspec.codegen.render.grammar import render_grammar
from aclspec.codegen.render.headers import Declared, declared, render_headers
from aclspec.codegen.render.info import render_info
from aclspec.codegen.render.javascript.files import render_script, render_shared_scripts
from aclspec.codegen.render.manual.page import contents_rows, render_contents, render_docs
from aclspec.codegen.render.module import render_operator
from aclspec.codegen.render.package import render_package
from aclspec.codegen.render.report import OperatorReport, operator_report, render_report
from aclspec.codegen.render.samples import program_of, render_sample_header
from aclspec.codegen.render.targets import in_package
from aclspec.codegen.render.tests import render_tests
from aclspec.codegen.render.torch_names import render_torch_names
from aclspec.codegen.source.folders import GRAMMAR, PRODUCT_TABLE
from aclspec.codegen.spec.json_schema import schema_files
from aclspec.codegen.spec.project import Project
from aclspec.runtime.rules.operator_data import FOLDER
from aclspec.runtime.rules.operator_info import OperatorInfo

Files = dict[PurePosixPath, str]
"""Texts by their path below the generated folder."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """One operator in the package, the list of operators, its C header, the report and the lock."""

    name: str
    snake: str
    rows: tuple[str, ...]
    declared: Declared
    report: OperatorReport
    rules: tuple[tuple[str, str, str, int, int], ...]
    has_sample: bool
    torch: tuple[str, ...]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Contribution:
        """The contribution that some JSON data stands for."""
        return _adapter().validate_python(data)

    def to_json(self) -> dict[str, Any]:
        """The contribution as JSON data."""
        found: dict[str, Any] = _adapter().dump_python(self, mode="json")
        return found


@cache
def _adapter() -> TypeAdapter[Contribution]:
    return TypeAdapter(Contribution)


def contribution_of(build: OperatorBuild) -> Contribution:
    """The contribution of an operator."""
    info = build.info
    return Contribution(
        info.name,
        info.snake,
        contents_rows(info),
        declared(info),
        operator_report(info, count(info, build.cases)),
        rule_digests(build.operator),
        build.operator.spec.sample,
        info.torch,
    )


def render_files(project: Project, build: OperatorBuild, target: Target) -> Files:
    """The files of one operator; its script for the form only in a package of one's own."""
    operator, info = build.operator, build.info
    files = {
        target.folder / f"{info.snake}.py": render_operator(build, target),
        target.folder / FOLDER / f"{info.snake}.json": render_info(info),
        **render_tests(build, target),
        **(program_of(info) if operator.spec.sample else {}),
        **render_docs(operator, target),
    }
    if target.package != OWN_PACKAGE and info.facts.has_rules:
        files |= render_script(project, info, build.cases.suite, target)
    return files


def render_shared(
    project: Project, contributions: Sequence[Contribution], infos: Sequence[OperatorInfo], target: Target
) -> Files:
    """The files that belong to no single operator; of the project only the tables are read."""
    files: Files = dict(render_package(contributions, target))
    files |= render_contents([one.rows for one in contributions], target)
    files |= render_torch_names(contributions, target)
    files |= in_package(infos, target)
    headers = render_headers(one.declared for one in contributions)
    files |= {PurePosixPath("include") / path: text for path, text in headers.items()}
    if any(one.has_sample for one in contributions):
        files |= render_sample_header()
    if target.package == OWN_PACKAGE:
        files |= {PurePosixPath(path): text for path, text in schema_files().items()}
    else:
        files |= render_shared_scripts(project, target)
    files[PurePosixPath("report.md")] = render_report(project, [one.report for one in contributions])
    return files


def render_runtime_tables(project: Project) -> Files:
    """The tables of the runtime, the generated files outside of the generated folder."""
    return {PRODUCT_TABLE: _product_table(project), GRAMMAR: render_grammar(project.pasted)}


def _product_table(project: Project) -> str:
    rows = tuple(
        (one.key, one.name.en, one.name.zh, one.arch, one.bf16, tuple(one.socs), one.aliases)
        for one in project.products
    )
    annotation = "tuple[tuple[str, str, str, int, bool, tuple[str, ...], tuple[str, ...]], ...]"
    return template("product_table.py.j2").render(
        header=header_line("specs/common/products.yaml"),
        keys=[product.key for product in project.products],
        default=next(product.key for product in project.products if product.default),
        table=f"TABLE: {annotation} = {rows}",
    )
