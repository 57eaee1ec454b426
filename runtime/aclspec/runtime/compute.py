"""Runs a kernel over the tensors of a checked call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.backends import Kernel
from aclspec.runtime.dtypes import DType
from aclspec.runtime.errors import AclnnError, while_calling
from aclspec.runtime.layout import INT64_MAX, is_negative
from aclspec.runtime.leaves import each_leaf
from aclspec.runtime.memory import ASK_FROM, available_bytes
from aclspec.runtime.parameters import Param
from aclspec.runtime.rounding import round_into
from aclspec.runtime.scalar import Scalar
from aclspec.runtime.status import Status
from aclspec.runtime.tensor import Tensor, wrap

if TYPE_CHECKING:
    from numpy.typing import NDArray


def require_data(params: Iterable[Param], values: Iterable[object], function: str) -> None:
    """Refuse to compute with a tensor that has no data, naming the bytes that it would take."""
    for param, value in zip(params, values, strict=True):
        if isinstance(value, Tensor):
            if value._array is None:
                raise _without_data(param.name, value, function)
        elif type(value) is tuple:
            require_data([param] * len(value), value, function)


def reserve(tensors: Iterable[Tensor], function: str) -> None:
    """Refuse to allocate more bytes than there are, and sizes that no array has."""
    chosen = tuple(tensors)
    for tensor in chosen:
        _refuse_shape(tensor, function)
    needed = sum(tensor.nbytes for tensor in chosen)
    if needed > ASK_FROM and needed > (available := available_bytes()):
        raise _runtime_error(
            f"The call needs {needed} bytes of memory, more than the {available} bytes that are available.", function
        )


def reserve_doubles(values: Iterable[Any], function: str) -> None:
    """Refuse to compute exactly where there is no room for a float64 copy of every floating-point tensor."""
    reserve([wrap(tensor.shape, DType.DOUBLE, None) for tensor in _floating(values)], function)


def allocate(tensor: Tensor, function: str, zeroed: bool = False) -> NDArray[Any]:
    """A new array for an output."""
    kind = tensor.dtype.numpy
    if kind is None:
        raise _runtime_error(f"The dtype of an output ({tensor.dtype.name}) has no NumPy type.", function)
    try:
        return np.zeros(tensor.shape, kind) if zeroed else np.empty(tensor.shape, kind)
    except (MemoryError, ValueError):  # NumPy's ValueError: more bytes than a pointer addresses, or too many axes
        _refuse_shape(tensor, function)
        raise _runtime_error(
            f"The {tensor.nbytes} bytes of an output ({tensor}) cannot be allocated.", function
        ) from None


def run(
    kernel: Kernel, params: Sequence[Param], values: Sequence[Any], precision: Mapping[str, Any], fresh: bool = False
) -> None:
    """Compute into the outputs among ``values``; one that overlaps another tensor is written at the end.

    ``fresh``: no output can overlap anything, since all of them are new.
    """
    arrays = [kernel_value(value) for value in values]
    if fresh:
        kernel(*arrays, precision)
        return
    inputs = [array for param, array in zip(params, arrays, strict=True) if not param.is_output]
    late = {
        at: each_leaf(_copied, arrays[at])
        for at, param in enumerate(params)
        if param.is_output and any(_overlaps(array, inputs) for array in _arrays(arrays[at]))
    }
    kernel(*[late.get(at, array) for at, array in enumerate(arrays)], precision)
    for at, result in late.items():
        each_leaf(np.copyto, arrays[at], result)


def run_exactly(
    kernel: Kernel, params: Sequence[Param], values: Sequence[Any], precision: Mapping[str, Any], fresh: bool = False
) -> None:
    """Compute in float64 throughout and round each element of an output once; `run` explains the parameters.

    Every tensor is copied, so that it does not matter what overlaps what.
    """
    arrays = [kernel_value(value) for value in values]
    wide = [
        _widened(array) if param.is_input or param.partial else _blank(array)
        for param, array in zip(params, arrays, strict=True)
    ]
    kernel(*wide, {role: DType.DOUBLE if isinstance(dtype, DType) else dtype for role, dtype in precision.items()})
    for param, target, result in zip(params, arrays, wide, strict=True):
        if param.is_output and target is not None:
            each_leaf(round_into, target, result)


def kernel_value(value: Any) -> Any:
    """What a kernel sees of a value: the array of a tensor, the number of a scalar, an attribute as it is."""
    if type(value) is Tensor:
        return value._array
    if type(value) is Scalar:
        return value.value
    if type(value) is tuple:
        return tuple(kernel_value(item) for item in value)
    return value


def _copied(array: NDArray[Any]) -> NDArray[Any]:
    return array.copy()


def _arrays(value: Any) -> tuple[NDArray[Any], ...]:
    """The arrays of an output that the kernel sees."""
    return value if isinstance(value, tuple) else () if value is None else (value,)


def _overlaps(output: NDArray[Any], inputs: Iterable[Any]) -> bool:
    for value in inputs:
        if isinstance(value, tuple):
            if _overlaps(output, value):
                return True
        elif isinstance(value, np.ndarray) and np.may_share_memory(output, value):
            return True
    return False


def _floating(values: Iterable[Any]) -> Iterable[Tensor]:
    for value in values:
        if isinstance(value, tuple):
            yield from _floating(value)
        elif isinstance(value, Tensor) and value.dtype.is_floating:
            yield value


def _widened(value: Any) -> Any:
    """A copy of an input: of a floating-point array in float64, of an attribute itself."""
    if isinstance(value, tuple):
        return tuple(_widened(item) for item in value)
    if not isinstance(value, np.ndarray):
        return value
    if not DType.of(value.dtype).is_floating:
        return value.copy()
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        return value.astype(np.float64)


def _blank(value: Any) -> Any:
    """An array to write instead of an output; None for one that is switched off."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(_blank(item) for item in value)
    return np.empty(value.shape, np.float64 if DType.of(value.dtype).is_floating else value.dtype)


def _refuse_shape(tensor: Tensor, function: str) -> None:
    """Refuse an output that no array can be: what follows from the inputs may have any sizes."""
    if is_negative(tensor.shape):
        raise _runtime_error(f"The shape of an output ({tensor}) has a negative dimension.", function)
    if tensor.numel > INT64_MAX:
        sentence = f"The number of elements ({tensor.numel}) of an output ({tensor}) is beyond the range of int64."
        raise _runtime_error(sentence, function)


def _without_data(name: str, tensor: Tensor, function: str) -> AclnnError:
    if tensor.place is not None:
        return _runtime_error(
            f"The tensor {name} ({tensor}) is on {tensor.place}, and the call computes on the CPU; give its to_host(), "
            'or say backend="npu".',
            function,
        )
    if is_negative(tensor.shape):
        return _runtime_error(f"The tensor {name} ({tensor}) has no elements to compute with.", function)
    return _runtime_error(
        f"The tensor {name} ({tensor}) has no data to compute with; its elements would take {tensor.nbytes} bytes.",
        function,
    )


def _runtime_error(sentence: str, function: str) -> AclnnError:
    return AclnnError(while_calling(sentence, function), Status.ACLNN_ERR_RUNTIME_ERROR)
