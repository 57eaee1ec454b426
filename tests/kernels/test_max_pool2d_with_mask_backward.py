"""MaxPool2dWithMask backward as an operator: the layout that each product takes, its precision, its bad input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, Status, Tensor
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from tests.support.max_pooling import MASKS, Case, exact_backward, exact_forward, random_case
from tests.support.numerics import laid_out, operands

POOL: Operator = ops.get("aclnnMaxPool2dWithMaskBackward")
FLOATS: dict[str, Any] = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
PRODUCTS = ("atlas_training", "atlas_a2", "atlas_a3")
KINDS = [(p, name) for p in PRODUCTS for name in FLOATS if name != "bfloat16" or p != "atlas_training"]
SELF = np.array(
    [0.0850, -0.5147, -0.0212, -0.5654, -0.3222, 0.5847, 1.7510, 0.9954, 0.1842, 0.8392, 0.4835, 0.9213], np.float32
).reshape(1, 1, 4, 3)
GRADIENT = np.array([0.4757, 0.1726], np.float32).reshape(1, 1, 2, 1)


def layout_of(product: str, case: Case) -> str:
    """The layout as the facts give it, whatever the spec says."""
    ones = case.kernel[0] == case.kernel[-1] == 1
    return "bits" if product == "atlas_training" or ones else "argmax"


def legal(rng: np.random.Generator) -> Case:
    """Attributes and shapes that document mode takes."""
    while True:
        case = random_case(rng)
        if len(case.input) == 4:
            return case._replace(stride=case.stride or ())


def call_of(case: Case, gradient: Any, x: Any, mask: Any) -> dict[str, Any]:
    kernel, stride, padding, dilation, ceil_mode = case.attributes
    tensors = {"gradOutput": gradient, "self": x, "indices": mask, "kernelSize": kernel}
    return tensors | {"stride": stride, "padding": padding, "dilation": dilation, "ceilMode": ceil_mode}


@pytest.mark.clause("003.function.1", "003.param.indices.2", "003.param.padding.2", "003.constraints.3")
@pytest.mark.parametrize(("product", "name"), KINDS)
def test_random_calls(
    product: str, name: str, rng: np.random.Generator, within: Callable[..., None], cases: Iterator[int]
) -> None:
    operand = DType.FLOAT16 if product == "atlas_training" else DType.of(np.dtype(FLOATS[name]))
    for _ in range(sum(1 for _ in cases) // 5):
        case = legal(rng)
        x = rng.integers(-3, 4, case.input).astype(FLOATS[name])
        gradient = rng.standard_normal(case.output).astype(FLOATS[name])
        _, positions = exact_forward(x.astype(np.float64), case)
        mask = MASKS[layout_of(product, case)](positions, case, int(rng.integers(-128, 128)))
        call = call_of(case, *(laid_out(rng, one) for one in (gradient, x, mask)))
        found = POOL(**call, product=product).grad_input
        assert found.dtype == x.dtype
        wide = operands(gradient, operand)
        magnitude = exact_backward(np.abs(wide), positions, case)
        exact = exact_backward(wide, positions, case)
        if product == "atlas_training" and name == "float32":  # the tolerance knows of the rounding of operands
            exact = exact_backward(gradient.astype(np.float64), positions, case)
        within(POOL, call, "gradInput", found, exact, magnitude, product=product)


def test_float_goes_through_float16_on_the_training_series_alone() -> None:
    x, gradient = np.zeros((1, 1, 1, 2), np.float32), np.full((1, 1, 1, 1), 1 + 2.0**-12, np.float32)
    case = Case((1, 1, 1, 2), (1, 2), (), (0,))
    for product, wanted in (("atlas_training", 1.0), ("atlas_a2", 1 + 2.0**-12), ("atlas_a3", 1 + 2.0**-12)):
        mask = MASKS[layout_of(product, case)](np.zeros(case.output, int), case, 0)
        result = POOL(**call_of(case, gradient, x, mask), product=product).grad_input
        assert result.reshape(-1).tolist() == [wanted, 0]
        exact = POOL(**call_of(case, gradient, x, mask), product=product, compute="exact").grad_input
        assert exact.reshape(-1).tolist() == [1 + 2.0**-12, 0]


def test_worked_example() -> None:
    """The sample of the newer documentation: in the layout of each product, and with the mask that it supplies."""
    case = Case((1, 1, 4, 3), (2, 2), (2, 2), (0, 0), (1, 1))
    positions = np.array([0, 6]).reshape(1, 1, 2, 1)
    masks = {"atlas_training": MASKS["bits"](positions, case, 0), "atlas_a2": MASKS["argmax"](positions, case, 0)}
    assert masks["atlas_a2"].tobytes()[:8] == bytes([0, 0, 0, 0, 6, 0, 0, 0])
    supplied = np.zeros(case.mask, np.int8)
    supplied.reshape(-1)[:32] = -1
    for product, mask in (*masks.items(), ("atlas_training", supplied)):
        dtype = np.float16 if product == "atlas_training" else np.float32
        result = POOL(**call_of(case, GRADIENT.astype(dtype), SELF.astype(dtype), mask), product=product).grad_input
        expected = np.zeros((4, 3), dtype)
        expected[0, 0], expected[2, 0] = GRADIENT.astype(dtype).reshape(-1)
        np.testing.assert_array_equal(result[0, 0], expected)
    assert not POOL(**call_of(case, GRADIENT, SELF, supplied), product="atlas_a2").grad_input.any()


def test_a_kernel_of_one_cell() -> None:
    case = Case((1, 1, 4, 3), (1, 1), (2, 2), (0, 0), (1, 1))
    mask = np.zeros((1, 1, 1, 64), np.int8)
    mask.reshape(-1)[:8:2] = 1
    gradient = np.arange(1, 5, dtype=np.float32).reshape(1, 1, 2, 2)
    for product in PRODUCTS:
        result = POOL(**call_of(case, gradient, SELF, mask), product=product).grad_input
        assert result[0, 0, ::2, ::2].tolist() == [[1, 2], [3, 4]]
        assert np.count_nonzero(result) == 4


GOOD: dict[str, Any] = {
    "gradOutput": Tensor.parse("float32[2,3,2,2]:NCHW"),
    "self": Tensor.parse("float32[2,3,4,4]:NCHW"),
    "indices": Tensor.parse("int8[2,3,4,64]:NCHW"),
    "kernelSize": (2, 2),
    "stride": (2,),
    "padding": (0,),
    "dilation": (1,),
    "ceilMode": False,
    "gradInput": Tensor.parse("float32[2,3,4,4]:NCHW"),
}
HUGE = 2**63 - 1


def refused(changes: dict[str, Any], conformance: str | None = None, product: str | None = None) -> tuple[int, str]:
    """The status and the rule of a call that is wrong."""
    call = GOOD | changes
    out = {"gradInput": call.pop("gradInput")}
    with pytest.raises(AclnnError) as caught:
        POOL(**call, out=out, conformance=conformance, product=product)
    return int(caught.value.status), str(caught.value.rule).partition(".")[2]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        pytest.param({"indices": Tensor.parse("int8[2,3,4,32]:NCHW")}, "mask-shape", id="short-mask"),
        pytest.param({"indices": Tensor.parse("int8[2,3,2,2]:NCHW")}, "mask-shape", id="mask-like-output"),
        pytest.param({"indices": Tensor.parse("int8[2,3,4,128]:NCHW")}, "mask-shape", id="long-mask"),
        pytest.param({"indices": Tensor.parse("int32[2,3,4,64]:NCHW")}, "dtype-indices", id="int32-mask"),
        pytest.param({"kernelSize": ()}, "length-kernel-size", id="no-kernel"),
        pytest.param({"kernelSize": (2, 2, 2)}, "length-kernel-size", id="kernel-of-three"),
        pytest.param({"stride": (2, 2, 2)}, "length-stride", id="stride-of-three"),
        pytest.param({"padding": ()}, "length-padding", id="no-padding"),
        pytest.param({"padding": (0,) * 4}, "length-padding", id="padding-of-four"),
        pytest.param({"dilation": ()}, "length-dilation", id="no-dilation"),
        pytest.param({"kernelSize": (2, 0)}, "kernel-positive", id="zero-kernel"),
        pytest.param({"kernelSize": (-2,)}, "kernel-positive", id="negative-kernel"),
        pytest.param({"stride": (0,)}, "stride-positive", id="zero-stride"),
        pytest.param({"stride": (2, -1)}, "stride-positive", id="negative-stride"),
        pytest.param({"padding": (-1,)}, "padding-non-negative", id="negative-padding"),
        pytest.param({"padding": (0, 2)}, "padding-half-kernel", id="padding-beyond-half"),
        pytest.param({"padding": (HUGE,)}, "padding-half-kernel", id="huge-padding"),
        pytest.param({"dilation": (2,)}, "dilation-one", id="dilated"),
        pytest.param({"kernelSize": (5,)}, "output-not-empty", id="kernel-beyond-input"),
        pytest.param({"kernelSize": (HUGE,)}, "output-not-empty", id="huge-kernel"),
        pytest.param({"kernelSize": (HUGE,), "padding": (HUGE // 2,)}, "mask-shape", id="huge-kernel-and-padding"),
        pytest.param({"stride": (HUGE,)}, "grad-output-shape", id="huge-stride"),
        pytest.param({"ceilMode": True, "stride": (3,)}, None, id="ceil-mode"),
        pytest.param({"kernelSize": None}, "null-kernel-size", id="null-kernel"),
        pytest.param({"stride": None}, "null-stride", id="null-stride"),
        pytest.param({"padding": None}, "null-padding", id="null-padding"),
        pytest.param({"dilation": None}, "null-dilation", id="null-dilation"),
        pytest.param({"indices": None}, "null-indices", id="null-mask"),
    ],
)
def test_bad_input(changes: dict[str, Any], rule: str | None) -> None:
    if rule is None:  # legal, but these tensors have no data
        assert refused(changes)[0] == Status.ACLNN_ERR_RUNTIME_ERROR
        return
    status = Status.ACLNN_ERR_PARAM_NULLPTR if rule.startswith("null-") else Status.ACLNN_ERR_PARAM_INVALID
    assert refused(changes) == (status, rule)


def test_what_the_library_does_otherwise() -> None:
    nothing = (int(Status.ACLNN_ERR_RUNTIME_ERROR), "")  # accepted, but these tensors have no data
    library = int(Status.ACLNN_ERR_PARAM_NULLPTR), "length-kernel-size"
    assert refused({"kernelSize": ()}, "library") == library
    assert refused({"kernelSize": (), "stride": None}, "library") == library
    wrong = {"indices": Tensor.parse("int8[1,1,1]:ND")}
    assert refused(wrong, "library") == nothing
    planes = ("gradOutput", "self", "gradInput")
    without_batch = {name: Tensor(shape=GOOD[name].shape[1:], dtype=DType.FLOAT) for name in planes}
    without_batch["indices"] = Tensor.parse("int8[3,4,64]")
    assert refused(without_batch, "library") == nothing
    assert refused(without_batch) == (Status.ACLNN_ERR_PARAM_INVALID, "rank-self")


@pytest.mark.parametrize("product", ["atlas_inference", "ascend_950", "atlas_200i_500_a2"])
@pytest.mark.parametrize("conformance", ["document", "library"])
def test_other_products_refuse_before_all_else(product: str, conformance: str) -> None:
    wanted = int(Status.ACLNN_ERR_PARAM_INVALID), "product"
    assert refused({}, conformance, product) == wanted
    assert refused({"self": None}, conformance, product) == wanted


@pytest.mark.parametrize("product", PRODUCTS)
def test_any_mask_is_safe(product: str, rng: np.random.Generator) -> None:
    """Bits that no window has, positions that are no cell: they give no gradient, and nothing else is hit."""
    case = Case((2, 20, 5, 6), (3, 3), (2, 2), (1, 1), (1,), True)
    gradient = np.ones(case.output, np.float32)
    for _ in range(20):
        mask = rng.integers(-128, 128, case.mask).astype(np.int8)
        result = POOL(**call_of(case, gradient, np.zeros(case.input, np.float32), mask), product=product).grad_input
        assert np.all((result >= 0) & (result == np.rint(result)))
        assert result.sum() <= gradient.size * (9 if product == "atlas_training" else 1)


def test_an_empty_batch_computes_nothing() -> None:
    tensors = {name: value for name, value in GOOD.items() if isinstance(value, Tensor)}
    call = GOOD | {name: Tensor(shape=(0, *one.shape[1:]), dtype=one.dtype) for name, one in tensors.items()}
    status, size, executor = POOL.get_workspace_size(*call.values())
    assert (status, size) == (Status.ACLNN_SUCCESS, 0)
    assert POOL.execute(None, 0, executor, None) == Status.ACLNN_SUCCESS


@pytest.mark.clause("003.constraints.1", "003.constraints.2")
@pytest.mark.parametrize("product", PRODUCTS)
def test_an_input_with_nan_or_negative_infinity_is_not_refused(product: str) -> None:
    case = Case((1, 1, 4, 3), (2, 2), (2, 2), (0, 0), (1, 1))
    mask = MASKS[layout_of(product, case)](np.array([0, 6]).reshape(case.output), case, 0)
    for odd in (np.nan, -np.inf):
        result = POOL(**call_of(case, GRADIENT, np.full_like(SELF, odd), mask), product=product).grad_input
        assert np.argwhere(result[0, 0]).tolist() == [[0, 0], [2, 0]]
