"""Load a directory of specs: every file read, checked and compiled, or every finding of the run."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from aclspec.codegen.compile.context import Context
from aclspec.codegen.compile.operator import compile_operator
from aclspec.codegen.findings import Finding, SpecErrors
from aclspec.codegen.naming import Name
from aclspec.codegen.spec.common import ClausesFile, ProductsFile, ProductSpec, StatusSpec
from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.codegen.validate import validate
from aclspec.codegen.yamltext import Source, read
from aclspec.runtime.info import OperatorInfo

COMMON, CLAUSES = "common", "clauses"


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: its model, its compiled form and the file they come from."""

    spec: OperatorSpec
    info: OperatorInfo
    source: Source

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
    warnings: tuple[Finding, ...] = ()


def find_specs(given: Path | str | None = None) -> Path:
    """The directory of specs: the one given, else the checkout's, else the one installed with the package."""
    if given is not None:
        return Path(given)
    checkout = Path(__file__).resolve().parents[3] / "specs"
    if (checkout / COMMON).is_dir():
        return checkout
    return Path(str(resources.files("aclspec"))) / "specs"


def load_project(root: Path | str | None = None) -> Project:
    """Load a directory of specs; raise `SpecErrors` with all findings when one of them is an error."""
    path = find_specs(root)
    products_source = read(path / COMMON / "products.yaml")
    products = validate(products_source, ProductsFile)
    findings = list(products_source.findings)
    operators = []
    for file in sorted(path.glob("*/*.yaml")):
        if file.parent.name in (COMMON, CLAUSES):
            continue
        source = read(file)
        spec = validate(source, OperatorSpec)
        findings += source.findings
        if spec is None or products is None:
            continue
        context = Context(spec, source, products.products, findings)
        info, _ = compile_operator(context, f"specs/{file.relative_to(path).as_posix()}")
        operators.append(Operator(spec, info, source))
    if findings:
        raise SpecErrors(findings)
    return Project(path, tuple(operators), products.products if products else (), (), ())
