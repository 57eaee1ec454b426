"""The stages of the pipeline, one function each."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from functools import lru_cache
from pathlib import Path, PurePosixPath

from aclspec.codegen.compile.calls import WrittenCall, compile_calls
from aclspec.codegen.compile.context import Context
from aclspec.codegen.derive import Cases, derive_cases
from aclspec.codegen.derive.covered import covered
from aclspec.codegen.emit.operator import Functions
from aclspec.codegen.emit.operator import emit as emit_functions
from aclspec.codegen.pipeline.cache import Entry
from aclspec.codegen.pipeline.load import Compiled, Document, analyse, compile_spec, has_errors, load_tables, read_spec
from aclspec.codegen.pipeline.signatures import read_signatures
from aclspec.codegen.render.build import OperatorBuild, target_of
from aclspec.codegen.render.environment import format_python
from aclspec.codegen.render.project import (
    Contribution,
    contribution_of,
    render_files,
    render_runtime_tables,
    render_shared,
)
from aclspec.codegen.render.signatures import render_table
from aclspec.codegen.source.findings import Finding, SpecErrors, display_path
from aclspec.codegen.spec.project import Operator, Project
from aclspec.runtime.rules.operator_data import FOLDER, info_of

__all__ = ["analyse_spec", "compile_document", "derive", "emit", "read_spec", "render", "render_common", "tables_of"]


@lru_cache(maxsize=1)
def tables_of(root: Path, key: str) -> Project:
    """Load the tables that all operators share, once for each key, the hash of their content."""
    tables, findings = load_tables(root)
    _refuse(findings)
    return tables


def compile_document(document: Document, tables: Project) -> Compiled:
    """Compile a spec; one that does not fit the model is refused."""
    compiled = compile_spec(document, tables)
    if document.is_guess or compiled is None:
        raise SpecErrors(document.source.findings)
    return compiled


def operator_of(root: Path, file: Path, tables: Project) -> Operator:
    """Read, compile and analyse a spec; one with errors is refused."""
    return analyse_spec(compile_document(read_spec(root, file, tables), tables), tables)


def analyse_spec(compiled: Compiled, tables: Project) -> Operator:
    """Analyse a spec and refuse its errors."""
    operator = analyse(compiled, tables)
    _refuse([*compiled.document.source.findings, *compiled.context.findings])
    return operator


def derive(operator: Operator, kept: tuple[WrittenCall, ...] = ()) -> Cases:
    """Derive the cases of an operator; an error for a rule that provably never decides, or does not cover its fact.

    ``kept`` are calls beside those that its spec states.
    """
    context = Context(operator.spec, operator.source, (), [])
    cases = derive_cases(operator.info, covered(operator), (*compile_calls(context), *kept))
    file = display_path(operator.path)
    name = context.at(("op",))
    places = [(one.at or operator.places.get(one.rule, name), one.message) for one in cases.errors]
    _refuse([Finding(file, at, "derivation", text) for at, text in places])
    return cases


def emit(operator: Operator, tables: Project) -> Functions:
    """Emit the functions of an operator, for every product."""
    return emit_functions(operator.info, tuple(product.key for product in tables.products), tables.groups)


def render(build: OperatorBuild, tables: Project, package: str) -> Entry:
    """Render the files of an operator, and its contribution to the shared ones."""
    return _entry(render_files(tables, build, target_of(tables, package)), contribution_of(build).to_json())


def render_declared(tables: Project, specified: Collection[str], package: str) -> Entry:
    """Render the table of the operators known by signature alone; ``specified`` have a spec."""
    declared, findings = read_signatures(tables.root, tables, specified)
    _refuse(findings)
    return _entry(render_table(declared, target_of(tables, package)), {})


def render_common(operators: Iterable[Entry], tables: Project, package: str, with_runtime: bool) -> Entry:
    """Render the shared files from those of all operators, and on demand the tables of the runtime."""
    target = target_of(tables, package)
    entries = sorted(operators, key=lambda entry: str(entry.contribution["name"]))
    contributions = [Contribution.from_json(entry.contribution) for entry in entries]
    data = (target.folder / FOLDER / f"{one.snake}.json" for one in contributions)
    infos = [info_of(json.loads(entry.files[str(path)])) for entry, path in zip(entries, data, strict=True)]
    files = render_shared(tables, contributions, infos, target)
    return _entry({**files, **(render_runtime_tables(tables) if with_runtime else {})}, {})


def _entry(files: dict[PurePosixPath, str], contribution: dict[str, object]) -> Entry:
    return Entry({str(path): text for path, text in format_python(files).items()}, contribution)


def _refuse(findings: list[Finding]) -> None:
    if has_errors(findings):
        raise SpecErrors(findings)
