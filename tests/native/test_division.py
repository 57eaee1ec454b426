"""The quotients of average pooling, which come from reciprocals where that gives the same numbers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.native import avg_pool
from aclspec.runtime.native.library import Library
from aclspec.runtime.testing.amount import amount
from tests.native.test_kernels import assert_same, roles
from tests.native.test_same_bits import SETS

MANY = 1 << amount(1, 1, 23) << 18
"""Significands of a float32 that are tried, of 2**23."""


def quotients(values: Any, divisor: int) -> Any:
    """What the compiled kernel makes of values, each of them a window of its own."""
    out = np.empty_like(values)
    call: list[Any] = [values, (1, 1), (1, 1), (0, 0), False, True, divisor, 0, out]
    kernel: Any = avg_pool.avg_pool2d
    assert kernel(*call, roles(np.float32))
    return out


@pytest.mark.parametrize(
    "divisor", [1, 3, 4, 5, 6, 7, 9, 12, 25, 49, 225, 8191, 16777215, 1 << 24, (1 << 24) + 2, -3, -8]
)
def test_every_significand(compiled: Library, divisor: int) -> None:
    first = np.random.default_rng(divisor % 1000).integers(0, (1 << 23) - MANY + 1)
    words = np.arange(first, first + MANY, dtype=np.uint32) | np.uint32(0x3F800000)
    values = words.view(np.float32).reshape(1, 1, 512, -1)
    assert_same(quotients(values, divisor), values / np.float32(divisor))


@pytest.mark.parametrize("divisor", [3, 9, 1 << 20, -6])
def test_every_magnitude(compiled: Library, divisor: int) -> None:
    random = np.random.default_rng(3)
    words = random.integers(0, 1 << 32, (1, 1, 256, 256), np.uint64).astype(np.uint32)
    words[0, 0, ::3, ::7] &= np.uint32(0x80000000)
    words[0, 0, 1::3, ::5] |= np.uint32(0x7F800000)
    values = words.view(np.float32)
    with np.errstate(all="ignore"):
        assert_same(quotients(values, divisor), (values + 0.0) / np.float32(divisor))


@pytest.mark.parametrize("divisor", [1, 2, 3, 6, 7, 9, 15, 25, 255, 8191, 1 << 24, -7, -9])
def test_every_half(compiled: Library, divisor: int) -> None:
    values = np.arange(1 << 16, dtype=np.uint16).view(np.float16).reshape(1, 1, 256, 256)
    out = np.empty_like(values)
    call: list[Any] = [values, (1, 1), (1, 1), (0, 0), False, True, divisor, 0, out]
    kernel: Any = avg_pool.avg_pool2d
    assert kernel(*call, roles(np.float16))
    with np.errstate(all="ignore"):
        assert_same(out, ((values.astype(np.float32) + np.float32(0)) / np.float32(divisor)).astype(np.float16))


@pytest.mark.parametrize("divisor", [2, 3, 6, 9, 49, 127, 128, 129, 1000, 1 << 20, -9])
def test_sums_of_bfloat16(compiled: Library, divisor: int) -> None:
    """Sums of all magnitudes, those too that are next to halfway between two bfloat16."""
    random = np.random.default_rng(5)
    words = random.integers(0, 1 << 16, (1, 2, 300, 512)).astype(np.uint16)
    words[:, 1, :, ::2] &= np.uint16(0x83FF)  # below 2**-119
    ties = words[:, 1, :, 1::2]
    ties[...] = np.where(random.random(ties.shape) < 0.5, words[:, 1, :, ::2] & np.uint16(0x8007), ties)
    values = words.view(ml_dtypes.bfloat16)
    for scale in (1, abs(divisor)):  # multiples of the divisor have quotients of few digits
        with np.errstate(all="ignore"):
            values = (values.astype(np.float32) * np.float32(scale)).astype(ml_dtypes.bfloat16)
            sums = np.float32(0) + values[..., ::2].astype(np.float32) + values[..., 1::2].astype(np.float32)
            expected = (sums / np.float32(divisor)).astype(ml_dtypes.bfloat16)
        out = np.empty(expected.shape, ml_dtypes.bfloat16)
        call: list[Any] = [values, (1, 2), (1, 2), (0, 0), False, True, divisor, 0, out]
        kernel: Any = avg_pool.avg_pool2d
        assert kernel(*call, roles(ml_dtypes.bfloat16))
        assert_same(out, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("divisor", [1, 4, 9, 1 << 21])
def test_no_quotient_of_zeros_is_negative(compiled: Library, dtype: Any, divisor: int) -> None:
    compute: Any = avg_pool.avg_pool2d
    for kernel, stride, pad in ((3, 2, 1), (2, 2, 0), (1, 1, 0), (3, 1, 1)):
        size = (20 + 2 * pad - kernel) // stride + 1
        values, out = np.full((1, 2, 20, 20), -0.0, dtype), np.empty((1, 2, size, size), dtype)
        call: list[Any] = [values, (kernel,) * 2, (stride,) * 2, (pad,) * 2, False, True, divisor, 0, out]
        for name in SETS:
            if compiled.lib.aclspec_use(name.encode()) == 0:
                assert compute(*call, roles(dtype))
                assert_same(out, np.zeros_like(out))
    compiled.lib.aclspec_use(b"")
