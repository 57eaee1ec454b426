"""MaxPool2dWithMask as an operator: maxima, masks in the layout of each product, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, Tensor, pack_mask, unpack_mask
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from tests.kernels.test_max_pool2d_with_mask_backward import FLOATS, KINDS, SELF, layout_of, legal
from tests.support.max_pooling import MASKS, Case, exact_backward, exact_forward
from tests.support.numerics import SAMPLES, difference_quotient, laid_out, operands, peer

FORWARD: Operator = ops.get("aclnnMaxPool2dWithMask")
BACKWARD: Operator = ops.get("aclnnMaxPool2dWithMaskBackward")
ALL = [("atlas_inference", "float32"), *KINDS]


def product_layout(product: str, case: Case) -> str:
    return "bits" if product == "atlas_inference" else layout_of(product, case)


def supported(case: Case, product: str) -> bool:
    """Document mode takes no call on atlas_inference that leaves a window out."""
    for size, k, s, p, _, out in case.axes:
        if product == "atlas_inference" and case.ceil_mode and out != -(-(size + 2 * p - k) // s) + 1:
            return False
    return True


@pytest.mark.parametrize(("product", "name"), ALL)
def test_random_calls(
    product: str, name: str, rng: np.random.Generator, within: Callable[..., None], cases: Iterator[int]
) -> None:
    operand = DType.FLOAT16 if product == "atlas_training" else DType.of(np.dtype(FLOATS[name]))
    for _ in range(sum(1 for _ in cases) // 5):
        case = legal(rng)
        if not supported(case, product):
            continue
        x = laid_out(rng, (rng.integers(-3, 4, case.input) + rng.choice([0, 1e-5], case.input)).astype(FLOATS[name]))
        exact, positions = exact_forward(operands(x, operand), case)
        found = FORWARD(x, *case.attributes, product=product)
        np.testing.assert_array_equal(found.out.astype(np.float64), exact)
        np.testing.assert_array_equal(found.indices, MASKS[product_layout(product, case)](positions, case, 0))
        given = np.full(case.mask, 55, np.int8)
        FORWARD(x, *case.attributes, product=product, out={"indices": given})
        np.testing.assert_array_equal(given, MASKS[product_layout(product, case)](positions, case, 55))
        wide = x.astype(np.float64)
        within(
            FORWARD, attributes(x, case), "out", found.out, exact_forward(wide, case)[0], abs(exact), product=product
        )


def attributes(x: Any, case: Case) -> dict[str, Any]:
    names = ("kernelSize", "stride", "padding", "dilation", "ceilMode")
    return {"self": x, **dict(zip(names, case.attributes, strict=True))}


@pytest.mark.parametrize(("product", "name"), KINDS)
def test_the_way_back(product: str, name: str, rng: np.random.Generator) -> None:
    """The backward operator reads the mask that the forward one wrote on the same product, public functions too."""
    for _ in range(SAMPLES // 2):
        case = legal(rng)
        x = laid_out(rng, rng.integers(-3, 4, case.input).astype(FLOATS[name]))
        gradient = rng.integers(-8, 9, case.output).astype(FLOATS[name])
        found = FORWARD(x, *case.attributes, product=product)
        result = BACKWARD(gradient, x, found.indices, *case.attributes, product=product).grad_input
        _, positions = exact_forward(x.astype(np.float64), case)
        np.testing.assert_array_equal(result.astype(np.float64), exact_backward(gradient, positions, case))
        layout, window = layout_of(product, case), case.attributes[:4]
        window = (window[0], window[1] or None, *window[2:])
        unpacked = unpack_mask(found.indices, case.input[-2:], case.output[-2:], *window, layout=layout)
        np.testing.assert_array_equal(unpacked, positions)
        packed = pack_mask(unpacked, case.input[-2:], *window, layout=layout)
        np.testing.assert_array_equal(packed, found.indices)


def test_difference_quotients(rng: np.random.Generator) -> None:
    """The gradient of the forward operator, both computed in float64."""
    for number in range(SAMPLES):
        case = legal(rng)
        product = ("atlas_training", "atlas_a2")[number % 2]
        x = rng.permutation(prod(case.input)).reshape(case.input).astype(np.float32)  # no two are nearer than 1
        gradient = rng.standard_normal(case.output).astype(np.float32)
        found = FORWARD(x, *case.attributes, product=product, compute="exact")
        exact = {"product": product, "compute": "exact"}
        result = BACKWARD(gradient, x, found.indices, *case.attributes, **exact).grad_input

        def loss(x: Any, case: Case = case, gradient: Any = gradient, exact: Any = exact) -> float:
            out = FORWARD(x.astype(np.float32), *case.attributes, **exact).out
            return float((gradient.astype(np.float64) * out).sum())

        direction = rng.integers(-8, 9, case.input) / 8
        quotient = difference_quotient(loss, x.astype(np.float64), direction, 2.0**-4)
        assert quotient == pytest.approx(float((result * direction).sum()), rel=1e-3, abs=1e-3)


def test_against_torch(rng: np.random.Generator) -> None:
    torch = peer()
    for _ in range(SAMPLES):
        case = legal(rng)
        x = torch.tensor(rng.standard_normal(case.input).astype(np.float32), requires_grad=True)
        kernel, pads = (one if len(one) == 2 else one * 2 for one in (case.kernel, case.padding))
        y = torch.nn.functional.max_pool2d(x, kernel, case.stride or None, pads, 1, case.ceil_mode)
        gradient = rng.standard_normal(case.output).astype(np.float32)
        y.backward(torch.tensor(gradient))
        found = FORWARD(x.detach().numpy(), *case.attributes)
        np.testing.assert_array_equal(found.out, y.detach().numpy())
        result = BACKWARD(gradient, x.detach().numpy(), found.indices, *case.attributes).grad_input
        np.testing.assert_allclose(result, x.grad.numpy(), rtol=1e-5, atol=1e-5)


def test_worked_example() -> None:
    """Values, positions and bytes of the sample of the newer documentation."""
    for product in ("atlas_inference", "atlas_training", "atlas_a2", "atlas_a3"):
        out, mask = FORWARD(SELF, (2, 2), (2, 2), (0,), (1,), False, product=product)
        wanted = np.array([0.0850, 1.7510], np.float16 if product == "atlas_training" else np.float32)
        np.testing.assert_array_equal(out.reshape(-1), wanted.astype(np.float32))
        if product in ("atlas_a2", "atlas_a3"):
            assert mask.tobytes() == bytes([0, 0, 0, 0, 6, 0, 0, 0]) + bytes(248)
        else:
            words = mask.reshape(-1).view("<u2").reshape(4, 2, 16)
            assert np.argwhere(words).tolist() == [[0, 0, 0], [0, 0, 1]]
            assert words[0, 0, :2].tolist() == [1, 1]


def test_numbers_that_float16_cannot_tell_apart_tie_on_the_training_series() -> None:
    x = np.array([1, 1 + 2.0**-12], np.float32).reshape(1, 1, 1, 2)
    for product, position in (("atlas_training", 0), ("atlas_a2", 1), ("atlas_inference", 1)):
        out, mask = FORWARD(x, (1, 2), product=product)
        assert out.item() == x.reshape(-1)[position]
        layout = product_layout(product, Case(x.shape, (1, 2), None, (0,)))
        assert unpack_mask(mask, (1, 2), (1, 1), (1, 2), layout=layout).item() == position


def test_strides_that_the_inference_series_does_not_take() -> None:
    x = np.zeros((1, 1, 3, 3), np.float32)
    assert FORWARD(x, (1,), (3,), ceil_mode=True, product="atlas_a2").out.shape == (1, 1, 1, 1)
    assert FORWARD(x, (1,), (3,), product="atlas_inference").out.shape == (1, 1, 1, 1)
    call: dict[str, Any] = {"ceil_mode": True, "product": "atlas_inference"}
    assert FORWARD(x, (1,), (3,), **call, conformance="library").out.shape == (1, 1, 1, 1)
    with pytest.raises(AclnnError) as caught:
        FORWARD(x, (1,), (3,), **call)
    assert caught.value.rule == "aclnnMaxPool2dWithMask.no-window-left-out"


def test_sizes_beyond_all_memory_are_refused_before_anything_is_allocated() -> None:
    huge = 2**63 - 1
    for shape, kernel, padding in (
        ((1, 1, huge, huge), 1, 0),
        ((2, 2, 2, 2), huge, huge // 2),
        ((1, huge, 2, 2), 2, 0),
    ):
        with pytest.raises(AclnnError) as caught:
            FORWARD(Tensor(shape=shape, dtype=DType.FLOAT), (kernel,), (1,), (padding,))
        assert "\n" in str(caught.value)
        assert FORWARD.explain(Tensor(shape=shape, dtype=DType.FLOAT), (kernel,), (1,), (padding,), product="atlas_a2")


def test_an_output_that_is_called_out_may_be_given_to_explain_by_keyword() -> None:
    x, wrong = Tensor.parse("float32[1,1,4,4]:NCHW"), Tensor.parse("float32[1,1,3,3]:NCHW")
    for out in ({"out": wrong}, wrong):
        verdict = FORWARD.explain(x, (2,), out=out, product="atlas_a2")["atlas_a2"]
        assert [one.rule for one in verdict.violations] == ["aclnnMaxPool2dWithMask.out-shape"]
    verdict = FORWARD.explain(x, (2,), out=wrong, indices=Tensor.parse("int8[1]"), product="atlas_a2")["atlas_a2"]
    assert {one.rule.partition(".")[2] for one in verdict.violations} >= {"out-shape", "rank-indices"}


def test_what_is_not_needed_of_a_new_mask_is_zero_and_of_a_given_one_stays() -> None:
    for compute in (None, "exact"):
        mask = FORWARD(SELF, (2,), compute=compute).indices
        assert not mask.reshape(-1)[8:].any()
        given = np.full(mask.shape, 7, np.int8)
        FORWARD(SELF, (2,), compute=compute, out={"indices": given})
        assert given.tobytes()[:8] == mask.tobytes()[:8]
        assert np.all(given.reshape(-1)[8:] == 7)
