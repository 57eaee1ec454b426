"""Load a directory of specs: every file read, compiled and analysed, or every finding of the run."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from aclspec.codegen.analysis.consistency import check_operator
from aclspec.codegen.analysis.style import check_directory, check_style
from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.clauses import check_clauses
from aclspec.codegen.compile.context import Context
from aclspec.codegen.compile.fingerprint import rule_digests
from aclspec.codegen.compile.operator import compile_operator
from aclspec.codegen.compile.reference import check_forward
from aclspec.codegen.pipeline.lock import LockedRule, check_lock
from aclspec.codegen.pipeline.signatures import check_signatures, read_signatures
from aclspec.codegen.source.findings import START, Finding, SpecErrors, display_path
from aclspec.codegen.source.folders import (
    CLAUSES,
    COMMON,
    LOCK,
    SIGNATURES,
    find_specs,
    operator_files,
    operator_names,
    related_files,
)
from aclspec.codegen.source.yaml_tree import Source, read
from aclspec.codegen.spec.families import use_families
from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.codegen.spec.project import Operator, Project
from aclspec.codegen.spec.shorthand import expand_operator, raise_level
from aclspec.codegen.spec.tables import read_tables
from aclspec.codegen.spec.validation import guess, validate
from aclspec.codegen.spec.variants import take_base
from aclspec.runtime.rules.levels import Level
from aclspec.runtime.rules.operator_info import OperatorInfo


@dataclass(frozen=True, slots=True)
class Document:
    """A spec file as read: its model, or the model that a file with slips most likely means, and its name."""

    source: Source
    model: OperatorSpec | None
    is_guess: bool
    name: str


@dataclass(frozen=True, slots=True)
class Compiled:
    """A spec after compilation, whose findings are in the context."""

    document: Document
    context: Context
    info: OperatorInfo
    checks: ChecksCompiler


def load_project(root: Path | str | None = None) -> Project:
    """Load a directory of specs; raise `SpecErrors` with all findings when one of them is an error."""
    project, findings = load_specs(find_specs(root))
    if project is None or has_errors(findings):
        raise SpecErrors(findings)
    return project


def load_specs(
    root: Path, level: Level | None = None, only: Path | None = None
) -> tuple[Project | None, list[Finding]]:
    """The correct part of a directory of specs, and all findings; None without a directory.

    With a level, the specs below it are read as if they were of it; with ``only``, just that file and those that it
    names.
    """
    if not root.is_dir():
        text = f"The directory of specs ({root}) does not exist."
        return None, [Finding(display_path(root), START, "no-directory", text)]
    with uncollected():
        return _load_specs(root, level, only)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without garbage collection: what is loaded stays, and looks at it take a quarter of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _load_specs(root: Path, level: Level | None, only: Path | None) -> tuple[Project, list[Finding]]:
    tables, findings = load_tables(root)
    files = operator_files(root) if only is None else related_files(root, only)
    if not files and only is None:
        text = "The directory of specs holds no YAML file of an operator."
        findings.append(Finding(display_path(root), START, "no-operator", text))
    operators = []
    for file in files:
        operator, found = load_operator(root, file, tables, level)
        findings += found
        operators += [operator] if operator is not None else []
    findings += _duplicates(operators)
    findings += _forwards(operators)
    findings += check_directory(root) if only is None else []
    operators.sort(key=lambda operator: operator.info.name)
    declared: tuple[OperatorInfo, ...] = ()
    if only is None or only.name == SIGNATURES:
        declared, found = read_signatures(root, tables, operator_names(root))
        findings += found
    warnings = tuple(sorted(findings, key=lambda finding: finding.sort_key))
    return replace(tables, operators=tuple(operators), declared=declared, warnings=warnings), findings


def load_tables(root: Path) -> tuple[Project, list[Finding]]:
    """A project without operators: the tables of a directory of specs, completed by those of the package."""
    findings: list[Finding] = []
    tables = read_tables((root / COMMON, find_specs() / COMMON), root / CLAUSES, findings)
    shared = (tables.products, tables.statuses, tables.clauses, tables.groups, tables.families)
    return Project(root, (), *shared, pasted=tables.pasted), findings


def read_spec(root: Path, file: Path, tables: Project, level: Level | None = None) -> Document:
    """Load one file, its short forms expanded; one below a level as if it were of it."""
    source = read(file)
    take_base(source, root, tables.families)
    if level is not None:
        raise_level(source.tree, level)
    use_families(source, tables.families)
    source.tree = expand_operator(source.tree, file.parent.name, tables.groups)
    model = validate(source, OperatorSpec)
    name = f"{root.resolve().name}/{file.relative_to(root).as_posix()}"
    return Document(source, model or guess(source, OperatorSpec), model is None, name)


def compile_spec(document: Document, tables: Project) -> Compiled | None:
    """Compile one spec; None where it does not fit the model or there are no products."""
    if document.model is None or not tables.products:
        return None
    context = Context(document.model, document.source, tables.products, [])
    return Compiled(document, context, *compile_operator(context, document.name))


def analyse(compiled: Compiled, tables: Project) -> Operator:
    """Check the consistency, the clauses and the style of one operator; the findings go to its context."""
    context, info = compiled.context, compiled.info
    check_operator(context, info, compiled.checks)
    check_clauses(context, tables.clauses)
    check_style(context, info)
    places = {rule: context.at(path) for rule, path in compiled.checks.paths.items()}
    return Operator(context.spec, info, context.source, places)


def has_errors(findings: Sequence[Finding]) -> bool:
    """Whether one of the findings is an error."""
    return any(finding.severity == "error" for finding in findings)


def load_operator(
    root: Path, file: Path, tables: Project, level: Level | None = None
) -> tuple[Operator | None, list[Finding]]:
    """One operator, None where its file does not fit the model, and the findings; with a level as `load_specs`."""
    document = read_spec(root, file, tables, level)
    compiled = compile_spec(document, tables)
    if compiled is None:
        return None, document.source.findings
    operator = analyse(compiled, tables)
    return None if document.is_guess else operator, [*document.source.findings, *compiled.context.findings]


def _duplicates(operators: Sequence[Operator]) -> list[Finding]:
    """Files of the same operator, in any casing."""
    findings: list[Finding] = []
    seen: dict[str, Operator] = {}
    for operator in operators:
        first = seen.setdefault(operator.info.snake, operator)
        if first is not operator:
            context = Context(operator.spec, operator.source, (), [])
            text = f"An operator ({operator.info.name}) is already the subject of {first.source.file}."
            findings.append(Finding(operator.source.file, context.at(("op",)), "duplicate-id", text))
    return findings


def _forwards(operators: Sequence[Operator]) -> list[Finding]:
    """What is wrong with what gradients name of their forward operators."""
    found: list[Finding] = []
    by_module = {operator.info.snake: operator.info for operator in operators}
    for operator in operators:
        reference = operator.info.compute.reference
        if reference is not None and reference.kind == "gradient":
            check_forward(Context(operator.spec, operator.source, (), found), reference, by_module)
    return found


def _without_reference(operators: Sequence[Operator]) -> list[Finding]:
    """The operators whose numbers no test compares with anything but examples."""
    found: list[Finding] = []
    for operator in operators:
        if operator.spec.compute is not None and operator.spec.compute.reference is None:
            context = Context(operator.spec, operator.source, (), found)
            text = "The key (reference) of compute is missing; level computed wants one, or reasons under unchecked."
            context.report(("compute",), "missing-reference", text, key=True, severity="warning")
    return found


def lint(paths: Iterable[Path] = (), level: Level | None = None) -> list[Finding]:
    """The findings of directories and single files; without any path, of the specs that are found.

    With a level, also what the specs below it want to be of it.
    """
    findings: set[Finding] = set()
    for path in list(paths) or [find_specs()]:
        if path.is_dir():
            findings.update(_lint_directory(path, level))
        elif path.is_file():
            name = display_path(path)
            root = root_of(path)
            findings.update(finding for finding in _lint_directory(root, level, path) if finding.file == name)
        else:
            findings.add(Finding(display_path(path), START, "no-file", f"The path ({path}) does not exist."))
    return sorted(findings, key=lambda finding: finding.sort_key)


def root_of(file: Path) -> Path:
    """The directory of specs that a file belongs to: the one with the tables, else the one above its category."""
    parents = file.resolve().parents
    above = parents[0 if file.name == SIGNATURES else 1]
    return next((parent for parent in parents if (parent / COMMON / "products.yaml").is_file()), above)


def _lint_directory(root: Path, level: Level | None, only: Path | None = None) -> list[Finding]:
    project, findings = load_specs(root, level, only)
    if project is not None:
        findings += check_signatures(root, project.operators)
        findings += _without_reference(project.operators) if level == "computed" else ()
    if project is not None and not has_errors(findings) and (root / LOCK).is_file():
        rules = [LockedRule(*rule) for operator in project.operators for rule in rule_digests(operator)]
        findings += check_lock(root, rules)
    return findings
