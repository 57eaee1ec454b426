"""The compiled kernels against the NumPy kernels of the same names, which have oracles of their own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import avg_pool, batch_norm, batch_norm_elemt, convolution, max_pool, prelu, prelu_forward
from aclspec.runtime.native import avg_pool as c_avg_pool
from aclspec.runtime.native import batch_norm as c_batch_norm
from aclspec.runtime.native import batch_norm_elemt as c_batch_norm_elemt
from aclspec.runtime.native import convolution as c_convolution
from aclspec.runtime.native import max_pool as c_max_pool
from aclspec.runtime.native import prelu as c_prelu
from aclspec.runtime.native import prelu_forward as c_prelu_forward
from aclspec.runtime.native.library import Library
from aclspec.runtime.testing.amount import amount

Random = np.random.Generator
DTYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
TIMES = amount(40, 40, 300)
SETTINGS = [("portable", "1"), ("avx2", "2"), ("avx512", "3"), ("amx", "3"), ("", "2")]


@pytest.fixture(params=SETTINGS, ids=lambda setting: f"{setting[0] or 'best'}-{setting[1]}")
def setting(request: pytest.FixtureRequest, compiled: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An instruction set and a number of threads."""
    name, threads = request.param
    monkeypatch.setenv("ACLSPEC_NATIVE_THREADS", threads)
    if compiled.lib.aclspec_use(name.encode()):
        pytest.skip(f"this machine has no {name}")
    yield name
    compiled.lib.aclspec_use(b"")


def numbers(random: Random, shape: tuple[int, ...], dtype: Any, wild: bool, huge: float = 3e38) -> Any:
    """Values of both signs; with ``wild`` also zeros of both signs, infinities, NaN, subnormals and huge ones."""
    values = random.standard_normal(shape).astype(np.float32)
    if wild and values.size:
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-6, -3e-39, 65519.0, 65520.0, huge], np.float32)
        at = random.random(shape) < 0.2
        values = np.where(at, random.choice(special, shape), values)
    with np.errstate(all="ignore"):
        return values.astype(dtype)


def roles(dtype: Any, **more: DType | str) -> dict[str, DType | str]:
    """What a product's table says where nothing is rounded in between."""
    return {"operand": DType.of(np.dtype(dtype)), "accumulate": DType.FLOAT, **more}


def both(
    numpy: Callable[..., None], kernel: Callable[..., Any], values: list[Any], outputs: list[int], precision: Any
) -> list[tuple[Any, Any]]:
    """What both kernels write, output by output."""
    expected, found = list(values), list(values)
    for at in outputs:
        if values[at] is not None:
            expected[at], found[at] = values[at].copy(), values[at].copy()
    numpy(*expected, precision)
    assert kernel(*found, precision), "the compiled kernel declines"
    return [(found[at], expected[at]) for at in outputs if values[at] is not None]


def assert_same(found: Any, expected: Any) -> None:
    """The same bits, where every NaN counts as the same."""
    assert found.dtype == expected.dtype
    nan = expected != expected
    np.testing.assert_array_equal(found != found, nan)
    kind = f"u{found.itemsize}"
    np.testing.assert_array_equal(found.view(kind)[~nan], expected.view(kind)[~nan])


def assert_near(found: Any, expected: Any, units: float, magnitude: Any = 0.0) -> None:
    """Within so many units of float32, of the magnitude of the terms, and one rounding of the output."""
    wide, other = found.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(other)
    np.testing.assert_array_equal(np.isfinite(wide), finite)
    step = 2.0**-24 if found.dtype == np.float32 else 2.0**-8 if found.dtype != np.float16 else 2.0**-10
    bound = units * 2.0**-24 * np.maximum(magnitude, np.abs(other)) + 2 * step * np.abs(other) + 2.0**-24
    with np.errstate(invalid="ignore"):  # an infinity less itself
        assert np.all((np.abs(wide - other) <= bound)[finite])


