"""Coercion of an array of any kind to a NumPy view on the same memory."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from aclspec.runtime.abi.dtypes import BY_NUMPY, DType
from aclspec.runtime.abi.errors import ParamError, ParamTypeError
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.tensors.layout import INT64_MIN, dims

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


TORCH_VIEWS = {"bfloat16": DType.BF16, "float8_e5m2": DType.FLOAT8_E5M2, "float8_e4m3fn": DType.FLOAT8_E4M3FN}


def to_numpy(value: object, name: str, operator: str | None = None) -> NDArray[Any]:
    """The NumPy view of an array of any kind; TypeError or AclnnError naming the parameter when there is none."""
    array = _view(value, name, operator)
    if array.dtype not in BY_NUMPY:
        raise _dtype_error(array.dtype, name, operator)
    if not array.flags.c_contiguous:
        _check_strides(array, name, operator)
    return array


def is_tensor_like(value: object) -> bool:
    """Whether a value is of some kind of array, or a Tensor, whatever its dtype and its device."""
    return isinstance(value, np.ndarray | np.generic) or (
        not isinstance(value, type) and (hasattr(value, "__dlpack__") or hasattr(value, "__array__"))
    )


def _view(value: object, name: str, operator: str | None) -> NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray):
        raise ParamTypeError(
            f"The value of {name} is a masked array, and a tensor has no mask; give its filled values.", name, operator
        )
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    if is_torch(value):
        return _torch_view(value, name, operator)
    if not isinstance(value, type) and hasattr(value, "__dlpack__"):
        return _dlpack_view(value, name, operator)
    if not isinstance(value, type) and hasattr(value, "__array__"):
        return _array_view(value, name, operator)
    raise ParamTypeError(f"The value of {name} ({_shown(value)}) is not a tensor{_hint(value)}.", name, operator)


def brief(value: object) -> str:
    """The repr of a value; empty where it is long or raises, as that of somebody's class or of an endless int may."""
    with suppress(Exception):
        text = repr(value)
        return text if len(text) <= 60 else ""
    return ""


def _shown(value: object) -> str:
    return brief(value) or f"a {type(value).__name__}"


def _hint(value: object) -> str:
    if isinstance(value, list | tuple | int | float | complex):
        return "; give an array, such as numpy.asarray of it with the dtype you mean"
    return ", which is a NumPy array, anything with __dlpack__ or __array__, or an aclspec.runtime.Tensor"


def _dtype_error(dtype: np.dtype[Any], name: str, operator: str | None) -> Exception:
    if dtype.newbyteorder("=") in BY_NUMPY:
        order = "big-endian" if sys.byteorder == "little" else "little-endian"
        return ParamError(
            f"The byte order of {name} ({order}) is not this machine's own; "
            f"give {name}.astype({name}.dtype.newbyteorder('=')).",
            name,
            operator,
        )
    if dtype.kind in "fciu":
        return ParamError(f"The dtype of {name} ({dtype}) is one that aclnn does not have.", name, operator)
    return ParamTypeError(f"The dtype of {name} ({dtype}) is not numeric, so that {name} is no tensor.", name, operator)


def _check_strides(array: NDArray[Any], name: str, operator: str | None) -> None:
    for axis, step in enumerate(array.strides):
        if array.shape[axis] <= 1:
            continue
        if step < 0:
            raise ParamError(
                f"The stride of {name} on axis {axis} ({step // array.itemsize}) is negative, which aclnn "
                f"does not allow; give a copy, numpy.ascontiguousarray({name}).",
                name,
                operator,
            )
        if step % array.itemsize:
            raise ParamError(
                f"The stride of {name} on axis {axis} ({step} bytes) is not a multiple of the size of an "
                f"element ({array.itemsize} bytes); give a copy, numpy.ascontiguousarray({name}).",
                name,
                operator,
            )


