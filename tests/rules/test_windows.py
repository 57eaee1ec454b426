"""The output sizes of pooling and convolution: by counting windows one by one, by PyTorch, and by both implementations.

The interpreter's functions and those of the generated checks are separate texts; each is held against the count.
"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from aclspec.runtime.language.functions import FUNCTIONS
from aclspec.runtime.language.library import IMPLEMENTATIONS
from aclspec.runtime.language.values import UNDEFINED
from aclspec.runtime.rules import shapes

WINDOWS = ("pool_out", "conv_out", "conv_transpose_out")
SIZES, KERNELS, STRIDES, PADS, DILATIONS = range(1, 9), (1, 2, 3), (1, 2, 3), (0, 1), (1, 2)
CASES = list(product(SIZES, KERNELS, STRIDES, PADS, PADS, DILATIONS))


def counted(size: int, kernel: int, stride: int, before: int, after: int, dilation: int, ceil_mode: bool) -> int:
    """Windows laid one after the other: as long as they fit, or in ceil mode until one reaches the end.

    In ceil mode a last window that starts behind the input is taken away again.
    """
    end, reach = size + after, dilation * (kernel - 1) + 1
    start, count = -before, 0
    while start + reach <= end or (ceil_mode and start - stride + reach < end):
        start, count = start + stride, count + 1
    return count - (ceil_mode and start - stride >= size)


def both(name: str, *args: int) -> int:
    """What the two implementations agree on."""
    found = IMPLEMENTATIONS[name](*args)
    assert found == getattr(shapes, name)(*args), (name, args)
    assert isinstance(found, int)
    return found


@pytest.mark.parametrize("ceil_mode", [False, True])
def test_pooling_counts_windows(ceil_mode: bool) -> None:
    for size, kernel, stride, before, after, dilation in CASES:
        if size + before + after <= dilation * (kernel - 1):
            continue  # not one window fits, and ceil mode may still make one; see test_floor
        args = (size, kernel, stride, before, after, dilation, ceil_mode)
        assert both("pool_out", *args) == counted(*args), args


def test_convolution_counts_windows() -> None:
    for args in CASES:
        if args[0] + args[3] + args[4] > args[5] * (args[1] - 1):
            assert both("conv_out", *args) == counted(*args, False), args


def test_transposed_is_the_inverse() -> None:
    for size, kernel, stride, before, after, dilation in CASES:
        for extra in range(stride):
            out = both("conv_transpose_out", size, kernel, stride, before, after, dilation, extra)
            assert both("conv_out", out, kernel, stride, before, after, dilation) == size


def test_floor() -> None:
    """A negative dividend is rounded down."""
    assert both("conv_out", 2, 4, 2, 0, 0, 1) == 0
    assert both("conv_out", 1, 4, 2, 0, 0, 1) == -1 // 1
    assert both("pool_out", 1, 4, 3, 0, 0, 1, False) == 0
    assert both("pool_out", 1, 8, 3, 0, 0, 1, True) == -1


@pytest.mark.parametrize(
    ("args", "out"),
    [
        ((4, 2, 2, 0, 0, 1, False), 2),
        ((5, 2, 2, 0, 0, 1, True), 3),
        ((4, 1, 2, 1, 1, 1, True), 3),  # 4 by rounding up alone, but that window would start behind the input
        ((2**62, 1, 1, 2**62, 2**62, 1, False), 3 * 2**62),
    ],
)
def test_known(args: tuple[int, ...], out: int) -> None:
    assert both("pool_out", *args) == out


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("stride", [0, -1])
def test_undefined_without_stride(name: str, stride: int) -> None:
    args = [4, 2, stride, 0, 0, 1, 0]
    assert IMPLEMENTATIONS[name](*args[: len(FUNCTIONS[name][0].args)]) is UNDEFINED


def test_agree_anywhere() -> None:
    """Any integers with a positive stride."""
    random = Random(1)
    for _ in range(2000):
        args = [random.randint(-9, 30) for _ in range(7)]
        args[2] = random.randint(1, 6)
        both("pool_out", *args[:6], args[6] > 10)
        both("conv_out", *args[:6])
        both("conv_transpose_out", *args)


def test_against_torch() -> None:
    torch = pytest.importorskip("torch")
    for size, kernel, stride, pad, dilation in product(SIZES, KERNELS, STRIDES, PADS, DILATIONS):
        data = torch.zeros(1, 1, size)
        if pad <= kernel // 2 and size + 2 * pad > dilation * (kernel - 1):
            for ceil_mode in (False, True):
                pooled = torch.nn.functional.max_pool1d(data, kernel, stride, pad, dilation, ceil_mode)
                assert pooled.shape[2] == both("pool_out", size, kernel, stride, pad, pad, dilation, ceil_mode)
        weight = torch.zeros(1, 1, kernel)
        if size + 2 * pad > dilation * (kernel - 1):
            convolved = torch.nn.functional.conv1d(data, weight, None, stride, pad, dilation)
            assert convolved.shape[2] == both("conv_out", size, kernel, stride, pad, pad, dilation)
        for extra in range(max(stride, dilation)):
            wanted = both("conv_transpose_out", size, kernel, stride, pad, pad, dilation, extra)
            if wanted > 0:
                found = torch.nn.functional.conv_transpose1d(data, weight, None, stride, pad, extra, 1, dilation)
                assert found.shape[2] == wanted
