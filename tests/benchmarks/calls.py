"""What a call costs beside its kernel, and against PyTorch's call of the same operator; and what the import costs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

from aclspec import ops
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.operator_info import TensorValue
from aclspec.runtime.tensors.tensor import Tensor
from tests.benchmarks.timing import Rule, side_by_side
from tests.support.kernels import kernel_of
from tests.support.operators import computed

aten: Any = torch.ops.aten
CALLS, IMPORTS = Rule(fewest=7, most=15), Rule(batch=0, fewest=7, most=11, budget=20)
Peer = Callable[..., Callable[[], object]]


def measure_calls() -> Iterator[dict[str, Any]]:
    """One row for each operator with a kernel and way to call it."""
    torch.set_num_threads(1)
    for name in sorted(computed()):
        yield from _rows(ops.get(name), example(ops.get(name)), PEERS.get(name))


def _rows(operator: Operator, inputs: list[Any], peer: Peer | None) -> Iterator[dict[str, Any]]:
    if operator.snake in INPUTS:
        inputs = INPUTS[operator.snake]()
    outputs = [None if one is None else np.asarray(one) for one in operator(*inputs)]
    in_order = operator.in_c_order(inputs, outputs)
    tensors = [Tensor(one) if isinstance(one, np.ndarray) else one for one in in_order]
    compute, precision = kernel_of(operator, "numpy"), operator.precision("atlas_a2", *tensors)
    workspace = np.empty(1 << 16, np.uint8)

    def two_phases() -> None:
        _, size, executor = operator.get_workspace_size(*in_order)
        operator.execute(workspace, size, executor, None)

    given = {param.name: one for param, one in zip(operator.outputs, outputs, strict=True) if one is not None}
    ways: dict[str, Callable[[], object]] = {
        "call": lambda: operator(*inputs),
        "call with out": lambda: operator(*inputs, out=given),
        "two phases": two_phases,
    }
    theirs = None if peer is None else peer(*inputs)
    for way, one in ways.items():
        took, kernel = side_by_side([one], lambda: compute(*in_order, precision), CALLS)
        row = {"operator": operator.name, "way": way, "seconds": took.seconds, "over": took.seconds - kernel.seconds}
        if theirs is not None:
            against = side_by_side([one], theirs, CALLS)[0]
            row |= {"ratio": against.ratio, "noise": against.noise}
        yield row


def measure_import() -> Iterator[dict[str, Any]]:
    """A new interpreter with our import, against one with what it cannot do without."""
    for ours in ("from aclspec import ops", f"from aclspec import ops; ops.{min(ops.names())}"):
        took = side_by_side([partial(_start, ours)], partial(_start, "import numpy, ml_dtypes"), IMPORTS)[0]
        yield {"statement": ours, "seconds": took.seconds, "ratio": 1 / took.ratio, "noise": took.noise}


def _prelu(g: Any, x: Any, w: Any) -> Callable[[], object]:
    tensors = [torch.from_numpy(one) for one in (g, x, w)]
    spread = tensors[2].view(1, -1)
    return lambda: aten._prelu_kernel_backward(tensors[0], tensors[1], spread)


def _avg_pool(g: Any, x: Any, kernel: Any, stride: Any, pad: Any, ceil: Any, *_: Any) -> Callable[[], object]:
    one, other = torch.from_numpy(g), torch.from_numpy(x)
    return lambda: aten.avg_pool2d_backward(one, other, kernel, stride, pad, ceil, True, None)


PEERS: dict[str, Peer] = {"prelu_backward": _prelu, "avg_pool2d_backward": _avg_pool}


def _ones(*shapes: tuple[int, ...]) -> list[Any]:
    return [np.ones(shape, np.float32) for shape in shapes]


WINDOW = [[2, 2], [2, 2], [0, 0], False, True, 0, 0]
INPUTS: dict[str, Callable[[], list[Any]]] = {
    "prelu_backward": lambda: _ones((4, 2), (4, 2), (2,)),
    "avg_pool2d_backward": lambda: [*_ones((1, 16, 2, 2), (1, 16, 4, 4)), *WINDOW],
}


def example(operator: Operator) -> list[Any]:
    """The inputs of the operator's first example, in C order."""
    given = dict(operator.info.examples[0].inputs)
    return [value(given.get(param.name)) for param in operator.inputs]


def value(given: object) -> object:
    """An input as a caller gives it."""
    if not isinstance(given, TensorValue):
        return given
    flat = np.array(given.values, dtype=DType[given.dtype].numpy)
    return np.ascontiguousarray(np.broadcast_to(flat, given.shape) if flat.size == 1 else flat.reshape(given.shape))


def _start(statement: str) -> None:
    """A new interpreter that runs one statement."""
    subprocess.run([sys.executable, "-c", statement], check=True)
