"""What a caller says about a tensor, read and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.dtypes import BY_NUMPY, DType
from aclspec.runtime.formats import Format
from aclspec.runtime.layout import INT64_MIN, dims

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def storage_of(data: object) -> NDArray[Any]:
    """The buffer behind a tensor as a NumPy array."""
    from aclspec.runtime.arrays import to_numpy

    return to_numpy(data, "data")


def shape_of(shape: Sequence[int] | None, storage: NDArray[Any] | None) -> tuple[int, ...]:
    """The shape that was said, else that of the data."""
    if shape is not None:
        return dims(shape, "shape", INT64_MIN)
    if storage is None:
        raise TypeError("A Tensor needs a shape and a dtype, or data that has them.")
    return storage.shape


def dtype_of(dtype: object, storage: NDArray[Any] | None) -> DType:
    """The dtype that was said, else that of the data, which it must agree with."""
    own = None if storage is None else DType.of(storage.dtype)
    if dtype is None:
        if own is None:
            raise TypeError("A Tensor needs a shape and a dtype, or data that has them.")
        return own
    given = dtype if isinstance(dtype, DType) else _parsed(dtype)
    if own is not None and own is not given:
        raise ValueError(f"The dtype of data ({own.name}) is not the dtype of the tensor ({given.name}).")
    return given


def _parsed(dtype: object) -> DType:
    if isinstance(dtype, str):
        return DType.parse(dtype)
    found = BY_NUMPY.get(np.dtype(dtype)) if isinstance(dtype, np.dtype | type) else None
    if found is None:
        raise TypeError(f"The dtype ({dtype!r}) is not one that aclnn has.")
    return found


def format_of(format: object) -> Format | None:
    """The format, by member or by name."""
    if format is None or isinstance(format, Format):
        return format
    if isinstance(format, str):
        return Format.parse(format)
    raise TypeError(f"The format ({format!r}) is neither a Format nor its name.")
