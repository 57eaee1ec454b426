"""The space of calls of one operator: what each parameter may be, and a first call to start from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from aclspec.codegen.derive.call import Call, ScalarMeta, TensorMeta, Value
from aclspec.runtime.dtypes import DType
from aclspec.runtime.formats import Format
from aclspec.runtime.info import MODES, OperatorInfo, ParamInfo, RowInfo
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.nodes import Node
from aclspec.runtime.products import KEYS
from aclspec.runtime.testing.suite import Cell as Cell

DTYPES: tuple[str, ...] = tuple(dtype.name for dtype in DType if dtype.is_stored)
FORMATS: tuple[str, ...] = tuple(format.name for format in Format if format is not Format.UNDEFINED)
_DEFAULTS: Mapping[str, Value] = {
    "bool": True,
    "int": 1,
    "float": 1.0,
    "string": "none",
    "dtype": "FLOAT",
    "bools": (True,),
    "floats": (1.0,),
}


class Ref(NamedTuple):
    """A tensor (or a scalar) of a call: the parameter, and the element where that is a list."""

    param: int
    element: int | None = None


def kebab(param: ParamInfo) -> str:
    """The name of a parameter as ids write it."""
    return param.snake.strip("_").replace("_", "-")


def cells(info: OperatorInfo) -> tuple[Cell, ...]:
    """Every product and mode in which the operator's own rules are asked, the listed products first."""
    listed = {product for product, _ in info.products}
    gated = {mode for rule in info.rules if rule.kind == "product" for mode, _ in rule.status}
    order = [key for key in KEYS if key in listed] + [key for key in KEYS if key not in listed]
    return tuple(Cell(key, mode) for mode in MODES for key in order if key in listed or mode not in gated)


class Space:
    """The parameters of an operator by their place, with the dtypes and formats that each may have."""

    def __init__(self, info: OperatorInfo) -> None:
        """Tables of the operator's parameters."""
        self.info = info
        self.names = tuple(param.name for param in info.params)
        self.index = {name: place for place, name in enumerate(self.names)}
        self.kinds = tuple(PARAM_TYPES[param.type].predicate for param in info.params)
        self.lets: dict[str, Node] = {let.name: let.value for let in info.lets}
        self.outputs = tuple(self.index[item.param] for item in info.infer)
        self._rows: dict[Cell, tuple[RowInfo, ...]] = {}
        self._formats = [dict(param.formats) for param in info.params]

    def rows(self, cell: Cell) -> tuple[RowInfo, ...]:
        """The dtype rows of a cell."""
        if cell not in self._rows:
            self._rows[cell] = tuple(
                row for row in self.info.rows if cell.product in row.products and cell.mode in row.modes
            )
        return self._rows[cell]

    def legal_dtypes(self, name: str, cell: Cell) -> tuple[str, ...]:
        """The dtypes that some row of the cell allows for a parameter, in the order of the rows."""
        found = [dtype for row in self.rows(cell) for dtype in dict(row.cells).get(name, ())]
        return tuple(dict.fromkeys(found))

    def formats_of(self, place: int, rank: int) -> tuple[str, ...]:
        """The formats that the table allows a tensor of this rank, at the place of a parameter."""
        by_rank = self._formats[place]
        return by_rank.get(rank, by_rank.get(-1, ()))

    def mapping(self, call: Call) -> dict[str, Value]:
        """The call as the interpreter takes it."""
        return dict(zip(self.names, call, strict=True))

    def get(self, call: Call, ref: Ref) -> Value:
        """The tensor or scalar at a place."""
        value = call[ref.param]
        if ref.element is None:
            return value
        if not isinstance(value, tuple) or not 0 <= ref.element < len(value):
            return None
        return value[ref.element]

    def put(self, call: Call, ref: Ref, value: Value) -> Call:
        """The call with another tensor or scalar at a place."""
        if ref.element is not None:
            whole = call[ref.param]
            assert isinstance(whole, tuple)
            value = (*whole[: ref.element], value, *whole[ref.element + 1 :])
        return self.replaced(call, ref.param, value)

    def replaced(self, call: Call, place: int, value: Value) -> Call:
        """The call with another value of one parameter."""
        return (*call[:place], value, *call[place + 1 :])

    def with_shape(self, call: Call, ref: Ref, shape: tuple[int, ...]) -> Call:
        """The call with another shape of a tensor; its format follows when the new rank has formats of its own."""
        tensor = self.get(call, ref)
        if not isinstance(tensor, TensorMeta):
            return call
        legal = self.formats_of(ref.param, len(shape))
        before = self.formats_of(ref.param, len(tensor.shape))
        moved = legal and tensor.format in before and tensor.format not in legal
        return self.put(call, ref, tensor.reshaped(shape, legal[0] if moved else None))

    def default(self, place: int, dtype: str = "FLOAT") -> Value:
        """A plain value of a parameter's type, as its table entry wants it."""
        param = self.info.params[place]
        kind = self.kinds[place]
        length = 2 if not param.lengths or 2 in param.lengths else param.lengths[0]
        if kind in ("tensor", "tensors"):
            rank = min(max(2, param.rank[0]), param.rank[1])
            formats = self.formats_of(place, rank)
            tensor = TensorMeta((4, 2, 3, 2, 2, 2, 2, 2)[:rank], dtype, formats[0] if formats else "ND")
            return tensor if kind == "tensor" else (tensor, tensor)
        if kind in ("scalar", "scalars"):
            scalar = ScalarMeta(1.0, dtype)
            return scalar if kind == "scalar" else (scalar, scalar)
        if param.has_default and param.default is not None:
            return param.default
        if param.values:
            first = param.values[0]
            return (first,) * length if kind == "ints" and isinstance(first, int) else first
        if kind == "ints":
            return (1,) * length
        plain = _DEFAULTS[kind]
        return plain * length if isinstance(plain, tuple) else plain

    def skeleton(self, cell: Cell) -> Call:
        """A call of plain values with the dtypes of the cell's first row; nothing says that it is valid."""
        rows = self.rows(cell)
        cells_of = dict(rows[0].cells) if rows else {}
        dtypes = [cells_of.get(name, ("FLOAT",))[0] for name in self.names]
        values = [self.default(place, dtype) for place, dtype in enumerate(dtypes)]
        for place, kind in enumerate(self.kinds):
            if kind == "dtype" and self.names[place] in cells_of:
                values[place] = dtypes[place]
        return tuple(values)
