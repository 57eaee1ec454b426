"""Max pooling with masks: the definition cell by cell, PyTorch, difference quotients, masks from elsewhere."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import mask_layouts
from aclspec.runtime.kernels.blocks import BLOCK
from aclspec.runtime.kernels.max_pool import (
    max_pool,
    max_pool2d_with_indices,
    max_pool2d_with_mask,
    max_pool2d_with_mask_backward,
)
from tests.support.max_pooling import MASKS, Case, exact_backward, exact_forward, random_case
from tests.support.numerics import (
    EXACT,
    SAMPLES,
    TABLES,
    Array,
    Guarded,
    Table,
    assert_close,
    difference_quotient,
    extra_memory,
    frozen,
    laid_out,
    operands,
    peer,
)

LAYOUTS = ("argmax", "bits")
FLOAT: dict[str, DType | str] = {"operand": DType.FLOAT, "accumulate": DType.FLOAT}


def fitting(case: Case, layout: str) -> bool:
    """Whether the declared mask has room for the layout: positions need a kernel of two cells."""
    return layout == "bits" or case.mask[-2] > 1


def drawn(rng: np.random.Generator, shape: tuple[int, ...], table: Table) -> Array:
    """Values with many ties, also ties that the rounding of operands makes."""
    values = rng.integers(-3, 4, shape) + rng.choice([0, 1e-5], shape)
    return laid_out(rng, values.astype(table.dtype))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", TABLES)
def test_against_the_definition(name: str, layout: str) -> None:
    table = TABLES[name]
    rng = np.random.default_rng(20)
    for number in range(SAMPLES // 4):
        case = random_case(rng, dilated=number % 5 == 0)
        if not fitting(case, layout):
            continue
        x, gradient = drawn(rng, case.input, table), drawn(rng, case.output, table)
        out, grad_input = Guarded(rng, case.output, table.dtype), Guarded(rng, case.input, table.dtype)
        mask = Guarded(rng, case.mask, np.int8)
        mask.array[...] = 55
        precision = {**table.precision, "layout": layout}
        before = frozen({"x": x, "gradient": gradient})
        max_pool2d_with_mask(x, *case.attributes, out.array, mask.array, precision)
        exact, positions = exact_forward(operands(x, table.operand), case)
        assert np.array_equal(out.result().astype(np.float64), exact)
        packed = MASKS[layout](positions, case, 55)
        assert np.array_equal(mask.array, packed)
        args = x, laid_out(rng, packed), *case.attributes
        max_pool2d_with_mask_backward(gradient, *args, grad_input.array, precision)
        g64 = operands(gradient, table.operand)
        magnitude = exact_backward(np.abs(g64), positions, case)
        exact_gradient = exact_backward(g64, positions, case)
        assert_close(grad_input.result(), exact_gradient, magnitude, prod(case.kernel), table, factor=3)
        assert np.array_equal(mask.result(), packed)
        assert frozen({"x": x, "gradient": gradient}) == before


def test_against_torch() -> None:
    torch = peer()
    rng = np.random.default_rng(21)
    for number in range(SAMPLES):
        case = random_case(rng)
        layout = LAYOUTS[number % 2] if case.mask[-2] > 1 else "bits"
        x = torch.tensor(rng.standard_normal(case.input), requires_grad=True)
        kernel, pads = (one if len(one) == 2 else one * 2 for one in (case.kernel, case.padding))
        y = torch.nn.functional.max_pool2d(x, kernel, case.stride or None, pads, 1, case.ceil_mode)
        gradient = rng.standard_normal(case.output)
        y.backward(torch.tensor(gradient))
        out, mask, grad_input = np.empty(case.output), np.empty(case.mask, np.int8), np.empty(case.input)
        precision = {**EXACT, "layout": layout}
        max_pool2d_with_mask(x.detach().numpy(), *case.attributes, out, mask, precision)
        max_pool2d_with_mask_backward(gradient, grad_input, mask, *case.attributes, grad_input, precision)
        assert np.array_equal(out, y.detach().numpy())
        np.testing.assert_allclose(grad_input, x.grad.numpy(), rtol=1e-13, atol=1e-14)


def test_difference_quotients() -> None:
    rng = np.random.default_rng(22)
    for number in range(SAMPLES):
        case = random_case(rng)
        layout = LAYOUTS[number % 2] if case.mask[-2] > 1 else "bits"
        precision = {**EXACT, "layout": layout}
        x = rng.permutation(prod(case.input)).reshape(case.input).astype(np.float64)  # no two are nearer than 1
        gradient = rng.standard_normal(case.output)
        mask, grad_input = np.empty(case.mask, np.int8), np.empty(case.input)
        max_pool2d_with_mask(x, *case.attributes, np.empty(case.output), mask, precision)
        max_pool2d_with_mask_backward(gradient, x, mask, *case.attributes, grad_input, precision)

        def loss(x: Array, case: Case = case, gradient: Array = gradient, precision: Any = precision) -> float:
            out = np.empty(case.output)
            max_pool2d_with_mask(x, *case.attributes, out, np.empty(case.mask, np.int8), precision)
            return float((gradient * out).sum())

        direction = rng.uniform(-1, 1, case.input)
        quotient = difference_quotient(loss, x, direction)
        assert quotient == pytest.approx(float((grad_input * direction).sum()), rel=1e-6, abs=1e-6)


X = [0.0850, -0.5147, -0.0212, -0.5654, -0.3222, 0.5847, 1.7510, 0.9954, 0.1842, 0.8392, 0.4835, 0.9213]
SAMPLE = Case((1, 1, 4, 3), (2,), (2,), (0,))
GRADIENT = np.array([0.4757, 0.1726], np.float32).reshape(1, 1, 2, 1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sample_of_the_documentation(layout: str) -> None:
    x = np.array(X, np.float32).reshape(1, 1, 4, 3)
    mask, out, grad_input = np.zeros((1, 1, 4, 64), np.int8), np.empty((1, 1, 2, 1), np.float32), np.empty_like(x)
    precision = {**FLOAT, "layout": layout}
    max_pool2d_with_mask(x, *SAMPLE.attributes, out, mask, precision)
    assert out.reshape(-1).tolist() == [np.float32(0.0850), np.float32(1.7510)]
    if layout == "argmax":
        assert mask.tobytes()[:8] == bytes([0, 0, 0, 0, 6, 0, 0, 0])
        assert not mask.reshape(-1)[8:].any()
    else:
        words = mask.reshape(-1).view("<u2")[: 4 * 2 * 16].reshape(4, 2, 16)
        assert np.argwhere(words).tolist() == [[0, 0, 0], [0, 0, 1]]
        assert words[0, 0, :2].tolist() == [1, 1]
    max_pool2d_with_mask_backward(GRADIENT, x, mask, *SAMPLE.attributes, grad_input, precision)
    expected = np.zeros((4, 3), np.float32)
    expected[0, 0], expected[2, 0] = GRADIENT.reshape(-1)
    assert np.array_equal(grad_input[0, 0], expected)


def test_mask_that_the_sample_itself_supplies() -> None:
    """Its first 32 bytes are 0xFF: the first cell of every window as bits, and no position at all."""
    x = np.array(X, np.float32).reshape(1, 1, 4, 3)
    mask, grad_input = np.zeros((1, 1, 4, 64), np.int8), np.empty_like(x)
    mask.reshape(-1)[:32] = -1
    max_pool2d_with_mask_backward(GRADIENT, x, mask, *SAMPLE.attributes, grad_input, {**FLOAT, "layout": "bits"})
    assert np.argwhere(grad_input[0, 0]).tolist() == [[0, 0], [2, 0]]
    max_pool2d_with_mask_backward(GRADIENT, x, mask, *SAMPLE.attributes, grad_input, {**FLOAT, "layout": "argmax"})
    assert not grad_input.any()


def test_example_of_a_kernel_of_one_cell() -> None:
    x = np.array(X, np.float32).reshape(1, 1, 4, 3)
    case = Case((1, 1, 4, 3), (1,), (2,), (0,))
    gradient = np.arange(1, 5, dtype=np.float32).reshape(1, 1, 2, 2)
    mask, out, grad_input = np.zeros((1, 1, 1, 64), np.int8), np.empty((1, 1, 2, 2), np.float32), np.empty_like(x)
    max_pool2d_with_mask(x, *case.attributes, out, mask, {**FLOAT, "layout": "bits"})
    max_pool2d_with_mask_backward(gradient, x, mask, *case.attributes, grad_input, {**FLOAT, "layout": "bits"})
    assert grad_input[0, 0, ::2, ::2].tolist() == [[1, 2], [3, 4]]
    assert np.count_nonzero(grad_input) == 4


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(0,), (3,), (2, 5), (1, 1, 9, 3000), (2, 20, 9, 64)])
def test_a_mask_from_elsewhere_is_safe(layout: str, shape: tuple[int, ...]) -> None:
    """Any bytes in a buffer of any size: what is no cell of its window gives no gradient, and nothing else is hit."""
    rng = np.random.default_rng(23)
    case = Case((2, 20, 5, 6), (3,), (2,), (1,), (1,), True)
    for _ in range(20):
        mask = laid_out(rng, rng.integers(-128, 128, shape).astype(np.int8))
        gradient = np.ones(case.output, np.float32)
        grad_input = Guarded(rng, case.input, np.float32)
        max_pool2d_with_mask_backward(
            gradient, gradient, mask, *case.attributes, grad_input.array, {**FLOAT, "layout": layout}
        )
        result = grad_input.result()
        assert np.all((result >= 0) & (result == np.rint(result)))
        assert result.sum() <= gradient.size * (9 if layout == "bits" else 1)


def test_a_position_in_the_padding_gives_no_gradient_to_the_next_plane() -> None:
    """The cell (5, 1) of the last window is in the padding behind the rows; (3, 0) is before that window."""
    case = Case((1, 2, 5, 6), (2,), (2,), (0, 0), (1,), True)
    for row, col in ((5, 1), (4, 1), (3, 0)):
        mask, grad_input = np.full(case.mask, -1, np.int8), np.zeros(case.input, np.float32)
        mask.reshape(-1)[4 * 6 : 4 * 7].view("<i4")[:] = row * 6 + col
        gradient = np.ones(case.output, np.float32)
        max_pool2d_with_mask_backward(
            gradient, gradient, mask, *case.attributes, grad_input, {**FLOAT, "layout": "argmax"}
        )
        assert grad_input.sum() == (row == 4)


def test_a_bit_beyond_the_windows_gives_no_gradient() -> None:
    case = Case((1, 1, 2, 2), (2,), (2,), (0,))
    mask, grad_input = np.zeros(case.mask, np.int8), np.zeros(case.input, np.float32)
    mask.reshape(-1)[2 * 5] = 1
    gradient = np.ones(case.output, np.float32)
    max_pool2d_with_mask_backward(gradient, gradient, mask, *case.attributes, grad_input, {**FLOAT, "layout": "bits"})
    assert not grad_input.any()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [0, 7, 250, 5000, 20000])
def test_many_channels_are_taken_in_runs(layout: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short mask ends in some run; the runs behind it write nothing."""
    monkeypatch.setattr(mask_layouts, "BLOCK", 16)
    case = Case((2, 40, 4, 4), (2,), (2,), (0,))
    x = np.random.default_rng(32).standard_normal(case.input)
    mask, out, grad_input = np.full(size, 55, np.int8), np.empty(case.output), np.empty(case.input)
    precision = {**EXACT, "layout": layout}
    max_pool2d_with_mask(x, *case.attributes, out, mask, precision)
    exact, positions = exact_forward(x, case)
    assert np.array_equal(out, exact)
    packed = MASKS[layout](positions, case, 55).reshape(-1)
    assert np.array_equal(mask[: packed.size], packed[:size])
    max_pool2d_with_mask_backward(out, x, packed, *case.attributes, grad_input, precision)
    assert np.array_equal(grad_input, exact_backward(out, positions, case))


