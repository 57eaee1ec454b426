"""What a call costs beside its kernel, and against PyTorch's call of the same operator; and what the import costs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from aclspec import ops
from aclspec.runtime.abi._product_table import DEFAULT
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.testing.data import example_argument
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
        yield from _rows(ops.get(name))


def _rows(operator: Operator) -> Iterator[dict[str, Any]]:
    compute, ways = measured(operator)
    peer = PEERS.get(operator.snake)
    theirs = None if peer is None else peer(*inputs_of(operator))
    for way, one in ways.items():
        took, kernel = side_by_side([one], compute, CALLS)
        row = {"operator": operator.name, "way": way, "seconds": took.seconds, "over": took.seconds - kernel.seconds}
        if theirs is not None:
            against = side_by_side([one], theirs, CALLS)[0]
            row |= {"ratio": against.ratio, "noise": against.noise}
        yield row


def measured(operator: Operator) -> tuple[Callable[[], object], dict[str, Callable[[], object]]]:
    """The call of the kernel alone, and the ways to call the operator, with the same inputs."""
    inputs, product = inputs_of(operator), _product(operator)
    outputs = [_arrays(one) for one in operator(*inputs, product=product)]
    in_order = operator.in_c_order(inputs, outputs)
    workspace = np.empty(1 << 16, np.uint8)

    def two_phases() -> None:
        _, size, executor = operator.get_workspace_size(*in_order, product=product)
        operator.execute(workspace, size, executor, None)

    given = {param.name: one for param, one in zip(operator.outputs, outputs, strict=True) if one is not None}
    ways: dict[str, Callable[[], object]] = {
        "call": lambda: operator(*inputs, product=product),
        "call with out": lambda: operator(*inputs, out=given, product=product),
        "two phases": two_phases,
    }
    if operator.data_dependent:  # its results are views, no outputs of another call
        ways = {"call": ways["call"]}
    return kernel_call(operator, inputs), ways


def _arrays(output: Any) -> Any:
    """An output as a caller hands it in; a list of tensors as a tuple."""
    if isinstance(output, (tuple, list)):
        return tuple(map(np.asarray, output))
    return None if output is None else np.asarray(output)


def kernel_call(operator: Operator, inputs: Sequence[Any]) -> Callable[[], object]:
    """The call of the kernel alone, with the arguments that a call of the operator hands to it."""
    kernel = kernel_of(operator, "numpy")
    arguments: list[Sequence[Any]] = []

    def recorded(*values: Any) -> Any:
        arguments.append(values)
        return kernel(*values)

    operator.numpy_kernel = recorded
    try:
        operator(*inputs, product=_product(operator))
    finally:
        operator.numpy_kernel = kernel
    return partial(kernel, *arguments[0])


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


def inputs_of(operator: Operator) -> list[Any]:
    """The inputs that are measured, in C order: those of the operator's first example where none are named."""
    if operator.snake in INPUTS:
        return INPUTS[operator.snake]()
    given = dict(operator.info.examples[0].inputs)
    return [example_argument(given.get(param.name)) for param in operator.inputs]


def _product(operator: Operator) -> str | None:
    """The operator's first product where its documentation leaves out the default; else none is named."""
    documented = [key for key, _ in operator.info.products]
    return None if DEFAULT in documented or not documented else documented[0]


def _start(statement: str) -> None:
    """A new interpreter that runs one statement."""
    subprocess.run([sys.executable, "-c", statement], check=True)
