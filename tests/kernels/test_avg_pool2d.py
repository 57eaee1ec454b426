"""AvgPool2d as an operator: what each product computes in, the way back by its gradient, bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, Status, Tensor
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from tests.kernels.test_avg_pool2d_backward import FLOATS, HUGE, NEW, OLD, operand_of
from tests.support.avg_pooling import Case, exact_forward, magnitude, random_case
from tests.support.numerics import SAMPLES, difference_quotient, laid_out, operands, peer

FORWARD: Operator = ops.get("aclnnAvgPool2d")
BACKWARD: Operator = ops.get("aclnnAvgPool2dBackward")
CUBE = {
    **{(product, "float32"): (1, 2) for product in OLD},
    **{(product, "float16"): (0, 1, 2) for product in (*OLD, *NEW)},
    **{(product, "float32"): (0, 2) for product in NEW},
    **{(product, "bfloat16"): (0, 1, 2) for product in NEW},
}
KINDS = [(product, name, cube) for (product, name), values in CUBE.items() for cube in values]
NAMES = ("kernelSize", "strides", "paddings", "ceilMode", "countIncludePad", "divisorOverride")


def call_of(case: Case, x: Any, cube: int = 0) -> dict[str, Any]:
    values = dict(zip(NAMES, case._replace(stride=case.stride or ()).attributes, strict=False))
    return {"self": x, **values, "cubeMathType": cube}


@pytest.mark.parametrize(("product", "name", "cube"), KINDS)
def test_random_calls(
    product: str, name: str, cube: int, rng: np.random.Generator, within: Callable[..., None]
) -> None:
    operand = DType.BF16 if name == "bfloat16" else operand_of(product, name, cube)
    for _ in range(SAMPLES // 4):
        case = random_case(rng)
        x = rng.standard_normal(case.input).astype(FLOATS[name])
        call = call_of(case, laid_out(rng, x), cube)
        found = FORWARD(**call, product=product).out
        assert found.dtype == x.dtype
        rounded = operands(x, operand)
        terms = exact_forward(np.abs(rounded), magnitude(case))
        within(FORWARD, call, "out", found, exact_forward(rounded, case), terms, product=product)


def test_lower_precision_off_the_cube_unit_is_hfloat32() -> None:
    """1 + 2**-11 is an HFLOAT32 and 1 + 2**-12 is none; only windows off the Cube unit may ask for it."""
    for last, wanted in ((11, 1 + 2.0**-11), (12, 1.0)):
        x = np.full((1, 1, 2, 2), 1 + 2.0**-last, np.float32)
        assert (FORWARD(x, (1,), cube_math_type=1, ceil_mode=True).out == wanted).all()
        assert (FORWARD(x, (1,), cube_math_type=1, product="ascend_950").out == wanted).all()
        for image in (x, x[:, :, :1, :1]):
            with pytest.raises(AclnnError) as caught:
                FORWARD(image, (1,), cube_math_type=1)
            assert caught.value.rule == "aclnnAvgPool2d.cube-math-type-lower"


def test_against_torch(rng: np.random.Generator) -> None:
    torch = peer()
    for _ in range(SAMPLES):
        case = random_case(rng)
        x = rng.standard_normal(case.input).astype(np.float32)
        kernel, pads = (one if len(one) == 2 else one * 2 for one in (case.kernel, case.padding))
        attributes = (case.ceil_mode, case.count_include_pad, case.divisor or None)
        y = torch.nn.functional.avg_pool2d(torch.tensor(x), kernel, case.stride or None, pads, *attributes)
        found = FORWARD(**call_of(case, x)).out
        np.testing.assert_allclose(found, y.numpy(), rtol=1e-5, atol=1e-5)


def test_difference_quotients(rng: np.random.Generator) -> None:
    """The gradient of the forward operator, both computed in float64 from numbers that float32 holds."""
    for _ in range(SAMPLES):
        case = random_case(rng)
        case = case._replace(divisor=case.divisor if abs(case.divisor) <= 255 else 0)
        x = (rng.integers(-64, 65, case.input) / 8).astype(np.float32)
        gradient = (rng.integers(-64, 65, case.output) / 8).astype(np.float32)
        attributes = case._replace(stride=case.stride or ()).attributes
        result = BACKWARD(gradient, x, *attributes, compute="exact").grad_input

        def loss(x: Any, attributes: Any = attributes, gradient: Any = gradient) -> float:
            out = FORWARD(x.astype(np.float32), *attributes, compute="exact").out
            return float((gradient.astype(np.float64) * out).sum())

        direction = rng.integers(-8, 9, case.input) / 8
        quotient = difference_quotient(loss, x.astype(np.float64), direction, 2.0**-4)
        assert quotient == pytest.approx(float((result * direction).sum()), rel=1e-4, abs=1e-2)


GOOD: dict[str, Any] = {
    "self": Tensor.parse("float32[2,3,4,4]:NCHW"),
    "kernelSize": (2, 2),
    "strides": (2,),
    "paddings": (0,),
    "ceilMode": False,
    "countIncludePad": True,
    "divisorOverride": 0,
    "cubeMathType": 0,
    "out": Tensor.parse("float32[2,3,2,2]:NCHW"),
}
NOTHING = (int(Status.ACLNN_ERR_RUNTIME_ERROR), "")  # accepted, but these tensors have no data


def refused(changes: dict[str, Any], conformance: str | None = None, product: str | None = None) -> tuple[int, str]:
    """The status and the rule of a call that is wrong."""
    call = GOOD | changes
    out = {"out": call.pop("out")}
    with pytest.raises(AclnnError) as caught:
        FORWARD(**call, out=out, conformance=conformance, product=product)
    return int(caught.value.status), str(caught.value.rule).partition(".")[2]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        pytest.param({"kernelSize": ()}, "kernel-not-empty", id="no-kernel"),
        pytest.param({"kernelSize": (2, 2, 2)}, "length-kernel-size", id="kernel-of-three"),
        pytest.param({"strides": (2, 2, 2)}, "length-strides", id="stride-of-three"),
        pytest.param({"paddings": ()}, "length-paddings", id="no-padding"),
        pytest.param({"paddings": (0,) * 4}, "length-paddings", id="padding-of-four"),
        pytest.param({"kernelSize": (2, 0)}, "kernel-positive", id="zero-kernel"),
        pytest.param({"kernelSize": (-HUGE,)}, "kernel-positive", id="negative-kernel"),
        pytest.param({"strides": (0,)}, "stride-positive", id="zero-stride"),
        pytest.param({"strides": (2, -1)}, "stride-positive", id="negative-stride"),
        pytest.param({"paddings": (-1,)}, "padding-non-negative", id="negative-padding"),
        pytest.param({"paddings": (0, 2)}, "padding-half-kernel", id="padding-beyond-half"),
        pytest.param({"paddings": (HUGE,)}, "padding-half-kernel", id="huge-padding"),
        pytest.param({"kernelSize": (5,)}, "output-not-empty", id="kernel-beyond-input"),
        pytest.param({"kernelSize": (HUGE,)}, "output-not-empty", id="huge-kernel"),
        pytest.param({"strides": (HUGE,)}, "out-shape", id="huge-stride"),
        pytest.param({"kernelSize": (HUGE,), "paddings": (HUGE // 2,)}, "", id="huge-window-that-fits"),
        pytest.param({"divisorOverride": -(2**63)}, "", id="any-divisor"),
        pytest.param({"cubeMathType": 4}, "value-cube-math-type", id="cube-math-type"),
        pytest.param({"cubeMathType": 3}, "cube-math-type-hf32", id="hf32"),
        pytest.param({"self": None}, "null-self", id="null-input"),
        pytest.param({"kernelSize": None}, "null-kernel-size", id="null-kernel"),
        pytest.param({"strides": None}, "null-strides", id="null-strides"),
        pytest.param({"paddings": None}, "null-paddings", id="null-paddings"),
        pytest.param({"self": Tensor.parse("float32[2,3,0,4]:NCHW")}, "plane-not-empty", id="no-rows"),
        pytest.param({"self": Tensor.parse("float32[2,3,4,4]:ND")}, "format-self", id="nd"),
        pytest.param({"self": Tensor.parse("float32[3,4,4]:NCHW")}, "format-self", id="rank-3-nchw"),
        pytest.param({"out": Tensor.parse("float32[2,3,2,3]:NCHW")}, "out-shape", id="another-output"),
        pytest.param({"self": Tensor(shape=(2, 3, -4, 4), dtype=DType.FLOAT)}, "dims-non-negative-self", id="negative"),
    ],
)
def test_bad_input(changes: dict[str, Any], rule: str) -> None:
    expected = Status.ACLNN_ERR_PARAM_NULLPTR if rule.startswith("null-") else Status.ACLNN_ERR_PARAM_INVALID
    assert refused(changes) == ((int(expected), rule) if rule else NOTHING)


def test_what_the_library_does_otherwise() -> None:
    invalid = int(Status.ACLNN_ERR_PARAM_INVALID)
    assert refused({"cubeMathType": 3, "ceilMode": True}, "library") == NOTHING
    assert refused({"cubeMathType": 3}, "library") == (invalid, "cube-math-type-lower")
    assert refused({"cubeMathType": 3}, "library", "ascend_950") == NOTHING
    assert refused({"cubeMathType": 0}, "library", "atlas_training") == (invalid, "cube-math-type-float")
    assert refused({"cubeMathType": 1, "countIncludePad": False}, "library") == (invalid, "cube-math-type-lower")
    one, two = (Tensor.parse(f"float32[2,3,1,{width}]:NCHW") for width in (1, 2))
    whole = {"cubeMathType": 1, "kernelSize": (4,), "strides": (4,), "ceilMode": True}
    assert refused(whole | {"out": one}, "library") == (invalid, "cube-math-type-lower")
    assert refused(whole | {"paddings": (0, 2), "out": two}, "library") == NOTHING
    assert refused({"kernelSize": (2, 2, 9)}, "library") == NOTHING
    assert refused({"kernelSize": (2, 2, 0)}, "library") == (invalid, "kernel-positive")
    assert refused({"kernelSize": (5,), "out": one}, "library") == NOTHING
    assert refused({"kernelSize": (5,)}, "library") == (invalid, "out-shape")
    for far in ({"kernelSize": (6, 2)}, {"kernelSize": (6,)}, {"kernelSize": (7,), "ceilMode": True}):
        assert refused(far, "library") == (invalid, "rows-out-of-reach")
    assert refused({"kernelSize": (2, 6)}, "library") == (invalid, "columns-out-of-reach")


def test_what_the_library_alone_takes_is_computed(rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 3, 4, 4)).astype(np.float32)
    given: dict[str, Any] = {"strides": (2,), "cube_math_type": 0, "conformance": "library"}
    plain = FORWARD(x, (2, 2), (2,), cube_math_type=0).out
    np.testing.assert_array_equal(FORWARD(x, (2, 2, 9), **given).out, plain)
    whole = x.mean(axis=(2, 3), keepdims=True)
    np.testing.assert_allclose(FORWARD(x, (5,), **given).out, whole, rtol=2.0**-20, atol=2.0**-20)


def test_tensors_beyond_all_memory_are_refused_before_anything_is_allocated() -> None:
    beyond_int64, within = ((1, 1, HUGE, HUGE), (2**31, 2**31, 2, 2)), ((1, 1, 2**31, 2**31), (2**29, 2**29, 2, 2))
    statuses = dict.fromkeys(beyond_int64, Status.ACLNN_ERR_PARAM_INVALID)
    statuses |= dict.fromkeys(within, Status.ACLNN_ERR_RUNTIME_ERROR)
    for shape, status in statuses.items():
        with pytest.raises(AclnnError) as caught:
            FORWARD(Tensor(shape=shape, dtype=DType.FLOAT), (2,), (1,), (0,), cube_math_type=0)
        assert int(caught.value.status) == status


def test_an_empty_batch_computes_nothing() -> None:
    call = GOOD | {"self": Tensor.parse("float32[0,3,4,4]:NCHW"), "out": Tensor.parse("float32[0,3,2,2]:NCHW")}
    assert FORWARD.get_workspace_size(*call.values())[:2] == (Status.ACLNN_SUCCESS, 0)
