"""The generator against its published vectors, and the distributions of what is drawn with it."""

from __future__ import annotations

from collections.abc import Callable
from math import erf, sqrt
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import philox, random_numbers
from aclspec.runtime.kernels.philox import Stream

COUNT = 200_000
ROLES: dict[str, Any] = {"compute": DType.DOUBLE, "probability": DType.FLOAT}
ALL = (1 << 32) - 1
KEYS = [(0, 0), (1, 0), (0, 4), (1, 4), (-1, 0), (0, -4), (1 << 32, 0), (0, 1 << 32)]
"""Seeds and offsets, of which some differ in the upper half alone."""


def drawn(count: int, seed: int = 5, offset: int = 8, dtype: Any = np.float32, std: float = 1.0) -> Any:
    target = np.zeros(count, dtype)
    random_numbers.normal(target, 0.0, std, seed, offset, ROLES)
    return target


def uniform(count: int, start: float, end: float, seed: int = 5, offset: int = 8, dtype: Any = np.float32) -> Any:
    target = np.zeros(count, dtype)
    random_numbers.uniform(target, start, end, seed, offset, ROLES)
    return target


def mask(elements: int, prob: float, seed: int = 5, offset: int = 8, dtype: DType = DType.FLOAT) -> Any:
    out = np.zeros(-(-elements // 128) * 16, np.uint8)
    random_numbers.gen_mask((elements,), prob, seed, offset, out, {"probability": dtype})
    return out


def kolmogorov_smirnov(sample: Any, distribution: Callable[[Any], Any]) -> float:
    """The largest distance of two distribution functions, times the root of the sample's size."""
    at, steps = distribution(np.sort(sample.astype(np.float64))), np.arange(sample.size + 1) / sample.size
    distance = max(np.max(steps[1:] - at), np.max(at - steps[:-1]))
    return float(distance * sqrt(sample.size))


@pytest.mark.parametrize(
    ("counter", "key", "block"),
    [
        ((0, 0, 0, 0), 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((ALL, ALL, ALL, ALL), (1 << 64) - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            0x299F31D0A4093822,
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_published_vectors(counter: tuple[int, ...], key: int, block: tuple[int, ...]) -> None:
    """The known answers that the authors of Philox publish for ten rounds."""
    found = philox.philox(np.array(counter, np.uint64)[:, None], key)
    assert tuple(map(int, found[0])) == block


def test_a_part_of_a_stream_is_that_of_the_whole() -> None:
    stream = Stream(3, 7)
    np.testing.assert_array_equal(stream.words(0, 41)[8:41], stream.words(8, 33))
    np.testing.assert_array_equal(stream.fractions(0, 21)[4:21], stream.fractions(4, 17))
    np.testing.assert_array_equal(stream.normals(0, 21)[4:21], stream.normals(4, 17))


def test_the_size_of_a_block_does_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = drawn(101), uniform(101, 0, 1), mask(1000, 0.3)
    monkeypatch.setattr(philox, "BLOCK", 16)
    for found, whole in zip((drawn(101), uniform(101, 0, 1), mask(1000, 0.3)), wanted, strict=True):
        np.testing.assert_array_equal(found, whole)


def test_seeds_and_offsets_give_the_same_again_and_others_otherwise() -> None:
    streams = [Stream(*key).words(0, 4096) for key in KEYS]
    for key, words in zip(KEYS, streams, strict=True):
        np.testing.assert_array_equal(words, Stream(*key).words(0, 4096))
    for at, one in enumerate(streams):
        for other in streams[:at]:
            assert np.mean(one == other) < 0.001
            bits = np.unpackbits((one ^ other).view(np.uint8))
            assert abs(bits.mean() - 0.5) < 4 * 0.5 / sqrt(bits.size)


def test_streams_are_not_correlated() -> None:
    for at, key in enumerate(KEYS[:4]):
        one = Stream(*key).normals(0, COUNT)
        assert abs(np.mean(one[1:] * one[:-1])) < 4 / sqrt(COUNT)
        for other in KEYS[:at]:
            assert abs(np.mean(one * Stream(*other).normals(0, COUNT))) < 4 / sqrt(COUNT)


def test_the_uniform_distribution() -> None:
    sample = uniform(COUNT, -2.0, 3.0)
    assert sample.min() >= -2
    assert sample.max() < 3
    assert abs(sample.mean(dtype=np.float64) - 0.5) < 4 * 5 / sqrt(12 * COUNT)
    assert abs(sample.var(dtype=np.float64) / (25 / 12) - 1) < 4 * sqrt(0.8 / COUNT)
    assert kolmogorov_smirnov(sample, lambda x: (x + 2) / 5) < 1.95


def test_the_normal_distribution() -> None:
    sample = drawn(COUNT).astype(np.float64)
    assert abs(sample.mean()) < 4 / sqrt(COUNT)
    assert abs(sample.var() - 1) < 4 * sqrt(2 / COUNT)
    assert abs(np.mean(sample**3)) < 4 * sqrt(15 / COUNT)
    assert abs(np.mean(sample**4) - 3) < 4 * sqrt(96 / COUNT)
    assert kolmogorov_smirnov(sample, lambda x: 0.5 + 0.5 * np.vectorize(erf)(x / sqrt(2))) < 1.95


def test_mean_and_deviation() -> None:
    target = np.zeros((3, 5), np.float64)
    random_numbers.normal(target, 2.0, 3.0, 5, 8, ROLES)
    np.testing.assert_allclose(target.reshape(-1), 2 + 3 * drawn(15, dtype=np.float64), 1e-15)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_the_end_of_a_range_is_not_reached(dtype: Any) -> None:
    sample = uniform(COUNT, 0.0, 1.0, dtype=dtype)
    assert sample.astype(np.float64).max() < 1
    assert sample.astype(np.float64).min() >= 0
    assert (uniform(100, 1.0, 1.0000000000000002, dtype=dtype) == 1).all()


def test_ranges_beyond_every_number() -> None:
    sample = uniform(COUNT, -1.5e308, 1.5e308, dtype=np.float64)
    assert np.isfinite(sample).all()
    assert kolmogorov_smirnov(sample, lambda x: 0.5 + x / 1.5e308 / 2) < 1.95


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
def test_integers(dtype: Any) -> None:
    counts = np.bincount(uniform(COUNT, 3.0, 11.0, dtype=dtype))
    assert counts[:3].sum() == 0
    assert (np.abs(counts[3:11] / COUNT - 1 / 8) < 4 * sqrt(7 / 64 / COUNT)).all()
    assert counts.size == 11


@pytest.mark.parametrize("prob", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_the_bits_of_a_mask(prob: float) -> None:
    bits = np.unpackbits(mask(COUNT, prob), bitorder="little").astype(np.float64)
    deviation = sqrt(prob * (1 - prob))
    assert abs(bits.mean() - (1 - prob)) <= 4 * deviation / sqrt(bits.size)
    for step in (1, 8, 128):
        covariance = np.mean((bits[step:] - bits.mean()) * (bits[:-step] - bits.mean()))
        assert abs(covariance) <= 4 * deviation**2 / sqrt(bits.size)


def test_the_probability_is_rounded() -> None:
    prob, near = 0.3, float(np.float16(0.3))
    np.testing.assert_array_equal(mask(COUNT, prob, dtype=DType.FLOAT16), mask(COUNT, near))
    assert (mask(COUNT, prob) != mask(COUNT, near)).any()


@pytest.mark.parametrize(("prob", "wanted"), [(0.5, [2, 0, 6, 0]), (0.0, [1, 2, 3, 4]), (1.0, [0, 0, 0, 0])])
def test_a_mask_is_applied(prob: float, wanted: list[float]) -> None:
    roles = {"operand": DType.FLOAT, "accumulate": DType.FLOAT, "result": DType.FLOAT}
    out = np.zeros((2, 2), np.float32)
    bits = np.array([5, *[0] * 15], np.uint8)
    random_numbers.do_mask(np.array([[1, 2], [3, 4]], np.float32), bits, prob, out, roles)
    assert out.reshape(-1).tolist() == wanted


def test_draws_of_a_probability() -> None:
    out = np.zeros((2, COUNT // 2), np.int8)
    random_numbers.bernoulli(out, np.array([[0.25], [0.75]]), 5, 8, out, ROLES)
    assert set(np.unique(out)) == {0, 1}
    for row, prob in zip(out, (0.25, 0.75), strict=True):
        assert abs(row.mean() - prob) < 4 * sqrt(prob * (1 - prob) / row.size)
    other = np.zeros(COUNT, np.float32)
    random_numbers.inplace_bernoulli(other, 0.5, 6, 8, ROLES)
    assert abs(other.mean() - 0.5) < 2 / sqrt(COUNT)
    assert abs(np.mean((other[1:] - 0.5) * (other[:-1] - 0.5))) < 1 / sqrt(COUNT)
    random_numbers.bernoulli(other, 0.5, 7, 8, other, ROLES)
    again = np.zeros_like(other)
    random_numbers.bernoulli(other, 0.5, 7, 8, again, ROLES)
    np.testing.assert_array_equal(other, again)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, ml_dtypes.bfloat16])
def test_integers_of_a_range(dtype: Any) -> None:
    target = np.zeros(COUNT, dtype)
    random_numbers.integers(target, -3, 5, 5, 8, ROLES)
    counts = np.bincount(target.astype(np.int64) + 3, minlength=8)
    assert counts.size == 8
    assert (abs(counts - COUNT / 8) < 5 * sqrt(COUNT * 7 / 64)).all()


def test_integers_of_the_widest_range() -> None:
    target = np.zeros(COUNT, np.int64)
    random_numbers.integers(target, -(1 << 63), (1 << 63) - 1, 5, 8, ROLES)
    assert kolmogorov_smirnov(target.astype(np.float64), lambda x: 0.5 + x / 2.0**64) < 1.95
    low = target & 0xFFFF
    assert kolmogorov_smirnov(low.astype(np.float64), lambda x: x / 65536) < 2.5


def test_random_truth_values() -> None:
    target = np.zeros(COUNT, np.bool_)
    random_numbers.integers(target, 0, 2, 5, 8, ROLES)
    assert abs(target.mean() - 0.5) < 2 / sqrt(COUNT)
    random_numbers.integers(target, 2, 3, 5, 8, ROLES)
    assert target.all()


def test_means_and_deviations_of_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    out = np.zeros((2, 101), np.float64)
    random_numbers.normal_around(np.array([[1.0], [-5.0]]), np.linspace(0, 2, 101), 5, 8, out, ROLES)
    wanted = np.array([[1.0], [-5.0]]) + np.linspace(0, 2, 101) * drawn(202, dtype=np.float64).reshape(2, 101)
    np.testing.assert_allclose(out, wanted, 1e-14)
    whole = out.copy()
    monkeypatch.setattr(philox, "BLOCK", 16)
    random_numbers.normal_around(np.array([[1.0], [-5.0]]), np.linspace(0, 2, 101), 5, 8, out, ROLES)
    np.testing.assert_array_equal(out, whole)
    random_numbers.normal_everywhere(2.0, 3.0, 5, 8, out, ROLES)
    np.testing.assert_allclose(out.reshape(-1), 2 + 3 * drawn(202, dtype=np.float64), 1e-15)


def test_places_with_replacement() -> None:
    out = np.zeros((2, COUNT // 2), np.int64)
    random_numbers.multinomial(np.array([[1, 0, 3, -2], [0, 5, 0, np.nan]]), COUNT // 2, True, 5, 8, out, ROLES)
    assert (out[1] == 1).all()
    assert set(np.unique(out[0])) == {0, 2}
    assert abs((out[0] == 2).mean() - 0.75) < 4 * sqrt(0.1875 / out.shape[1])


def test_places_without_replacement() -> None:
    weights = np.tile(np.array([2.0, 0, 1, 1], np.float32), (COUNT // 10, 1))
    out = np.zeros((len(weights), 4), np.int64)
    random_numbers.multinomial(weights, 4, False, 5, 8, out, ROLES)
    assert (np.sort(out, 1) == range(4)).all()
    assert (out[:, 3] == 1).all()
    for row, prob in (((0, 2, 3), 1 / 4), ((2, 0, 3), 1 / 6), ((2, 3, 0), 1 / 12)):
        assert abs((out[:, :3] == row).all(1).mean() - prob) < 4 * sqrt(prob * (1 - prob) / len(out))


def test_rows_without_weight() -> None:
    out = np.ones((1, 2), np.int64)
    random_numbers.multinomial(np.zeros((1, 3)), 2, True, 5, 8, out, ROLES)
    assert out.tolist() == [[0, 0]]
    random_numbers.multinomial(np.zeros((1, 3)), 2, False, 5, 8, out, ROLES)
    assert out.tolist() == [[0, 1]]


def test_random_slopes() -> None:
    x, noise, out = (
        np.where(np.arange(COUNT) % 2, -2.0, 3.0).astype(np.float32),
        np.zeros(COUNT, np.float32),
        np.zeros(COUNT, np.float32),
    )
    random_numbers.leaky_relu_of_random_slopes(x, noise, 0.25, 0.75, True, 5, 8, out, ROLES)
    assert (noise[::2] == 1).all()
    assert (out[::2] == 3).all()
    assert kolmogorov_smirnov(noise[1::2], lambda slope: (slope - 0.25) / 0.5) < 1.95
    np.testing.assert_allclose(out[1::2], -2 * noise[1::2], 1e-7)
    random_numbers.leaky_relu_of_random_slopes(np.array([0.0]), noise[:1], 0.25, 0.75, True, 5, 8, np.zeros(1), ROLES)
    assert 0.25 <= noise[0] < 0.75
