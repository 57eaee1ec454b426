"""An operator: the whole of one YAML file."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, StringConstraints

from aclspec.codegen.spec.base import (
    AXIS,
    HEADER,
    KERNEL,
    OPERATOR,
    SNAKE,
    TORCH_NAME,
    Clauses,
    CName,
    DtypeName,
    Expression,
    FormatName,
    Kebab,
    Mode,
    Model,
    Products,
    RuleId,
    Sentence,
    Text,
)
from aclspec.codegen.spec.caveats import MissingKernel, Unjudged, Versions
from aclspec.codegen.spec.checks import AnyCheck
from aclspec.codegen.spec.reference import Reference
from aclspec.runtime.abi.parameters import ParamTypeKey
from aclspec.runtime.rules.levels import Level
from aclspec.runtime.rules.operator_info import NULL

Policy: TypeAlias = Literal["allowed", "refused"]
RankKey: TypeAlias = Annotated[int, Field(ge=0, le=8)] | Literal["any"]
Formats: TypeAlias = Annotated[tuple[FormatName, ...], Field(min_length=1)]
FormatsByRank: TypeAlias = Annotated[
    dict[RankKey, Formats], Field(min_length=1, json_schema_extra={"propertyNames": {"pattern": "^([0-8]|any)$"}})
]
Rank: TypeAlias = Annotated[int, Field(ge=0, le=8)]
AxisNames: TypeAlias = Annotated[tuple[Annotated[str, StringConstraints(pattern=AXIS)], ...], Field(min_length=1)]
DefaultValue: TypeAlias = bool | int | float | str | tuple[bool, ...] | tuple[int, ...] | tuple[float, ...]


class Elements(Model):
    """The numbers that a tensor may hold; whether it does shows only when the call computes."""

    min: Expression | None = None
    """The least of them."""
    below: Expression | None = None
    """A number that all of them are less than."""


class Param(Model):
    """One parameter of phase one; the two pointers at its end are left out."""

    name: CName
    """The name in C."""
    type: ParamTypeKey
    """The type in C, by its key."""
    direction: Literal["in", "out", "inout", "unknown"]
    """Whether the operator reads it, writes it or both; ``const`` in C does not say. Unknown only if declared."""
    const: bool = False
    """Whether the header has ``const`` before what is written."""
    optional: bool = False
    """Whether a null pointer is always legal."""
    required: Expression | None = None
    """For an output that a flag switches on: null is illegal only when this holds, and with ``optional`` never;
    otherwise it is not allocated. ``"false"`` stands beside ``optional`` where the output is not supported."""
    checked: Expression | None = None
    """Every rule but the null check looks at the parameter only when this holds; else it is ignored."""
    formats: Formats | FormatsByRank | None = None
    """The formats a tensor may have: a list, or a list per rank with the key ``any`` for every other rank."""
    rank: tuple[Rank, Rank] = (0, 8)
    """The least and the greatest number of dimensions of a tensor."""
    axes: tuple[AxisNames, ...] = ()
    """The names of the axes, a list for each rank that has names. In NHWC and NDHWC the second name stands last. A
    name of digits is a size that is always the same."""
    empty: Policy = "allowed"
    """Whether a tensor may have no elements."""
    noncontiguous: Policy = "allowed"
    """Whether a tensor may have strides other than those of row-major order."""
    partial: bool = False
    """Whether the kernel may leave elements of an output as they were; in a new tensor those are 0."""
    data_dependent: bool | Literal["last"] = False
    """Whether the length of the first axis of an output depends on the data, or ``last`` for the last axis: its shape
    is then the largest that it may have, and the real length is known after the call. What is written stands first in
    memory, contiguous."""
    elements: Elements | None = None
    """The numbers that an input tensor may hold; none given: every number. The kernel runs only where it does."""
    values: tuple[bool, ...] | tuple[int, ...] | tuple[str, ...] = ()
    """The legal values of an enumeration, or the only one of a bool; none given: every value."""
    lengths: tuple[Annotated[int, Field(ge=0)], ...] = ()
    """The legal lengths of an array; none given: every length."""
    default: DefaultValue | None = None
    """The value that a Python caller may leave out; a key given as null is a default of null. That of a dtype may be
    DT_UNDEFINED, by which a caller in C names no dtype."""
    doc: Text | None = None
    """What the parameter is; a declaration may leave it out."""
    clauses: dict[Sentence, Clauses] = Field(default_factory=dict)
    """The clauses that a field of this entry covers, by the field's name; ``dtype`` stands for its column of rows."""

    @property
    def has_default(self) -> bool:
        """Whether the key ``default`` is there at all."""
        return "default" in self.model_fields_set


