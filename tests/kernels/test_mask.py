"""Masks packed and unpacked by anyone: round trips, bytes, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime.kernels.mask import pack_mask, unpack_mask
from tests.support.max_pooling import MASKS, Case, exact_forward, random_case
from tests.support.numerics import SAMPLES, Array, laid_out

LAYOUTS = ("argmax", "bits")


def positions_of(rng: np.random.Generator, case: Case) -> Array:
    return exact_forward(rng.standard_normal(case.input), case)[1]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_round_trips(layout: str) -> None:
    rng = np.random.default_rng(30)
    for number in range(SAMPLES // 4):
        case = random_case(rng, dilated=number % 3 == 0)
        if layout == "argmax" and case.mask[-2] == 1:
            continue
        positions = positions_of(rng, case)
        window = case.kernel, case.stride or None, case.padding, case.dilation
        mask = pack_mask(laid_out(rng, positions), case.input[-2:], *window, layout=layout)
        assert np.array_equal(mask, MASKS[layout](positions, case, 0))
        unpacked = unpack_mask(laid_out(rng, mask), case.input[-2:], case.output[-2:], *window, layout=layout)
        assert unpacked.dtype == np.int32
        assert np.array_equal(unpacked, positions)


def test_numbers_stand_for_both_axes() -> None:
    positions = np.array([[[0, 6]]], np.int64).reshape(1, 2, 1)
    mask = pack_mask(positions, (4, 3), 2, layout="argmax")
    assert mask.shape == (1, 4, 64)
    assert mask.tobytes()[:8] == bytes([0, 0, 0, 0, 6, 0, 0, 0])
    assert unpack_mask(mask, (4, 3), (2, 1), 2, layout="argmax").tolist() == [[[0], [6]]]


def test_documentation_sample_as_bits() -> None:
    mask = np.zeros((1, 1, 4, 64), np.int8)
    mask.reshape(-1)[:32] = -1
    assert unpack_mask(mask, (4, 3), (2, 1), 2, layout="bits").reshape(-1).tolist() == [0, 6]
    assert unpack_mask(mask, (4, 3), (2, 1), 2, layout="argmax").reshape(-1).tolist() == [-1, -1]


def test_the_first_of_several_bits_counts() -> None:
    full = np.full((2, 5, 9, 64), -1, np.int8)
    unpacked = unpack_mask(full, (4, 4), (4, 4), 3, 1, 1, layout="bits")
    first = [max(row - 1, 0) * 4 + max(col - 1, 0) for row in range(4) for col in range(4)]
    assert np.array_equal(unpacked, np.broadcast_to(np.reshape(first, (4, 4)), (2, 5, 4, 4)))


def test_positions_outside_their_window_have_no_bit() -> None:
    mask = pack_mask(np.array([[[0, 0], [15, -1]]]), (4, 4), 2, layout="bits")
    assert unpack_mask(mask, (4, 4), (2, 2), 2, layout="bits").tolist() == [[[0, -1], [-1, -1]]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kernel_size": 0}, r"kernel_size \(0\)"),
        ({"kernel_size": (1, 2, 3)}, r"kernel_size \(\(1, 2, 3\)\)"),
        ({"padding": (-1,)}, r"padding \(\(-1,\)\)"),
        ({"stride": ()}, r"stride \(\(\)\)"),
        ({"dilation": 0}, r"dilation \(0\)"),
        ({"layout": "int32"}, r'layout of a mask \(int32\) is neither "argmax" nor "bits"'),
        ({"argmax": np.zeros((1, 2, 2), np.float32)}, r"\(float32, 3 axes\)"),
        ({"argmax": np.zeros((2, 2), np.int32)}, r"\(int32, 2 axes\)"),
        ({"argmax": np.full((1, 2, 2), 2**40)}, r"position in argmax \(1099511627776\) is beyond the range of int32"),
        ({"argmax": np.full((1, 2, 2), -(2**31) - 1)}, r"position in argmax \(-2147483649\) is beyond"),
        ({"kernel_size": "2"}, r"kernel_size \(2\)"),
        ({"kernel_size": None}, r"kernel_size \(None\)"),
        ({"stride": (2.0, 2.0)}, r"stride \(\(2\.0, 2\.0\)\)"),
        ({"kernel_size": 2**40}, r"The mask needs \d+ bytes of memory, more than the \d+ bytes that are available"),
    ],
)
def test_what_cannot_be_packed(arguments: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {
        "argmax": np.zeros((1, 2, 2), np.int32),
        "input_size": (4, 4),
        "kernel_size": 2,
        "layout": "bits",
    }
    with pytest.raises(ValueError, match=message):
        pack_mask(**(good | arguments))


def test_arrays_of_any_kind_are_packed() -> None:
    positions = np.array([[[0], [6]]])
    expected = pack_mask(positions, (4, 3), 2, layout="bits")

    class Exported:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
            return positions

    window = (np.int64(2), np.int32(2))
    assert pack_mask(Exported(), np.array([4, 3]), window, layout="bits").tobytes() == expected.tobytes()  # type: ignore[arg-type]
    for value in ([[[0], [6]]], None):
        with pytest.raises(TypeError, match=r"The value of argmax .* is not a tensor"):
            pack_mask(value, (4, 3), 2, layout="bits")


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (np.zeros((1, 4, 32), np.int8), r"last two axes of mask \(4, 32\) are not \(4, 64\)"),
        (np.zeros((1, 9, 64), np.int8), r"last two axes of mask \(9, 64\) are not \(4, 64\)"),
        (np.zeros((1, 4, 64), np.uint8), r"dtype of mask \(uint8\) is not int8"),
        (np.zeros((4, 64), np.int8), r"\(int8, 2 axes\)"),
    ],
)
def test_what_cannot_be_unpacked(mask: Array, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        unpack_mask(mask, (4, 4), (2, 2), 2, layout="bits")
