"""The arguments of a recorded call as the checks and the kernels take them; tensors are without data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.replay.sentences import Unable
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo
from aclspec.runtime.tensors.layout import Layout, contiguous_strides
from aclspec.runtime.tensors.tensor import Scalar, Tensor, wrap

MOST_AXES = 64
"""Of a tensor that is judged, as many as the layer records data of."""
_INT64 = range(-(1 << 63), 1 << 64)


class NotKnown(Unable):
    """A call that cannot be judged, since the layer did not see all of it."""


def values_of(info: OperatorInfo, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all parameters by C name; NotKnown where something is missing."""
    unknown = [name for name in arguments if name not in {param.name for param in info.params}]
    if unknown:
        raise NotKnown("another signature", name=unknown[0])
    return {param.name: _value(param, arguments) for param in info.params}


def _value(param: ParamInfo, arguments: Mapping[str, Any]) -> Any:
    if param.name not in arguments:
        raise NotKnown("no argument", name=param.name)
    value = arguments[param.name]
    if value is None:
        return None
    if any(isinstance(one, dict) and "cut" in one for one in (value, *(value if isinstance(value, list) else ()))):
        raise NotKnown("cut", name=param.name)
    if isinstance(value, dict) and not value.keys() & {"dtype"}:
        raise NotKnown("destroyed" if "destroyed" in value else "unknown", name=param.name)
    try:
        return _READERS[param.type](value) if param.type in _READERS else _integer(value)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise NotKnown("unreadable value", name=param.name, value=f"{value!r:.80}") from error


def _tensor(value: Mapping[str, Any]) -> Tensor:
    dtype, layout = _dtype(value["dtype"]), _member(Format, value["format"])
    shape = _integers(value["shape"])
    strides = _integers(value["strides"]) if "strides" in value else contiguous_strides(shape)
    storage = _integers(value.get("storage_shape", value["shape"]))
    if len(strides) != len(shape) or max(len(shape), len(storage)) > MOST_AXES:
        raise ValueError("axes")
    is_plain = storage == shape and strides == contiguous_strides(shape) and not value.get("offset")
    return wrap(
        shape, dtype, layout, None, None if is_plain else Layout(strides, _integer(value.get("offset", 0)), storage)
    )


def _scalar(value: Mapping[str, Any]) -> Scalar:
    dtype, number = _dtype(value["dtype"]), value["value"]
    if number is None:
        raise ValueError("value")
    if dtype is DType.BOOL:
        return Scalar(bool(number), dtype)
    if "imaginary" in value:
        return Scalar(complex(_real(number), _real(value["imaginary"])), dtype)
    return Scalar(_real(number) if dtype.is_floating or isinstance(number, str) else number, dtype)


def _dtype(value: Any) -> DType:
    found: DType = _member(DType, value)
    if not found.is_stored and found is not DType.DT_UNDEFINED:
        raise ValueError(value)
    return found


def _member(kind: Any, value: Any) -> Any:
    """The member of an enumeration by its name, or by its number where the layer knew no name."""
    return kind[value] if isinstance(value, str) else kind(value)


def _real(value: Any) -> float:
    if isinstance(value, bool):
        raise TypeError(value)
    return float(value)


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value not in _INT64:
        raise TypeError(value)
    return value


def _integers(value: Any) -> tuple[int, ...]:
    found: tuple[int, ...] = _each(_integer)(value)
    if max(found, default=0) >= 1 << 63:
        raise ValueError("int64")
    return found


def _is_true(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _each(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def each(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise TypeError(value)
        return tuple(None if item is None else read(item) for item in value)

    return each


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "tensor": _tensor,
    "tensor_list": _each(_tensor),
    "scalar": _scalar,
    "scalar_list": _each(_scalar),
    "int_array": _integers,
    "float_array": _each(_real),
    "bool_array": _each(_is_true),
    "bool": _is_true,
    "float": _real,
    "double": _real,
    "dtype": _dtype,
    "string": _text,
}
