"""Runs a kernel over the tensors of a checked call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import AclnnError, while_calling
from aclspec.runtime.abi.host_memory import ASK_FROM, available_bytes
from aclspec.runtime.abi.parameters import Param
from aclspec.runtime.abi.status import Status
from aclspec.runtime.tensors.layout import INT64_MAX, is_negative
from aclspec.runtime.tensors.overlap import any_overlap
from aclspec.runtime.tensors.rounding import round_into
from aclspec.runtime.tensors.tensor import Scalar, Tensor, each_leaf, leaves, wrap

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COMPLEX = (DType.COMPLEX32, DType.COMPLEX64, DType.COMPLEX128)
Lengths: TypeAlias = "tuple[int | None, ...] | None"
"""How long the first axis is of each output whose shape depends on the data, in C order; None where it is whole."""
Kernel: TypeAlias = Callable[..., Lengths]
"""Takes all parameters in C order (arrays, attributes, None), the roles and the settings; writes the outputs.

Where the shapes of outputs depend on the data, it writes their first rows and answers how many these are.
"""


def require_data(params: Iterable[Param], values: Iterable[object], function: str) -> None:
    """Refuse to compute with a tensor that has no data, naming the bytes that it would take."""
    for param, value in zip(params, values, strict=True):
        if isinstance(value, Tensor):
            if value._array is None:
                raise _without_data(param.name, value, function)
        elif type(value) is tuple:
            require_data([param] * len(value), value, function)


def require_shapes(values: Iterable[Any], function: str) -> None:
    """Refuse an array that its caller has reshaped since phase one."""
    for value in values:
        for tensor in leaves(value):
            require_shape(tensor, function)


def require_shape(tensor: Tensor, function: str | None) -> None:
    """Refuse an array that its caller has reshaped since phase one."""
    now, before = list(tensor.array.shape), list(tensor.shape)
    if now != before:
        sentence = f"The shape of an array ({now}) is not the one that phase one saw ({before})."
        raise AclnnError(while_calling(sentence, function), Status.ACLNN_ERR_PARAM_INVALID)


def write_zeros(params: Sequence[Param], values: Sequence[Any], function: str) -> None:
    """Fill the outputs among ``values`` with zeros."""
    outputs = [value if param.is_output else None for param, value in zip(params, values, strict=True)]
    require_data(params, outputs, function)
    for output in outputs:
        for tensor in leaves(output):
            tensor.array[...] = 0


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
    tensors = (tensor for value in values for tensor in leaves(value))
    reserve([wrap(tensor.shape, DType.DOUBLE, None) for tensor in tensors if tensor.dtype.is_floating], function)


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
) -> Lengths:
    """Compute into the outputs among ``values``; one that overlaps another tensor is written at the end.

    ``fresh``: no output can overlap anything, since all of them are new.
    """
    arrays = [kernel_value(value) for value in values]
    if fresh:
        return kernel(*arrays, precision)
    parts = zip(params, arrays, strict=True)
    inputs = [array for param, value in parts if not param.is_output for array in _arrays(value)]
    late = {
        at: each_leaf(np.copy, arrays[at])
        for at, param in enumerate(params)
        if param.is_output and any_overlap(list(_arrays(arrays[at])), inputs)
    }
    lengths = kernel(*[late.get(at, array) for at, array in enumerate(arrays)], precision)
    for at, result in late.items():
        each_leaf(np.copyto, arrays[at], result)
    return lengths


def run_exactly(
    kernel: Kernel, params: Sequence[Param], values: Sequence[Any], precision: Mapping[str, Any], fresh: bool = False
) -> Lengths:
    """Compute in float64 throughout and round each element of an output once; `run` explains the parameters.

    Complex numbers are computed in complex128, integers as they are. Every tensor is copied, so that it does not
    matter what overlaps what.
    """
    arrays = [kernel_value(value) for value in values]
    wide = [
        each_leaf(_widened if param.is_input or param.partial or param.data_dependent else _blank, array)
        for param, array in zip(params, arrays, strict=True)
    ]
    lengths = kernel(*wide, {role: _exact(dtype) for role, dtype in precision.items()})
    for param, target, result in zip(params, arrays, wide, strict=True):
        if param.is_output and target is not None:
            each_leaf(round_into, target, result)
    return lengths


def checked_lengths(params: Sequence[Param], lengths: Any, function: str) -> Lengths:
    """What a kernel returned other than None; TypeError where that is not a length for each output that has one."""
    names = [param.name for param in params if param.data_dependent]
    if isinstance(lengths, tuple) and len(lengths) == len(names) and all(map(_is_length, lengths)):
        return lengths
    expected = "None"
    if names:
        expected = f"a tuple with the length that the data decides of each of its outputs ({', '.join(names)})"
    found = type(lengths).__name__
    raise TypeError(while_calling(f"The value that the kernel returns ({found}) is not {expected}.", function))


def _is_length(one: object) -> bool:
    return one is None or (isinstance(one, int | np.integer) and not isinstance(one, bool))


def kernel_value(value: Any) -> Any:
    """What a kernel sees of a value: the array of a tensor, the number of a scalar, an attribute as it is."""
    if type(value) is Tensor:
        return value._array
    if type(value) is Scalar:
        return value.value
    if type(value) is tuple:
        return tuple(kernel_value(item) for item in value)
    return value


def _arrays(value: Any) -> Iterator[NDArray[Any]]:
    """The arrays of a value that a kernel takes: itself, or those in a list."""
    if isinstance(value, np.ndarray):
        yield value
    elif type(value) is tuple:
        for item in value:
            yield from _arrays(item)


def _widened(value: Any) -> Any:
    """A copy of an array, in float64 if it is floating-point; an attribute itself."""
    if not isinstance(value, np.ndarray):
        return value
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        return value.astype(_wide_dtype(value))


def _blank(value: Any) -> Any:
    """An array to write instead of an output; None for one that is switched off."""
    return None if value is None else np.empty(value.shape, _wide_dtype(value))


def _exact(role: Any) -> Any:
    """The dtype that stands for the one of a role where nothing but the output is rounded; a setting itself."""
    if not isinstance(role, DType):
        return role
    return DType.DOUBLE if role.is_floating else DType.COMPLEX128 if role in _COMPLEX else role


def _wide_dtype(array: NDArray[Any]) -> np.dtype[Any]:
    exact: np.dtype[Any] = _exact(DType.of(array.dtype)).numpy
    return exact


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
