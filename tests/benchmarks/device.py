"""What a call costs through the bridge and from C++, on the simulator, beside the kernel."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from aclspec import ops
from aclspec.runtime.tensors.tensor import Tensor
from tests.benchmarks.simulator import measure_simulator
from tests.benchmarks.timing import Rule, side_by_side
from tests.support.kernels import kernel_of
from tests.support.simulated import as_device, build_once

CALLS = Rule(fewest=7, most=15)
OPERATOR = "aclnnPreluBackward"


def measure_device() -> Iterator[dict[str, Any]]:
    """A row for each way through the bridge, and one for a C++ program."""
    with tempfile.TemporaryDirectory() as folder, as_device(build_once(Path(folder))):
        yield from _bridge()
    for row in measure_simulator():
        if row["what"].endswith("both"):
            yield {
                "operator": "aclnnPrelu",
                "way": "C++ on the simulator",
                "seconds": row["seconds"],
                "over": row["seconds"],
            }


def _bridge() -> Iterator[dict[str, Any]]:
    from aclspec.runtime.npu import DeviceArray

    operator = ops.get(OPERATOR)
    inputs = [np.ones(shape, np.float32) for shape in ((4, 2), (4, 2), (2,))]
    arrays = [*inputs, *operator(*inputs)]
    on_device = [DeviceArray.from_host(array) for array in arrays]
    precision = operator.precision("atlas_a2", *(Tensor(array) for array in arrays))
    compute = kernel_of(operator, "numpy")
    workspace = np.empty(1 << 16, np.uint8)

    def two_phases(values: list[Any]) -> None:
        _, size, executor = operator.get_workspace_size(*values, backend="npu")
        operator.execute(workspace, size, executor)

    ways: dict[str, Callable[[], object]] = {
        "npu, two phases": lambda: two_phases(on_device),
        "npu, two phases, host": lambda: two_phases(arrays),
        "npu, call": lambda: operator(*on_device[:3], backend="npu", out=tuple(on_device[3:])),
        "npu, call, host": lambda: operator(*inputs, backend="npu"),
    }
    for way, one in ways.items():
        took, kernel = side_by_side([one], lambda: compute(*arrays, precision), CALLS)
        yield {"operator": OPERATOR, "way": way, "seconds": took.seconds, "over": took.seconds - kernel.seconds}