def _words(value: Any) -> Any:
    """A cell as a list of words; YAML's null is a word."""
    words = value if isinstance(value, list | tuple) else (value,)
    return tuple(NULL if word is None else word for word in words)


Cell: TypeAlias = Annotated[
    tuple[str, ...],
    Field(min_length=1),
    BeforeValidator(_words, json_schema_input_type=str | None | tuple[str | None, ...]),
]


class Row(Model):
    """A joint dtype row: dtypes that are legal together."""

    row: Annotated[dict[CName, Cell], Field(min_length=1)]
    """For each parameter a dtype, a list of dtypes, or a variable; null where only such rows allow it to be."""
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
    """The clauses that the row covers."""


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
    """The clauses that it covers."""


Number: TypeAlias = int | float


class SourceDocument(Model):
    """The original document that the spec follows."""

    document: Sentence
    """The number of the document, quoted, as in ``"004"``."""
    clauses: Clauses = ()
    """The clauses that the file as a whole covers: the prototypes and the description."""


class Inference(Model):
    """What an output is when the caller does not give it."""

    shape: Expression
    """Its shape, from the inputs; of a list of tensors ``[shape(t) for t in x]``, one for each."""
    dtype: Expression
    """Its dtype; of a list of tensors ``[dtype(t) for t in x]``, over the same list."""
    format: Expression | None = None
    """Its format; left out: the first that the parameter allows for its rank."""
    relies_on: tuple[RuleId, ...] = ()
    """Rules about the inputs, enforced everywhere: where one of them fails, nothing follows, and the rule says why."""


class Precision(Model):
    """A row of the precision table: the first whose guards hold gives the dtype of each role."""

    roles: dict[CName, Expression]
    """The dtype of each role that the kernel names; a call that computes has all its outputs by then."""
    settings: dict[CName, Expression] = Field(default_factory=dict)
    """Strings or ints that the kernel takes beside its roles, such as the layout of a buffer."""
    products: Products | None = None
    """The products it holds for; left out: all of them."""
    when: Expression | None = None
    """It holds only when this does."""
    doc: Text | None = None
    """What it means."""
    clauses: Clauses = ()
    """The clauses that it covers."""


class Tolerance(Model):
    """How far an output may be from the exact value.

    ``|y - exact| <= (factor + sqrt(terms) / 8) * u(unit) * sum|terms| + u(dtype of y) * |exact|``, u the unit roundoff.
    """

    terms: Expression
    """The number of terms that each element sums."""
    unit: Expression
    """The dtype whose unit roundoff counts; the name of a role stands for the dtype that the call gives it."""
    factor: Annotated[Number, Field(ge=0)] = 2.0
    """How many roundings an element goes through beside those of the sum, such as a product, a quotient or exp."""


class Compute(Model):
    """The kernel and its numbers."""

    kernel: Annotated[str, StringConstraints(pattern=KERNEL)]
    """``module:function``; a bare module name is one of `aclspec.runtime.kernels`."""
    deterministic: bool = True
    """Whether two equal calls give equal bits on the hardware."""
    precision: Annotated[tuple[Precision, ...], Field(min_length=1)]
    """The precision table."""
    tolerance: dict[CName, Tolerance]
    """The tolerance of each output."""
    reference: Reference | None = None
    """What the numbers are compared with, in tests of random calls."""


def _several(value: Any) -> Any:
    """One number as a list of one."""
    return (value,) if isinstance(value, int | float) else value


class TensorValue(Model):
    """A tensor of an example."""

    dtype: DtypeName
    """Its dtype."""
    shape: tuple[Annotated[int, Field(ge=0)], ...]
    """Its shape."""
    values: Annotated[tuple[Number, ...], BeforeValidator(_several, json_schema_input_type=Number | tuple[Number, ...])]
    """Its elements in row-major order, or one value for all of them."""
    rest: Number | None = None
    """The value of every element after ``values``."""
    format: FormatName | None = None
    """Its format; left out: the first that the parameter allows for its rank."""


