"""What the runtime knows about an operator: its spec, compiled.

`aclspec.codegen` compiles a YAML file into one `OperatorInfo`; the generated file ``aclspec/ops/_info/<op>.json`` is
that value with predicates as text, and `aclspec.runtime.rules.operator_data` reads it. The interpreter, ``explain``,
the message writer, the sampler of the tests and the binding all read this and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, TypeVar

from aclspec.runtime.abi.environment import MODES as MODES
from aclspec.runtime.abi.environment import Mode as Mode
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import Call, Node, Not, Or
from aclspec.runtime.language.text import Text as Text
from aclspec.runtime.language.values import NULL as NULL
from aclspec.runtime.language.values import names_null as names_null
from aclspec.runtime.rules.levels import LEVELS, Level, LevelFacts

UNSTATED = Text("", "")


_T = TypeVar("_T")


class _Parsed:
    """A field whose texts become trees when it is first read; a tuple of pairs has a text as its second of each."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self._name]
        if isinstance(value, str):
            value = instance.__dict__[self._name] = _tree(value)
        elif isinstance(value, tuple) and value and isinstance(value[0][1], str):
            value = instance.__dict__[self._name] = tuple((name, _tree(text)) for name, text in value)
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self._name] = value


def _tree(text: str) -> Any:
    from aclspec.runtime.language.parser import parse_compiled  # an ordinary call reads no predicate

    return parse_compiled(text)


def parsed_lazily(*names: str) -> Callable[[type[_T]], type[_T]]:
    """Let a frozen dataclass take these fields as trees or as the text of trees."""

    def decorate(kind: type[_T]) -> type[_T]:
        for name in names:
            setattr(kind, name, _Parsed(name))
        return kind

    return decorate


Direction: TypeAlias = Literal["in", "out", "inout", "unknown"]
RuleKind: TypeAlias = Literal[
    "product", "null", "dtype", "dtypes", "format", "rank", "empty", "contiguous", "length", "value", "rule", "shortcut"
]
Effect: TypeAlias = Literal["unwritten", "zeros"]
CaveatKind: TypeAlias = Literal["unjudged", "no kernel", "version"]


@parsed_lazily("required", "checked", "elements")
@dataclass(frozen=True)
class ParamInfo:
    """One parameter of phase one, in C order; the two trailing output pointers are left out.

    ``type`` is a key of `PARAM_TYPES` ("tensor", "bool", "int64", "int_array", ...). ``direction`` may be "unknown"
    where the operator is only declared. ``const``: the header has const before what is written.
    ``optional``: null is always legal. ``required``: null is illegal only when this holds (None: always, unless
    optional); an output that is not required is not allocated. ``checked``: the rules of the table look at the
    parameter only when this holds (None: whenever it is not null). ``formats`` is given per rank: the key -1 is
    any rank. ``rank`` is inclusive. ``axes``: the names of axes, a list a rank, in the order of NCHW. ``partial``: the
    kernel may leave elements of an output as they were. ``data_dependent``: how long its first axis is ("last": its
    last one) is known after the call; its shape is a bound. ``values`` are the legal values of an attribute,
    ``elements`` the bounds of what a tensor may hold ("min", and the exclusive "below"), ``lengths`` the legal lengths
    of an array attribute (empty: any).
    """

    name: str
    snake: str
    type: str
    direction: Direction
    doc: Text
    const: bool = False
    optional: bool = False
    required: Node | None = None
    checked: Node | None = None
    formats: tuple[tuple[int, tuple[str, ...]], ...] = ()
    rank: tuple[int, int] = (0, 8)
    axes: tuple[tuple[str, ...], ...] = ()
    empty: bool = True
    noncontiguous: bool = True
    partial: bool = False
    data_dependent: bool | str = False
    values: tuple[int | str, ...] = ()
    elements: tuple[tuple[str, Node], ...] = ()
    lengths: tuple[int, ...] = ()
    default: bool | int | float | str | tuple[int, ...] | None = None
    has_default: bool = False

    @property
    def is_output(self) -> bool:
        """Whether the operator writes it (an in-place parameter is both input and output), or a tensor perhaps."""
        return self.direction in ("out", "inout") or (self.direction == "unknown" and self.type.startswith("tensor"))


@parsed_lazily("value")
@dataclass(frozen=True)
class LetInfo:
    """A named value of the spec; ``doc`` is a noun phrase for sentences ("the channel count of self")."""

    name: str
    value: Node
    type: str
    doc: Text | None = None


@dataclass(frozen=True, slots=True)
class RowInfo:
    """A joint dtype row with its variables expanded: dtypes that are legal together.

    ``nulls`` are the parameters that it says may be null. Where some rows say so of a parameter and others do not, a
    null fits the former only; else it fits every row.
    """

    cells: tuple[tuple[str, tuple[str, ...]], ...]
    products: tuple[str, ...]
    modes: tuple[Mode, ...] = MODES
    nulls: tuple[str, ...] = ()

    @property
    def table(self) -> dict[str, tuple[str, ...]]:
        """The cells by name, with `NULL` beside the dtypes of a parameter that may be null."""
        if not self.nulls:
            return dict(self.cells)
        return {name: (*((NULL,) if name in self.nulls else ()), *cell) for name, cell in self.cells}


