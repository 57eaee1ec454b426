"""Quantized numbers where references say too little: packing, the ends of the range, rows without a scale."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.quantization import dynamic_quant


def test_quantized_numbers_of_four_bits_lie_in_the_order_of_the_memory() -> None:
    x = np.random.default_rng(5).integers(-7, 8, (3, 2, 16)).astype(np.float16)
    x[..., 0] = 7  # so that the scale is 1
    packed, scale = np.zeros((3, 2, 2), np.int32), np.zeros((3, 2), np.float32)
    ops.dynamic_quant(x, out={"y_out": packed, "scale_out": scale})
    assert (scale == 1).all()
    octets = packed.view(np.uint8)
    nibbles = np.stack([octets & 15, octets >> 4], axis=-1).reshape(x.shape).astype(int)
    np.testing.assert_array_equal(np.where(nibbles > 7, nibbles - 16, nibbles), x)


@pytest.mark.parametrize("smoothed", [False, True])
def test_quantized_numbers_reach_the_ends_of_their_range(smoothed: bool) -> None:
    """References compare no number beyond half the range of its dtype."""
    rng = np.random.default_rng(7)
    x, smooth = rng.standard_normal((40, 33)).astype(np.float16), rng.uniform(0.5, 2, 33).astype(np.float16)
    found = ops.dynamic_quant(x, smooth if smoothed else None)
    wide = x.astype(np.float64) * (smooth if smoothed else 1)
    scale = np.abs(wide).max(axis=1) / 127
    np.testing.assert_allclose(found.scale_out, scale, rtol=2.0**-22)
    quotients = wide / scale[:, None]
    certain = np.abs(quotients % 1 - 0.5) > 1e-3
    np.testing.assert_array_equal(found.y_out[certain], np.round(quotients[certain]))
    assert (np.abs(found.y_out.astype(int)).max(axis=1) == 127).all()


def test_a_row_of_zeros_is_zero_in_floating_point_too() -> None:
    y, scale = np.ones((1, 4), ml_dtypes.float8_e4m3fn), np.ones(1, np.float32)
    roles = {"accumulate": DType.FLOAT, "limit": 448, "smoothed": False}
    dynamic_quant(np.zeros((1, 4), np.float32), None, y, scale, roles)  # type: ignore[arg-type]
    assert (y.tolist(), scale.tolist()) == ([[0] * 4], [0])


def test_a_row_without_a_scale_is_zero() -> None:
    x = np.array([[0, -0.0], [np.nan, 1], [np.inf, 1]], np.float16)
    found = ops.dynamic_quant(x)
    assert found.y_out.tolist() == [[0, 0], [0, 0], [0, 0]]
    np.testing.assert_array_equal(found.scale_out, np.array([0, np.nan, np.inf], np.float32))
