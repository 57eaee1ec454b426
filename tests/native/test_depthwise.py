"""Compiled depthwise convolution by strips of windows: the NumPy kernels' numbers, and the same bits everywhere."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from aclspec.runtime.kernels import convolution
from aclspec.runtime.native import convolution as c_convolution
from aclspec.runtime.native.library import Library
from aclspec.runtime.testing.amount import amount
from tests.native.test_kernels import DTYPES, Random, assert_near, assert_same, both, numbers, roles
from tests.native.test_same_bits import SETS

TIMES = amount(8, 8, 60)
Mask = tuple[bool, bool, bool]
WAYS = list(itertools.product((3, 5), (1, 2), (False, True)))
"""Square kernels, the steps of both axes, and whether values are wild."""


@pytest.fixture(autouse=True)
def best(compiled: Library) -> Iterator[None]:
    """The best instruction set again in the end, and what is best for the cache."""
    yield
    compiled.lib.aclspec_use(b"")
    compiled.lib.aclspec_write_past_cache(0)


class Layer(NamedTuple):
    """The tensors and the attributes of a depthwise convolution."""

    x: Any
    weight: Any
    bias: Any
    grad: Any
    attributes: list[Any]


def layer(random: Random, dtype: Any, kernel: int, stride: int, wild: bool) -> Layer:
    """One with planes of up to three strips, or narrow ones; with padding, some of it beyond every window."""
    while True:
        samples, channels, *cells = (int(one) for one in random.integers(1, [4, 6, 24, random.choice([9, 50])]))
        padding = tuple(int(one) for one in random.integers(0, kernel + 2, 2))
        windows = [(size + 2 * pad - kernel) // stride + 1 for size, pad in zip(cells, padding, strict=True)]
        if min(windows) >= kernel:
            break  # fewer windows than taps are left to dense convolution
    shapes = (samples, channels, *cells), (channels, 1, kernel, kernel), (channels,), (samples, channels, *windows)
    wild_weight = wild and bool(random.random() < 0.5)
    tensors = (
        numbers(random, shape, dtype, one, 1e3)
        for shape, one in zip(shapes, (wild, wild_weight, wild, wild), strict=True)
    )
    x, weight, bias, grad = tensors
    return Layer(x, weight, bias, grad, [(stride, stride), padding, (1, 1), False, (0, 0), channels])


def forward(of: Layer, dtype: Any) -> list[tuple[Any, Any]]:
    """The outputs of both kernels."""
    values = [of.x, of.weight, of.bias, *of.attributes, np.empty_like(of.grad), 0]
    return both(convolution.convolution, c_convolution.convolution, values, [9], roles(dtype))


def backward(of: Layer, dtype: Any, mask: Mask) -> list[tuple[Any, Any]]:
    """Those of the gradients that are asked for."""
    outputs = [np.empty_like(one) if wanted else None for one, wanted in zip(of[:3], mask, strict=True)]
    values = [of.grad, of.x, of.weight, of.bias.shape, *of.attributes, mask, 0, *outputs]
    both_ways = convolution.convolution_backward, c_convolution.convolution_backward
    return both(*both_ways, values, [12, 13, 14], roles(dtype))


def assert_same_everywhere(compiled: Library, patch: pytest.MonkeyPatch, of: Layer, dtype: Any, mask: Mask) -> Any:
    """Compute on every instruction set, and answer what both kernels found on the first."""
    answers = []
    for name, threads in zip(SETS, "1232", strict=True):
        patch.setenv("ACLSPEC_NATIVE_THREADS", threads)
        if compiled.lib.aclspec_use(name.encode()) == 0:
            answers.append(forward(of, dtype) + backward(of, dtype, mask))
    for other in answers[1:]:
        for (one, _), (found, _) in zip(answers[0], other, strict=True):
            assert_same(found, one)
    return answers[0]


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_strips(compiled: Library, monkeypatch: pytest.MonkeyPatch, dtype: Any) -> None:
    random = np.random.default_rng(21)
    masks = [(True, True, True), (True, False, True), (False, True, False)]
    for (kernel, stride, wild), turn in itertools.product(WAYS, range(TIMES)):
        of = layer(random, dtype, kernel, stride, wild)
        for found, expected in assert_same_everywhere(compiled, monkeypatch, of, dtype, masks[turn % 3]):
            assert_near(found, expected, 60, 2000 if not wild else 1e11)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("past_cache", [False, True], ids=["cache", "past"])
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_planes_of_several_blocks(
    compiled: Library, monkeypatch: pytest.MonkeyPatch, dtype: Any, stride: int, past_cache: bool
) -> None:
    """Outputs that are written many rows at a time, where they belong or past the cache."""
    compiled.lib.aclspec_write_past_cache(1 if past_cache else 1 << 60)
    random = np.random.default_rng(23)
    padding, cells = (1, 2), (2, 3, 215, 217)
    windows = [(size + 2 * pad - 3) // stride + 1 for size, pad in zip(cells[2:], padding, strict=True)]
    shapes = cells, (3, 1, 3, 3), (3,), (2, 3, *windows)
    x, weight, bias, grad = (numbers(random, shape, dtype, False) for shape in shapes)
    of = Layer(x, weight, bias, grad, [(stride, stride), padding, (1, 1), False, (0, 0), 3])
    for found, expected in assert_same_everywhere(compiled, monkeypatch, of, dtype, (True, True, True)):
        assert_near(found, expected, 60, 20000)


PLANTED = [  # numbers of two products, the second of which is not exact in float32
    ((9, 29 * 2.0**-133), (-129 * 2.0**-47, -(2.0**-109))),
    ((9 * 2.0**-37, 29 * 2.0**-96), (129 * 2.0**-47, 2.0**-109)),
    ((9 * 2.0**-60, 29 * 2.0**-73), (129 * 2.0**-88, 2.0**-68)),
    ((2.0**39, -(2.0**88)), (2.0**39, 2.0**89)),
    ((2.0**63, 2.0**64), (2.0**64, -(2.0**64))),
]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize(("first", "second"), PLANTED)
def test_products_of_bfloat16_that_are_not_exact(
    compiled: Library,
    monkeypatch: pytest.MonkeyPatch,
    first: tuple[float, float],
    second: tuple[float, float],
    stride: int,
    turned: bool,
) -> None:
    """A product is rounded by itself wherever that gives another sum than one rounding of both."""
    for width in (7, 14, 45):  # narrow planes, rows of one vector, and wide strips
        x, grad = (np.zeros((1, 2, 40, size), DTYPES["bfloat16"]) for size in (width, (width - 1) // stride + 1))
        weight, bias = np.zeros((2, 1, 3, 3), x.dtype), np.zeros(2, x.dtype)
        one, other = (second, first) if turned else (first, second)
        weight[..., 1, 0], weight[..., 1, 1] = one[0], other[0]
        for array in (x, grad):
            array[..., 4::8, 2::8] = one[1]
            array[..., 4::8, 3::8] = other[1]
        of = Layer(x, weight, bias, grad, [(stride, stride), (1, 1), (1, 1), False, (0, 0), 2])
        assert_same_everywhere(compiled, monkeypatch, of, x.dtype, (True, True, True))
        weight[...] = 0
        x[...] = grad[...] = 0
        x[..., 4, 4], x[..., 4 + stride, 4] = one[1], other[1]
        at = 4 // stride
        grad[..., at, at], grad[..., at + 1, at] = one[0], other[0]
        assert_same_everywhere(compiled, monkeypatch, of, x.dtype, (True, True, True))


def test_planted_products_tell_one_rounding_from_two() -> None:
    single = np.float32
    for (one, other), (third, fourth) in PLANTED:
        with np.errstate(all="ignore"):
            rounded = single(single(one) * single(other)) + single(single(third) * single(fourth))
            exact = single(np.longdouble(one) * other + np.longdouble(third) * fourth)
            bfloat = DTYPES["bfloat16"]
            assert rounded.astype(bfloat) != exact.astype(bfloat), (one, other, third, fourth)


@pytest.mark.parametrize("shape", [(1, 1, 5, 5), (2, 41, 7, 6), (1, 3, 40, 70)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_what_lies_around_an_array_counts_nothing(compiled: Library, shape: tuple[int, ...], dtype: Any) -> None:
    """Arrays in the middle of NaN: the first and the last plane, and those smaller than a strip."""
    assert compiled.lib.aclspec_use(b"") == 0
    random = np.random.default_rng(22)

    def surrounded(shape: tuple[int, ...], value: float | None = None) -> Any:
        size = int(np.prod(shape))
        around = np.full(size + 512, np.nan, dtype)
        around[256 : 256 + size] = random.standard_normal(size) if value is None else value
        return around[256 : 256 + size].reshape(shape)

    channels = shape[1]
    for kernel, stride, pad in ((3, 1, 1), (3, 2, 1), (3, 1, 0), (5, 1, 2), (5, 2, 4)):
        windows = [(size + 2 * pad - kernel) // stride + 1 for size in shape[2:]]
        attributes: list[Any] = [(stride, stride), (pad, pad), (1, 1), False, (0, 0), channels]
        x, grad = surrounded(shape), surrounded((*shape[:2], *windows))
        of = Layer(x, surrounded((channels, 1, kernel, kernel)), surrounded((channels,)), grad, attributes)
        for found, expected in forward(of, dtype) + backward(of, dtype, (True, True, True)):
            assert_near(found, expected, 60, 2000)
        output, dx = surrounded(grad.shape, 0.0), surrounded(shape, 0.0)
        ahead: list[Any] = [*of[:3], *attributes, output, 0]
        behind: list[Any] = [grad, *of[:2], (channels,), *attributes, (True, False, False), 0, dx, None, None]
        ways: list[tuple[Callable[..., Any], list[Any]]] = [
            (c_convolution.convolution, ahead),
            (c_convolution.convolution_backward, behind),
        ]
        for compute, values in ways:
            assert compute(*values, roles(dtype)), "the compiled kernel declines"
        for written in (output, dx):
            edges = np.delete(written.base.ravel(), np.s_[256 : 256 + written.size])
            assert np.isnan(edges.astype(np.float32)).all()