@parsed_lazily("require", "when")
@dataclass(frozen=True)
class RuleInfo:
    """One check, in its place in the order.

    It applies on ``products`` (empty: every product), in the modes that ``status`` names, when ``when`` holds.
    It fails when ``require`` is defined and false. Kind "product" has no predicate: it fails for a product that the
    operator does not list. Kind "shortcut" ends the checks with success when ``when`` holds, with ``effect`` on the
    outputs. Outcome "undefined" is documented, never checked. ``requirement`` is the sentence of what it requires,
    ``failure`` the template of the sentence of a call that fails (`aclspec.runtime.rules.template`; None: the
    requirement says it).
    """

    id: str
    kind: RuleKind
    params: tuple[str, ...]
    status: tuple[tuple[Mode, str], ...]
    require: Node | None = None
    when: Node | None = None
    products: tuple[str, ...] = ()
    outcome: Literal["error", "undefined"] = "error"
    effect: Effect | None = None
    clauses: tuple[str, ...] = ()
    doc: Text | None = None
    requirement: Text = UNSTATED
    failure: Text | None = None


@parsed_lazily("when")
@dataclass(frozen=True)
class CaveatInfo:
    """Calls that no rule refuses and that do not simply work: on ``products`` (empty: every one), where ``when`` holds.

    ``rules`` leave the case out, so that one of them that fails says nothing. Kind "unjudged": the spec knows of the
    case, and not what becomes of it. Kind "no kernel": CANN has none, known from ``source``; ``status`` is its answer,
    empty where nothing says. Kind "version": versions of CANN before ``since``, two numbers as in "8.1", answer so, and
    from ``until`` on the ``rules`` refuse such calls, which say nothing before.
    """

    id: str
    kind: CaveatKind
    because: Text
    when: Node | None = None
    products: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    modes: tuple[Mode, ...] = MODES
    status: str = ""
    source: str = ""
    since: str = ""
    until: str = ""


FITS_INT64: Final = RuleInfo(
    id="fits-int64",
    kind="rule",
    params=(),
    status=tuple((mode, "ACLNN_ERR_PARAM_INVALID") for mode in MODES),
    require=Call("fits_int64", ()),
    requirement=Text(
        "The number of elements of each tensor, and of its storage, fits INT64.",
        "每个张量及其存储的元素个数都在 INT64 的范围内。",
    ),
    failure=Text(
        "The number of elements of each tensor, and of its storage, must fit INT64.",
        "每个张量及其存储的元素个数都应在 INT64 的范围内。",
    ),
)
"""The rule of the language itself, which no spec states: the numbers that rules compute with have a bound."""


@parsed_lazily("shape", "dtype", "format")
@dataclass(frozen=True)
class InferInfo:
    """What an output is when the caller does not give it.

    It follows only where each rule of ``relies_on`` holds, or does not apply.
    """

    param: str
    shape: Node
    dtype: Node
    format: Node | None = None
    relies_on: tuple[str, ...] = ()


@parsed_lazily("roles", "when", "settings")
@dataclass(frozen=True)
class PrecisionInfo:
    """A row of the precision table: the first one whose guards hold gives the dtype of each role.

    ``settings`` are strings or ints that the kernel gets in the same mapping.
    """

    roles: tuple[tuple[str, Node], ...]
    products: tuple[str, ...] = ()
    when: Node | None = None
    doc: Text | None = None
    settings: tuple[tuple[str, Node], ...] = ()

    @property
    def entries(self) -> tuple[tuple[str, Node], ...]:
        """The roles and the settings, as the kernel gets them."""
        return self.roles + self.settings

    def applies_to(self, product: str) -> bool:
        """Whether the row is one of a product's table."""
        return not self.products or product in self.products


@parsed_lazily("terms", "unit")
@dataclass(frozen=True)
class ToleranceInfo:
    """How far an output may be from the exact value.

    ``|y - exact| <= (factor + sqrt(terms) / 8) * u(unit) * sum|terms| + u(dtype of y) * |exact|``, u the unit roundoff.
    In ``unit`` the name of a role of the precision table stands for the dtype that the call gives it.
    """

    param: str
    terms: Node
    unit: Node
    factor: float = 2.0


@parsed_lazily("inputs", "sums", "result")
@dataclass(frozen=True)
class RoundingInfo:
    """The dtypes that an output goes through: its inputs are rounded first, sums err by ``sums``, then ``result``."""

    param: str
    inputs: tuple[tuple[str, Node], ...]
    sums: Node
    result: Node | None = None


