"""Data types: the numbers of aclDataType, and the NumPy types that hold them."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Any

import ml_dtypes
import numpy as np


class DType(IntEnum):
    """An aclDataType by its number, without the prefix ACL_."""

    DT_UNDEFINED = -1
    FLOAT = 0
    FLOAT16 = 1
    INT8 = 2
    INT32 = 3
    UINT8 = 4
    INT16 = 6
    UINT16 = 7
    UINT32 = 8
    INT64 = 9
    UINT64 = 10
    DOUBLE = 11
    BOOL = 12
    STRING = 13
    COMPLEX64 = 16
    COMPLEX128 = 17
    BF16 = 27
    INT4 = 29
    UINT1 = 30
    COMPLEX32 = 33
    HIFLOAT8 = 34
    FLOAT8_E5M2 = 35
    FLOAT8_E4M3FN = 36
    FLOAT8_E8M0 = 37
    FLOAT6_E3M2 = 38
    FLOAT6_E2M3 = 39
    FLOAT4_E2M1 = 40
    FLOAT4_E1M2 = 41
    HFLOAT32 = 1000
    """Compute-only, with a number outside aclDataType: 1 sign, 8 exponent and 11 mantissa bits, held in a float32."""

    # The hash of an enum member is that of its name, computed in Python at every look-up; the number's own is free.
    __hash__ = int.__hash__

    @property
    def numpy(self) -> np.dtype[Any] | None:
        """The NumPy type of an element, or None where NumPy and ml_dtypes have none."""
        return _NUMPY.get(self)

    @property
    def itemsize(self) -> int:
        """The bytes that aclDataTypeSize answers; types narrower than a byte count as one."""
        return _SIZES.get(self, 0)

    @property
    def is_floating(self) -> bool:
        """Whether it holds real numbers with a fraction."""
        return self in _SIGNIFICAND

    @property
    def is_stored(self) -> bool:
        """Whether a tensor can have it; a compute-only dtype occurs in precision tables alone."""
        return self is not DType.DT_UNDEFINED and self is not DType.HFLOAT32

    @property
    def short(self) -> str:
        """The name in a tensor literal: "float32", "bfloat16", "int8"."""
        return _SHORT.get(self) or self.name.lower()

    @property
    def spellings(self) -> list[str]:
        """The name in a tensor literal, and the other names that `parse` reads beside its own."""
        return [self.short, *(name for name, dtype in _ALIASES.items() if dtype is self and name != self.short)]

    @classmethod
    def of(cls, dtype: np.dtype[Any]) -> DType:
        """The number of a NumPy type in native byte order; KeyError when aclnn has none for it."""
        return BY_NUMPY[dtype]

    @classmethod
    def parse(cls, text: str) -> DType:
        """A name in any of its spellings: "FLOAT", "float32", "ACL_BF16", "bfloat16"; ValueError for another."""
        found = _NAMES.get(_PREFIX.sub("", text.strip().lower()))
        if found is None:
            from aclspec.runtime.abi.suggest import did_you_mean

            raise ValueError(f"The dtype ({text}) is unknown{did_you_mean(text.lower(), _NAMES)}.")
        return found


def _optional(name: str) -> np.dtype[Any] | None:
    kind = getattr(ml_dtypes, name, None)  # the narrow floats are younger than the oldest ml_dtypes we accept
    return None if kind is None else np.dtype(kind)


_CANDIDATES: dict[DType, np.dtype[Any] | None] = {
    DType.FLOAT: np.dtype(np.float32),
    DType.FLOAT16: np.dtype(np.float16),
    DType.INT8: np.dtype(np.int8),
    DType.INT32: np.dtype(np.int32),
    DType.UINT8: np.dtype(np.uint8),
    DType.INT16: np.dtype(np.int16),
    DType.UINT16: np.dtype(np.uint16),
    DType.UINT32: np.dtype(np.uint32),
    DType.INT64: np.dtype(np.int64),
    DType.UINT64: np.dtype(np.uint64),
    DType.DOUBLE: np.dtype(np.float64),
    DType.BOOL: np.dtype(np.bool_),
    DType.COMPLEX64: np.dtype(np.complex64),
    DType.COMPLEX128: np.dtype(np.complex128),
    DType.BF16: _optional("bfloat16"),
    DType.INT4: _optional("int4"),
    DType.FLOAT8_E5M2: _optional("float8_e5m2"),
    DType.FLOAT8_E4M3FN: _optional("float8_e4m3fn"),
    DType.FLOAT8_E8M0: _optional("float8_e8m0fnu"),
    DType.FLOAT6_E3M2: _optional("float6_e3m2fn"),
    DType.FLOAT6_E2M3: _optional("float6_e2m3fn"),
    DType.FLOAT4_E2M1: _optional("float4_e2m1fn"),
    DType.HFLOAT32: np.dtype(np.float32),
}
_NUMPY: dict[DType, np.dtype[Any]] = {dtype: kind for dtype, kind in _CANDIDATES.items() if kind is not None}
BY_NUMPY: dict[np.dtype[Any], DType] = {kind: dtype for dtype, kind in _NUMPY.items() if dtype.is_stored}
_SIZES: dict[DType, int] = {dtype: kind.itemsize for dtype, kind in _NUMPY.items()} | {
    DType.UINT1: 1,
    DType.COMPLEX32: 4,
    DType.HIFLOAT8: 1,
    DType.FLOAT8_E8M0: 1,
    DType.FLOAT6_E3M2: 1,
    DType.FLOAT6_E2M3: 1,
    DType.FLOAT4_E2M1: 1,
    DType.FLOAT4_E1M2: 1,
}
_SHORT: dict[DType, str] = {DType.FLOAT: "float32", DType.DOUBLE: "float64", DType.BF16: "bfloat16"}
_ALIASES: dict[str, DType] = {
    "float32": DType.FLOAT,
    "float64": DType.DOUBLE,
    "bfloat16": DType.BF16,
    "half": DType.FLOAT16,
    "cfloat": DType.COMPLEX64,
    "cdouble": DType.COMPLEX128,
    "fp16": DType.FLOAT16,
    "fp32": DType.FLOAT,
    "fp64": DType.DOUBLE,
    "long": DType.INT64,
    "int": DType.INT32,
    "short": DType.INT16,
    "undefined": DType.DT_UNDEFINED,
    "f16": DType.FLOAT16,
    "f32": DType.FLOAT,
    "f64": DType.DOUBLE,
    "i8": DType.INT8,
    "i16": DType.INT16,
    "i32": DType.INT32,
    "i64": DType.INT64,
    "u8": DType.UINT8,
    "u16": DType.UINT16,
    "u32": DType.UINT32,
    "u64": DType.UINT64,
    "bfloat": DType.BF16,
    "char": DType.INT8,
    "byte": DType.UINT8,
}
_PREFIX = re.compile(r"^(?:acl_|dt_(?!undefined)|(?:torch|np|numpy|mindspore|ms)\.)")
"""What may stand before a name: how CANN's headers and messages, and packages of Python, write it."""
_NAMES: dict[str, DType] = {dtype.name.lower(): dtype for dtype in DType if dtype != DType.HFLOAT32} | _ALIASES
_SIGNIFICAND: dict[DType, int] = {  # bits of the significand, the leading one included
    DType.FLOAT: 24,
    DType.DOUBLE: 53,
    DType.FLOAT16: 11,
    DType.BF16: 8,
    DType.HIFLOAT8: 4,
    DType.FLOAT8_E5M2: 3,
    DType.FLOAT8_E4M3FN: 4,
    DType.FLOAT8_E8M0: 1,
    DType.FLOAT6_E3M2: 3,
    DType.FLOAT6_E2M3: 4,
    DType.FLOAT4_E2M1: 2,
    DType.FLOAT4_E1M2: 3,
    DType.HFLOAT32: 12,
}


def unit_roundoff(dtype: DType) -> float:
    """The largest relative error of rounding a number to this type (half a unit in the last place); 0 for integers."""
    bits = _SIGNIFICAND.get(dtype)
    return 0.0 if bits is None else 2.0**-bits
