"""The tables that all operators share: products, status codes and the clauses of the original documents."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from aclspec.codegen.spec.base import SNAKE, ClauseId, CName, Model, Sentence, StatusName, Text


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
    name: Text
    """The name in the manual."""
    arch: int
    """The number of its architecture."""
    bf16: bool
    """Whether its cores know BF16; a dtype row of a product that does not may not have it."""
    socs: Annotated[tuple[Sentence, ...], Field(min_length=1)]
    """The SoC names that the runtime library reports on it; a name that ends in ``*`` is a prefix."""
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

    products: Annotated[tuple[ProductSpec, ...], Field(min_length=1)]
    """Every product, in the order of the manual's columns."""


class StatusSpec(Model):
    """A status code; its number lives in the runtime."""

    name: StatusName
    """The C name, such as ACLNN_ERR_PARAM_INVALID."""
    doc: Text
    """What it says, for the manual."""


class StatusFile(Model):
    """``specs/common/status.yaml``."""

    statuses: Annotated[tuple[StatusSpec, ...], Field(min_length=1)]
    """Every status code of aclnn."""


class ClauseSpec(Model):
    """One requirement sentence of an original document, in words of ours."""

    id: ClauseId
    """The stable id, such as 004.161002.3."""
    place: Text
    """Where the document says it."""
    says: Text
    """A paraphrase of what it says."""
    kind: Sentence | None = None
    """The sort of clause, where the place does not tell."""
    note: Text | None = None
    """What a reader should know about it."""
    waiver: Text | None = None
    """The reason why nothing of the spec carries it."""


class ClausesFile(Model):
    """``specs/clauses/*.yaml``: the requirement sentences of one original document."""

    document: Sentence
    """The number of the document."""
    file: Sentence
    """The name of the document's file."""
    operator: CName
    """The operator that the document describes."""
    title: Text | None = None
    """The title of the document."""
    clauses: tuple[ClauseSpec, ...]
    """The clauses, in the order of the document."""
