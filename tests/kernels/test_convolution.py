"""Convolution and its gradients: the definition tap by tap, PyTorch, difference quotients, the documents' examples."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import conv_correlate, conv_parts
from aclspec.runtime.kernels.convolution import convolution, convolution_backward
from tests.support.convolving import Case, backward, forward, random_case
from tests.support.numerics import (
    EXACT,
    SAMPLES,
    TABLES,
    Array,
    Guarded,
    assert_close,
    difference_quotient,
    extra_memory,
    frozen,
    laid_out,
    operands,
    peer,
)

FLOAT = TABLES["float32"].precision
ALL = (True, True, True)


def run_backward(case: Case, gradient: Array, x: Array, weight: Array, precision: Any) -> tuple[Array, Array, Array]:
    """All three gradients in new arrays."""
    results = np.empty(case.input, x.dtype), np.empty(case.weight, x.dtype), np.empty(case.channels, x.dtype)
    convolution_backward(gradient, x, weight, None, *case.attributes, ALL, 0, *results, precision)
    return results


def drawn(rng: np.random.Generator, case: Case, dtype: Any = np.float64) -> tuple[Array, Array, Array]:
    """Random values for the gradient, the input and the weight."""
    gradient, x, weight = (rng.standard_normal(one).astype(dtype) for one in (case.output, case.input, case.weight))
    return gradient, x, weight


def filled(case: Case, dtype: Any) -> tuple[Array, Array, Array]:
    """Ones for the gradient, the input and the weight."""
    return np.ones(case.output, dtype), np.ones(case.input, dtype), np.ones(case.weight, dtype)


def run_forward(case: Case, x: Array, weight: Array, bias: Array | None, precision: Any) -> Array:
    output = np.empty(case.output, x.dtype)
    convolution(x, weight, bias, *case.attributes, output, 0, precision)
    return output


NEVER = 1 << 40
WAYS = {"gather": (NEVER, NEVER), "slide": (NEVER, 0), "spread": (0, NEVER)}
"""For each way to multiply, from how many source channels for a target channel products are spread, and from how many
channels and cells on the axis before the last slides."""


@pytest.fixture(params=[(way, block) for way in WAYS for block in (None, 48)], ids=str)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way wherever it is possible, in blocks as they are, and such that all that can be split is split."""
    name, block = request.param
    few, many = WAYS[name]
    for constant, value in (("_FEW", few), ("_CHANNELS", many), ("_PLANE", many), ("_ROWS", 0)):
        monkeypatch.setattr(conv_parts, constant, value)
    if block:
        monkeypatch.setattr(conv_parts, "BLOCK", block)
        monkeypatch.setattr(conv_parts, "_ENOUGH", 4)
        monkeypatch.setattr(conv_parts, "_ALONE", 0)
        monkeypatch.setattr(conv_correlate, "_MANY", 0)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", TABLES)