@dataclass(frozen=True, slots=True)
class ReferenceInfo:
    """What the numbers of a kernel are compared with, which shares no code with it.

    - "formula": ``outputs`` are formulas of the inputs.
    - "torch": ``target`` is called with ``arguments``; ``outputs`` are formulas of its ``result``.
    - "gradient": ``target`` is the module of the forward operator, whose inputs ``arguments`` are; ``outputs`` name
      those that the derivative is taken in, ``upstream`` the gradient of each forward output, and ``saved`` the inputs
      that the forward operator computes.
    """

    kind: Literal["formula", "torch", "gradient"]
    outputs: tuple[tuple[str, str], ...]
    target: str = ""
    arguments: tuple[tuple[str, str], ...] = ()
    upstream: tuple[tuple[str, str], ...] = ()
    saved: tuple[tuple[str, str], ...] = ()
    rounding: tuple[RoundingInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class ComputeInfo:
    """The kernel ("module:function", a bare module name being one of `aclspec.runtime.kernels`) and its numbers.

    Without a kernel the name is empty and so is all else.
    """

    kernel: str
    precision: tuple[PrecisionInfo, ...]
    tolerance: tuple[ToleranceInfo, ...]
    deterministic: bool = True
    reference: ReferenceInfo | None = None


@dataclass(frozen=True, slots=True)
class TensorValue:
    """A tensor of an example: flat ``values`` in row-major order, or one value for every element."""

    dtype: str
    shape: tuple[int, ...]
    values: tuple[float | int, ...]
    format: str | None = None


ExampleValue: TypeAlias = (
    TensorValue | tuple[TensorValue, ...] | bool | int | float | str | tuple[int | bool | float, ...] | None
)


@dataclass(frozen=True, slots=True)
class ExampleInfo:
    """A call with its expected outputs; an output left out is not compared."""

    id: str
    title: Text
    inputs: tuple[tuple[str, ExampleValue], ...]
    outputs: tuple[tuple[str, TensorValue | tuple[TensorValue, ...]], ...]
    products: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()

    @property
    def expected(self) -> Iterator[tuple[str, int | None, TensorValue]]:
        """Every expected tensor: the output's name, its place where that is a list of tensors, and the tensor."""
        for name, value in self.outputs:
            if isinstance(value, TensorValue):
                yield name, None, value
            else:
                yield from ((name, at, one) for at, one in enumerate(value))


@dataclass(frozen=True, slots=True, weakref_slot=True)
class OperatorInfo:
    """Everything about one operator; ``rules`` is the order of the checks.

    Below the level "computed" there is no kernel, and ``compute`` is empty; below "checked" there are no rules either.
    """

    name: str
    snake: str
    header: str
    category: str
    summary: Text
    spec: str
    products: tuple[tuple[str, str], ...]
    params: tuple[ParamInfo, ...]
    rows: tuple[RowInfo, ...]
    lets: tuple[LetInfo, ...]
    rules: tuple[RuleInfo, ...]
    infer: tuple[InferInfo, ...]
    compute: ComputeInfo
    examples: tuple[ExampleInfo, ...] = ()
    level: Level = "computed"
    caveats: tuple[CaveatInfo, ...] = ()
    torch: tuple[str, ...] = ()
    """The functions of PyTorch that call the operator on an NPU."""

    @property
    def facts(self) -> LevelFacts:
        """What follows from the level."""
        return LEVELS[self.level]

    @property
    def checks(self) -> tuple[RuleInfo, ...]:
        """The rules in the order of the checks: that of the language comes first, behind the product rule alone."""
        has_tensors = any(param.type in ("tensor", "tensor_list") for param in self.params)
        own = (FITS_INT64,) if has_tensors and self.facts.has_rules else ()
        first = sum(rule.kind == "product" for rule in self.rules[:1])
        return (*self.rules[:first], *own, *self.rules[first:])

    def rule(self, rule_id: str) -> RuleInfo:
        """The rule with this short id, of the spec or of the language."""
        return next(rule for rule in (*self.rules, FITS_INT64) if rule.id == rule_id)

    @property
    def not_inferred(self) -> tuple[str, ...]:
        """The outputs that no rule infers, as in a draft; a caller gives them."""
        known = {entry.param for entry in self.infer}
        return tuple(param.name for param in self.params if param.direction == "out" and param.name not in known)

    def relied_on(self, entry: InferInfo) -> tuple[Node, ...]:
        """The predicates under which an output follows, one for each rule that its inference relies on."""
        found = []
        for rule in map(self.rule, entry.relies_on):
            if rule.require is not None:
                found.append(rule.require if rule.when is None else Or((Not(rule.when), rule.require)))
        return tuple(found)

    def param(self, name: str) -> ParamInfo:
        """The parameter with this C name."""
        return next(param for param in self.params if param.name == name)


def types_of(info: OperatorInfo) -> dict[str, str]:
    """The types of the parameters and of the lets of an operator."""
    params = {param.name: PARAM_TYPES[param.type].predicate for param in info.params}
    return params | {let.name: let.type for let in info.lets}
