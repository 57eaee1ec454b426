"""The tables that the operators of a directory share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aclspec.codegen.clauses import uses
from aclspec.codegen.compile.context import Context
from aclspec.codegen.findings import Finding, SpecErrors, did_you_mean, display_path, listing
from aclspec.codegen.spec.common import ClausesFile, ProductsFile, ProductSpec, StatusFile, StatusSpec
from aclspec.codegen.validate import validate
from aclspec.codegen.yamltext import Key, Source, find, read
from aclspec.runtime.predicate.nodes import Position
from aclspec.runtime.status import Status

PRODUCTS = "products.yaml"


@dataclass(frozen=True, slots=True)
class Tables:
    """Products, status codes and clauses; empty where a file has mistakes."""

    products: tuple[ProductSpec, ...]
    statuses: tuple[StatusSpec, ...]
    clauses: tuple[ClausesFile, ...]

    def check_clauses(self, context: Context) -> None:
        """Every clause that a spec names exists, and belongs to the operator's own document."""
        known = [clause.id for file in self.clauses for clause in file.clauses]
        for use in uses(context.spec):
            if use.clause not in known:
                text = f"A clause ({use.clause}) does not exist{did_you_mean(use.clause, known)}"
                context.report(use.path, "unknown-clause", text)
        document = context.spec.source.document if context.spec.source else None
        documents = {file.document: file for file in self.clauses}
        if document is not None and document in documents and documents[document].operator != context.spec.op:
            text = f"The document ({document}) describes {documents[document].operator}, not {context.spec.op}."
            context.report(("source", "document"), "unknown-clause", text)


def read_products(common: Path) -> tuple[ProductSpec, ...]:
    """The products of a directory alone; `SpecErrors` where they have mistakes."""
    findings: list[Finding] = []
    source = read_source(PRODUCTS, (common,), findings)
    file = validate(source, ProductsFile) if source else None
    if source and file:
        _check_products(source, file)
    findings += source.findings if source else []
    if file is None or findings:
        raise SpecErrors(findings)
    return file.products


def read_tables(common: Sequence[Path], clauses: Path, findings: list[Finding]) -> Tables:
    """Read each table from the first directory of ``common`` that has it, and the files of ``clauses``."""
    products = read_source(PRODUCTS, common, findings)
    products_file = validate(products, ProductsFile) if products else None
    statuses = read_source("status.yaml", common, findings)
    statuses_file = validate(statuses, StatusFile) if statuses else None
    if products and products_file:
        _check_products(products, products_file)
    if statuses and statuses_file:
        _check_statuses(statuses, statuses_file)
    findings += [finding for source in (products, statuses) if source for finding in source.findings]
    return Tables(
        products_file.products if products_file else (),
        statuses_file.statuses if statuses_file else (),
        _read_clauses(clauses, findings),
    )


def read_source(name: str, directories: Sequence[Path], findings: list[Finding]) -> Source | None:
    """A file that must be in one of the directories."""
    paths = [directory / name for directory in directories]
    for path in paths:
        if path.is_file():
            return read(path)
    findings.append(Finding(display_path(paths[0]), Position(1, 1), "no-file", f"The file ({name}) does not exist."))
    return None


def _report(source: Source, path: tuple[Key, ...], kind: str, message: str) -> None:
    node = find(source.tree, path) if source.tree is not None else None
    source.findings.append(Finding(source.file, node.at if node else Position(1, 1), kind, message))


def _check_unique(source: Source, prefix: tuple[Key, ...], field: str, values: Sequence[str], noun: str) -> None:
    for index, value in enumerate(values):
        if value in values[:index]:
            _report(source, (*prefix, index, field), "duplicate-id", f"{noun} ({value}) is declared twice.")


def _check_products(source: Source, file: ProductsFile) -> None:
    """Keys and SoC names are unique, and one product is the default."""
    _check_unique(source, ("products",), "key", [product.key for product in file.products], "A product")
    seen: dict[str, str] = {}
    for index, product in enumerate(file.products):
        for position, soc in enumerate(product.socs):
            first = seen.setdefault(soc.lower(), product.key)
            if first != product.key or soc in product.socs[:position]:
                text = f"A SoC name ({soc}) already belongs to {first}."
                _report(source, ("products", index, "socs", position), "duplicate-id", text)
        _check_cores(source, ("products", index), product)
    defaults = [product.key for product in file.products if product.default]
    if len(defaults) != 1:
        found = f"{len(defaults)} products ({listing(defaults)}) are" if defaults else "No product is"
        _report(source, ("products",), "default", f"{found} the default; expected one.")


def _check_cores(source: Source, at: tuple[Key, ...], product: ProductSpec) -> None:
    """The standard SoC and those whose cores are told are the product's, each told once."""
    if product.standard_soc is not None and not product.has_soc(product.standard_soc):
        text = f"The SoC name ({product.standard_soc}) is not one of {product.key}."
        _report(source, (*at, "standard_soc"), "unknown-soc", text)
    told: list[str] = []
    for line, cores in enumerate(product.cores):
        for position, soc in enumerate(cores.socs):
            where = (*at, "cores", line, "socs", position)
            if soc not in product.socs:
                text = f"The SoC name ({soc}) is not one of {product.key}{did_you_mean(soc, product.socs)}"
                _report(source, where, "unknown-soc", text)
            elif soc in told:
                _report(source, where, "duplicate-id", f"The cores of a SoC ({soc}) are told twice.")
            told.append(soc)


def _check_statuses(source: Source, file: StatusFile) -> None:
    """Every status of the runtime has its text, and no other."""
    names = [status.name for status in file.statuses]
    _check_unique(source, ("statuses",), "name", names, "A status")
    for index, name in enumerate(names):
        if name not in Status.__members__:
            text = f"A status ({name}) is unknown to the runtime{did_you_mean(name, Status.__members__)}"
            _report(source, ("statuses", index, "name"), "unknown-status", text)
    missing = [status.name for status in Status if status.name not in names]
    if missing:
        _report(source, ("statuses",), "missing-key", f"No text is given for {listing(missing)}.")


def _read_clauses(directory: Path, findings: list[Finding]) -> tuple[ClausesFile, ...]:
    """All clause files; an id exists once and starts with the number of its document."""
    files: list[ClausesFile] = []
    seen: set[str] = set()
    for path in sorted(directory.glob("*.yaml")) if directory.is_dir() else ():
        source = read(path)
        file = validate(source, ClausesFile)
        if file is not None:
            files.append(file)
            for index, clause in enumerate(file.clauses):
                where: tuple[Key, ...] = ("clauses", index, "id")
                if clause.id in seen:
                    _report(source, where, "duplicate-id", f"A clause ({clause.id}) is declared twice.")
                elif clause.id.split(".")[0] != file.document:
                    text = f"A clause ({clause.id}) does not start with the number of its document ({file.document})."
                    _report(source, where, "value", text)
                seen.add(clause.id)
        findings += source.findings
    return tuple(files)