def test_against_the_definition(name: str) -> None:
    table = TABLES[name]
    rng = np.random.default_rng(40)
    for _ in range(SAMPLES // 8):
        case = random_case(rng)
        x, weight, gradient, bias = (
            laid_out(rng, rng.standard_normal(shape).astype(table.dtype))
            for shape in (case.input, case.weight, case.output, (case.channels,))
        )
        before = frozen({"x": x, "weight": weight, "gradient": gradient, "bias": bias})
        shapes = case.output, case.input, case.weight, (case.channels,)
        output, grad_input, grad_weight, grad_bias = (Guarded(rng, shape, table.dtype) for shape in shapes)
        convolution(x, weight, bias, *case.attributes, output.array, 0, table.precision)
        results = grad_input.array, grad_weight.array, grad_bias.array
        convolution_backward(gradient, x, weight, None, *case.attributes, ALL, 0, *results, table.precision)

        x64, w64, g64 = (operands(one, table.operand) for one in (x, weight, gradient))
        b64, whole = bias.astype(np.float64), gradient.astype(np.float64)
        taps, cells = prod(case.weight[2:]), prod(case.output) // case.channels
        inward, outward = case.input[1] // case.groups * taps, case.channels // case.groups * taps
        exact = forward(case, x64, w64, b64)
        size = forward(case, np.abs(x64), np.abs(w64), np.abs(b64))
        assert_close(output.result(), exact, size, inward + 1, table, factor=3)
        exact_input, exact_weight, _ = backward(case, g64, x64, w64)
        size_input, size_weight, _ = backward(case, np.abs(g64), np.abs(x64), np.abs(w64))
        plain = table._replace(result=None)
        assert_close(grad_input.result(), exact_input, size_input, outward, table, factor=3)
        assert_close(grad_weight.result(), exact_weight, size_weight, max(cells, prod(case.input)), plain, factor=3)
        sums = whole.sum(axis=(0, *range(2, whole.ndim))), np.abs(whole).sum(axis=(0, *range(2, whole.ndim)))
        assert_close(grad_bias.result(), *sums, cells, plain, factor=3)
        assert frozen({"x": x, "weight": weight, "gradient": gradient, "bias": bias}) == before


def test_against_torch() -> None:
    torch = peer()
    rng = np.random.default_rng(41)
    for _ in range(SAMPLES):
        case = random_case(rng)
        if any(begin != end for begin, end in case.pads):
            case = case._replace(padding=(1,) * case.axes)  # PyTorch has no other
            if min(case.output) < 1:
                continue
        shapes = case.input, case.weight, (case.channels,)
        x, weight, bias = (torch.tensor(rng.standard_normal(shape), requires_grad=True) for shape in shapes)
        pads = tuple(begin for begin, _ in case.pads)
        attributes = case.stride, pads, case.dilation, case.transposed, case.extra, case.groups
        y = torch.convolution(x, weight, bias, *attributes)
        gradient = rng.standard_normal(case.output)
        y.backward(torch.tensor(gradient))
        given = x.detach().numpy(), weight.detach().numpy()
        results = run_backward(case, gradient, *given, EXACT)
        np.testing.assert_allclose(
            run_forward(case, *given, bias.detach().numpy(), EXACT), y.detach().numpy(), atol=1e-12
        )
        for result, tensor in zip(results, (x, weight, bias), strict=True):
            np.testing.assert_allclose(result, tensor.grad.numpy(), rtol=1e-11, atol=1e-11)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("kernel", [(1, 1), (1, 3), (3, 1), (3, 3)])
@pytest.mark.parametrize("shape", [(1, 40, 1, 4), (1, 40, 4, 1), (2, 40, 3, 3)])
def test_many_channels_are_taken_in_parts(shape: tuple[int, ...], kernel: tuple[int, int]) -> None:
    """The parts of a sum meet in the output itself, where its cells lie one after the other."""
    torch = peer()
    rng = np.random.default_rng(47)
    x, weight = rng.standard_normal(shape), rng.standard_normal((2, shape[1], *kernel))
    pads = [one // 2 for one in kernel]
    out = np.empty((shape[0], 2, *shape[2:]))
    convolution(x, weight, None, (1, 1), pads, (1, 1), False, (0, 0), 1, out, 0, EXACT)
    expected = torch.nn.functional.conv2d(torch.tensor(x), torch.tensor(weight), padding=pads)
    np.testing.assert_allclose(out, expected.numpy(), atol=1e-12)


def test_difference_quotients() -> None:
    rng = np.random.default_rng(42)
    for _ in range(SAMPLES):
        case = random_case(rng)
        given = [rng.standard_normal(shape) for shape in (case.input, case.weight, (case.channels,))]
        gradient = rng.standard_normal(case.output)
        gradients = run_backward(case, gradient, given[0], given[1], EXACT)
        for at, result in enumerate(gradients):

            def loss(one: Array, at: int = at, given: Any = given, case: Case = case, g: Array = gradient) -> float:
                args = [one if place == at else other for place, other in enumerate(given)]
                return float((g * run_forward(case, args[0], args[1], args[2], EXACT)).sum())

            direction = rng.standard_normal(given[at].shape)
            quotient = difference_quotient(loss, given[at], direction)
            assert quotient == pytest.approx(float((result * direction).sum()), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize(
    "case",
    [
        Case((2, 96, 14, 14), (64, 96, 3, 3), (1, 1), (1, 1), (1, 1)),
        Case((4, 16, 8, 14, 14), (16, 16, 3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1)),
        Case((8, 16, 40, 40), (16, 1, 3, 3), (1, 1), (1, 1), (1, 1), groups=16),
        Case((2, 700, 9), (20, 700, 1), (1,), (0,), (1,)),
        Case((1, 64, 24, 24), (48, 64, 3, 3), (1, 1), (1, 1), (1, 1)),
        Case((1, 64, 24, 24), (64, 3, 5, 5), (2, 2), (2, 2), (1, 1), True),
    ],
)
def test_terms_of_one_sign(case: Case) -> None:
    """The worst that BLAS does to sums in float32, as the kernel's documentation has it."""
    rng = np.random.default_rng(47)
    gradient, x, weight = (rng.random(one).astype(np.float32) for one in (case.output, case.input, case.weight))
    wide = gradient.astype(np.float64), x.astype(np.float64), weight.astype(np.float64)
    found = run_forward(case, x, weight, None, FLOAT), *run_backward(case, gradient, x, weight, FLOAT)
    exact = run_forward(case, *wide[1:], None, EXACT), *run_backward(case, *wide, EXACT)
    for result, value in zip(found, exact, strict=True):
        assert np.max(np.abs(result - value) / value) <= (3 + 1.5 * np.sqrt(512)) * 2.0**-24


def ones(case: Case, name: str) -> tuple[Array, Array, Array]:
    """The gradients of a sample whose tensors are all ones."""
    table = TABLES[name]
    return run_backward(case, *filled(case, table.dtype), table.precision)


NAMES = ["float32", "hfloat32", "float16", "bfloat16", "float32 through float16"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("case", "values"),
    [
        (Case((2, 2, 7, 7), (2, 2, 1, 1), (1, 1), (0, 0), (1, 1)), (2, 98, 98)),
        (Case((4, 2, 9), (2, 2, 3), (3,), (0,), (1,)), (2, 12, 12)),
        (Case((2, 2, 7, 7, 7), (2, 2, 1, 1, 1), (1, 1, 1), (0, 0, 0), (1, 1, 1)), (2, 686, 686)),
    ],
)
def test_examples_of_the_documents(case: Case, values: tuple[int, ...], name: str) -> None:
    for result, value in zip(ones(case, name), values, strict=True):
        assert np.all(result == result.dtype.type(value))


@pytest.mark.parametrize("name", ["float32", "hfloat32", "float16"])
def test_large_example_of_the_documents(name: str) -> None:
    case = Case((4, 30, 80, 80), (320, 30, 3, 3), (1, 1), (1, 1), (1, 1))
    grad_input, grad_weight, grad_bias = ones(case, name)
    rows = np.full(80, 3)
    rows[[0, -1]] = 2
    expected = 320 * np.multiply.outer(rows, rows)
    assert expected[0, 0] == 1280
    assert expected[0, 1] == 1920
    assert expected[1, 1] == 2880
    assert np.all(grad_input == expected.astype(grad_input.dtype))
    exact = np.array([[24964, 25280, 24964], [25280, 25600, 25280], [24964, 25280, 24964]])
    assert np.all(grad_weight == exact.astype(grad_weight.dtype))
    assert np.all(grad_bias == grad_bias.dtype.type(25600))


@pytest.mark.parametrize("mask", [(a, b, c) for a in (False, True) for b in (False, True) for c in (False, True)])
@pytest.mark.parametrize("given", [True, False])
def test_output_mask(mask: tuple[bool, ...], given: bool) -> None:
    """A gradient that is switched off is not written, whether its array is there or not."""
    case = Case((1, 2, 4), (3, 2, 2), (1,), (0,), (1,))
    shapes = case.input, case.weight, (case.channels,)
    x, w, b = (np.full(one, 77, np.float32) if given or on else None for one, on in zip(shapes, mask, strict=True))
    gradient, ones_in, ones_weight = filled(case, np.float32)
    convolution_backward(gradient, ones_in, ones_weight, None, *case.attributes, mask, 0, x, w, b, FLOAT)
    for result, on in zip((x, w, b), mask, strict=True):
        assert result is None or np.all((result != 77) == on)


def test_bias_sizes_are_not_read() -> None:
    case = Case((1, 2, 4), (3, 2, 2), (1,), (0,), (1,))
    results = np.empty(case.input), np.empty(case.weight), np.empty(3)
    gradient, x, weight = filled(case, np.float64)
    convolution_backward(gradient, x, weight, (1, 2, 99), *case.attributes, ALL, 0, *results, EXACT)
    assert results[2].tolist() == [3, 3, 3]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("transposed", [False, True])
def test_infinities_do_not_meet_the_padding(transposed: bool) -> None:
    """Zero times infinity never happens at a cell outside a tensor; within it everything spreads as in the formula."""
    rng = np.random.default_rng(43)
    case = Case((2, 4, 5, 6), (4, 2, 3, 3), (2, 1), (1, 2), (1, 2), transposed, (0, 0), 2)
    for bad in (np.inf, np.nan):
        gradient, x, weight = drawn(rng, case)
        for array in (x, weight, gradient):
            array.reshape(-1)[rng.integers(array.size)] = bad
        with np.errstate(invalid="ignore"):
            exact = forward(case, x, weight, None), *backward(case, gradient, x, weight)
        results = run_forward(case, x, weight, None, EXACT), *run_backward(case, gradient, x, weight, EXACT)
        for result, value in zip(results, exact, strict=True):
            np.testing.assert_allclose(result, value, rtol=1e-12, atol=1e-12)
            assert np.isfinite(result).any()


def test_rounding_of_the_bias() -> None:
    x, weight, bias = np.zeros((1, 1, 1), np.float32), np.zeros((1, 1, 1), np.float32), np.array([24964], np.float32)
    case = Case((1, 1, 1), (1, 1, 1), (1,), (0,), (1,))
    through = {"operand": DType.FLOAT16, "accumulate": DType.FLOAT}
    assert run_forward(case, x, weight, bias, through) == 24964
    assert run_forward(case, x, weight, bias, {**through, "bias": DType.FLOAT16}) == 24960
    assert run_forward(case, x, weight, bias, {**through, "result": DType.FLOAT16}) == 24960


def test_overflow_of_float16_is_infinite() -> None:
    case = Case((1, 2, 1), (1, 2, 1), (1,), (0,), (1,))
    x, weight = np.full(case.input, 60000, np.float16), np.ones(case.weight, np.float16)
    assert run_forward(case, x, weight, None, TABLES["float16"].precision) == np.inf


def transposed(array: Array) -> Array:
    return np.ascontiguousarray(array.T).T


def spread(array: Array) -> Array:
    return np.repeat(array, 2, axis=-1)[..., ::2]


def test_layout_does_not_matter() -> None:
    rng = np.random.default_rng(44)
    for name in ("float32", "bfloat16"):
        table = TABLES[name]
        for case in (
            Case((3, 8, 20, 21), (16, 8, 3, 3), (1, 1), (1, 1), (1, 1)),
            Case((2, 8, 9, 9), (8, 1, 3, 3), (1, 1), (1, 1), (1, 1), groups=8),
            Case((2, 16, 20, 21), (24, 16, 3, 3), (1, 1), (1, 1), (1, 1)),
            Case((2, 16, 20, 21), (4, 16, 3, 3), (1, 1), (2, 2), (2, 2)),
            Case((2, 4, 30), (4, 3, 4), (2,), (1,), (1,), True, (1,)),
            Case((2, 16, 20, 21), (32, 16, 1, 1), (1, 1), (0, 0), (1, 1)),
            Case((2, 8, 40, 41), (16, 8, 3, 3), (1, 1), (1, 1), (1, 1)),
            Case((2, 16, 40, 41), (24, 16, 3, 3), (1, 1), (1, 1), (1, 1)),
        ):
            g, x, w = drawn(rng, case, table.dtype)
            plain = run_backward(case, g, x, w, table.precision)
            output = run_forward(case, x, w, None, table.precision)
            for turn in (transposed, spread):
                others = run_backward(case, turn(g), turn(x), turn(w), table.precision)
                into = turn(np.empty_like(output))
                convolution(turn(x), turn(w), None, *case.attributes, into, 0, table.precision)
                assert into.tobytes() == output.tobytes()
                for one, other in zip(plain, others, strict=True):
                    assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize(
    "case",
    [
        Case((1, 1, 5), (1, 1, 2), (2**62,), (1,), (3,)),
        Case((1, 2, 4, 4), (2, 2, 2, 2), (2**62, 1), (0, 2**40), (2, 2**41), False),
        Case((1, 2, 3), (2, 1, 2), (5,), (0,), (9,), True, (4,)),
        Case((2, 3, 1, 1), (3, 2, 2, 3), (2**20, 1), (0, 1), (1, 1), True),
        Case((2, 3, 4), (3, 3, 5), (1,), (4,), (2,)),
        Case((0, 2, 4), (3, 2, 2), (1,), (0,), (1,)),
        Case((2, 0, 4), (3, 0, 2), (1,), (0,), (1,)),
    ],
)
def test_extreme_attributes(case: Case) -> None:
    rng = np.random.default_rng(45)
    gradient, x, weight = drawn(rng, case)
    results = run_forward(case, x, weight, None, EXACT), *run_backward(case, gradient, x, weight, EXACT)
    exact = forward(case, x, weight, None), *backward(case, gradient, x, weight)
    for result, value in zip(results, exact, strict=True):
        np.testing.assert_allclose(result, value, rtol=1e-12, atol=1e-12)


def test_sizes_that_the_library_lets_pass() -> None:
    """It compares neither the cells nor the samples of 1-D and 2-D tensors; what has no partner gives nothing."""
    rng = np.random.default_rng(46)
    case = Case((3, 2, 6), (2, 2, 3), (1,), (0,), (1,))
    x, weight, gradient = rng.standard_normal((3, 2, 6)), rng.standard_normal((2, 2, 3)), rng.standard_normal((2, 2, 9))
    grad_input, grad_weight, grad_bias = run_backward(case, gradient, x, weight, EXACT)
    cut = case._replace(input=(2, 2, 6))
    exact = backward(cut, gradient[..., :4], x[:2], weight)[1]  # the cells from 4 on read nothing, or the padding
    wide = forward(Case((2, 2, 9), (2, 2, 3), (1,), (2,), (1,)), gradient, weight.swapaxes(0, 1)[..., ::-1], None)
    assert not grad_input[2].any()
    np.testing.assert_allclose(grad_input[:2], wide[..., :6], rtol=1e-12, atol=1e-12)
    assert grad_weight.shape == exact.shape
    np.testing.assert_allclose(grad_bias, gradient.sum(axis=(0, 2)), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(
    "case",
    [
        Case((4, 64, 56, 56), (64, 64, 3, 3), (1, 1), (1, 1), (1, 1)),
        Case((4, 64, 56, 56), (64, 1, 3, 3), (1, 1), (1, 1), (1, 1), groups=64),
        Case((2, 16, 8, 28, 28), (16, 16, 3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1)),
        Case((2, 256, 7, 7), (256, 256, 3, 3), (1, 1), (1, 1), (1, 1)),
        Case((2, 64, 112, 112), (256, 64, 1, 1), (1, 1), (0, 0), (1, 1)),
        Case((2, 3, 224, 224), (192, 3, 16, 16), (16, 16), (0, 0), (1, 1)),
        Case((2, 64, 28, 28), (64, 64, 4, 4), (2, 2), (1, 1), (1, 1), True),
        Case((2, 256, 14, 14), (256, 128, 4, 4), (4, 4), (0, 0), (1, 1), True),
        Case((1, 8, 200_000), (8, 8, 5), (1,), (2,), (1,)),
        Case((2, 3, 224, 224), (64, 3, 7, 7), (2, 2), (3, 3), (1, 1)),
        Case((1, 16, 20, 4000), (256, 16, 3, 3), (1, 1), (1, 1), (1, 1)),
        Case((1, 64, 1000, 30), (8, 64, 5, 1), (1, 1), (80, 0), (40, 1)),
    ],
)
def test_extra_memory(case: Case, dtype: Any) -> None:
    table = TABLES[np.dtype(dtype).name]
    given = filled(case, dtype)
    results = np.empty(case.input, dtype), np.empty(case.weight, dtype), np.empty(case.channels, dtype)
    args = *given, None, *case.attributes, ALL, 0, *results, table.precision
    block, weight = 4 * conv_parts.BLOCK, 4 * prod(case.weight)
    assert extra_memory(convolution_backward, *args) <= 5 * block + 2 * weight + 100_000
    output = np.empty(case.output, dtype)
    forward_args = given[1], given[2], None, *case.attributes, output, 0, table.precision
    assert extra_memory(convolution, *forward_args) <= 5 * block + 2 * weight + 100_000
