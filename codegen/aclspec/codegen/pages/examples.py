"""The examples of a page as Python sessions that run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from aclspec.codegen.emit.printer import quoted
from aclspec.runtime.abi._product_table import DEFAULT
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.rules.operator_info import ExampleInfo, ExampleValue, OperatorInfo, TensorValue

_WIDTH = 96
_NOT_FINITE = re.compile(r"\b(nan|inf)\b")
_MAX_PRINTED = 32
"""A larger output is compared with its expected values instead of shown, and more zeros than these are counted."""


def session(info: OperatorInfo, example: ExampleInfo) -> Iterator[str]:
    """The lines of one example: a session in which every output is the expected one, or the call is found to work."""
    inputs = dict(example.inputs)
    given = [one for value in inputs.values() for one in (value if isinstance(value, tuple) else (value,))]
    tensors = [value for value in given if isinstance(value, TensorValue)]
    tensors += [tensor for _, _, tensor in example.expected]
    if any(_is_extension(value.dtype) for value in tensors):
        yield ">>> import ml_dtypes"
    yield ">>> import numpy as np"
    yield ">>> from aclspec import ops"
    with_formats = any(value.format for value in given if isinstance(value, TensorValue))
    if with_formats:
        yield ">>> from aclspec.runtime import Tensor"
    has_kernel = info.facts.has_kernel
    yield f">>> result = ops.{info.snake}(" if has_kernel else f'>>> ops.get("{info.snake}").explain('
    arguments = [f"{param.snake}={_value(inputs[param.name])}," for param in info.params if param.name in inputs]
    if not has_kernel:  # an optional output that the example leaves out is null, and is not inferred
        made = {name for name, _, _ in example.expected} | set(inputs)
        arguments += [f"{param.snake}=None," for param in info.params if param.optional and param.name not in made]
    documented = tuple(key for key, _ in info.products)
    products = example.products or (() if has_kernel and DEFAULT in documented else documented)
    arguments += [f"product={_value(product)}," for product in products[:1]]
    yield from _filled(arguments)
    yield "... )" if has_kernel else "... ).ok"
    if not has_kernel:
        yield "True"
        return
    for name, place, expected in example.expected:
        part = "" if place is None else f"[{place}]"
        yield from _answer(f"result.{info.param(name).snake}{part}{'.array' if with_formats else ''}", expected)


def _filled(arguments: list[str]) -> Iterator[str]:
    """Arguments in as few lines as the width allows."""
    line = "...    "
    for argument in arguments:
        if len(line) > len("...    ") and len(line) + 1 + len(argument) > _WIDTH:
            yield line
            line = "...    "
        line += f" {argument}"
    yield line


def _answer(expression: str, expected: TensorValue) -> Iterator[str]:
    """The output's values where they fit, else that they are the expected ones."""
    flat = _flat(expected)
    if flat.size == 1 or int(np.prod(expected.shape)) <= _MAX_PRINTED:
        yield f">>> {expression}.tolist()"
        whole = np.broadcast_to(flat[0], expected.shape) if flat.size == 1 else flat.reshape(expected.shape)
        yield repr(whole.tolist())
    else:
        yield f">>> np.array_equal({expression}, {_array(expected)})"
        yield "True"


def _flat(value: TensorValue) -> Any:
    return np.array(value.values, dtype=DType[value.dtype].numpy)


def _value(value: ExampleValue) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, tuple) and any(isinstance(one, TensorValue) for one in value):
        return f"[{', '.join(map(_value, value))}]"
    if not isinstance(value, TensorValue):
        return _numbers(value)
    array = _array(value)
    return f"Tensor.from_array({array}, format={value.format!r})" if value.format else array


def _array(value: TensorValue) -> str:
    """The array as NumPy code."""
    dtype = _dtype(value.dtype)
    numbers = [
        f"{number:g}" if isinstance(number, float) and number.is_integer() else _numbers(number)
        for number in value.values
    ]
    if len(numbers) == 1 and value.shape != (1,):
        return f"np.full({value.shape!r}, {numbers[0]}, dtype={dtype})"
    first = max((place for place, number in enumerate(value.values, 1) if number), default=0)
    zeros = len(numbers) - first if len(numbers) - first > _MAX_PRINTED else 0
    array = f"np.array([{', '.join(numbers[: len(numbers) - zeros])}], dtype={dtype})"
    array = f"np.pad({array}, (0, {zeros}))" if zeros else array
    return array if len(value.shape) == 1 else f"{array}.reshape({value.shape!r})"


def _numbers(value: object) -> str:
    """A number or a tuple of numbers as Python code; NumPy has names for those that are not finite."""
    return _NOT_FINITE.sub(r"np.\g<0>", repr(value))


def _is_extension(dtype: str) -> bool:
    return DType[dtype].numpy is not None and not hasattr(np, np.dtype(DType[dtype].numpy).name)


def _dtype(dtype: str) -> str:
    name = np.dtype(DType[dtype].numpy).name
    return f"ml_dtypes.{name}" if _is_extension(dtype) else f"np.{name}"
