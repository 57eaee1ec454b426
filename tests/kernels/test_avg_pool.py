"""Average pooling and its gradient: the formula window by window, PyTorch, difference quotients, extreme attributes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.avg_pool import avg_pool2d, avg_pool2d_backward
from aclspec.runtime.kernels.blocks import BLOCK
from tests.support.avg_pooling import Case, exact_backward, exact_forward, magnitude, random_case
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

FLOAT: dict[str, DType | str] = {"operand": DType.FLOAT, "accumulate": DType.FLOAT}


@pytest.mark.parametrize("name", TABLES)
def test_against_the_definition(name: str) -> None:
    table = TABLES[name]
    rng = np.random.default_rng(10)
    for _ in range(SAMPLES // 4):
        case = random_case(rng)
        x = laid_out(rng, rng.standard_normal(case.input).astype(table.dtype))
        gradient = laid_out(rng, rng.standard_normal(case.output).astype(table.dtype))
        before = frozen({"x": x, "gradient": gradient})
        grad_input, out = Guarded(rng, case.input, table.dtype), Guarded(rng, case.output, table.dtype)
        avg_pool2d_backward(gradient, x, *case.attributes, grad_input.array, table.precision)
        avg_pool2d(x, *case.attributes, out.array, table.precision)
        g64, x64, terms = operands(gradient, table.operand), operands(x, table.operand), prod(case.kernel) + 1
        sizes = exact_backward(np.abs(g64), magnitude(case)), exact_forward(np.abs(x64), magnitude(case))
        # The division is one rounding more than a plain sum has.
        assert_close(grad_input.result(), exact_backward(g64, case), sizes[0], terms, table, factor=3)
        assert_close(out.result(), exact_forward(x64, case), sizes[1], terms, table, factor=3)
        assert frozen({"x": x, "gradient": gradient}) == before


def test_against_torch() -> None:
    torch = peer()
    rng = np.random.default_rng(11)
    for _ in range(SAMPLES):
        case = random_case(rng)
        x = torch.tensor(rng.standard_normal(case.input), requires_grad=True)
        pads = case.padding if len(case.padding) == 2 else case.padding * 2
        kernel = case.kernel if len(case.kernel) == 2 else case.kernel * 2
        y = torch.nn.functional.avg_pool2d(
            x, kernel, case.stride or None, pads, case.ceil_mode, case.count_include_pad, case.divisor or None
        )
        assert tuple(y.shape) == case.output
        gradient = rng.standard_normal(case.output)
        y.backward(torch.tensor(gradient))
        grad_input, out = np.empty(case.input), np.empty(case.output)
        avg_pool2d_backward(gradient, grad_input, *case.attributes, grad_input, EXACT)
        avg_pool2d(x.detach().numpy(), *case.attributes, out, EXACT)
        np.testing.assert_allclose(grad_input, x.grad.numpy(), rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(out, y.detach().numpy(), rtol=1e-13, atol=1e-14)


def test_difference_quotients() -> None:
    rng = np.random.default_rng(12)
    for _ in range(SAMPLES):
        case = random_case(rng)
        x, gradient = rng.standard_normal(case.input), rng.standard_normal(case.output)
        grad_input = np.empty(case.input)
        avg_pool2d_backward(gradient, x, *case.attributes, grad_input, EXACT)

        def loss(x: Array, case: Case = case, gradient: Array = gradient) -> float:
            out = np.empty(case.output)
            avg_pool2d(x, *case.attributes, out, EXACT)
            return float((gradient * out).sum())

        for _ in range(3):
            direction = rng.standard_normal(case.input)
            quotient = difference_quotient(loss, x, direction)
            assert quotient == pytest.approx(float((grad_input * direction).sum()), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize(
    ("kernel", "stride", "padding"), [((4, 4), (1, 1), (0, 0)), ((4,), (), (0,)), ((4,), None, (0, 0))]
)
@pytest.mark.parametrize("name", ["float32", "hfloat32", "float32 through float16", "float16", "bfloat16"])
def test_example_of_the_document(kernel: tuple[int, ...], stride: Any, padding: tuple[int, ...], name: str) -> None:
    table = TABLES[name]
    x, gradient = np.ones((1, 16, 4, 4), table.dtype), np.ones((1, 16, 1, 1), table.dtype)
    grad_input = np.empty_like(x)
    avg_pool2d_backward(gradient, x, kernel, stride, padding, False, True, 0, 1, grad_input, table.precision)
    assert np.all(grad_input == table.dtype(0.0625))


def test_layout_does_not_matter() -> None:
    rng = np.random.default_rng(13)
    for name in ("float32", "float16"):
        table = TABLES[name]
        case = Case((2, 3, 17, 13), (3, 5), (2, 1), (1, 2), True, False)
        gradient = rng.standard_normal(case.output).astype(table.dtype)
        results = []
        for layout in (
            gradient,
            gradient.transpose(3, 1, 0, 2).copy().transpose(2, 1, 3, 0),
            gradient[::-1].copy()[::-1],
        ):
            grad_input = np.empty(case.input, table.dtype)
            avg_pool2d_backward(layout, grad_input, *case.attributes, grad_input, table.precision)
            results.append(grad_input.tobytes())
        assert len(set(results)) == 1


@pytest.mark.parametrize(
    "case",
    [
        Case((1, 2, 4, 3), (2**31, 2**31), (2**30 - 1, 1), (2**30, 2**30), True),
        Case((1, 2, 4, 3), (2**62, 3), (2**62 - 1, 2**62), (2**61, 1), True),
        Case((1, 1, 1, 1), (1,), (2**62,), (0,)),
        Case((1, 1, 2, 2), (2**40, 1), (1,), (2**39, 0), False, False),
        Case((2, 0, 3, 3), (2,), None, (0,)),
        Case((0, 2, 3, 3), (2,), None, (0,)),
    ],
)
def test_extreme_attributes(case: Case) -> None:
    rng = np.random.default_rng(14)
    x, gradient = rng.standard_normal(case.input), rng.standard_normal(case.output)
    grad_input, out = np.full(case.input, np.nan), np.full(case.output, np.nan)
    avg_pool2d_backward(gradient, x, *case.attributes, grad_input, EXACT)
    avg_pool2d(x, *case.attributes, out, EXACT)
    np.testing.assert_allclose(grad_input, exact_backward(gradient, case), rtol=1e-12)
    np.testing.assert_allclose(out, exact_forward(x, case), rtol=1e-12)


@pytest.mark.parametrize("sizes", [(1, 1), (9, 2), (3, 9)])
def test_windows_that_the_size_rule_does_not_have(sizes: tuple[int, int]) -> None:
    """The library does not compare the size of gradOutput; windows outside the input give nothing."""
    gradient, grad_input = np.ones((1, 1, *sizes), np.float32), np.full((1, 1, 4, 4), 7, np.float32)
    avg_pool2d_backward(gradient, grad_input, (2,), (2,), (0,), False, False, 0, 0, grad_input, FLOAT)
    expected = np.zeros((4, 4))
    expected[: 2 * sizes[0], : 2 * sizes[1]] = 0.25
    assert np.array_equal(grad_input[0, 0], expected)


def test_negative_padding_of_the_library() -> None:
    """A negative padding cuts off the edges of the input."""
    gradient, grad_input = np.ones((1, 1, 1, 2), np.float32), np.full((1, 1, 4, 6), 7, np.float32)
    avg_pool2d_backward(gradient, grad_input, (2,), (2,), (-1,), False, True, 0, 0, grad_input, FLOAT)
    expected = np.zeros((4, 6))
    expected[1:3, 1:5] = 0.25
    assert np.array_equal(grad_input[0, 0], expected)


def test_what_is_not_finite_stays_in_its_windows() -> None:
    gradient = np.ones((1, 1, 3, 3), np.float32)
    gradient[0, 0, 0, 0], gradient[0, 0, 2, 2] = np.nan, np.inf
    grad_input = np.empty((1, 1, 6, 6), np.float32)
    avg_pool2d_backward(gradient, grad_input, (2,), None, (0,), False, True, 0, 0, grad_input, FLOAT)
    assert np.isnan(grad_input[0, 0, :2, :2]).all()
    assert np.isinf(grad_input[0, 0, 4:, 4:]).all()
    assert np.isfinite(grad_input).sum() == 28


def test_overflow_of_float16_is_infinite() -> None:
    x, out = np.full((1, 1, 2, 2), 60000, np.float16), np.empty((1, 1, 1, 1), np.float16)
    avg_pool2d(x, (2,), None, (0,), False, True, 1, 0, out, TABLES["float16"].precision)
    assert out == np.inf


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("planes", [(8, 32, 56, 56), (1, 2, 700, 700)])
def test_extra_memory(dtype: Any, planes: tuple[int, ...]) -> None:
    case = Case(planes, (3,), (2,), (1,))
    table = TABLES[np.dtype(dtype).name]
    gradient, grad_input = np.ones(case.output, dtype), np.empty(planes, dtype)
    used = extra_memory(avg_pool2d_backward, gradient, grad_input, *case.attributes, grad_input, table.precision)
    assert used <= 3 * 4 * max(BLOCK, prod(planes[-2:])) + 50_000