def is_torch(value: object) -> bool:
    """Whether a value is a torch tensor; torch is never imported for it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, getattr(torch, "Tensor", ()))


def _torch_view(value: Any, name: str, operator: str | None) -> NDArray[Any]:
    if value.requires_grad:
        raise ParamError(
            f"The tensor {name} requires grad, and no gradient flows through this call; give {name}.detach().",
            name,
            operator,
        )
    if value.device.type != "cpu":
        raise ParamError(
            f"The tensor {name} is on the device {value.device}; the call computes on the CPU, so give {name}.cpu().",
            name,
            operator,
        )
    if value.layout is not sys.modules["torch"].strided:
        raise ParamError(
            f"The layout of {name} ({value.layout}) is not strided; give {name}.to_dense().", name, operator
        )
    value = value.resolve_conj().resolve_neg()
    kind = TORCH_VIEWS.get(str(value.dtype).removeprefix("torch."))
    if kind is None:
        return _torch_numpy(value, name, operator)
    bits = sys.modules["torch"].int16 if kind is DType.BF16 else sys.modules["torch"].uint8
    numpy = kind.numpy
    if numpy is None:
        raise ParamError(f"The dtype of {name} ({value.dtype}) is one that NumPy does not have.", name, operator)
    return np.asarray(value.view(bits).numpy()).view(numpy)


def _torch_numpy(value: Any, name: str, operator: str | None) -> NDArray[Any]:
    try:
        return np.asarray(value.numpy())
    except (TypeError, RuntimeError):
        raise ParamError(
            f"The dtype of {name} ({value.dtype}) is one that NumPy does not have.", name, operator
        ) from None


def _dlpack_view(value: Any, name: str, operator: str | None) -> NDArray[Any]:
    from aclspec.runtime.tensors.dlpack import ExportError, from_dlpack

    try:
        return from_dlpack(value)
    except ExportError as error:
        raise ParamError(f"The tensor {name} cannot be read through DLPack: {error}", name, operator) from error
    except Exception as error:  # the producer is code of others: whatever it raises is its refusal
        raise _refused(name, "__dlpack__", error, operator) from error


def _array_view(value: Any, name: str, operator: str | None) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except Exception as error:  # code of others, as above
        raise _refused(name, "__array__", error, operator) from error


def _refused(name: str, protocol: str, error: Exception, operator: str | None) -> ParamError:
    reason = f"{type(error).__name__}: {error}"
    return ParamError(f"The tensor {name} cannot be read: its {protocol} failed ({reason}).", name, operator)


class SupportsDLPack(Protocol):
    """An array of another library that speaks DLPack, such as a torch tensor."""

    @property
    def __dlpack__(self) -> Any:
        """The method that exports it."""


class SupportsArray(Protocol):
    """Anything that NumPy can take as an array."""

    @property
    def __array__(self) -> Any:
        """The method that converts it."""


def shape_of(shape: Sequence[int] | None, storage: NDArray[Any] | None) -> tuple[int, ...]:
    """The given shape, else that of the data."""
    if shape is not None:
        return dims(shape, "shape", INT64_MIN)
    if storage is None:
        raise TypeError("A Tensor needs a shape and a dtype, or data that has them.")
    return storage.shape


def dtype_of(dtype: object, storage: NDArray[Any] | None) -> DType:
    """The given dtype, else that of the data, which it must agree with."""
    own = None if storage is None else DType.of(storage.dtype)
    if dtype is None:
        if own is None:
            raise TypeError("A Tensor needs a shape and a dtype, or data that has them.")
        return own
    given = parse_dtype(dtype)
    if own is not None and own is not given:
        raise ValueError(f"The dtype of data ({own.name}) is not the dtype of the tensor ({given.name}).")
    return given


def parse_dtype(dtype: object) -> DType:
    """A dtype by member, by name or as NumPy's; ValueError or TypeError for what is none."""
    if isinstance(dtype, DType):
        return dtype
    if isinstance(dtype, str):
        return DType.parse(dtype)
    found = BY_NUMPY.get(np.dtype(dtype)) if isinstance(dtype, np.dtype | type) else None
    if found is None:
        raise TypeError(f"The dtype ({_shown(dtype)}) is not one that aclnn has.")
    return found


def format_of(format: object) -> Format | None:
    """The format, by member or by name."""
    if format is None or isinstance(format, Format):
        return format
    if isinstance(format, str):
        return Format.parse(format)
    raise TypeError(f"The format ({format!r}) is neither a Format nor its name.")