def absolute(values: Any) -> Any:
    """Absolute values in float64; 0 for what is not finite."""
    return np.abs(np.nan_to_num(values.astype(np.float64), nan=0, posinf=0, neginf=0))


def channel_sums(terms: Any, channels: int) -> Any:
    """Sums over each channel, axis 1; over everything where there is one."""
    if channels == 1 or terms.ndim < 2:
        return terms.sum().reshape(1)
    return terms.sum(axis=tuple(at for at in range(terms.ndim) if at != 1))


def sums_within(dtype: Any, magnitude: Any) -> tuple[float, Any]:
    """The bound of sums over a channel: of half precision, eight units of float32 of the sum of absolute terms."""
    return (1, 0.0) if dtype == np.float32 else (9, magnitude)


def shapes(random: Random) -> tuple[int, ...]:
    """Of rank 0 to 5: short rows and long ones, a few of them longer than a segment."""
    rank = int(random.integers(0, 6))
    if random.random() < 0.1:
        return 2, 3, int(random.integers(20_000, 40_000))
    return tuple(int(size) for size in random.integers(1, 12, rank))


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_prelu(setting: str, dtype: Any) -> None:
    random = np.random.default_rng(1)
    for wild in [False, True] * (TIMES // 2):
        shape = shapes(random)
        x, g = (numbers(random, shape, dtype, wild) for _ in range(2))
        channels = shape[1] if len(shape) > 1 else 1
        weight = numbers(random, (1 if random.random() < 0.3 else channels,), dtype, wild)
        values = [g, x, weight, np.empty_like(x), np.empty_like(weight)]
        precision: Any = {"product": DType.of(np.dtype(dtype)), "accumulate": DType.FLOAT}
        pairs = both(prelu.prelu_backward, c_prelu.prelu_backward, values, [3, 4], precision)
        assert_same(*pairs[0])
        assert_near(*pairs[1], *sums_within(dtype, channel_sums(absolute(g) * absolute(x), weight.size)))
        assert_same(*both(prelu_forward.prelu, c_prelu_forward.prelu, [x, weight, x.copy()], [2], roles(dtype))[0])


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_batch_norm(setting: str, dtype: Any) -> None:
    random = np.random.default_rng(2)
    for wild in [False, True] * (TIMES // 2):
        shape = (*shapes(random), 2, 3)[:5] if random.random() < 0.9 else (7, 5)
        x, g = (numbers(random, shape, dtype, wild) for _ in range(2))
        mean, invstd, weight, dy, dy_xmu = (numbers(random, shape[1:2], np.float32, wild) for _ in range(5))
        sums = [np.empty(shape[1], np.float32) for _ in range(4)]
        flags = [bool(random.random() < 0.8) for _ in range(4)]
        given = [one if flag else None for one, flag in zip(sums, flags, strict=True)]
        values = [g, x, mean, invstd, weight, True, True, True, *given]
        numpy, kernel = batch_norm.batch_norm_reduce_backward, c_batch_norm.batch_norm_reduce_backward
        with np.errstate(invalid="ignore"):
            centred = x.astype(np.float64) - mean.astype(np.float64).reshape(-1, *[1] * (x.ndim - 2))
        terms = absolute(g), absolute(g) * absolute(centred)
        sums_of = [channel_sums(one, shape[1]) for one in terms]
        magnitudes = [*sums_of, sums_of[1] * absolute(invstd), sums_of[0]]
        wanted = [one for one, flag in zip(magnitudes, flags, strict=True) if flag]
        pairs = both(numpy, kernel, values, [8, 9, 10, 11], roles(dtype))
        for (found, expected), magnitude in zip(pairs, wanted, strict=True):
            assert_near(found, expected, *sums_within(dtype, magnitude))
        counter = np.array([int(np.prod(shape))], np.int32)
        with np.errstate(over="ignore"):
            of = [one.astype(dtype) for one in (mean, invstd, weight, dy, dy_xmu)]
        values = [g, x, *of[:2], of[2] if random.random() < 0.7 else None, *of[3:], counter, np.empty_like(x)]
        elemt = batch_norm_elemt.batch_norm_elemt_backward, c_batch_norm_elemt.batch_norm_elemt_backward
        assert_same(*both(*elemt, values, [8], roles(dtype))[0])
        if dtype == np.float16:
            narrow = {"operand": DType.FLOAT16, "accumulate": DType.FLOAT16}
            assert_same(*both(*elemt, values, [8], narrow)[0])
        elif random.random() < 0.5:  # each of a dtype of its own, and counts that are no int32
            of = [numbers(random, shape[1:2], kind, wild, 1e3) for kind in (*DTYPES.values(), *DTYPES.values())][:5]
            counter = np.array([[3, 4]], np.int32 if random.random() < 0.5 else np.float32)
            values = [g, x, *of, counter, np.empty_like(x)]
            assert_same(*both(*elemt, values, [8], {"operand": DType.FLOAT, "accumulate": DType.FLOAT})[0])


class Windows:
    """A random pooling whose kernel fits."""

    def __init__(self, random: Random, dilated: bool = False) -> None:
        """The attributes and the shapes."""
        while True:
            self.kernel, self.stride = (tuple(int(one) for one in random.integers(1, 5, 2)) for _ in range(2))
            self.padding = tuple(int(random.integers(0, one // 2 + 1)) for one in self.kernel)
            self.dilation = tuple(int(one) for one in random.integers(1, 3, 2)) if dilated else (1, 1)
            large = random.random() < 0.1
            self.planes = (1, 3) if large else tuple(int(one) for one in random.integers(1, 4, 2))
            self.cells = tuple(int(one) for one in random.integers(1, 90 if large else 14, 2))
            hang = int(random.integers(0, 2))
            reach = [(k - 1) * d for k, d in zip(self.kernel, self.dilation, strict=True)]
            sizes = zip(self.cells, self.padding, reach, self.stride, strict=True)
            self.windows = tuple((size + 2 * pad - far - 1 + hang * (s - 1)) // s + 1 for size, pad, far, s in sizes)
            taps = zip(self.windows, self.kernel, strict=True)
            if all(count >= tap for count, tap in taps):
                break


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_avg_pool(setting: str, dtype: Any) -> None:
    random = np.random.default_rng(3)
    for wild in [False, True] * (TIMES // 2):
        of = Windows(random)
        g, x = (numbers(random, (*of.planes, *size), dtype, wild) for size in (of.windows, of.cells))
        override = int(random.choice([0, 0, 3, -2]))
        rest = [of.kernel, of.stride, of.padding, False, bool(random.random() < 0.5), override, 0]
        pairs = both(
            avg_pool.avg_pool2d_backward, c_avg_pool.avg_pool2d_backward, [g, x, *rest, x.copy()], [9], roles(dtype)
        )
        assert_same(*pairs[0])
        assert_same(*both(avg_pool.avg_pool2d, c_avg_pool.avg_pool2d, [x, *rest, g.copy()], [8], roles(dtype))[0])


@pytest.mark.parametrize("layout", ["argmax", "bits"])
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_max_pool(setting: str, dtype: Any, layout: str) -> None:
    random = np.random.default_rng(4)
    for wild in [False, True] * (TIMES // 2):
        of = Windows(random, dilated=layout == "argmax")
        g, x = (numbers(random, (*of.planes, *size), dtype, wild) for size in (of.windows, of.cells))
        if wild and random.random() < 0.3:
            x[...] = -np.inf
        words = (-(-of.windows[0] * of.windows[1] // 16) + 1) * 32
        mask = random.integers(-128, 128, (*of.planes, of.kernel[0] * of.kernel[1], words)).astype(np.int8)
        if layout == "argmax" and mask.nbytes < 4 * g.size:
            continue  # a mask that is too small is left to NumPy
        if layout == "bits" and of.planes[1] % 16:
            mask = np.resize(mask, (of.planes[0], 16, *mask.shape[2:]))
        attributes = [of.kernel, of.stride, of.padding, of.dilation, False]
        precision = roles(dtype, layout=layout)
        numpy, kernel = max_pool.max_pool2d_with_mask, c_max_pool.max_pool2d_with_mask
        (out, plain_out), (made, plain) = both(
            numpy, kernel, [x, *attributes, g.copy(), np.zeros_like(mask)], [6, 7], precision
        )
        assert_same(out, plain_out)
        np.testing.assert_array_equal(made, plain)
        backward = max_pool.max_pool2d_with_mask_backward, c_max_pool.max_pool2d_with_mask_backward
        for one in (made, mask):
            found, expected = both(*backward, [g, x, one, *attributes, x.copy()], [8], precision)[0]
            assert_near(found, expected, 40, 10 * np.abs(np.nan_to_num(g.astype(np.float64), posinf=0, neginf=0)).max())


@pytest.mark.parametrize("layout", ["argmax", "bits"])
def test_the_gradient_of_every_small_max_pool(setting: str, layout: str) -> None:
    random = np.random.default_rng(14)
    small = list(itertools.product((1, 2, 3), repeat=2))
    for kernel, stride, padding in itertools.product(small, small, itertools.product((0, 1), repeat=2)):
        if any(2 * pad > size for pad, size in zip(padding, kernel, strict=True)):
            continue
        x = random.standard_normal((1, 2, 11, 12), np.float32)
        taps = zip(x.shape[2:], padding, kernel, stride, strict=True)
        windows = tuple((size + 2 * pad - k) // step + 1 for size, pad, k, step in taps)
        g = random.standard_normal((1, 2, *windows), np.float32)
        words = (-(-windows[0] * windows[1] // 16) + 1) * 32
        mask = np.zeros((1, 2 if layout == "argmax" else 16, kernel[0] * kernel[1], words), np.int8)
        attributes: list[Any] = [kernel, stride, padding, (1, 1), False]
        precision = roles(np.float32, layout=layout)
        if layout == "argmax" and mask.nbytes < 4 * g.size:
            continue  # a mask that is too small is left to NumPy
        max_pool.max_pool2d_with_mask(x, kernel, stride, padding, (1, 1), False, g.copy(), mask, precision)
        backward = max_pool.max_pool2d_with_mask_backward, c_max_pool.max_pool2d_with_mask_backward
        found, expected = both(*backward, [g, x, mask, *attributes, x.copy()], [8], precision)[0]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6, err_msg=f"{kernel} {stride} {padding}")


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_depthwise(setting: str, dtype: Any) -> None:
    random = np.random.default_rng(5)
    for wild in [False, True] * (TIMES // 2):
        of = Windows(random, dilated=True)
        groups = of.planes[1]
        g, x = (numbers(random, (*of.planes, *size), dtype, wild, 1e3) for size in (of.windows, of.cells))
        weight = numbers(random, (groups, 1, *of.kernel), dtype, wild and bool(random.random() < 0.5), 1e3)
        bias = numbers(random, (groups,), dtype, wild, 1e3) if random.random() < 0.5 else None
        attributes = [of.stride, of.padding, of.dilation, False, (0, 0), groups]
        forward = convolution.convolution, c_convolution.convolution
        found, expected = both(*forward, [x, weight, bias, *attributes, g.copy(), 0], [9], roles(dtype))[0]
        assert_near(found, expected, 60, 100 if not wild else 1e11)
        mask = [bool(random.random() < 0.8) for _ in range(3)]
        outputs = [x.copy(), weight.copy(), np.empty(groups, dtype)]
        given = [one if flag else None for one, flag in zip(outputs, mask, strict=True)]
        backward = convolution.convolution_backward, c_convolution.convolution_backward
        values = [g, x, weight, (groups,), *attributes, tuple(mask), 0, *given]
        for found, expected in both(*backward, values, [12, 13, 14], roles(dtype)):
            assert_near(found, expected, 60, 2000 if not wild else 1e11)