def test_a_window_without_cells_has_no_largest_one() -> None:
    x, out, indices = np.arange(5.0).reshape(1, 1, 1, 5), np.zeros((1, 1, 1, 2)), np.zeros((1, 1, 1, 2), np.int64)
    settings: dict[str, Any] = {**EXACT, "channels": 1}
    max_pool2d_with_indices(x, (1, 5), (1, 10), (0,), (1,), False, out, indices, settings)
    assert (out.tolist(), indices.tolist()) == ([[[[4, -np.inf]]]], [[[[4, 10]]]])


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16, DType.INT64, DType.UINT16, DType.FLOAT16])
def test_the_largest_of_small_integers(dtype: DType) -> None:
    kind: Any = dtype.numpy
    least = -np.inf if dtype.is_floating else np.iinfo(kind).min
    x, out = np.array([[[[least, 0], [1, least], [least, least]]]], kind), np.zeros((1, 1, 3, 1), kind)
    settings: Any = {"operand": dtype, "accumulate": dtype, "top": 0, "left": 0}
    max_pool(x, [1, 2], [1], 0, [], [], 0, out, settings)
    assert out.ravel().tolist() == [0, 1, least]


@pytest.mark.parametrize("position", [-1, -(2**31), 2**31 - 1, 30, 4, 25, 5])
def test_positions_outside_the_window_are_ignored(position: int) -> None:
    case = Case((1, 1, 5, 6), (2,), (2,), (0,))
    mask = np.zeros(case.mask, np.int8)
    mask.reshape(-1)[:24].view("<i4")[:] = position
    grad_input = np.empty(case.input, np.float32)
    gradient = np.array([1, 2, 4, 8, 16, 32], np.float32).reshape(case.output)
    max_pool2d_with_mask_backward(gradient, gradient, mask, *case.attributes, grad_input, {**FLOAT, "layout": "argmax"})
    expected = {4: 4, 5: 4}.get(position, 0)  # of the first row, the cells 4 and 5 are in the third window alone
    assert grad_input.sum() == expected
    assert grad_input.reshape(-1)[min(max(position, 0), 29)] == expected


