"""The tables that all operators share: products, status codes and the clauses of the original documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from aclspec.codegen.source.findings import Finding, SpecErrors, did_you_mean, display_path, listing
from aclspec.codegen.source.yaml_tree import Key, Source, find, read
from aclspec.codegen.spec.base import SNAKE, ClauseId, CName, FullText, Model, Sentence, StatusName
from aclspec.codegen.spec.families import Families, read_families
from aclspec.codegen.spec.pasted import Pasted, read_pasted
from aclspec.codegen.spec.shorthand import expand_clauses
from aclspec.codegen.spec.validation import validate
from aclspec.runtime.abi.status import Status
from aclspec.runtime.language.nodes import Position


class CoresSpec(Model):
    """How many cores some SoCs of a product have, which the simulator tells of itself."""

    socs: Annotated[tuple[Sentence, ...], Field(min_length=1)]
    """The names, as the product lists them."""
    cube: Annotated[int, Field(ge=1)]
    """The cores for matrices, which are all of them where there is one sort."""
    vector: Annotated[int, Field(ge=1)]
    """The cores for vectors."""
    assumed: bool = False
    """Whether no document of CANN says so."""


class ProductSpec(Model):
    """A product series, as in ``specs/common/products.yaml``."""

    key: Annotated[str, StringConstraints(pattern=SNAKE)]
    """The key by which specs and callers name it."""
    name: FullText
    """The name in the manual."""
    arch: int
    """The number of its architecture."""
    bf16: bool
    """Whether its cores know BF16; a dtype row of a product that does not may not have it."""
    socs: Annotated[tuple[Sentence, ...], Field(min_length=1)]
    """The SoC names that the runtime library reports on it; a name that ends in ``*`` is a prefix."""
    aliases: tuple[Sentence, ...] = ()
    """What people call it; a name that several products list is ambiguous."""
    standard_soc: Sentence | None = None
    """The name that the simulator answers for the product; without it, the first of its names."""
    cores: tuple[CoresSpec, ...] = ()
    """The cores of its SoCs."""
    default: bool = False
    """Whether calls mean this product when nothing else says which."""

    def has_soc(self, name: str) -> bool:
        """Whether a name is one of its SoC names, or begins as one of its prefixes does."""
        return any(name.startswith(soc[:-1]) if soc.endswith("*") else name == soc for soc in self.socs)


class ProductsFile(Model):
    """``specs/common/products.yaml``."""

    groups: dict[Sentence, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Names for several products, which specs may use in their place."""
    products: Annotated[tuple[ProductSpec, ...], Field(min_length=1)]
    """Every product, in the order of the manual's columns."""


class StatusSpec(Model):
    """A status code; its number lives in the runtime."""

    name: StatusName
    """The C name, such as ACLNN_ERR_PARAM_INVALID."""
    doc: FullText
    """What it says, for the manual."""


class StatusFile(Model):
    """``specs/common/status.yaml``."""

    statuses: Annotated[tuple[StatusSpec, ...], Field(min_length=1)]
    """Every status code of aclnn."""


class ClauseSpec(Model):
    """One requirement sentence of an original document, in words of ours."""

    id: ClauseId
    """The stable id, such as 004.161002.3."""
    place: FullText
    """Where the document says it."""
    says: FullText
    """A paraphrase of what it says."""
    kind: Sentence | None = None
    """The sort of clause, where the place does not tell."""
    note: FullText | None = None
    """What a reader should know about it."""
    waiver: FullText | None = None
    """The reason why nothing of the spec covers it."""


class ClausesFile(Model):
    """``specs/clauses/*.yaml``: the requirement sentences of one original document."""

    document: Sentence
    """The number of the document."""
    file: Sentence
    """The name of the document's file."""
    operator: CName
    """The operator that the document describes."""
    title: FullText | None = None
    """The title of the document."""
    clauses: tuple[ClauseSpec, ...]
    """The clauses, in the order of the document."""


PRODUCTS = "products.yaml"


@dataclass(frozen=True, slots=True)
class Tables:
    """Products, status codes and clauses; empty where a file has mistakes."""

    products: tuple[ProductSpec, ...]
    statuses: tuple[StatusSpec, ...]
    clauses: tuple[ClausesFile, ...]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    families: Families = field(default_factory=dict)
    pasted: Pasted = field(default_factory=Pasted)


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
        products_file.groups if products_file else {},
        read_families(common, findings),
        read_pasted(common, findings),
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
    _check_groups(source, file)
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


def _check_groups(source: Source, file: ProductsFile) -> None:
    """A group has a name of its own and holds products."""
    keys = [product.key for product in file.products]
    for name, products in file.groups.items():
        if name in keys:
            _report(source, ("groups", name), "duplicate-id", f"A group ({name}) has the name of a product.")
        for position, product in enumerate(products):
            if product not in keys:
                text = f"A product ({product}) does not exist{did_you_mean(product, keys)}"
                _report(source, ("groups", name, position), "unknown-product", text)


def _check_cores(source: Source, at: tuple[Key, ...], product: ProductSpec) -> None:
    """The standard SoC and those whose cores are declared are the product's, each declared once."""
    if product.standard_soc is not None and not product.has_soc(product.standard_soc):
        text = f"The SoC name ({product.standard_soc}) is not one of {product.key}."
        _report(source, (*at, "standard_soc"), "unknown-soc", text)
    declared: list[str] = []
    for line, cores in enumerate(product.cores):
        for position, soc in enumerate(cores.socs):
            where = (*at, "cores", line, "socs", position)
            if soc not in product.socs:
                text = f"The SoC name ({soc}) is not one of {product.key}{did_you_mean(soc, product.socs)}"
                _report(source, where, "unknown-soc", text)
            elif soc in declared:
                _report(source, where, "duplicate-id", f"The cores of a SoC ({soc}) are told twice.")
            declared.append(soc)


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
        source.tree = expand_clauses(source.tree)
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
