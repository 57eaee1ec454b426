"""The examples of a page as Python sessions that run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from aclspec.codegen.emit.pretty import quoted
from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.render.samples import program_of
from aclspec.codegen.same import Same
from aclspec.runtime.dtypes import DType
from aclspec.runtime.info import ExampleInfo, ExampleValue, OperatorInfo, TensorValue

_SHOWN = 32
"""A larger output is compared with its expected values instead of shown, and more zeros than these are counted."""


@dataclass(frozen=True, slots=True)
class ExampleView:
    """One example: a session in which every answer is the expected one."""

    anchor: str
    title: str
    session: str


@dataclass(frozen=True, slots=True)
class SampleView:
    """The first example as a C++ program, and what it prints."""

    program: str
    output: str


def sample_view(info: OperatorInfo) -> SampleView | None:
    """The C++ program of an operator; None where it has none."""
    program = program_of(info)
    return None if program is None else SampleView(program.text.rstrip(), program.output.rstrip())


def example_views(info: OperatorInfo, lang: Lang) -> tuple[ExampleView, ...]:
    """Every example of an operator."""
    return tuple(
        ExampleView(f"example-{one.id}", getattr(one.title, lang), session)
        for one, session in zip(info.examples, _sessions(Same(info)), strict=True)
    )


@lru_cache(maxsize=2)
def _sessions(info: Same[OperatorInfo]) -> tuple[str, ...]:
    """The sessions of an operator's examples, the same in every language."""
    return tuple("\n".join(_session(info.value, one)) for one in info.value.examples)


def _session(info: OperatorInfo, example: ExampleInfo) -> Iterator[str]:
    inputs = dict(example.inputs)
    tensors = [value for value in (*inputs.values(), *dict(example.outputs).values()) if isinstance(value, TensorValue)]
    if any(_is_extension(value.dtype) for value in tensors):
        yield ">>> import ml_dtypes"
    yield ">>> import numpy as np"
    yield ">>> from aclspec import ops"
    with_formats = any(value.format for value in inputs.values() if isinstance(value, TensorValue))
    if with_formats:
        yield ">>> from aclspec.runtime import Tensor"
    yield f">>> result = ops.{info.snake}("
    for param in info.params:
        if param.name in inputs:
            yield f"...     {param.snake}={_value(inputs[param.name])},"
    if example.products:
        yield f"...     product={_value(example.products[0])},"
    yield "... )"
    for name, expected in example.outputs:
        yield from _answer(f"result.{info.param(name).snake}{'.array' if with_formats else ''}", expected)


def _answer(expression: str, expected: TensorValue) -> Iterator[str]:
    """The output's values where they fit, else that they are the expected ones."""
    flat = _flat(expected)
    if flat.size == 1 or int(np.prod(expected.shape)) <= _SHOWN:
        yield f">>> {expression}.tolist()"
        yield repr(
            np.broadcast_to(flat, expected.shape).tolist() if flat.size == 1 else flat.reshape(expected.shape).tolist()
        )
    else:
        yield f">>> np.array_equal({expression}, {_array(expected)})"
        yield "True"


def _flat(value: TensorValue) -> Any:
    return np.array(value.values, dtype=DType[value.dtype].numpy)


def _value(value: ExampleValue) -> str:
    if isinstance(value, str):
        return quoted(value)
    if not isinstance(value, TensorValue):
        return repr(value)
    array = _array(value)
    return f"Tensor.from_array({array}, format={value.format!r})" if value.format else array


def _array(value: TensorValue) -> str:
    """The array as NumPy code."""
    dtype = _dtype(value.dtype)
    numbers = [
        f"{number:g}" if isinstance(number, float) and number.is_integer() else repr(number) for number in value.values
    ]
    if len(numbers) == 1 and value.shape != (1,):
        return f"np.full({value.shape!r}, {numbers[0]}, dtype={dtype})"
    first = max((place for place, number in enumerate(value.values, 1) if number), default=0)
    zeros = len(numbers) - first if len(numbers) - first > _SHOWN else 0
    array = f"np.array([{', '.join(numbers[: len(numbers) - zeros])}], dtype={dtype})"
    array = f"np.pad({array}, (0, {zeros}))" if zeros else array
    return array if len(value.shape) == 1 else f"{array}.reshape({value.shape!r})"


def _is_extension(dtype: str) -> bool:
    return DType[dtype].numpy is not None and not hasattr(np, np.dtype(DType[dtype].numpy).name)


def _dtype(dtype: str) -> str:
    name = np.dtype(DType[dtype].numpy).name
    return f"ml_dtypes.{name}" if _is_extension(dtype) else f"np.{name}"