def test_a_short_mask_takes_what_fits() -> None:
    x = np.arange(36, dtype=np.float32).reshape(1, 1, 6, 6)
    case = Case((1, 1, 6, 6), (2,), None, (0,))
    for layout in LAYOUTS:
        short = np.full(7, 99, np.int8)
        max_pool2d_with_mask(x, *case.attributes, np.empty(case.output, np.float32), short, {**FLOAT, "layout": layout})
        whole = np.full(case.mask, 99, np.int8)
        max_pool2d_with_mask(x, *case.attributes, np.empty(case.output, np.float32), whole, {**FLOAT, "layout": layout})
        assert np.array_equal(short, whole.reshape(-1)[:7])


@pytest.mark.parametrize("kernel", [2**20, 2**31 - 1, 2**62])
def test_a_kernel_that_no_mask_has_room_for(kernel: int) -> None:
    """The library compares no shapes of masks: what is there is read, and nothing of absurd size is allocated."""
    case = Case((2, 20, 4, 4), (kernel, kernel), (1,), (kernel // 2,))
    mask, grad_input = np.full(5001, -1, np.int8), np.empty(case.input, np.float32)
    gradient = np.ones(case.output, np.float32)
    for layout in LAYOUTS:
        precision = {**FLOAT, "layout": layout}
        used = extra_memory(
            max_pool2d_with_mask_backward, gradient, gradient, mask, *case.attributes, grad_input, precision
        )
        assert used < 100 * 16 * mask.size // 2
        assert not grad_input.any()


def test_layout_is_one_of_two() -> None:
    x = np.zeros((1, 1, 2, 2), np.float32)
    with pytest.raises(ValueError, match=r"layout of a mask \(DOUBLE\)"):
        max_pool2d_with_mask(x, (2,), None, (0,), (1,), False, x, x, {**FLOAT, "layout": "DOUBLE"})


@pytest.mark.parametrize("kernel", [(2,), (3, 3), (5, 1)])
def test_infinities_and_nan(kernel: tuple[int, ...]) -> None:
    """Windows of -inf have their first cell, never the padding; the first NaN is the largest."""
    case = Case((1, 3, 6, 6), kernel, (1,), tuple(one // 2 for one in kernel))
    x = np.full(case.input, -np.inf, np.float32)
    x[0, 1, 2, 2], x[0, 1, 3, 3], x[0, 1, 2, 3] = np.nan, np.nan, np.inf
    x[0, 2, ::2], x[0, 2, 1::2] = -0.0, 0.0
    for layout in LAYOUTS:
        out, mask = np.empty(case.output, np.float32), np.zeros(case.mask, np.int8)
        max_pool2d_with_mask(x, *case.attributes, out, mask, {**FLOAT, "layout": layout})
        exact, positions = exact_forward(x.astype(np.float64), case)
        assert np.array_equal(out, exact, equal_nan=True)
        assert np.array_equal(mask, MASKS[layout](positions, case, 0))


@pytest.mark.parametrize(
    "case",
    [
        Case((2, 3, 4, 3), (2**31 - 1, 2**20), (1,), (2**30 - 1, 2**19), (1,), True),
        Case((2, 3, 4, 3), (2**31 - 1, 1), (2**30, 2**62), (2**30 - 1, 0), (1,), True),
        Case((1, 2, 40, 40), (40,), None, (0,)),
        Case((1, 2, 16, 17), (13,), (1,), (6,)),
        Case((0, 2, 4, 4), (2,), None, (0,)),
        Case((1, 2, 3, 4), (2,), (2,), (1,), (5,), True),
    ],
)
def test_extreme_attributes(case: Case) -> None:
    rng = np.random.default_rng(24)
    precision = {**EXACT, "layout": "argmax"}
    x, gradient = rng.standard_normal(case.input), rng.standard_normal(case.output)
    out, grad_input, mask = np.empty(case.output), np.empty(case.input), np.zeros(8 * max(1, out_size(case)), np.int8)
    max_pool2d_with_mask(x, *case.attributes, out, mask, precision)
    max_pool2d_with_mask_backward(gradient, x, mask, *case.attributes, grad_input, precision)
    if max(case.kernel) < 100:
        exact, positions = exact_forward(x, case)
        assert np.array_equal(out, exact)
        np.testing.assert_allclose(grad_input, exact_backward(gradient, positions, case), rtol=1e-12)
    else:
        assert np.isin(out, x).all()
        assert grad_input.sum() == pytest.approx(gradient.sum())


def out_size(case: Case) -> int:
    return prod(case.output)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("planes", [(8, 32, 56, 56), (1, 32, 300, 300)])
def test_extra_memory(layout: str, planes: tuple[int, ...]) -> None:
    case = Case(planes, (3,), (2,), (1,))
    precision = {**FLOAT, "layout": layout}
    x = np.random.default_rng(25).standard_normal(planes).astype(np.float32)
    out, mask, grad_input = np.empty(case.output, np.float32), np.empty(case.mask, np.int8), np.empty_like(x)
    lanes = 16 if layout == "bits" else 1
    plane = max(BLOCK, lanes * prod(planes[-2:]))
    windows = plane // prod(planes[-2:]) * prod(case.output[-2:])
    mask_bytes = 2 * 9 * windows if layout == "bits" else 4 * windows
    used = extra_memory(max_pool2d_with_mask, x, *case.attributes, out, mask, precision)
    assert used <= 8 * 4 * plane + 100 * windows + mask_bytes
    used = extra_memory(max_pool2d_with_mask_backward, out, x, mask, *case.attributes, grad_input, precision)
    assert used <= 2 * 4 * plane + 100 * windows + mask_bytes
