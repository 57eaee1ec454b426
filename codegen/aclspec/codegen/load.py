"""Load a directory of specs: every file read, checked and compiled, or every finding of the run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.context import Context, Unplaced
from aclspec.codegen.compile.operator import compile_operator
from aclspec.codegen.consistency import check_operator
from aclspec.codegen.findings import START, Finding, SpecErrors, display_path
from aclspec.codegen.folders import CLAUSES, COMMON, find_specs, operator_files
from aclspec.codegen.naming import Name
from aclspec.codegen.spec.common import ClausesFile, ProductSpec, StatusSpec
from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.codegen.style import check_directory, check_style
from aclspec.codegen.tables import Tables, read_tables
from aclspec.codegen.validate import guess, validate
from aclspec.codegen.yamltext import Source, read
from aclspec.runtime.info import OperatorInfo
from aclspec.runtime.predicate.nodes import Position


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: its model, its compiled form, the file they come from, and the place of each rule in it."""

    spec: OperatorSpec
    info: OperatorInfo
    source: Source = field(repr=False)
    places: Mapping[str, Position] = field(repr=False)

    @property
    def name(self) -> Name:
        """The name in every casing."""
        return Name(self.spec.op)

    @property
    def path(self) -> Path:
        """The YAML file."""
        return self.source.path


@dataclass(frozen=True, slots=True)
class Project:
    """Everything that a directory of specs says; operators in the order of their names."""

    root: Path
    operators: tuple[Operator, ...]
    products: tuple[ProductSpec, ...]
    statuses: tuple[StatusSpec, ...]
    clauses: tuple[ClausesFile, ...]
    warnings: tuple[Finding, ...] = field(default=(), repr=False)

    def operator(self, name: str) -> Operator:
        """The operator of a C name or a snake_case name; KeyError when there is none."""
        for operator in self.operators:
            if name in (operator.info.name, operator.info.snake):
                return operator
        raise KeyError(name)


def load_project(root: Path | str | None = None) -> Project:
    """Load a directory of specs; raise `SpecErrors` with all findings when one of them is an error."""
    loader = Loader(find_specs(root))
    project = loader.load()
    if project is None or any(finding.severity == "error" for finding in loader.findings):
        raise SpecErrors(loader.findings)
    return project


class Loader:
    """One run over a directory; ``findings`` collects errors and warnings of all files."""

    def __init__(self, root: Path) -> None:
        """Prepare to load a directory."""
        self.root = root
        self.findings: list[Finding] = []

    def load(self, only: Collection[Path] | None = None) -> Project | None:
        """The project, as far as its files are right, or some files of it; None without a directory or tables."""
        if not self.root.is_dir():
            text = f"The directory of specs ({self.root}) does not exist."
            self.findings.append(Finding(display_path(self.root), START, "no-directory", text))
            return None
        tables = load_tables(self.root, self.findings)
        files = operator_files(self.root)
        if not files:
            text = "The directory of specs holds no YAML file of an operator."
            self.findings.append(Finding(display_path(self.root), START, "no-operator", text))
        wanted = [file for file in files if only is None or file in only]
        operators = [operator for file in wanted if (operator := self._operator(file, tables)) is not None]
        self._check_names(operators)
        operators.sort(key=lambda operator: operator.info.name)
        self.findings += check_directory(self.root)
        warnings = tuple(sorted(self.findings, key=lambda finding: finding.sort_key))
        return Project(self.root, tuple(operators), tables.products, tables.statuses, tables.clauses, tuple(warnings))

    def _operator(self, file: Path, tables: Tables) -> Operator | None:
        operator, findings = load_operator(self.root, file, tables)
        self.findings += findings
        return operator

    def _check_names(self, operators: list[Operator]) -> None:
        """No two files are the same operator, in any casing."""
        seen: dict[str, Operator] = {}
        for operator in operators:
            first = seen.setdefault(operator.info.snake, operator)
            if first is not operator:
                where = Context(operator.spec, operator.source, (), [])
                text = f"An operator ({operator.info.name}) is already the subject of {first.source.file}."
                self.findings.append(Finding(operator.source.file, where.at(("op",)), "duplicate-id", text))


def load_operator(root: Path, file: Path, tables: Tables) -> tuple[Operator | None, list[Finding]]:
    """One file and what is wrong with it; None when it does not fit the model or without the products."""
    source = read(file)
    spec = validate(source, OperatorSpec)
    meant = spec or guess(source, OperatorSpec)
    if meant is None or not tables.products:
        return None, source.findings
    name = f"{root.resolve().name}/{file.relative_to(root).as_posix()}"
    try:
        context = Context(meant, source, tables.products, [], placed=False)
        info, compiled = _compiled(context, name, tables)
    except Unplaced:
        context = Context(meant, source, tables.products, [])
        info, compiled = _compiled(context, name, tables)
    places = {rule: context.at(path) for rule, path in compiled.paths.items()}
    found = [*source.findings, *context.findings]
    return (None if spec is None else Operator(spec, info, source, places)), found


def _compiled(context: Context, name: str, tables: Tables) -> tuple[OperatorInfo, ChecksCompiler]:
    """An operator by the name of its spec, compiled and looked at from all sides."""
    info, compiled = compile_operator(context, name)
    check_operator(context, info, compiled)
    tables.check_clauses(context)
    check_style(context, info)
    return info, compiled


def load_tables(root: Path, findings: list[Finding]) -> Tables:
    """The tables of a directory of specs, which may rely on those that come with the package."""
    return read_tables((root / COMMON, find_specs() / COMMON), root / CLAUSES, findings)
