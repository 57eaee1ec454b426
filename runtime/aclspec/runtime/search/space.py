"""The calls of one operator: the values a parameter may take, the targets, and the calls of the examples."""

from __future__ import annotations

from typing import Any, NamedTuple

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.language.nodes import InRows, Node
from aclspec.runtime.rules.dtype_table import refuse_nothing
from aclspec.runtime.rules.operator_info import (
    MODES,
    ExampleInfo,
    Mode,
    OperatorInfo,
    ParamInfo,
    RowInfo,
    RuleInfo,
    TensorValue,
)
from aclspec.runtime.search.call import Call, ScalarMeta, TensorMeta, Value

DTYPES: tuple[str, ...] = tuple(dtype.name for dtype in DType if dtype.is_stored)
FORMATS: tuple[str, ...] = tuple(format.name for format in Format if format is not Format.UNDEFINED)
_SIZES = (4, 2, 3, 2, 2, 2, 2, 2)
_DEFAULTS: dict[str, Value] = {"bool": True, "int": 1, "float": 1.0, "string": "none", "dtype": "FLOAT"}
_ELEMENTS: dict[str, Value] = {"ints": 1, "bools": True, "floats": 1.0}
_SCALARS = {bool: "BOOL", int: "INT64", float: "DOUBLE"}


class Target(NamedTuple):
    """A product in a conformance mode."""

    product: str
    mode: Mode


def kebab(param: ParamInfo) -> str:
    """The name of a parameter in a case id."""
    return param.snake.strip("_").replace("_", "-")


def targets(info: OperatorInfo) -> tuple[Target, ...]:
    """Every product and mode in which the operator's own rules are checked, the listed products first."""
    listed = {product for product, _ in info.products}
    gated = {mode for rule in info.rules if rule.kind == "product" for mode, _ in rule.status}
    order = [key for key in KEYS if key in listed] + [key for key in KEYS if key not in listed]
    return tuple(Target(key, mode) for mode in MODES for key in order if key in listed or mode not in gated)


def applies(rule: RuleInfo, target: Target) -> bool:
    """Whether this product, in this mode, checks the rule at all."""
    modes = dict(rule.status)
    in_mode = target.mode in modes or (rule.kind == "shortcut" and not modes)
    return in_mode and (not rule.products or target.product in rule.products)


class Space:
    """The parameters of an operator by index, with the dtypes and formats that each may have."""

    def __init__(self, info: OperatorInfo) -> None:
        """Tabulate the parameters."""
        self.info = info
        self.names = tuple(param.name for param in info.params)
        self.index = {name: place for place, name in enumerate(self.names)}
        self.kinds = tuple(PARAM_TYPES[param.type].predicate for param in info.params)
        self.lets: dict[str, Node] = {let.name: let.value for let in info.lets}
        self._formats = tuple(dict(param.formats) for param in info.params)
        self._legal: dict[tuple[str, Target | None], tuple[str, ...]] = {}

    def rows(self, target: Target) -> tuple[RowInfo, ...]:
        """The dtype rows of a target."""
        return tuple(row for row in self.info.rows if target.product in row.products and target.mode in row.modes)

    def legal_dtypes(self, name: str, target: Target | None = None) -> tuple[str, ...]:
        """The dtypes that some row, of the target or of any, allows for a parameter."""
        if (name, target) not in self._legal:
            rows = self.info.rows if target is None else self.rows(target)
            found = dict.fromkeys(dtype for row in rows for dtype in dict(row.cells).get(name, ()))
            self._legal[name, target] = tuple(found)
        return self._legal[name, target]

    def formats_of(self, place: int, rank: int) -> tuple[str, ...]:
        """The formats that the parameter table allows a tensor of this rank."""
        by_rank = self._formats[place]
        return by_rank.get(rank, by_rank.get(-1, ()))

    def reshaped(self, place: int, tensor: TensorMeta, shape: tuple[int, ...]) -> TensorMeta:
        """The tensor with another shape, and a legal format where its own is legal for its old rank only."""
        legal, before = self.formats_of(place, len(shape)), self.formats_of(place, len(tensor.shape))
        stale = legal and tensor.format in before and tensor.format not in legal
        return TensorMeta(shape, tensor.dtype, legal[0] if stale else tensor.format)

    def default(self, place: int, dtype: str = "") -> Value:
        """A value of a parameter's type that its table entry allows."""
        param, kind = self.info.params[place], self.kinds[place]
        dtype = dtype or next(iter(self.legal_dtypes(param.name)), "FLOAT")
        length = 2 if not param.lengths or 2 in param.lengths else param.lengths[0]
        if kind in ("tensor", "tensors"):
            rank = min(max(2, param.rank[0]), param.rank[1])
            tensor = TensorMeta(_SIZES[:rank], dtype, (self.formats_of(place, rank) or ("ND",))[0])
            return tensor if kind == "tensor" else (tensor, tensor)
        if kind in ("scalar", "scalars"):
            scalar = ScalarMeta(1.0, dtype)
            return scalar if kind == "scalar" else (scalar, scalar)
        if param.has_default and param.default is not None:
            return param.default
        if kind in _ELEMENTS:
            return (param.values[0] if param.values and kind == "ints" else _ELEMENTS[kind],) * length
        return param.values[0] if param.values else dtype if kind == "dtype" else _DEFAULTS[kind]

    def element(self, place: int) -> Value:
        """A default element of a list parameter."""
        return (self.default(place) or (_ELEMENTS[self.kinds[place]],))[0]

    def skeleton(self, target: Target) -> Call:
        """A call of default values with the dtypes of the target's first row; it need not be valid."""
        row = dict(next((row.cells for row in self.rows(target)), ()))
        return tuple(self.default(place, (row.get(name) or ("",))[0]) for place, name in enumerate(self.names))

    def example(self, example: ExampleInfo) -> Call:
        """The call of an example, with defaults for the outputs that it leaves out."""
        stated = dict(example.inputs) | dict(example.outputs)
        return tuple(self._value(place, stated) for place in range(len(self.names)))

    def _value(self, place: int, stated: dict[str, Any]) -> Value:
        param = self.info.params[place]
        value = stated.get(param.name)
        if isinstance(value, TensorValue):
            return self._tensor(place, value)
        if isinstance(value, tuple) and param.type == "tensor_list":
            return tuple(self._tensor(place, one) for one in value)
        if value is None and param.is_output and param.name not in stated:
            return self.default(place)
        if value is not None and param.type in ("scalar", "scalar_list"):
            scalars = [
                ScalarMeta(one, _SCALARS[type(one)]) for one in (value if isinstance(value, tuple) else (value,))
            ]
            return tuple(scalars) if param.type == "scalar_list" else scalars[0]
        return value

    def _tensor(self, place: int, value: TensorValue) -> TensorMeta:
        legal = self.formats_of(place, len(value.shape)) or ("ND",)
        return TensorMeta(value.shape, value.dtype, value.format or legal[0])


def vacuous(space: Space, rule: RuleInfo, target: Target) -> bool:
    """Whether the dtype rows of a target leave the rule nothing to refuse."""
    if not isinstance(rule.require, InRows):
        return False
    rows = [row.table for row in space.rows(target)]
    legal = [name for name in rule.require.params if space.legal_dtypes(name, target)]
    return not rows or not legal or (len(rule.require.params) > 1 and refuse_nothing(rows, legal))
