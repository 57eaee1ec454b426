"""The parameters of phase one, and the dtypes that are legal together."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from aclspec.codegen.spec.base import (
    Clauses,
    CName,
    DtypeName,
    Expression,
    FormatName,
    Kebab,
    Mode,
    Model,
    Sentence,
    Text,
)
from aclspec.runtime.paramtypes import ParamTypeKey

Policy: TypeAlias = Literal["allowed", "refused"]
RankKey: TypeAlias = Annotated[int, Field(ge=0, le=8)] | Literal["any"]
Formats: TypeAlias = Annotated[tuple[FormatName, ...], Field(min_length=1)]
FormatsByRank: TypeAlias = Annotated[
    dict[RankKey, Formats], Field(min_length=1, json_schema_extra={"propertyNames": {"pattern": "^([0-8]|any)$"}})
]
Rank: TypeAlias = Annotated[int, Field(ge=0, le=8)]
DefaultValue: TypeAlias = bool | int | float | str | tuple[bool, ...] | tuple[int, ...] | tuple[float, ...]


class Param(Model):
    """One parameter of phase one; the two pointers at its end are left out."""

    name: CName
    """The name in C."""
    type: ParamTypeKey
    """The type in C, by its key."""
    direction: Literal["in", "out", "inout"]
    """Whether the operator reads it, writes it or both; ``const`` in C says nothing of it."""
    optional: bool = False
    """Whether a null pointer is always legal."""
    required: Expression | None = None
    """For an output that a flag switches on: null is illegal only when this holds; otherwise it is not allocated."""
    checked: Expression | None = None
    """Every rule but the null check looks at the parameter only when this holds; else it is ignored."""
    formats: Formats | FormatsByRank | None = None
    """The formats a tensor may have: a list, or a list per rank with the key ``any`` for every other rank."""
    rank: tuple[Rank, Rank] = (0, 8)
    """The least and the greatest number of dimensions of a tensor."""
    empty: Policy = "allowed"
    """Whether a tensor may have no elements."""
    noncontiguous: Policy = "allowed"
    """Whether a tensor may have strides other than those of row-major order."""
    partial: bool = False
    """Whether the kernel may leave elements of an output as they were; in a new tensor those are 0."""
    values: tuple[int, ...] | tuple[str, ...] = ()
    """The legal values of an enumeration; none given: every value."""
    lengths: tuple[Annotated[int, Field(ge=0)], ...] = ()
    """The legal lengths of an array; none given: every length."""
    default: DefaultValue | None = None
    """The value that a Python caller may leave out; a key given as null is a default of null."""
    doc: Text
    """What the parameter is."""
    clauses: dict[Sentence, Clauses] = Field(default_factory=dict)
    """The clauses that a field of this entry carries, by the field's name; ``dtype`` stands for its column of rows."""

    @property
    def has_default(self) -> bool:
        """Whether the key ``default`` is there at all."""
        return "default" in self.model_fields_set


def _one(value: Any) -> Any:
    """A single word as a list of one."""
    return (value,) if isinstance(value, str) else value


Cell: TypeAlias = Annotated[
    tuple[str, ...], Field(min_length=1), BeforeValidator(_one, json_schema_input_type=str | tuple[str, ...])
]


class Row(Model):
    """A joint dtype row: dtypes that are legal together."""

    row: Annotated[dict[CName, Cell], Field(min_length=1)]
    """For each parameter a dtype, a list of dtypes, or a variable."""
    where: dict[CName, Annotated[tuple[DtypeName, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Variables whose cells all have the same dtype, with the dtypes they run through."""
    sets: dict[CName, Annotated[tuple[DtypeName, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Names for lists of dtypes, each cell choosing for itself."""
    products: Annotated[tuple[str, ...], Field(min_length=1)]
    """The products that the row holds for."""
    conformance: Annotated[tuple[Mode, ...], Field(min_length=1)] = ("document", "library")
    """The modes in which it is legal."""
    listed_by: Literal["document", "newer"] = "document"
    """Whether the original document or only a newer one lists it."""
    clauses: Clauses = ()
    """The clauses that the row carries."""


class Let(Model):
    """A named value for use in predicates."""

    value: Expression
    """What it is."""
    doc: Text | None = None
    """A noun phrase for sentences, such as ``the channel count of self``."""


class ListedProduct(Model):
    """A product on which the operator may be called."""

    product: Sentence
    """The key of the product."""
    listed_by: Literal["document", "newer"] = "document"
    """Whether the original document or only a newer one lists it."""
    clauses: Clauses = ()
    """The clauses that say so."""


class Formula(Model):
    """A formula of the manual."""

    id: Kebab
    """Its stable id."""
    latex: Sentence
    """The formula in LaTeX."""
    doc: Text | None = None
    """What its letters mean."""
    clauses: Clauses = ()
    """The clauses that it carries."""
