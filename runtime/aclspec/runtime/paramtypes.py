"""The C parameter types of phase one, by the key that a spec writes.

``predicate`` is the type that a predicate sees (see `aclspec.runtime.predicate.functions`), ``python`` what a
Python caller may give, and ``c`` the C type without ``const``, which says nothing about direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

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
    """A signed C integer of so many bits."""
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