ExampleValue: TypeAlias = (
    TensorValue
    | tuple[TensorValue, ...]
    | bool
    | int
    | float
    | str
    | tuple[bool, ...]
    | tuple[int, ...]
    | tuple[float, ...]
    | None
)


class Example(Model):
    """A call with its expected outputs."""

    id: Kebab
    """Its stable id."""
    title: Text
    """Its title in the manual."""
    inputs: dict[CName, ExampleValue]
    """The value of each input; an optional one that is left out is null."""
    outputs: dict[CName, TensorValue | tuple[TensorValue, ...]] = Field(default_factory=dict)
    """The expected outputs, a list of tensors as a list; one that is left out is not compared."""
    products: Products | None = None
    """The products it holds for; left out: all that the operator lists."""
    clauses: Clauses = ()
    """The clauses that it covers."""


CallValue: TypeAlias = bool | int | float | str | tuple[bool | int | float | str | None, ...] | None


class CallSpec(Model):
    """A call of the tests: an example with other arguments, which is checked and never computed, and so of any size."""

    id: Kebab
    """Its stable id."""
    like: Kebab
    """The example whose arguments it has where it states none."""
    call: Annotated[dict[CName, CallValue], Field(min_length=1)]
    """Its own arguments: a tensor as ``float32[4,2]:ND:strides=1,4``, a scalar as ``int32(1)``, a hundred equal ones
    of a list as ``100 * float32[4,2]``. An output that is not stated is as inferred."""


class Note(Model):
    """A remark of the manual."""

    id: Kebab
    """Its stable id."""
    kind: Literal["note", "deviation"]
    """Whether it only informs, or says where the documents, the library and this spec part."""
    doc: Text
    """The remark."""
    rules: tuple[RuleId, ...] = ()
    """The rules it is about."""
    clauses: Clauses = ()
    """The clauses that it covers."""


class OperatorSpec(Model):
    """One operator: its signature, its checks, its numbers and its manual, in one YAML file."""

    op: Annotated[str, StringConstraints(pattern=OPERATOR)]
    """The C name of phase two."""
    header: Annotated[str, StringConstraints(pattern=HEADER)]
    """The C header, without its folder."""
    category: Annotated[str, StringConstraints(pattern=SNAKE)]
    """The category: the folder of the file and a section of the manual."""
    summary: Text | None = None
    """What the operator does, in a sentence; a declaration may leave it out."""
    level: Level = "computed"
    """How much the spec says: the signature, also the rules of phase one, or also the kernel."""
    draft: bool = False
    """Whether its rules may still change their meaning, which is then not locked, and texts may miss a language."""
    sample: bool = False
    """Whether the C++ program of its first example is a generated file; ``aclspec sample`` writes that of any other."""
    torch: tuple[Annotated[str, StringConstraints(pattern=TORCH_NAME)], ...] = ()
    """The functions of PyTorch that call the operator on an NPU, as a run under torch_npu shows."""
    source: SourceDocument | None = None
    """The original document."""
    products: Annotated[tuple[ListedProduct, ...], Field(min_length=1)] = ()
    """The products on which it may be called; a declaration may leave them out."""
    formula: tuple[Formula, ...] = ()
    """The formulas of the manual."""
    params: Annotated[tuple[Param, ...], Field(min_length=1)]
    """The parameters in C order."""
    dtypes: tuple[Row, ...] = ()
    """The joint dtype rows."""
    let: dict[CName, Expression | Let] = Field(default_factory=dict)
    """Named values, each of which may use those before it."""
    checks: tuple[AnyCheck, ...] = ()
    """The checks in their order: the first that fails decides the status. A declaration has none."""
    infer: dict[CName, Inference] = Field(default_factory=dict)
    """What each output is when the caller does not give it."""
    compute: Compute | None = None
    """The kernel and its numbers, at the level ``computed`` alone."""
    examples: tuple[Example, ...] = ()
    """Calls with expected outputs."""
    calls: tuple[CallSpec, ...] = ()
    """More calls for the tests, where the search for them finds none that shows a bound."""
    notes: tuple[Note, ...] = ()
    """Remarks of the manual."""
    unjudged: tuple[Unjudged, ...] = ()
    """Calls that the spec cannot judge."""
    kernels: tuple[MissingKernel, ...] = ()
    """Calls for which CANN has no kernel, where that is known."""
    versions: tuple[Versions, ...] = ()
    """Calls that some versions of CANN take and others refuse, where that is known."""
