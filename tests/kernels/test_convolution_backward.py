"""ConvolutionBackward as an operator: its precision by product and cubeMathType, its examples, its bad input."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, Status, Tensor
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from tests.support.convolving import Case, backward, random_case
from tests.support.numerics import SAMPLES, Array, laid_out, operands, peer

CONVOLUTION: Operator = ops.get("aclnnConvolutionBackward")
FORWARD: Operator = ops.get("aclnnConvolution")
FLOATS: dict[str, Any] = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
HALF, BRAIN, SINGLE, REDUCED = DType.FLOAT16, DType.BF16, DType.FLOAT, DType.HFLOAT32
GRADIENTS = ("gradInput", "gradWeight", "gradBias")
ALL = (True, True, True)
OLD = ("atlas_inference", "atlas_training")
NEW = ("atlas_a2", "atlas_a3", "ascend_950")
COMPUTED: list[tuple[tuple[str, ...], str, int, DType]] = [
    *((OLD, "float16", math, HALF) for math in range(4)),
    (OLD, "float32", 1, HALF),
    (OLD, "float32", 2, HALF),
    *((NEW, "float16", math, HALF) for math in range(4)),
    *((NEW, "bfloat16", math, HALF if math == 2 else BRAIN) for math in range(4)),
    *((NEW, "float32", math, (SINGLE, REDUCED, HALF, REDUCED)[math]) for math in range(4)),
]
"""The dtype of the cube unit, as the facts give it, whatever the spec says."""


def call_of(case: Case, tensors: Iterable[Any], math: int = 0, mask: Any = ALL) -> dict[str, Any]:
    """The arguments of a case; the tensors are gradOutput, input and weight."""
    stride, padding, dilation, transposed, extra, groups = case.attributes
    given = dict(zip(("gradOutput", "input", "weight"), tensors, strict=True)) | {"biasSizes": (case.channels,)}
    attributes = {"stride": stride, "padding": padding, "dilation": dilation, "transposed": transposed}
    rest = {"outputPadding": extra, "groups": groups, "outputMask": mask, "cubeMathType": math}
    return given | attributes | rest


def legal(rng: np.random.Generator, axes: int = 3) -> Case:
    """Attributes and shapes that every product takes; some limits hold in three dimensions alone."""
    while True:
        case = random_case(rng)
        if case.axes <= axes and (case.axes < 3 or case.groups == 1):
            return case


def drawn(rng: np.random.Generator, case: Case, dtype: Any) -> list[Array]:
    return [laid_out(rng, rng.standard_normal(shape).astype(dtype)) for shape in (case.output, case.input, case.weight)]


@pytest.mark.clause("002.function.1", "002.function.2", "002.function.3", "002.function.4")
@pytest.mark.clause("002.param.cubeMathType.2", "002.param.cubeMathType.4", "002.param.cubeMathType.5")
@pytest.mark.clause("002.param.cubeMathType.6", "002.param.cubeMathType.8", "002.param.cubeMathType.9")
@pytest.mark.clause("002.param.cubeMathType.10", "002.param.cubeMathType.12", "002.param.cubeMathType.13")
@pytest.mark.clause("002.param.cubeMathType.15", "002.param.cubeMathType.17")
@pytest.mark.parametrize(
    ("products", "name", "math", "operand"),
    [pytest.param(*one, id=f"{one[0][0]}-{one[1]}-{one[2]}") for one in COMPUTED],
)
def test_random_calls(
    products: tuple[str, ...],
    name: str,
    math: int,
    operand: DType,
    rng: np.random.Generator,
    within: Callable[..., None],
) -> None:
    for turn in range(max(SAMPLES // 8, 9)):
        product = products[turn % len(products)]
        case = legal(rng, 2 if products is OLD else 3)
        given = drawn(rng, case, FLOATS[name])
        call = call_of(case, given, math)
        found = CONVOLUTION(**call, product=product)
        wide = [operands(one, operand) for one in given]
        exact = [*backward(case, *wide)[:2], backward(case, given[0].astype(float), *wide[1:])[2]]
        sizes = backward(case, *map(np.abs, wide))
        for at, gradient in enumerate(GRADIENTS):
            assert found[at].dtype == FLOATS[name]
            within(CONVOLUTION, call, gradient, found[at], exact[at], sizes[at], product=product)


@pytest.mark.parametrize(
    ("product", "math", "wanted"),
    [
        ("atlas_training", 1, 1.0),
        ("atlas_inference", 2, 1.0),
        ("atlas_a2", 0, 1 + 2.0**-12 + 2.0**-20),
        ("atlas_a2", 1, 1 + 2.0**-11),
        ("atlas_a3", 2, 1.0),
        ("ascend_950", 3, 1 + 2.0**-11),
    ],
)
def test_what_the_cube_unit_drops(product: str, math: int, wanted: float) -> None:
    """The same call, seen through the precision of each product; the bias does not pass the cube unit."""
    value = 1 + 2.0**-12 + 2.0**-20
    case = Case((1, 1, 1), (1, 1, 1), (1,), (0,), (1,))
    one, fine = np.ones((1, 1, 1), np.float32), np.full((1, 1, 1), value, np.float32)
    found = CONVOLUTION(**call_of(case, (one, fine, one), math), product=product)
    assert found.grad_weight.item() == wanted
    found = CONVOLUTION(**call_of(case, (fine, one, one), math), product=product)
    assert (found.grad_input.item(), found.grad_bias.item()) == (wanted, value)
    exact = CONVOLUTION(**call_of(case, (fine, one, one), math), product=product, compute="exact")
    assert exact.grad_input.item() == value


@pytest.mark.clause("002.param.gradOutput.5", "002.param.input.5", "002.param.weight.5")
@pytest.mark.clause("002.param.gradInput.3", "002.param.gradWeight.3", "002.param.gradBias.3")
def test_mixed_dtypes(rng: np.random.Generator) -> None:
    case = Case((1, 2, 4), (3, 2, 2), (1,), (0,), (1,))
    half, brain, single = (FLOATS[name] for name in ("float16", "bfloat16", "float32"))
    for kinds, wanted in [
        ((half, single, half), (single, half, half)),
        ((single, half, half), (single, single, single)),
        ((brain, half, brain), (single, brain, brain)),
        ((half, half, brain), (half, single, half)),
    ]:
        given = [one.astype(kind) for one, kind in zip(drawn(rng, case, np.float64), kinds, strict=True)]
        found = CONVOLUTION(**call_of(case, given), product="atlas_a2")
        exact = backward(case, *(one.astype(np.float64) for one in given))
        for result, value, kind in zip(found, exact, wanted, strict=True):
            assert result.dtype == kind
            np.testing.assert_allclose(result.astype(np.float64), value, rtol=2.0**-7, atol=1e-2)


def test_against_torch_exactly(rng: np.random.Generator) -> None:
    torch = peer()
    for _ in range(SAMPLES):
        case = legal(rng)
        if any(begin != end for begin, end in case.pads):
            continue  # PyTorch has no such padding
        gradient, x, weight = drawn(rng, case, np.float32)
        pads = tuple(begin for begin, _ in case.pads)
        leaves = [torch.tensor(one.astype(np.float64), requires_grad=True) for one in (x, weight)]
        bias = torch.zeros(case.channels, dtype=torch.float64, requires_grad=True)
        attributes = case.stride, pads, case.dilation, case.transposed, case.extra, case.groups
        torch.convolution(*leaves, bias, *attributes).backward(torch.tensor(gradient.astype(np.float64)))
        call = call_of(case._replace(padding=pads), (gradient, x, weight))
        for result, leaf in zip(CONVOLUTION(**call, compute="exact"), (*leaves, bias), strict=True):
            np.testing.assert_array_equal(result, leaf.grad.numpy().astype(np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_large_example(dtype: Any) -> None:
    """24964 is no float16; it needs sums in float32 to come as near as 24960."""
    case = Case((4, 30, 80, 80), (320, 30, 3, 3), (1, 1), (1, 1), (1, 1))
    given = (np.ones(shape, dtype) for shape in (case.output, case.input, case.weight))
    found = CONVOLUTION(**call_of(case, given, 1))
    rows = np.full(80, 3)
    rows[[0, -1]] = 2
    assert np.all(found.grad_input == (320 * np.multiply.outer(rows, rows)).astype(dtype))
    sides = np.array([[24964, 25280, 24964], [25280, 25600, 25280], [24964, 25280, 24964]])
    assert np.all(found.grad_weight == sides.astype(dtype))
    assert np.all(found.grad_bias == 25600)


@pytest.mark.clause("002.param.outputMask.1", "002.param.outputMask.2")
@pytest.mark.parametrize("mask", [(a, b, c) for a in (False, True) for b in (False, True) for c in (False, True)])
def test_output_mask(mask: tuple[bool, ...], rng: np.random.Generator) -> None:
    case = Case((1, 2, 4), (3, 2, 2), (1,), (0,), (1,))
    given = drawn(rng, case, np.float32)
    found = CONVOLUTION(**call_of(case, given, mask=mask))
    assert [one is not None for one in found] == list(mask)
    shapes = case.input, case.weight, (case.channels,)
    out = {name: np.full(shape, 77, np.float32) for name, shape in zip(GRADIENTS, shapes, strict=True)}
    CONVOLUTION(**call_of(case, given, mask=mask), out=out)
    for own, result in zip(out.values(), found, strict=True):
        np.testing.assert_array_equal(own, 77 if result is None else result)


@pytest.mark.clause("002.param.gradOutput.9", "002.param.input.9", "002.param.weight.13", "002.param.biasSizes.5")
@pytest.mark.parametrize("product", NEW)
@pytest.mark.parametrize("conformance", ["document", "library"])
@pytest.mark.parametrize(
    "case",
    [
        Case((0, 2, 5), (3, 2, 2), (1,), (0,), (1,)),
        Case((2, 0, 5, 5), (3, 0, 2, 2), (1, 1), (0, 0), (1, 1)),
        Case((0, 2, 5), (2, 3, 2), (1,), (0,), (1,), True),
    ],
)
def test_empty_input(case: Case, conformance: str, product: str) -> None:
    given = [np.ones(shape, np.float32) for shape in (case.output, case.input, case.weight)]
    shapes = case.input, case.weight, (case.channels,)
    out = {name: np.full(shape, 77, np.float32) for name, shape in zip(GRADIENTS, shapes, strict=True)}
    CONVOLUTION(**call_of(case, given), out=out, product=product, conformance=conformance)
    assert all(not own.any() for own in out.values())
    call = call_of(case, given) | {"biasSizes": None}
    with pytest.raises(AclnnError) as caught:
        CONVOLUTION(**call, product=product, conformance=conformance)
    assert (caught.value.status, str(caught.value.rule).partition(".")[2]) == (
        Status.ACLNN_ERR_PARAM_INVALID,
        "bias-sizes-given",
    )
    found = CONVOLUTION(**call | {"outputMask": (True, True, False)}, product=product, conformance=conformance)
    assert found.grad_bias is None
    assert not found.grad_weight.any()


@pytest.mark.parametrize("product", OLD)
def test_empty_input_is_refused_on_older_products(product: str) -> None:
    case = Case((0, 2, 5), (3, 2, 2), (1,), (0,), (1,))
    given = (np.ones(shape, np.float16) for shape in (case.output, case.input, case.weight))
    with pytest.raises(AclnnError, match="gradOutput"):
        CONVOLUTION(**call_of(case, given), product=product)


def test_channels_left_over_take_part_in_nothing() -> None:
    """Library mode lets groups pass that do not divide the output channels."""
    given = np.ones((1, 3, 4), np.float32), np.ones((1, 4, 4), np.float32), np.ones((3, 2, 1), np.float32)
    call = call_of(Case((1, 4, 4), (3, 2, 1), (1,), (0,), (1,), groups=2), given)
    found = CONVOLUTION(**call, conformance="library")
    assert found.grad_input[0, :, 0].tolist() == [1, 1, 1, 1]
    assert found.grad_weight[:, 0, 0].tolist() == [4, 4, 0]
    assert found.grad_bias.tolist() == [4, 4, 4]
    with pytest.raises(AclnnError) as caught:
        CONVOLUTION(**call)
    assert str(caught.value.rule).endswith(".groups-divide")


GOOD: dict[str, Any] = {
    "gradOutput": Tensor.parse("float32[2,4,3,3]"),
    "input": Tensor.parse("float32[2,2,4,4]"),
    "weight": Tensor.parse("float32[4,1,2,2]"),
    "biasSizes": (4,),
    "stride": (1, 1),
    "padding": (0, 0),
    "dilation": (1, 1),
    "transposed": False,
    "outputPadding": (0, 0),
    "groups": 2,
    "outputMask": ALL,
    "cubeMathType": 1,
    "gradInput": Tensor.parse("float32[2,2,4,4]"),
    "gradWeight": Tensor.parse("float32[4,1,2,2]"),
    "gradBias": Tensor.parse("float32[4]"),
}
HUGE = 2**63 - 1


def refused(changes: dict[str, Any], conformance: str | None = None, product: str | None = None) -> tuple[int, str]:
    """The status and the rule of a call that is wrong."""
    call = GOOD | changes
    out = {name: call.pop(name) for name in GRADIENTS}
    with pytest.raises(AclnnError) as caught:
        CONVOLUTION(**call, out=out, conformance=conformance, product=product)
    return int(caught.value.status), str(caught.value.rule).partition(".")[2]


NOTHING = (int(Status.ACLNN_ERR_RUNTIME_ERROR), "None")


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        *(
            pytest.param({name: (one,) * count}, f"{kebab}-length", id=f"{kebab}-of-{count}")
            for name, kebab, one in (
                ("stride", "stride", 1),
                ("padding", "padding", 0),
                ("dilation", "dilation", 1),
                ("outputPadding", "output-padding", 0),
            )
            for count in (0, 1, 3, 5)
        ),
        pytest.param({"stride": (1,) * 4}, "stride-length", id="stride-of-4"),
        pytest.param({"outputPadding": (0,) * 4}, "output-padding-length", id="output-padding-of-4"),
        *(
            pytest.param({"outputMask": (True,) * count}, "length-output-mask", id=f"mask-of-{count}")
            for count in (0, 1, 2, 4)
        ),
        pytest.param({"biasSizes": ()}, "bias-sizes-value", id="no-bias-sizes"),
        pytest.param({"biasSizes": (4, 4)}, "bias-sizes-value", id="two-bias-sizes"),
        pytest.param({"biasSizes": (3,)}, "bias-sizes-value", id="wrong-bias-sizes"),
        pytest.param({"stride": (0, 1)}, "stride-positive", id="zero-stride"),
        pytest.param({"stride": (1, -1)}, "stride-positive", id="negative-stride"),
        pytest.param({"padding": (0, -1)}, "padding-non-negative", id="negative-padding"),
        pytest.param({"padding": (0, 0, 0, -1)}, "padding-non-negative", id="negative-padding-of-four"),
        pytest.param({"dilation": (0, 1)}, "dilation-positive", id="zero-dilation"),
        pytest.param({"dilation": (1, -1)}, "dilation-positive", id="negative-dilation"),
        pytest.param(
            {"outputPadding": (0, -1), "transposed": True}, "output-padding-non-negative", id="negative-extra"
        ),
        pytest.param(
            {"outputPadding": (1, 0), "transposed": True}, "output-padding-below-stride", id="extra-as-stride"
        ),
        pytest.param({"outputPadding": (1, 0)}, "output-padding-zero", id="extra-without-transposed"),
        pytest.param({"groups": 0}, "groups-positive", id="no-groups"),
        pytest.param({"groups": -2}, "groups-positive", id="negative-groups"),
        pytest.param({"groups": 3}, "group-channels", id="wrong-groups"),
        pytest.param({"groups": 2**31 - 1, "transposed": True, "biasSizes": None}, "weight-channels", id="huge-groups"),
        pytest.param({"cubeMathType": -1}, "value-cube-math-type", id="negative-math"),
        pytest.param({"cubeMathType": 4}, "value-cube-math-type", id="math-of-4"),
        pytest.param({"cubeMathType": 127}, "value-cube-math-type", id="math-of-127"),
        pytest.param({"stride": (HUGE, HUGE), "padding": (HUGE, HUGE)}, "largest-stride", id="huge"),
        pytest.param({"dilation": (HUGE, HUGE)}, "largest-dilation", id="huge-dilation"),
        pytest.param({"padding": (255, 255)}, "output-size", id="wide-padding"),
        pytest.param({"gradOutput": Tensor.parse("float32[2,4,4,3]")}, "output-size", id="wrong-size"),
        pytest.param({"gradOutput": Tensor.parse("float32[1,4,3,3]")}, "batch", id="wrong-batch"),
        pytest.param({"gradOutput": Tensor(shape=(2, 4, 0, 3), dtype=SINGLE)}, "grad-output-sizes", id="no-cells"),
        *(
            pytest.param({name: None}, f"null-{kebab}", id=f"null-{kebab}")
            for name, kebab in (
                ("gradOutput", "grad-output"),
                ("input", "input"),
                ("weight", "weight"),
                ("stride", "stride"),
                ("padding", "padding"),
                ("dilation", "dilation"),
                ("outputPadding", "output-padding"),
                ("outputMask", "output-mask"),
            )
        ),
    ],
)
def test_bad_input(changes: dict[str, Any], rule: str) -> None:
    null = rule.startswith("null-") or rule == "length-output-mask"
    status = Status.ACLNN_ERR_PARAM_NULLPTR if null else Status.ACLNN_ERR_PARAM_INVALID
    assert refused(changes) == (status, rule)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("product", [*OLD, *NEW])
def test_sizes_beyond_int64_do_no_harm(transposed: bool, product: str) -> None:
    extremes = {"stride": (HUGE, HUGE), "padding": (HUGE, HUGE), "dilation": (HUGE, HUGE), "transposed": transposed}
    for tensor in ("float32[2,4,3,3]", f"float32[{HUGE},4,{HUGE},3]"):
        changes = extremes | {"gradOutput": Tensor.parse(tensor)}
        assert refused(changes, product=product)[0] == Status.ACLNN_ERR_PARAM_INVALID
        assert refused(changes, "library", product)[0] != Status.ACLNN_SUCCESS


def test_tensors_larger_than_memory_are_refused_by_their_shapes() -> None:
    size = 2**31 - 2
    changes = {
        "gradOutput": Tensor(shape=(size, 4, 3, 3), dtype=SINGLE),
        "input": Tensor(shape=(size, 2, 4, 4), dtype=SINGLE),
        "gradInput": Tensor(shape=(size, 2, 4, 4), dtype=SINGLE),
    }
    assert refused(changes)[0] == Status.ACLNN_ERR_RUNTIME_ERROR


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"gradOutput": Tensor.parse("float32[1,4,5,9]")}, id="sizes"),
        pytest.param({"biasSizes": (9, 9)}, id="bias-sizes"),
        pytest.param({"gradInput": Tensor.parse("bfloat16[2,2,4,4]")}, id="dtype"),
        pytest.param({"padding": (300, 300)}, id="padding"),
        pytest.param({"gradBias": Tensor.parse("float32[4]:ND")}, id="format"),
    ],
)
def test_what_the_library_does_not_check(changes: dict[str, Any]) -> None:
    status, rule = refused(changes, "library")
    assert (status, rule in ("", "None")) == (Status.ACLNN_ERR_RUNTIME_ERROR, True)  # accepted, but without data


def dyadic(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Random multiples of 1/64, whose sums and differences are float32 numbers too."""
    return (rng.integers(-127, 128, shape) / 64).astype(np.float32)


