"""torch.ops.aclnn, and the calls of the operators' own examples; skipped where PyTorch is not installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

from aclspec import ops
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.tensors.tensor import Tensor
from aclspec.runtime.testing.data import example_argument

Call = tuple[Operator, str, list[Any]]
"""An operator, a product that takes the call, and its arguments in C order."""


@pytest.fixture(scope="session")
def torch() -> Any:
    found = pytest.importorskip("torch", reason="PyTorch is not installed")
    import_module("aclspec.ops.torch_library")
    return found


@pytest.fixture
def aclnn(torch: Any) -> Iterator[Any]:
    """The operators; what torch.compile has compiled is forgotten before and after."""
    torch._dynamo.reset()
    yield torch.ops.aclnn
    torch._dynamo.reset()


@pytest.fixture(scope="session")
def example(torch: Any) -> Callable[[str], Call]:
    """The call of an operator's first example, with tensors of torch."""

    def call(name: str) -> Call:
        operator = ops.get(name)
        first = operator.info.examples[0]
        given = {name: example_argument(value) for name, value in first.inputs}
        arguments = [
            _argument(torch, given[param.name], param.type)
            if given.get(param.name, param.default) != param.default
            else _plain(param.value_when_left_out, param.type)
            for param in operator.inputs
        ]
        products = first.products or tuple(key for key, _ in operator.info.products)
        return operator, "atlas_a2" if "atlas_a2" in products else products[0], arguments

    return call


def _plain(default: Any, kind: str) -> Any:
    """A default as a schema says it; it says none for a dtype and for an unsigned int."""
    return None if kind in ("dtype", "uint64") else list(default) if isinstance(default, tuple) else default


def _argument(torch: Any, value: Any, kind: str) -> Any:
    if kind == "dtype":
        return getattr(torch, DType[value].short)
    if isinstance(value, tuple):
        return [_argument(torch, item, kind) for item in value]
    if not isinstance(value, Tensor):
        return value
    if value.dtype is DType.BF16:
        return torch.from_numpy(value.array.view("int16")).view(torch.bfloat16)
    return torch.from_numpy(value.array)
