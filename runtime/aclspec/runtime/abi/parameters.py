"""The parameters of an operator, their C types, and how a Python call is bound to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from aclspec.runtime.abi.errors import ParamTypeError
from aclspec.runtime.abi.formats import Format

ParamTypeKey: TypeAlias = Literal[
    "tensor",
    "tensor_list",
    "scalar",
    "scalar_list",
    "int_array",
    "bool_array",
    "float_array",
    "bool",
    "int8",
    "int32",
    "int",
    "int64",
    "uint64",
    "float",
    "double",
    "string",
    "dtype",
]


MAX_LENGTH: Final = 65_536
"""The most elements of a list or an array."""


@dataclass(frozen=True, slots=True)
class ParamType:
    """A C parameter type.

    ``pointer``: the value may be a null pointer. ``low`` and ``high`` are the inclusive range of an integer type.
    """

    key: ParamTypeKey
    c: str
    predicate: str
    python: str
    pointer: bool = False
    low: int = 0
    high: int = 0

    @property
    def is_integer(self) -> bool:
        """Whether the value is one C integer."""
        return self.high > 0

    @property
    def has_dtype(self) -> bool:
        """Whether the parameter has a dtype that a dtype row may name."""
        return self.predicate in ("tensor", "tensors", "scalar", "scalars", "dtype")


def _signed(key: ParamTypeKey, c: str, bits: int) -> ParamType:
    """A signed C integer with this number of bits."""
    return ParamType(key, c, "int", "int", low=-(2 ** (bits - 1)), high=2 ** (bits - 1) - 1)


_TABLE = (
    ParamType("tensor", "aclTensor*", "tensor", "array, Tensor or None", pointer=True),
    ParamType("tensor_list", "aclTensorList*", "tensors", "sequence of arrays or None", pointer=True),
    ParamType("scalar", "aclScalar*", "scalar", "number, NumPy scalar or None", pointer=True),
    ParamType("scalar_list", "aclScalarList*", "scalars", "sequence of numbers or None", pointer=True),
    ParamType("int_array", "aclIntArray*", "ints", "sequence of int or None", pointer=True),
    ParamType("bool_array", "aclBoolArray*", "bools", "sequence of bool or None", pointer=True),
    ParamType("float_array", "aclFloatArray*", "floats", "sequence of float or None", pointer=True),
    ParamType("bool", "bool", "bool", "bool"),
    _signed("int8", "int8_t", 8),
    _signed("int32", "int32_t", 32),
    _signed("int", "int", 32),
    _signed("int64", "int64_t", 64),
    ParamType("uint64", "uint64_t", "int", "int", high=2**64 - 1),
    ParamType("float", "float", "float", "float"),
    ParamType("double", "double", "float", "float"),
    ParamType("string", "char*", "string", "str or None", pointer=True),
    ParamType("dtype", "aclDataType", "dtype", "dtype"),
)

PARAM_TYPES: dict[str, ParamType] = {kind.key: kind for kind in _TABLE}


REQUIRED: Final = object()
"""The default of a parameter that has none."""
NOT_GIVEN: Final = object()
"""The default of ``out`` where None would say something: that an output called out is null."""


class Param(NamedTuple):
    """One parameter of phase one.

    ``type`` is a key of `PARAM_TYPES`. ``optional``: the Python function may be called
    without it, which means null. ``formats`` are the legal formats of a tensor by rank (-1: any rank).
    ``partial``: the kernel may leave elements of an output as they were. ``bounded``: the spec bounds the elements.
    ``data_dependent``: the kernel says how long the first axis of an output is, or the last one where that is "last".
    ``inferred``: the shape and the dtype of an output follow from the inputs.
    """

    name: str
    snake: str
    type: str = "tensor"
    direction: str = "in"
    optional: bool = False
    default: object = REQUIRED
    formats: tuple[tuple[int, tuple[str, ...]], ...] = ()
    partial: bool = False
    bounded: bool = False
    data_dependent: bool | str = False
    inferred: bool = True

    @property
    def dependent_axis(self) -> int:
        """The axis whose length the kernel says: 0, or -1 for the last one."""
        return -1 if self.data_dependent == "last" else 0

    def written(self, shape: tuple[int, ...], length: int) -> tuple[int, ...]:
        """The shape of what is written of an output of this shape whose length depends on the data."""
        return (length, *shape[1:]) if self.dependent_axis == 0 else (*shape[:-1], length)

    @property
    def is_input(self) -> bool:
        """Whether the Python function takes it as an argument."""
        return self.direction != "out"

    @property
    def is_output(self) -> bool:
        """Whether the Python function returns it."""
        return self.direction != "in"

    @property
    def value_when_left_out(self) -> object:
        """What a call without it means: the default, null for an optional one, else `REQUIRED`."""
        return None if self.default is REQUIRED and self.optional else self.default

    def default_formats(self) -> tuple[dict[int, Format], Format]:
        """The format of an array of each rank, and of every other rank: the first that the spec allows."""
        named = {rank: Format[formats[0]] for rank, formats in self.formats if formats}
        return named, named.get(-1, Format.ND)


def bind(
    params: Sequence[Param], args: Sequence[object], keywords: Mapping[str, object], function: str
) -> tuple[object, ...]:
    """The values of ``params`` in order; TypeError naming the parameter and the function when the call does not fit."""
    if len(args) > len(params):
        raise ParamTypeError(
            f"The number of positional arguments ({len(args)}) exceeds that of the parameters ({len(params)}: "
            f"{', '.join(param.name for param in params)}).",
            None,
            function,
        )
    values: list[object] = [*args, *[param.value_when_left_out for param in params[len(args) :]]]
    spelled: dict[int, str] = dict.fromkeys(range(len(args)), "")
    index = {name: at for at, param in enumerate(params) for name in (param.name, param.snake)}
    for name, value in keywords.items():
        at = index.get(name)
        if at is None:
            raise _unknown(name, params, function)
        if at in spelled:
            raise _twice(params[at], name, spelled[at], function)
        spelled[at] = name
        values[at] = value
    missing = [param.name for param, value in zip(params, values, strict=True) if value is REQUIRED]
    if missing:
        raise _missing(missing, function)
    return tuple(values)


def _unknown(name: str, params: Iterable[Param], function: str) -> TypeError:
    from aclspec.runtime.abi.suggest import did_you_mean

    known = [spelling for param in params for spelling in (param.snake, param.name)]
    return ParamTypeError(f"The keyword ({name}) is not a parameter{did_you_mean(name, known)}.", None, function)


def _twice(param: Param, name: str, before: str, function: str) -> TypeError:
    how = f"the keywords {before} and {name}" if before else f"position and by the keyword {name}"
    return ParamTypeError(f"The argument {param.name} is given twice, by {how}.", None, function)


def _missing(names: Sequence[str], function: str) -> TypeError:
    if len(names) == 1:
        return ParamTypeError(f"The argument {names[0]} is missing.", None, function)
    return ParamTypeError(f"The arguments {', '.join(names[:-1])} and {names[-1]} are missing.", None, function)
