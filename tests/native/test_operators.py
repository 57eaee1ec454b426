"""Operators whose calls the compiled kernels take, against the same calls with the NumPy kernels alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.native.kernel import CompiledKernel
from aclspec.runtime.native.library import Library
from aclspec.runtime.operator import Operator
from tests.native.test_kernels import DTYPES, TIMES, assert_near, numbers
from tests.support.convolving import Case

CONVOLUTION: Operator = ops.get("aclnnConvolution")


def depthwise(random: np.random.Generator) -> Case:
    """A convolution with one kernel a channel, whose input is larger than its kernel."""
    while True:
        channels = int(random.integers(1, 6))
        kernel, stride, dilation = (tuple(random.integers(1, 4, 2).tolist()) for _ in range(3))
        padding = tuple(random.integers(0, 3, random.choice([2, 4])).tolist())
        size = tuple(random.integers(7, 20, 2).tolist())
        x = (int(random.integers(1, 4)), channels, *size)
        case = Case(x, (channels, 1, *kernel), stride, padding, dilation, groups=channels)
        if min(case.output) > 0:
            return case


@pytest.mark.parametrize("name", DTYPES)
def test_depthwise_convolution(name: str, compiled: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = CONVOLUTION.kernel_for("numpy")
    assert isinstance(kernel, CompiledKernel)
    prepare = kernel.prepare
    taken: list[bool] = []

    def noting(*values: Any) -> Any:
        run = prepare(*values)
        taken.append(run is not None)
        return run

    monkeypatch.setattr(kernel, "prepare", noting)
    random = np.random.default_rng(11)
    for turn in range(TIMES // 2):
        case = depthwise(random)
        shapes = case.input, case.weight, (case.channels,)
        x, weight, bias = (numbers(random, shape, DTYPES[name], False) for shape in shapes)
        stride, padding, dilation, transposed, extra, groups = case.attributes
        call = (x, weight, bias if turn % 2 else None, stride, padding, dilation, transposed, extra, groups, 0)
        found = [CONVOLUTION(*call, product="atlas_a2").output for _ in range(2)]  # the second goes by a plan
        with monkeypatch.context() as patch:
            patch.setenv("ACLSPEC_NATIVE", "0")
            CONVOLUTION.plans.clear()
            expected = CONVOLUTION(*call, product="atlas_a2").output
            CONVOLUTION.plans.clear()
        np.testing.assert_array_equal(*found)
        assert_near(found[0], expected, 60, 100)
    assert taken.count(True) >= TIMES // 2