def test_gradients_against_difference_quotients(rng: np.random.Generator) -> None:
    """Of the loss sum(gradOutput * y) along a direction in each operand, with y from the operator aclnnConvolution.

    y is linear in each operand, so a step of 1 is as right as a small one, and its rounding to float32 counts less.
    """
    for _ in range(SAMPLES):
        case = legal(rng)
        shapes = case.output, case.input, case.weight, (case.channels,)
        gradient, *at = (dyadic(rng, shape) for shape in shapes)
        found = CONVOLUTION(**call_of(case, (gradient, *at[:2])), compute="exact")
        stride, padding, dilation, transposed, extra, groups = case.attributes
        wide = gradient.astype(np.float64)
        for place, result in enumerate(found):
            direction = dyadic(rng, result.shape)
            ends = []
            for sign in (1, -1):
                given = [*at[:place], at[place] + sign * direction, *at[place + 1 :]]
                attributes = stride, padding, dilation, transposed, extra, groups, 0
                ends.append(FORWARD(*given, *attributes, compute="exact").output.astype(np.float64))
            quotient = float((wide * (ends[0] - ends[1])).sum()) / 2
            exact = result.astype(np.float64)
            slack = 2.0**-23 * float((np.abs(wide) * (np.abs(ends[0]) + np.abs(ends[1]))).sum())
            slack += 2.0**-23 * float((np.abs(exact) * np.abs(direction)).sum())
            assert quotient == pytest.approx(float((exact * direction).sum()), abs=slack + 1e-12)
