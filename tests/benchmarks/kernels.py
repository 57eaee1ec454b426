"""The kernels against PyTorch, the limits of the machine, and the memory that they take."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from aclspec import ops
from aclspec.runtime.abi.parameters import Param
from aclspec.runtime.tensors.tensor import Tensor
from aclspec.runtime.torch_kernels.table import TABLE
from tests.benchmarks.cases import DTYPES, Case, cases
from tests.benchmarks.machine import cores, peak_memory
from tests.benchmarks.timing import Rule, side_by_side
from tests.support.kernels import kernel_of

PRODUCT = "atlas_a2"
KERNELS, PRODUCTS = Rule(rest=0.03), Rule(rest=0.15, budget=4)
"""PyTorch keeps its threads awake for 15 milliseconds after a call, and BLAS, which dense convolutions use, its own for
100, on processors that the next side needs."""


def measured(only: str) -> set[str]:
    """The operators with this in their name, as in Python or as in C."""
    return {name for name in ops.names() if only in name or only in ops.get(name).name}


def measure(only: str = "", dtypes: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """One row for each operator, shape and dtype: the kernels of NumPy and of PyTorch, and PyTorch itself."""
    torch.set_num_threads(cores())
    there = measured(only)
    for dtype in dtypes or DTYPES:
        for case in cases(dtype):
            if case.operator in there:
                yield _row(case)
                gc.collect()


def _row(case: Case) -> dict[str, Any]:
    operator = ops.get(case.operator)
    kernel = kernel_of(operator, "numpy")
    described = [_described(param, value) for param, value in zip(operator.params, case.values, strict=True)]
    precision = operator.precision(PRODUCT, *described)
    row: dict[str, Any] = {"operator": operator.name, "shape": case.shape, "dtype": case.dtype}
    ways: dict[str, Callable[[], object]] = {"numpy": lambda: kernel(*case.values, precision)}
    by_torch = TABLE.get(operator.kernel)
    if by_torch is not None and by_torch(*case.values, precision):
        ways["torch"] = lambda: by_torch(*case.values, precision)
    *timings, peer = side_by_side(list(ways.values()), case.peer, PRODUCTS if case.operations else KERNELS)
    row |= {"moved": case.moved, "operations": case.operations, "peer": peer.seconds}
    for name, timing in zip(ways, timings, strict=True):
        row[name] = timing._asdict()
    row["numpy"]["memory"] = peak_memory(ways["numpy"])
    return row


def _described(param: Param, value: Any) -> Any:
    """What a precision table looks at: of a tensor its description."""
    return Tensor(value) if param.type == "tensor" and value is not None else value
