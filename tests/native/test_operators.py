"""Operators whose calls the compiled kernels take, against the same calls with the NumPy kernels alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.native.library import CompiledKernel, Library
from tests.native.test_kernels import DTYPES, TIMES, assert_near, numbers
from tests.support.convolving import Case
from tests.support.kernels import kernel_of

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
    kernel = kernel_of(CONVOLUTION, "numpy")
    assert isinstance(kernel, CompiledKernel)
    compute = kernel.compiled
    taken: list[bool] = []

    def noting(*values: Any) -> bool:
        taken.append(compute(*values))
        return taken[-1]

    monkeypatch.setattr(kernel, "compiled", noting)
    random = np.random.default_rng(11)
    for turn in range(TIMES // 2):
        case = depthwise(random)
        shapes = case.input, case.weight, (case.channels,)
        x, weight, bias = (numbers(random, shape, DTYPES[name], False) for shape in shapes)
        stride, padding, dilation, transposed, extra, groups = case.attributes
        call = (x, weight, bias if turn % 2 else None, stride, padding, dilation, transposed, extra, groups, 0)
        found = CONVOLUTION(*call, product="atlas_a2").output
        with monkeypatch.context() as patch:
            patch.setenv("ACLSPEC_NATIVE", "0")
            expected = CONVOLUTION(*call, product="atlas_a2").output
        assert_near(found, expected, 60, 100)
    assert taken.count(True) >= TIMES // 2


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("power", [12, 20, 30])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("spread", ["windows", "taps"])
def test_padding_far_beyond_the_input(power: int, groups: int, spread: str) -> None:
    """Windows, or the taps of a window, so far apart that one meets the input: memory is not for all of them."""
    far, plane = 2**power, (1, groups, 3, 3)
    ones, weight = np.ones(plane, np.float32), np.ones((groups, 1, 3, 3), np.float32)
    stride, dilation = ([far] * 2, [1] * 2) if spread == "windows" else ([1] * 2, [far] * 2)
    attributes = stride, [far] * 2, dilation, False, [0, 0], groups
    output = ops.convolution(ones, weight, None, *attributes, 0, product="atlas_a3").output
    alone = np.pad(np.full((1, groups, 1, 1), 9.0), [(0, 0), (0, 0), (1, 1), (1, 1)])
    assert output.tolist() == (alone if spread == "windows" else ones).tolist()
    found = ops.convolution_backward(ones, ones, weight, None, *attributes, [True] * 3, 0, product="atlas_a3")
    assert found.grad_input.tolist() == ones.tolist()
    assert (
        found.grad_weight.tolist()
        == (np.ones_like(weight) if spread == "windows" else alone.reshape(weight.shape)).tolist()
    )
    assert found.grad_bias.tolist() == [9.0] * groups
