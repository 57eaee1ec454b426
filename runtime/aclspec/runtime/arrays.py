"""A caller's array of any kind as a NumPy view on the same memory, and a result as the caller's own kind."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from aclspec.runtime.dtypes import BY_NUMPY, DType
from aclspec.runtime.errors import ParamError, type_error
from aclspec.runtime.formats import Format
from aclspec.runtime.tensor import Tensor, wrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Native: TypeAlias = "Callable[[NDArray[Any], Format | None], object]"
"""Turns a result (and its format) into another kind of array."""
_TORCH_VIEWS = {"bfloat16": DType.BF16, "float8_e5m2": DType.FLOAT8_E5M2, "float8_e4m3fn": DType.FLOAT8_E4M3FN}


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
    return isinstance(value, np.ndarray | np.generic | Tensor) or (
        not isinstance(value, type) and (hasattr(value, "__dlpack__") or hasattr(value, "__array__"))
    )


def _view(value: object, name: str, operator: str | None) -> NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray):
        raise type_error(
            f"The value of {name} is a masked array, and a tensor has no mask; give its filled values.", name, operator
        )
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    if isinstance(value, Tensor):
        return value.array
    if is_torch(value):
        return _torch_view(value, name, operator)
    if not isinstance(value, type) and hasattr(value, "__dlpack__"):
        return _dlpack_view(value, name, operator)
    if not isinstance(value, type) and hasattr(value, "__array__"):
        return _array_view(value, name, operator)
    raise type_error(f"The value of {name} ({_described(value)}) is not a tensor{_hint(value)}.", name, operator)


def _described(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


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
    return type_error(f"The dtype of {name} ({dtype}) is not numeric, so that {name} is no tensor.", name, operator)


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
    kind = _TORCH_VIEWS.get(str(value.dtype).removeprefix("torch."))
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
    from aclspec.runtime.dlpack import ExportError, from_dlpack

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


def native_kind(value: object) -> Native | None:
    """How a result becomes the same kind as this argument; None where that is a NumPy array."""
    if isinstance(value, Tensor):
        return _as_tensor
    if is_torch(value):
        return _as_torch
    if isinstance(value, np.ndarray | np.generic) or not hasattr(value, "__array_namespace__"):
        return None
    namespace = value.__array_namespace__()
    return lambda array, _format: namespace.asarray(array)


def _as_tensor(array: NDArray[Any], format: Format | None) -> Tensor:
    return wrap(array.shape, BY_NUMPY[array.dtype], format, array)


def _as_torch(array: NDArray[Any], _format: Format | None) -> object:
    torch = sys.modules["torch"]
    kind = next((name for name, dtype in _TORCH_VIEWS.items() if dtype is BY_NUMPY[array.dtype]), None)
    if kind is None:
        return torch.from_numpy(array)
    bits = np.int16 if array.itemsize == 2 else np.uint8
    return torch.from_numpy(array.view(bits)).view(getattr(torch, kind))
