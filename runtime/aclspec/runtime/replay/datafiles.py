"""The tensors of a call with numbers in them: those of its recording, or random ones within the bounds of the spec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.replay.below import DataFile, OutsideError
from aclspec.runtime.replay.sentences import Unable
from aclspec.runtime.rules.bounds import bounds_of
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.tensors.tensor import Tensor, each_leaf, leaves
from aclspec.runtime.testing import data

LARGEST = 1 << 24
"""Elements of a tensor that random numbers are made for."""


class NoData(Unable):
    """A call that cannot be filled with numbers, or is not to be run again."""


def recorded(info: OperatorInfo, values: Mapping[str, Any], files: Mapping[str, Any]) -> dict[str, Any]:
    """The values, the inputs over what their files hold; NoData where a file is missing or does not fit."""
    filled = dict(values)
    for param in info.params:
        if param.direction != "out" and any(leaves(values[param.name])):
            arrays = stored(param.name, values[param.name], files)
            filled[param.name] = each_leaf(lambda one, array: one and _over(one, array), values[param.name], arrays)
    return filled


def stored(name: str, value: Any, files: Mapping[str, Any]) -> Any:
    """The arrays of the files of a parameter, a tuple for a list of tensors."""
    own = files.get(name)
    if isinstance(value, tuple) and (not isinstance(own, tuple) or len(own) != len(value)):
        raise NoData("no data", name=name)
    return each_leaf(lambda tensor, file: None if tensor is None else _load(name, tensor, file), value, own)


def _load(name: str, tensor: Tensor, file: Any) -> NDArray[Any]:
    """The elements of a tensor from its file, whose dtype stands in the recording where NumPy has none of its own."""
    if isinstance(file, str):
        raise NoData("missing", name=name, why=file)
    if not isinstance(file, DataFile):
        raise NoData("not recorded", name=name)
    if tensor.format is not None and tensor.format.is_private:
        raise NoData("private", name=name, format=tensor.format.name)
    kind = tensor.dtype.numpy
    if kind is None:
        raise NoData("no arithmetic", name=name, dtype=tensor.dtype.name)
    try:
        with file.open() as opened:
            array: NDArray[Any] = np.lib.format.read_array(opened, allow_pickle=False)
    except OutsideError as error:
        raise NoData("outside", name=name, file=file.name) from error
    except (OSError, ValueError, EOFError, MemoryError, RecursionError) as error:  # a header may claim anything
        raise NoData("unreadable file", name=name, file=file.name) from error
    if array.shape != tensor.shape or array.itemsize != kind.itemsize:
        raise NoData("another shape", name=name, file=file.name)
    return array if array.dtype == kind else array.view(kind)


def random_inputs(info: OperatorInfo, values: Mapping[str, Any], product: str, seed: str) -> dict[str, Any]:
    """The values, the inputs over seeded random numbers; NoData where that is not possible."""
    bounds = {name: found for name, _, found in bounds_of(info, values, product)}
    if not all(map(data.is_possible, bounds.values())):
        raise NoData("no number")
    filled = dict(values)
    for param in info.params:
        value = values[param.name]
        if param.direction != "out" and any(leaves(value)):
            named = [f"{param.name}[{at}]" for at in range(len(value))] if isinstance(value, tuple) else param.name
            labels = tuple(named) if isinstance(named, list) else named
            filled[param.name] = each_leaf(
                lambda tensor, label: tensor and _random(tensor, label, f"{seed} {label}", bounds.get(label)),
                value,
                labels,
            )
    return filled


def _random(tensor: Tensor, name: str, seed: str, bounds: Any) -> Tensor:
    _require_held(tensor, name)
    return data.filled(tensor, seed, bounds)


def blanks(info: OperatorInfo, values: Mapping[str, Any]) -> dict[str, Any]:
    """New memory for each output that the call gives, in its layout."""
    found = {}
    for param in info.params:
        if param.is_output and values[param.name] is not None:
            for tensor in leaves(values[param.name]):
                _require_held(tensor, param.name)
            found[param.name] = data.blanked(values[param.name])
    return found


def _require_held(tensor: Tensor, name: str) -> None:
    if tensor.dtype.numpy is None:
        raise NoData("no arithmetic", name=name, dtype=tensor.dtype.name)
    if min(tensor.shape, default=0) < 0 or max(tensor.numel, int(np.prod(tensor.storage_shape))) > LARGEST:
        raise NoData("size", name=name, tensor=tensor)


def _over(tensor: Tensor, array: NDArray[Any]) -> Tensor:
    """A tensor over its elements, contiguous, in its format."""
    return Tensor(tensor.shape, tensor.dtype, tensor.format, data=np.ascontiguousarray(array))
