"""What the runtime knows about an operator: its spec, compiled.

`aclspec.codegen` compiles a YAML file into one `OperatorInfo`; the generated module
``aclspec.ops._info.<op>`` is that value written out as Python. The interpreter, ``explain``, the message
writer, the sampler of the tests and the binding all read this and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from aclspec.runtime.predicate.nodes import Node, Not, Or

Mode: TypeAlias = Literal["document", "library"]
Direction: TypeAlias = Literal["in", "out", "inout"]
RuleKind: TypeAlias = Literal[
    "product", "null", "dtype", "dtypes", "format", "rank", "empty", "contiguous", "length", "value", "rule", "shortcut"
]
Effect: TypeAlias = Literal["unwritten", "zeros"]
MODES: tuple[Mode, ...] = ("document", "library")


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence in both languages of the manual."""

    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class ParamInfo:
    """One parameter of phase one, in C order; the two trailing output pointers are left out.

    ``type`` is a key of `aclspec.runtime.paramtypes.PARAM_TYPES` ("tensor", "bool", "int64", "int_array", ...).
    ``optional``: null is always legal. ``required``: null is illegal only when this holds (None: always, unless
    optional); an output that is not required is not allocated. ``checked``: the rules of the table look at the
    parameter only when this holds (None: whenever it is not null). ``formats`` is given per rank: the key -1 is
    any rank. ``rank`` is inclusive. ``partial``: the kernel may leave elements of an output as they were. ``values``
    are the legal values of an enum attribute, ``lengths`` the legal lengths of an array attribute (empty: any).
    """

    name: str
    snake: str
    type: str
    direction: Direction
    doc: Text
    optional: bool = False
    required: Node | None = None
    checked: Node | None = None
    formats: tuple[tuple[int, tuple[str, ...]], ...] = ()
    rank: tuple[int, int] = (0, 8)
    empty: bool = True
    noncontiguous: bool = True
    partial: bool = False
    values: tuple[int | str, ...] = ()
    lengths: tuple[int, ...] = ()
    default: bool | int | float | str | tuple[int, ...] | None = None
    has_default: bool = False

    @property
    def is_output(self) -> bool:
        """Whether the operator writes it (an in-place parameter is both input and output)."""
        return self.direction != "in"


@dataclass(frozen=True, slots=True)
class LetInfo:
    """A named value of the spec; ``doc`` is a noun phrase for sentences ("the channel count of self")."""

    name: str
    value: Node
    type: str
    doc: Text | None = None


@dataclass(frozen=True, slots=True)
class RowInfo:
    """A joint dtype row with its variables expanded: dtypes that are legal together."""

    cells: tuple[tuple[str, tuple[str, ...]], ...]
    products: tuple[str, ...]
    modes: tuple[Mode, ...] = MODES


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """One check, in its place in the order.

    It applies on ``products`` (empty: every product), in the modes that ``status`` names, when ``when`` holds.
    It fails when ``require`` is defined and false. Kind "product" has no predicate: it fails for a product that the
    operator does not list. Kind "shortcut" ends the checks with success when ``when`` holds, with ``effect`` on the
    outputs. Outcome "undefined" is documented, never checked. ``fails_with``: rules without which this one cannot fail,
    for the stated ``reason``.
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
    fails_with: tuple[str, ...] = ()
    reason: Text | None = None


@dataclass(frozen=True, slots=True)
class InferInfo:
    """What an output is when the caller does not give it.

    It follows only where each rule of ``relies_on`` holds, or does not apply.
    """

    param: str
    shape: Node
    dtype: Node
    format: Node | None = None
    relies_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class ToleranceInfo:
    """How far an output may be from the exact value.

    ``|y - exact| <= (factor + sqrt(terms) / 8) * u(unit) * sum|terms| + u(dtype of y) * |exact|``, u the unit roundoff.
    In ``unit`` the name of a role of the precision table stands for the dtype that the call gives it.
    """

    param: str
    terms: Node
    unit: Node
    factor: float = 2.0


@dataclass(frozen=True, slots=True)
class ComputeInfo:
    """The kernel ("module:function", a bare module name being one of `aclspec.runtime.kernels`) and its numbers."""

    kernel: str
    precision: tuple[PrecisionInfo, ...]
    tolerance: tuple[ToleranceInfo, ...]
    deterministic: bool = True


@dataclass(frozen=True, slots=True)
class TensorValue:
    """A tensor of an example: flat ``values`` in row-major order, or one value for every element."""

    dtype: str
    shape: tuple[int, ...]
    values: tuple[float | int, ...]
    format: str | None = None


ExampleValue: TypeAlias = TensorValue | bool | int | float | str | tuple[int | bool | float, ...] | None


@dataclass(frozen=True, slots=True)
class ExampleInfo:
    """A call with its expected outputs; an output left out is not compared."""

    id: str
    title: Text
    inputs: tuple[tuple[str, ExampleValue], ...]
    outputs: tuple[tuple[str, TensorValue], ...]
    products: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OperatorInfo:
    """Everything about one operator; ``rules`` is the order of the checks."""

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

    def rule(self, rule_id: str) -> RuleInfo:
        """The rule with this short id."""
        return next(rule for rule in self.rules if rule.id == rule_id)

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
