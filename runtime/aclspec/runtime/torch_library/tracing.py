"""A call without data: refused by the checks, or answered by inference, as a compiler of torch asks while it traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch

from aclspec.runtime.abi.environment import resolve_conformance
from aclspec.runtime.abi.parameters import Param
from aclspec.runtime.execution.backends import resolve_backend
from aclspec.runtime.execution.outputs import Outputs
from aclspec.runtime.execution.two_phase import check
from aclspec.runtime.rules.operator_table import OperatorTable
from aclspec.runtime.tensors.layout import Layout, span
from aclspec.runtime.tensors.tensor import wrap
from aclspec.runtime.torch_library.values import DTYPES, argument, dtype_of, tensors_of

Size = Callable[[Any], Any]
"""What the checks get for a size of torch: the symbol itself, or its number."""


class Described(NamedTuple):
    """A call as the checks see it: its inputs, its outputs, and all parameters in C order."""

    inputs: Sequence[Any]
    outputs: Outputs
    in_order: Sequence[Any]


def traced(operator: OperatorTable, inputs: Sequence[Any]) -> Iterator[Any]:
    """The outputs of a call as tensors without data; AclnnError for a call that the rules refuse.

    Where a size is a symbol of torch, each comparison of a check becomes a guard of the trace: the program is traced
    again for sizes that the checks tell apart. Only a refusal takes the symbols for their numbers, and says them.
    """
    product, mode = resolve_backend(None).product(None), resolve_conformance(None)
    call = _described(operator, inputs, lambda size: size)
    verdict = operator.check(product, mode == "library", *call.in_order)
    if verdict is not None and verdict.effect is None:
        refused = _described(operator, inputs, int)
        check(operator, refused.in_order, product, mode, operator.name, refused.outputs)
    device = next((tensor.device for tensor in tensors_of(inputs)), torch.device("cpu"))
    for param, value in zip(operator.outputs, call.outputs.inferred, strict=True):
        yield _output(param, value, device)


def _described(operator: OperatorTable, inputs: Sequence[Any], size: Size) -> Described:
    arguments = zip(operator.inputs, inputs, operator.converters, strict=True)
    values = [convert(_argument(value, param.name, operator.name, size)) for param, value, convert in arguments]
    outputs = Outputs(operator, values, None)
    return Described(values, outputs, operator.in_c_order(values, outputs.described()))


def _argument(value: Any, name: str, operator: str, size: Size) -> Any:
    if isinstance(value, list):
        return [_argument(item, f"{name}[{at}]", operator, size) for at, item in enumerate(value)]
    if not isinstance(value, torch.Tensor):
        return argument(value)
    shape, strides = tuple(map(size, value.shape)), tuple(map(size, value.stride()))
    layout = None if value.is_contiguous() else Layout(strides, 0, (span(shape, strides),))
    return wrap(shape, dtype_of(value.dtype, name, operator), None, None, layout)


def _output(param: Param, value: Any, device: torch.device) -> Any:
    if value is None or param.is_input:
        return None
    if isinstance(value, tuple):
        return [_output(param, item, device) for item in value]
    shape = value.shape
    if param.data_dependent:
        shape = param.written(shape, _length())
    return torch.empty(shape, dtype=DTYPES[value.dtype], device=device)


def _length() -> Any:
    """A size that only the data decides."""
    return torch.library.get_ctx().new_dynamic_size()
