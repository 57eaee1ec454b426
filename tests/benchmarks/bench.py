"""``make bench``: what a checked call costs over its bare kernel, and what the import costs. Ratios count, not times.

Each pair is measured side by side in one run, and the median of the rounds' ratios is reported. Nothing is asserted.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from aclspec import ops
from aclspec.runtime.dtypes import DType
from aclspec.runtime.info import TensorValue
from aclspec.runtime.operator import Operator
from aclspec.runtime.tensor import Tensor

ROUNDS, CALLS, IMPORTS = 15, 400, 11


def main() -> None:
    """Measure and print."""
    print(f"{'call':<44}{'us':>9}{'over kernel':>13}{'ratio':>8}")
    for name in sorted(ops.names()):
        measure_calls(ops.get(name))
    print()
    for ours in ("from aclspec import ops", f"from aclspec import ops; ops.{min(ops.names())}"):
        measure_import(ours, "import numpy, ml_dtypes")


def measure_calls(operator: Operator) -> None:
    """The ways to call an operator, each against its bare kernel."""
    inputs = example(operator)
    outputs = [np.asarray(one) for one in operator(*inputs)]
    kernel = operator.kernel_for("numpy")
    in_order = operator.in_c_order(inputs, outputs)
    roles = operator.precision(
        "atlas_a2", *(Tensor(data=one) if isinstance(one, np.ndarray) else one for one in in_order)
    )

    def bare() -> None:
        kernel(*in_order, roles)

    def two_phases() -> None:
        _, size, executor = operator.get_workspace_size(*in_order)
        operator.execute(np.empty(size, np.uint8) if size else None, size, executor, None)

    given = dict(zip((param.name for param in operator.outputs), outputs, strict=True))
    ways: dict[str, Callable[[], object]] = {
        "": lambda: operator(*inputs),
        ", out given": lambda: operator(*inputs, out=given),
        ", two phases": two_phases,
    }
    for way, run in ways.items():
        ratio, times = compare(run, bare, ROUNDS, CALLS)
        over = (times[0] - times[1]) * 1e6
        print(f"{operator.name + way:<44}{times[0] * 1e6:>9.1f}{over:>13.1f}{ratio:>8.2f}")


def measure_import(ours: str, base: str) -> None:
    """A new interpreter with our import, against one with what it cannot do without."""
    ratio, times = compare(lambda: start(ours), lambda: start(base), IMPORTS, 1)
    print(f"{ours}: {times[0] * 1e3:.0f} ms, {ratio:.2f} times that of: {base}")


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


def compare(
    one: Callable[[], object], other: Callable[[], object], rounds: int, calls: int
) -> tuple[float, tuple[float, float]]:
    """The median ratio of two, and the median seconds of each."""
    pairs = [(seconds(one, calls), seconds(other, calls)) for _ in range(rounds)]
    return statistics.median(a / b for a, b in pairs), (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
    )


def seconds(run: Callable[[], object], calls: int) -> float:
    """The time of one call."""
    begin = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - begin) / calls


def start(statement: str) -> None:
    """A new interpreter that runs one statement."""
    subprocess.run([sys.executable, "-c", statement], check=True)


if __name__ == "__main__":
    main()
