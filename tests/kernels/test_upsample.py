"""Upsampling along one axis: which element is nearest, and weights in the dtype of the sums."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import upsample
from tests.support.numerics import peer

ROLES: dict[str, Any] = dict.fromkeys(("operand", "accumulate", "result"), DType.FLOAT)


def settings(rows: int = 2, **others: str) -> Any:
    """The precision of a kernel: roles, and the axis of the rows."""
    return {**ROLES, "rows": rows, **others}


PAIRS = [*product(range(1, 30), repeat=2), (2049, 4100), (4100, 2049), (4099, 4097)]


def test_the_nearest_element_is_that_of_pytorch() -> None:
    torch = peer()
    for size, count in PAIRS:
        x, out = np.arange(size, dtype=np.float32).reshape(1, 1, 1, size), np.zeros((1, 1, 1, count), np.float32)
        upsample.upsample_nearest2d(x, [1, count], out, settings())
        expected = torch.nn.functional.interpolate(torch.from_numpy(x), (1, count))
        assert out.tolist() == expected.tolist()


def test_the_last_of_very_many_copies_is_the_last_element() -> None:
    """In FLOAT its place is behind the last element."""
    out = np.zeros((1, 1, 1, 2**24 + 1), np.uint8)
    upsample.upsample_nearest2d(np.ones((1, 1, 1, 1), np.uint8), [1, out.size], out, settings())
    assert out.all()


@pytest.mark.parametrize(("given", "scale"), [("given", 2.5), ("given", 0.0), ("given", 0.4), ("sizes", 0.3)])
def test_the_gradient_of_copies_is_that_of_pytorch(given: str, scale: float) -> None:
    torch = peer()
    for size in (*range(1, 12), 2051):
        count = int(size * (scale if given == "given" and scale else 2.5)) or 1
        gradient, out = np.arange(1.0, count + 1, dtype=np.float32), np.zeros((1, size, 1), np.float32)
        upsample.upsample_nearest2d_backward(
            gradient.reshape(1, 1, count, 1)[0],
            [count, 1],
            [1, 1, size, 1],
            scale,
            0.0,
            out,
            settings(rows=1, scale=given),
        )
        wanted = scale if given == "given" and scale else None
        expected = torch.ops.aten.upsample_nearest2d_backward(
            torch.from_numpy(gradient.astype(np.float64).reshape(1, 1, count, 1)),
            [count, 1],
            [1, 1, size, 1],
            wanted,
            None,
        )
        assert out.ravel().tolist() == expected.ravel().tolist()


@pytest.mark.parametrize("align", [False, True])
def test_weights_products_and_sums_are_float(align: bool) -> None:
    rng = np.random.default_rng(8)
    for size, count in ((2, 7), (5, 3), (7, 10)):
        x, out = rng.standard_normal(size).astype(np.float32), np.zeros(count, np.float32)
        upsample.upsample_bilinear2d(
            x.reshape(1, 1, 1, size), [1, count], align, 0.0, 0.0, out.reshape(1, 1, 1, count), settings()
        )
        gradient = np.zeros(size, np.float32)
        upsample.upsample_bilinear2d_backward(
            out.reshape(1, 1, 1, count),
            [1, count],
            [1, 1, 1, size],
            align,
            0.0,
            0.0,
            gradient.reshape(1, 1, 1, size),
            settings(),
        )
        shares = np.zeros(size, np.float32)
        places = [
            at * (size - 1) / (count - 1) if align else max((at + 0.5) * size / count - 0.5, 0) for at in range(count)
        ]
        ends = [(int(place), min(int(place) + 1, size - 1), np.float32(place - int(place))) for place in places]
        assert out.tolist() == [x[low] * (1 - weight) + x[high] * weight for low, high, weight in ends]
        for (low, _, weight), one in zip(ends, out, strict=True):
            shares[low] += one * (1 - weight)
        for (_, high, weight), one in zip(ends, out, strict=True):
            shares[high] += one * weight
        assert gradient.tolist() == shares.tolist()


def test_past_the_last_element_nothing_grows() -> None:
    roles: Any = {**dict.fromkeys(("operand", "accumulate", "result"), DType.DOUBLE), "rows": 2}
    out = np.zeros((1, 1, 1, 5))
    upsample.upsample_bilinear2d(np.full((1, 1, 1, 2), 1.2e308), [1, 5], False, 0.0, 0.1, out, roles)
    assert (out == 1.2e308).all()


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("sizes", [(4, 2), (2, 4), (5, 3), (3, 3), (2, 1), (1, 3)])
def test_antialiased_rows_are_weighted_means_and_columns_alike(sizes: tuple[int, int], corners: bool) -> None:
    size, count = sizes
    step = ((size - 1) / (count - 1) if count > 1 else 0) if corners else size / count
    reach, rows = max(step, 1), np.arange(1.0, size + 1) ** 2
    wanted = []
    for place in range(count):
        centre = step * (place + 0.5)
        inside = range(max(int(centre - reach + 0.5), 0), min(int(centre + reach + 0.5), size))
        weights = [max(0.0, 1 - abs(at + 0.5 - centre) / reach) for at in inside]
        wanted.append(sum(w * rows[at] for w, at in zip(weights, inside, strict=True)) / sum(weights))
    roles: Any = dict.fromkeys(("operand", "accumulate", "result"), DType.DOUBLE)
    for shape, target in (((1, 1, size, 1), (1, 1, count, 1)), ((1, 1, 1, size), (1, 1, 1, count))):
        out = np.zeros(target)
        upsample.antialiased2d(rows.reshape(shape), target[2:], corners, 0.0, 0.0, out, roles)
        np.testing.assert_allclose(out.reshape(-1), wanted, 1e-13)
        back, upstream = np.zeros(shape), np.arange(1.0, count + 1).reshape(target)
        upsample.antialiased2d_backward(upstream, target[2:], shape, corners, 0.0, 0.0, back, roles)
        assert np.sum(back * rows.reshape(shape)) == pytest.approx(np.sum(upstream * out), rel=1e-12)
