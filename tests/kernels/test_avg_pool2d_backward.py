"""AvgPool2dBackward as an operator: what each product computes in, bad input, and what the library does otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, Status, Tensor
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from tests.support.avg_pooling import Case, exact_backward, magnitude, random_case
from tests.support.numerics import SAMPLES, laid_out, operands, peer

POOL: Operator = ops.get("aclnnAvgPool2dBackward")
FLOATS: dict[str, Any] = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
OLD, NEW = ("atlas_inference", "atlas_training"), ("atlas_a2", "atlas_a3", "ascend_950")
CUBE = {
    **{(product, "float32"): (1, 2) for product in OLD},
    **{(product, "float16"): (0, 1, 2, 3) for product in (*OLD, *NEW)},
    **{(product, "float32"): (0, 1, 2, 3) for product in NEW},
    **{(product, "bfloat16"): (0, 1) for product in NEW},
}
KINDS = [(product, name, cube) for (product, name), values in CUBE.items() for cube in values]
HUGE = 2**63 - 1


def operand_of(product: str, name: str, cube: int) -> DType:
    """What a gradient is rounded to before anything else, as the document has it, whatever the spec says."""
    if cube == 2 or (cube == 1 and product in OLD):
        return DType.FLOAT16
    if cube in (1, 3) and name == "float32":
        return DType.HFLOAT32
    return DType.of(np.dtype(FLOATS[name]))


def legal(rng: np.random.Generator) -> Case:
    """Attributes and shapes that document mode takes."""
    while True:
        case = random_case(rng)
        if abs(case.divisor) <= 255:
            return case


def call_of(case: Case, gradient: Any, x: Any, cube: int = 0) -> dict[str, Any]:
    names = ("kernelSize", "stride", "padding", "ceilMode", "countIncludePad", "divisorOverride")
    values = dict(zip(names, case.attributes, strict=False))
    return {"gradOutput": gradient, "self": x, **values, "cubeMathType": cube}


@pytest.mark.clause("000.function.1")
@pytest.mark.parametrize(("product", "name", "cube"), KINDS)
def test_random_calls(
    product: str, name: str, cube: int, rng: np.random.Generator, within: Callable[..., None]
) -> None:
    for _ in range(SAMPLES // 4):
        case = legal(rng)
        gradient = rng.standard_normal(case.output).astype(FLOATS[name])
        x = rng.standard_normal(case.input).astype(FLOATS[name])
        call = call_of(case, laid_out(rng, gradient), laid_out(rng, x), cube)
        found = POOL(**call, product=product).grad_input
        assert found.dtype == x.dtype
        rounded = operands(gradient, operand_of(product, name, cube))
        terms = exact_backward(np.abs(rounded), magnitude(case))
        within(POOL, call, "gradInput", found, exact_backward(rounded, case), terms, product=product)
        if name == "float32":  # the tolerance knows of the rounding of operands
            wide = gradient.astype(np.float64)
            terms = exact_backward(np.abs(wide), magnitude(case))
            within(POOL, call, "gradInput", found, exact_backward(wide, case), terms, product=product)


def test_against_torch(rng: np.random.Generator) -> None:
    torch = peer()
    for _ in range(SAMPLES):
        case = legal(rng)
        gradient = rng.standard_normal(case.output).astype(np.float32)
        x = torch.zeros(case.input, dtype=torch.float64, requires_grad=True)
        kernel, pads = (one if len(one) == 2 else one * 2 for one in (case.kernel, case.padding))
        attributes = (case.ceil_mode, case.count_include_pad, case.divisor or None)
        y = torch.nn.functional.avg_pool2d(x, kernel, case.stride or None, pads, *attributes)
        y.backward(torch.tensor(gradient.astype(np.float64)))
        call = call_of(case, gradient, np.zeros(case.input, np.float32))
        found = POOL(**call, compute="exact").grad_input
        np.testing.assert_allclose(found, x.grad.numpy(), rtol=1e-6, atol=1e-6)


@pytest.mark.clause("000.param.cubeMathType.11")
@pytest.mark.parametrize(("product", "name", "cube"), KINDS)
def test_what_the_arithmetic_rounds_away(product: str, name: str, cube: int) -> None:
    """1 + 2**-10 is a FLOAT16, 1 + 2**-11 an HFLOAT32, 1 + 2**-12 a FLOAT; USE_HF32 has its effect in a direct call."""
    bits = {DType.FLOAT16: 10, DType.HFLOAT32: 11, DType.FLOAT: 23, DType.BF16: 7}[operand_of(product, name, cube)]
    bits = min(bits, {"float32": 23, "float16": 10, "bfloat16": 7}[name])
    for last in (7, 10, 11, 12):
        gradient = np.full((1, 1, 1, 1), 1 + 2.0**-last, FLOATS[name])
        call = call_of(Case((1, 1, 1, 1), (1,), (), (0,)), gradient, gradient, cube)
        found = float(POOL(**call, product=product).grad_input.item())
        assert found == (1 + 2.0**-last if last <= bits else 1)


GOOD: dict[str, Any] = {
    "gradOutput": Tensor.parse("float32[2,3,2,2]:NCHW"),
    "self": Tensor.parse("float32[2,3,4,4]:NCHW"),
    "kernelSize": (2, 2),
    "stride": (2,),
    "padding": (0,),
    "ceilMode": False,
    "countIncludePad": True,
    "divisorOverride": 0,
    "cubeMathType": 1,
    "gradInput": Tensor.parse("float32[2,3,4,4]:NCHW"),
}
NOTHING = (int(Status.ACLNN_ERR_RUNTIME_ERROR), "")  # accepted, but these tensors have no data


def refused(changes: dict[str, Any], conformance: str | None = None, product: str | None = None) -> tuple[int, str]:
    """The status and the rule of a call that is wrong."""
    call = GOOD | changes
    out = {"gradInput": call.pop("gradInput")}
    with pytest.raises(AclnnError) as caught:
        POOL(**call, out=out, conformance=conformance, product=product)
    return int(caught.value.status), str(caught.value.rule).partition(".")[2]


def shaped(name: str, *sizes: int) -> dict[str, Any]:
    """Another shape of a tensor; of self and gradInput together, which must be alike."""
    names = ("self", "gradInput") if name == "self" else (name,)
    return {one: Tensor(shape=sizes, dtype=DType.FLOAT) for one in names}


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        pytest.param({"kernelSize": ()}, "length-kernel-size", id="no-kernel"),
        pytest.param({"kernelSize": (2, 2, 2)}, "length-kernel-size", id="kernel-of-three"),
        pytest.param({"stride": (2, 2, 2)}, "length-stride", id="stride-of-three"),
        pytest.param({"padding": ()}, "length-padding", id="no-padding"),
        pytest.param({"padding": (0,) * 4}, "length-padding", id="padding-of-four"),
        pytest.param({"kernelSize": (2, 0)}, "kernel-positive", id="zero-kernel"),
        pytest.param({"kernelSize": (-2,)}, "kernel-positive", id="negative-kernel"),
        pytest.param({"kernelSize": (-HUGE,)}, "kernel-positive", id="hugely-negative-kernel"),
        pytest.param({"stride": (0,)}, "stride-positive", id="zero-stride"),
        pytest.param({"stride": (2, -1)}, "stride-positive", id="negative-stride"),
        pytest.param({"padding": (-1,)}, "padding-non-negative", id="negative-padding"),
        pytest.param({"padding": (0, 2)}, "padding-half-kernel", id="padding-beyond-half"),
        pytest.param({"padding": (HUGE,)}, "padding-half-kernel", id="huge-padding"),
        pytest.param({"kernelSize": (5,)}, "grad-output-shape", id="kernel-beyond-input"),
        pytest.param({"kernelSize": (HUGE,)}, "grad-output-shape", id="huge-kernel"),
        pytest.param({"kernelSize": (HUGE,), "padding": (HUGE // 2,)}, "", id="huge-window-that-fits"),
        pytest.param({"stride": (HUGE,)}, "grad-output-shape", id="huge-stride"),
        pytest.param(shaped("gradOutput", 2, 3, 2, 0), "empty-grad-output", id="empty-output"),
        pytest.param(shaped("gradOutput", 2, 3, 3, 2), "grad-output-shape", id="another-output"),
        pytest.param(shaped("gradOutput", 3, 2, 2), "grad-output-shape", id="output-without-batch"),
        pytest.param(shaped("gradOutput", 2, 3, -2, -2), "dims-non-negative-grad-output", id="negative-output"),
        pytest.param(shaped("self", 2, 3, 4, -4), "dims-non-negative-self", id="negative-input"),
        pytest.param(shaped("self", 2, 65536, 4, 4), "channels-limit", id="channels"),
        pytest.param(shaped("gradInput", 2, 3, 4, 5), "grad-input-shape", id="another-result"),
        pytest.param({"divisorOverride": 256}, "divisor-range", id="divisor"),
        pytest.param({"divisorOverride": -(2**63)}, "divisor-range", id="least-divisor"),
        pytest.param({"cubeMathType": 4}, "value-cube-math-type", id="cube-math-type"),
        pytest.param({"cubeMathType": -1}, "value-cube-math-type", id="negative-cube-math-type"),
        pytest.param({"gradOutput": None}, "null-grad-output", id="null-output"),
        pytest.param({"self": None}, "null-self", id="null-input"),
        pytest.param({"kernelSize": None}, "null-kernel-size", id="null-kernel"),
        pytest.param({"padding": None}, "null-padding", id="null-padding"),
        pytest.param({"stride": None}, "", id="null-stride-is-the-kernel"),
        pytest.param({"self": Tensor.parse("float32[2,3,4,4]:ND")}, "format-self", id="nd"),
    ],
)
def test_bad_input(changes: dict[str, Any], rule: str) -> None:
    expected = Status.ACLNN_ERR_PARAM_NULLPTR if rule.startswith("null-") else Status.ACLNN_ERR_PARAM_INVALID
    assert refused(changes) == ((int(expected), rule) if rule else NOTHING)


NEGATIVE = {"padding": (-1,), **shaped("gradOutput", 2, 3, 1, 1)}
GLOBAL = {"kernelSize": (10,), **shaped("self", 2, 3, 10, 10), **shaped("gradOutput", 2, 3, 1, 1)}


@pytest.mark.parametrize(
    ("changes", "product", "rule"),
    [
        pytest.param({"divisorOverride": 256}, "atlas_a2", "", id="any-divisor"),
        pytest.param({"divisorOverride": 256}, "atlas_training", "late-divisor-range", id="divisor"),
        pytest.param({"divisorOverride": 256, **shaped("gradOutput", 0, 3, 2, 2)}, "atlas_training", None, id="empty"),
        pytest.param({"cubeMathType": 0}, "atlas_training", "late-cube-math-type-float", id="float"),
        pytest.param({"cubeMathType": 3}, "atlas_inference", "late-cube-math-type-float", id="float-inference"),
        pytest.param({"cubeMathType": 0, **GLOBAL}, "atlas_training", "", id="float-whole-image"),
        pytest.param(NEGATIVE, "atlas_training", "", id="padding-training"),
        pytest.param(NEGATIVE, "atlas_a2", "", id="padding-on-the-cube-unit"),
        pytest.param(NEGATIVE | {"ceilMode": True}, "atlas_a2", "late-padding-non-negative-3d", id="padding-off-it"),
        pytest.param(NEGATIVE, "ascend_950", "late-padding-non-negative", id="padding-950"),
        pytest.param(shaped("gradOutput", 2, 3, 7, 1), "atlas_a2", "", id="any-output-size"),
        pytest.param(shaped("gradOutput", 2, 4, 2, 2), "atlas_a2", "late-grad-output-planes", id="other-channels"),
        pytest.param(shaped("gradOutput", 3, 2, 2), "atlas_a2", "ranks-agree", id="other-rank"),
        pytest.param({"self": Tensor.parse("float16[2,3,4,4]:NCL")}, "atlas_a2", "", id="another-self"),
        pytest.param({"gradOutput": Tensor.parse("float16[2,3,2,2]")}, "atlas_a2", "dtypes", id="another-dtype"),
        pytest.param(
            shaped("self", 2, 70000, 4, 4) | shaped("gradOutput", 2, 70000, 2, 2), "atlas_a2", "", id="channels"
        ),
    ],
)
def test_what_the_library_does_otherwise(changes: dict[str, Any], product: str, rule: str | None) -> None:
    if rule is None:
        call = GOOD | changes
        assert POOL.get_workspace_size(*call.values(), product=product, conformance="library")[:2] == (0, 0)
        return
    expected = (int(Status.ACLNN_ERR_PARAM_INVALID), rule) if rule else NOTHING
    assert refused(changes, "library", product) == expected


def test_tensors_beyond_all_memory_are_refused_before_anything_is_allocated() -> None:
    for planes, kernel in (((1, 1, 2**31, 2**31), 2), ((1, 1, 1, HUGE), 1), ((65535, 65535, 2**15, 2**15), 2)):
        output = (*planes[:2], planes[2] // kernel, planes[3] // kernel)
        call = GOOD | shaped("self", *planes) | shaped("gradOutput", *output) | {"kernelSize": (kernel,), "stride": ()}
        del call["gradInput"]
        with pytest.raises(AclnnError) as caught:
            POOL(**call)
        assert int(caught.value.status) == Status.ACLNN_ERR_RUNTIME_ERROR
        assert POOL.explain(**call, product="atlas_a2")["atlas_a2"].status == Status.ACLNN_SUCCESS


def test_the_library_leaves_the_result_of_an_empty_call_alone() -> None:
    result = np.full((1, 1, 2, 2), 7, np.float32)
    gradient, x = np.empty((1, 1, 0, 1), np.float32), np.empty((1, 1, 2, 2), np.float32)
    call = call_of(Case((1, 1, 2, 2), (2,), (), (0,)), gradient, x, 1)
    POOL(**call, out={"gradInput": result}, conformance="library")
    assert np.all(result == 7)
