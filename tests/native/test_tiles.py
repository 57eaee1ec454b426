"""Dense convolution in bfloat16 by tiles of AMX, against float64; and what tiles leave to the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.native import convolution as c_convolution
from aclspec.runtime.native import dense
from aclspec.runtime.native.library import Library
from tests.native.test_kernels import roles
from tests.native.test_same_bits import answer

BFLOAT = ml_dtypes.bfloat16
UNITS = 12
"""Of float32, relative to the sum of the terms' absolute values: the bound of all dense convolutions."""
MASK = (True, True, True)


@pytest.fixture(autouse=True)
def tiles(compiled: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The instruction set that has them."""
    monkeypatch.setenv("ACLSPEC_NATIVE_THREADS", "2")
    if compiled.lib.aclspec_use(b"amx"):
        pytest.skip("this machine has no amx")
    yield
    compiled.lib.aclspec_use(b"")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left to the kernels that multiply in float32."""

    def refuse(*_: Any) -> None:
        raise AssertionError("a sum is left to the other kernels")

    monkeypatch.setattr(dense, "contract", refuse)
    monkeypatch.setattr(dense, "correlate", refuse)


class Layer:
    """A convolution over two axes, and what float64 makes of it and of its gradients, tap by tap."""

    def __init__(self, x: Any, w: Any, g: Any = None, stride: int = 1, padding: int = 0, dilation: int = 1) -> None:
        """Plain, in one group; the gradient of the output where it is looked at."""
        self.x, self.w = x.astype(BFLOAT), w.astype(BFLOAT)
        self.reach = tuple(
            (n + 2 * padding - dilation * (k - 1) - 1) // stride + 1
            for n, k in zip(x.shape[2:], w.shape[2:], strict=True)
        )
        shape = (x.shape[0], w.shape[0], *self.reach)
        self.g = np.zeros(shape, BFLOAT) if g is None else g(shape).astype(BFLOAT)
        self.padding = padding
        self.steps = (stride, stride), (dilation, dilation)
        self.attributes: list[Any] = [(stride,) * 2, (padding,) * 2, (dilation,) * 2, False, (0, 0), 1]

    def forward(self) -> Any:
        """The output by the compiled kernel."""
        values = [self.x, self.w, None, *self.attributes, np.zeros(self.g.shape, BFLOAT), 0]
        (found,) = answer((c_convolution.convolution, values, [9], roles(BFLOAT)))
        return np.frombuffer(found, BFLOAT).reshape(self.g.shape)

    def backward(self) -> list[Any]:
        """The gradients of the input and of the weight by the compiled kernel."""
        outputs = [np.zeros_like(self.x), np.zeros_like(self.w), np.zeros(len(self.w), BFLOAT)]
        values = [self.g, self.x, self.w, (len(self.w),), *self.attributes, MASK, 0, *outputs]
        found = answer((c_convolution.convolution_backward, values, [12, 13, 14], roles(BFLOAT)))
        return [np.frombuffer(one, BFLOAT).reshape(of.shape) for one, of in zip(found[:2], outputs[:2], strict=True)]

    def exact(self, of: Callable[[Any], Any]) -> list[Any]:
        """The output and both gradients in float64, of the values that ``of`` makes of the operands."""
        x, w, g = (of(one.astype(np.float64)) for one in (self.x, self.w, self.g))
        frame = np.pad(x, [(0, 0), (0, 0), *[(self.padding,) * 2] * 2])
        output, grad_frame, grad_weight = np.zeros(g.shape), np.zeros(frame.shape), np.zeros(w.shape)
        for tap in np.ndindex(*w.shape[2:]):
            cells = tuple(
                slice(t * d, t * d + (n - 1) * s + 1, s)
                for t, n, s, d in zip(tap, self.reach, *self.steps, strict=True)
            )
            down, along = cells
            met, kernel = frame[:, :, down, along], w[:, :, tap[0], tap[1]]
            output += np.einsum("nchw,oc->nohw", met, kernel)
            grad_frame[:, :, down, along] += np.einsum("nohw,oc->nchw", g, kernel)
            grad_weight[:, :, tap[0], tap[1]] += np.einsum("nohw,nchw->oc", g, met)
        inner = slice(self.padding, None if self.padding == 0 else -self.padding)
        return [output, grad_frame[:, :, inner, inner], grad_weight]


def assert_within(found: Any, exact: Any, magnitude: Any) -> None:
    """Within the bound, and half a step of bfloat16."""
    step = np.maximum(np.abs(exact) * 2.0**-8, 2.0**-134)
    assert np.all(np.abs(found.astype(np.float64) - exact) <= UNITS * 2.0**-24 * magnitude * (1 + 2.0**-8) + step)


@pytest.mark.parametrize(("stride", "padding", "dilation"), [(1, 1, 1), (2, 1, 1), (1, 0, 2), (3, 2, 1)])
@pytest.mark.parametrize("channels", [5, 40, 300])
@pytest.mark.usefixtures("alone")
def test_sums_that_cancel(channels: int, stride: int, padding: int, dilation: int) -> None:
    """Every second channel nearly takes back what the one before it gave, so that errors of the sums show."""
    random = np.random.default_rng(channels + stride)
    x, w = random.random((2, channels, 15, 14)) + 0.5, random.random((48, channels, 3, 3)) + 0.5
    x[:, 1::2] = -x[:, : channels // 2 * 2 : 2]
    w[:, 1::2] = w[:, : channels // 2 * 2 : 2] * (1 + 2.0**-7 * random.integers(-1, 2, w[:, 1::2].shape))
    layer = Layer(x, w, random.standard_normal, stride, padding, dilation)
    found = [layer.forward(), *layer.backward()]
    for one, exact, magnitude in zip(found, layer.exact(np.asarray), layer.exact(np.abs), strict=True):
        assert_within(one, exact, magnitude)


@pytest.mark.usefixtures("alone")
def test_terms_of_one_sign() -> None:
    random = np.random.default_rng(5)
    layer = Layer(random.random((2, 600, 9, 9)), random.random((40, 600, 3, 3)), random.random, padding=1)
    for one, exact in zip([layer.forward(), *layer.backward()], layer.exact(np.asarray), strict=True):
        assert_within(one, exact, exact)


def tiny(low: int, high: int) -> Layer:
    """Products of which two cancel up to the last bit: 2**(low + high - 14) is left."""
    x, w = np.zeros((1, 32, 4, 8)), np.zeros((16, 32, 1, 1))
    x[:, 4], x[:, 21] = (1 + 2.0**-7) * 2.0**low, 2.0**low
    w[:, 4], w[:, 21] = (1 + 2.0**-7) * 2.0**high, -(1 + 2.0**-6) * 2.0**high
    return Layer(x, w)


@pytest.mark.usefixtures("alone")
def test_the_smallest_sums_that_tiles_keep() -> None:
    np.testing.assert_array_equal(tiny(-50, -62).forward().astype(np.float64), 2.0**-126)


@pytest.mark.parametrize(("low", "high"), [(-50, -63), (-60, -60), (-20, -100), (-126, 0), (0, -126)])
def test_smaller_sums_are_not_lost(low: int, high: int) -> None:
    """Tiles would make zeros of subnormal numbers."""
    found, (exact, *_) = tiny(low, high).forward().astype(np.float64), tiny(low, high).exact(np.asarray)
    np.testing.assert_array_equal(found, exact.astype(BFLOAT).astype(np.float64))


@pytest.mark.parametrize("odd", [2.0**-133, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("operand", ["x", "w", "g"])
def test_one_number_that_tiles_do_not_take(compiled: Library, operand: str, odd: float) -> None:
    """A subnormal number, an infinity, a NaN: the same bits as without tiles, where it is an operand."""
    random = np.random.default_rng(7)
    layer = Layer(random.standard_normal((2, 40, 9, 9)), random.standard_normal((32, 40, 3, 3)), random.standard_normal)
    getattr(layer, operand).flat[777] = odd
    with np.errstate(invalid="ignore"):
        by_tiles = layer.forward(), *layer.backward()
        compiled.lib.aclspec_use(b"avx512")
        others = layer.forward(), *layer.backward()
    touched = {"x": [0, 2], "w": [0, 1], "g": [1, 2]}[operand]
    for at in touched:
        np.testing.assert_array_equal(by_tiles[at].view(np.uint16), others[at].view(np.uint16))


def test_layers_that_do_not_fill_tiles_are_left_to_the_others(compiled: Library) -> None:
    random = np.random.default_rng(8)
    layer = Layer(random.standard_normal((2, 2, 9, 9)), random.standard_normal((2, 2, 1, 1)), random.standard_normal)
    found = layer.forward(), *layer.backward()
    compiled.lib.aclspec_use(b"avx512")
    for one, other in zip(found, (layer.forward(), *layer.backward()), strict=True):
        np.testing.assert_array_equal(one.view(np.uint16), other.view(np.uint16))


@pytest.mark.parametrize("apart", [10, 400, 1100, 1 << 30])
def test_taps_far_apart(apart: int) -> None:
    """All but the middle ones are met beyond the input."""
    random = np.random.default_rng(9)
    x, w = (
        random.standard_normal((1, 40, 3, 3, 3)).astype(BFLOAT),
        random.standard_normal((32, 40, 3, 3, 3)).astype(BFLOAT),
    )
    attributes: list[Any] = [(1,) * 3, (apart,) * 3, (apart,) * 3, False, (0,) * 3, 1]
    values = [x, w, None, *attributes, np.zeros((1, 32, 3, 3, 3), BFLOAT), 0]
    (found,) = answer((c_convolution.convolution, values, [9], roles(BFLOAT)))
    wide, middle = x.astype(np.float64), w[:, :, 1, 1, 1].astype(np.float64)
    exact, magnitude = (np.einsum("ncdhw,oc->nodhw", of(wide), of(middle)) for of in (np.asarray, np.abs))
    assert_within(np.frombuffer(found, BFLOAT).reshape(exact.shape), exact, magnitude)
