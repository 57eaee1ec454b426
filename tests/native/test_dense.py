"""The compiled dense convolutions against NumPy's and float64, for any number of threads and any instructions."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import convolution
from aclspec.runtime.native import convolution as c_convolution
from aclspec.runtime.native.library import Library
from aclspec.runtime.testing.amount import amount
from tests.native.test_kernels import DTYPES, assert_near, both, numbers, roles, setting
from tests.native.test_same_bits import SETS, Call, answer

__all__ = ["setting"]
TIMES = amount(40, 40, 300)
Random = np.random.Generator


class Problem:
    """A random convolution over one to three axes, dense or in groups, plain or transposed."""

    def __init__(self, random: Random, dtype: Any, wild: bool, large: bool = False) -> None:
        """Its arrays and attributes."""
        axes = int(random.integers(1, 4))
        self.groups, self.transposed = int(random.choice([1, 1, 2, 3])), bool(random.random() < 0.3)
        most = 40 // axes if large else 30 // axes**2
        while True:
            kernel, stride, dilation = (tuple(int(one) for one in random.integers(1, 4, axes)) for _ in range(3))
            padding = tuple(int(one) for one in random.integers(0, 4, axes))
            near = tuple(int(one) for one in random.integers(1, most + 1, axes))
            rest = tuple(int(random.integers(0, max(s, d))) for s, d in zip(stride, dilation, strict=True))
            sizes = zip(near, kernel, stride, padding, dilation, rest, strict=True)
            far = tuple((n - 1) * s - 2 * p + d * (k - 1) + 1 + r for n, k, s, p, d, r in sizes)
            if min(far) > 0:
                break
        into, out_of = (int(one) for one in random.integers(2, 70 if large else 20, 2))
        samples = int(random.integers(1, 5))
        shapes = (samples, self.groups * into, *near), (samples, self.groups * out_of, *far)
        self.output, self.x = (
            numbers(random, shape, dtype, wild and bool(random.random() < 0.5), 1e3)
            for shape in (shapes[::-1] if self.transposed else shapes)
        )
        weight = (self.groups * into, out_of, *kernel)
        self.weight = numbers(random, weight, dtype, wild and bool(random.random() < 0.5), 1e3)
        self.bias = numbers(random, self.output.shape[1:2], dtype, wild, 1e3)
        self.attributes: list[Any] = [stride, padding, dilation, self.transposed, (0,) * axes, self.groups]

    def forward(self, bias: bool) -> list[Any]:
        """What the convolution takes."""
        empty = np.full_like(self.output, 7)
        return [self.x, self.weight, self.bias if bias else None, *self.attributes, empty, 0]

    def backward(self, mask: tuple[bool, ...]) -> list[Any]:
        """What its gradients take."""
        outputs = [np.full_like(one, 7) for one in (self.x, self.weight, self.bias)]
        given = [one if flag else None for one, flag in zip(outputs, mask, strict=True)]
        return [self.output, self.x, self.weight, self.bias.shape, *self.attributes, mask, 0, *given]

    def magnitudes(self) -> list[Any]:
        """The sums of the terms' absolute values: of the output, and of the three gradients."""
        with np.errstate(invalid="ignore"):
            g, x, w, b = (
                np.nan_to_num(np.abs(one.astype(np.float64)), posinf=0)
                for one in (self.output, self.x, self.weight, self.bias)
            )
        wide = {"operand": DType.DOUBLE, "accumulate": DType.DOUBLE}
        output, *gradients = (np.empty_like(one) for one in (g, x, w, b))
        ahead = [x, w, b, *self.attributes, output, 0, wide]
        convolution.convolution(*ahead)
        back = [g, x, w, b.shape, *self.attributes, (True, True, True), 0, *gradients, wide]
        convolution.convolution_backward(*back)
        return [output, *gradients]


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_dense(setting: str, dtype: Any) -> None:
    random = np.random.default_rng(11)
    for number in range(TIMES):
        of = Problem(random, dtype, wild=number % 2 == 1, large=number % 8 == 0)
        magnitudes = of.magnitudes()
        forward = convolution.convolution, c_convolution.convolution
        found, expected = both(*forward, of.forward(bool(random.random() < 0.5)), [9], roles(dtype))[0]
        assert_near(found, expected, 12, magnitudes[0])
        mask = tuple(bool(random.random() < 0.8) for _ in range(3))
        backward = convolution.convolution_backward, c_convolution.convolution_backward
        pairs = both(*backward, of.backward(mask), [12, 13, 14], roles(dtype))
        wanted = [one for one, flag in zip(magnitudes[1:], mask, strict=True) if flag]
        for (found, expected), magnitude in zip(pairs, wanted, strict=True):
            assert_near(found, expected, 12, magnitude)


def test_terms_of_one_sign() -> None:
    """The bound that the NumPy kernel states for BLAS holds here too."""
    random = np.random.default_rng(12)
    x, w = (random.random(shape, np.float32) for shape in ((2, 300, 9, 9), (40, 300, 3, 3)))
    wide = {"operand": DType.DOUBLE, "accumulate": DType.DOUBLE}
    attributes: list[Any] = [(1, 1), (1, 1), (1, 1), False, (0, 0), 1]
    output, exact = np.empty((2, 40, 9, 9), np.float32), np.empty((2, 40, 9, 9))
    values = [x.astype(np.float64), w.astype(np.float64), None, *attributes, exact, 0, wide]
    convolution.convolution(*values)
    values = [x, w, None, *attributes, output, 0]
    found, _ = both(convolution.convolution, c_convolution.convolution, values, [9], roles(np.float32))[0]
    assert np.all(np.abs(found - exact) <= (3 + 1.5 * 512**0.5) * 2.0**-24 * exact)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_same_bits(compiled: Library, monkeypatch: pytest.MonkeyPatch, dtype: Any) -> None:
    """For any number of threads; and for the instruction sets that round once, but for tiles of bfloat16."""
    random = np.random.default_rng(13)
    for _ in range(TIMES // 4):
        of = Problem(random, dtype, wild=False, large=True)
        calls: list[Call] = [
            (c_convolution.convolution, of.forward(True), [9], roles(dtype)),
            (c_convolution.convolution_backward, of.backward((True, True, True)), [12, 13, 14], roles(dtype)),
        ]
        for call in calls:
            fused = set()
            for name in SETS:
                if compiled.lib.aclspec_use(name.encode()) == 0:
                    found = set()
                    for threads in ("1", "2", "7"):
                        monkeypatch.setenv("ACLSPEC_NATIVE_THREADS", threads)
                        found.add(tuple(answer(call)))
                    assert len(found) == 1, name
                    if name != "portable" and (name, dtype) != ("amx", ml_dtypes.bfloat16):
                        fused |= found
            assert len(fused) <= 1
    compiled.lib.aclspec_use(b"")
