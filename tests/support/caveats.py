"""A call for each caveat of a spec: a derived call, or one changed by the dtypes and numbers that the caveat names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.nodes import Node, children
from aclspec.runtime.rules.interpreter import INFERRED
from aclspec.runtime.rules.judgement import judge
from aclspec.runtime.rules.operator_info import CaveatInfo, OperatorInfo
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from tests.support.caveat_calls import written

Call = Mapping[str, Any]
_MOST = 4096
"""Tensors of a list."""


def witness(info: OperatorInfo, caveat: CaveatInfo, calls: list[Call]) -> tuple[str, Call]:
    """A product and a call that the caveat decides in library mode; AssertionError where none is found."""
    alone = replace(info, caveats=(caveat,))
    by_hand = written(info, caveat.id)
    if by_hand is not None:
        found = judge(alone, by_hand[1], by_hand[0], caveat.modes[-1])
        assert caveat in (found.caveat, found.versions), found
        return by_hand
    for call in calls:
        for changed in _changed(info, caveat, call):
            for product in caveat.products or KEYS[-2::-1]:
                found = judge(alone, changed, product, caveat.modes[-1])
                if caveat in (found.caveat, found.versions):
                    return product, changed
    raise AssertionError(f"No call of {info.name} is what its caveat {caveat.id} is about.")


def _changed(info: OperatorInfo, caveat: CaveatInfo, call: Call) -> Iterator[Call]:
    outputs = {param.name: INFERRED for param in info.params if param.direction == "out"}
    for one in _with_values(info, caveat, call):
        yield one
        yield {**one, **outputs}


def _with_values(info: OperatorInfo, caveat: CaveatInfo, call: Call) -> Iterator[Call]:
    """The call, and the call with the dtypes and the numbers of the caveat's predicate in its parameters."""
    yield call
    tensors = [name for name, value in call.items() if _dtype(value) is not None]
    found = list(_leaves(caveat.when)) if caveat.when is not None else []
    for dtype in (DType[one] for one in found if isinstance(one, str) and one in DType.__members__):
        like = [name for name in tensors if _dtype(call[name]) == _dtype(call[tensors[0]])]
        for names in (like, tensors, *([name] for name in tensors)):
            yield {**call, **{name: _of_dtype(call[name], dtype) for name in names}}
        for param in info.params:
            if param.type == "dtype":
                yield {**call, param.name: dtype}
    for number in {number + step for number in found if isinstance(number, int) for step in (-1, 0, 1)}:
        for param in info.params:
            value = call[param.name]
            if PARAM_TYPES[param.type].predicate == "int":
                yield {**call, param.name: number}
            elif isinstance(value, Scalar) and -(2**63) <= number < 2**63:
                yield {**call, param.name: Scalar(number, DType.INT64)}
            elif isinstance(value, Tensor) and 64 < number < 1 << 40:
                yield {**call, **_longer(call, value.shape[-1:], number)}
            elif isinstance(value, tuple) and value and isinstance(value[0], Tensor) and 64 < number < 1 << 40:
                yield {**call, **_longer(call, value[0].shape[-1:], number)}
                if number <= _MOST:
                    yield {**call, param.name: value[:1] * number}


def _longer(call: Call, size: tuple[int, ...], number: int) -> dict[str, Any]:
    """The call in which every axis of a size has another one."""
    return {name: _of_shape(value, size, number) for name, value in call.items()}


def _of_shape(value: Any, size: tuple[int, ...], number: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_of_shape(one, size, number) for one in value)
    if not isinstance(value, Tensor):
        return value
    shape = tuple(number if (axis,) == size else axis for axis in value.shape)
    return Tensor(shape=shape, dtype=value.dtype, format=value.format)


def _leaves(node: Node) -> Iterator[object]:
    match node:
        case ast.Symbol(name=name):
            yield name
        case ast.Int(value=value):
            yield value
    for child in children(node):
        yield from _leaves(child)


def _dtype(value: Any) -> DType | None:
    first = value[0] if isinstance(value, tuple) and value else value
    return first.dtype if isinstance(first, Tensor) else None


def _of_dtype(value: Any, dtype: DType) -> Any:
    if isinstance(value, tuple):
        return tuple(_of_dtype(one, dtype) for one in value)
    return Tensor(shape=value.shape, dtype=dtype, format=value.format)
