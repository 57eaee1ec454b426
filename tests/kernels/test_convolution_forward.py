"""Convolution as an operator: its precision by product and cubeMathType, its shapes, its bad input."""

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
from tests.support.convolving import Case, forward, random_case
from tests.support.numerics import SAMPLES, Array, laid_out, operands, peer

CONVOLUTION: Operator = ops.get("aclnnConvolution")
FLOATS: dict[str, Any] = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
HALF, BRAIN, SINGLE, REDUCED = DType.FLOAT16, DType.BF16, DType.FLOAT, DType.HFLOAT32
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


def call_of(case: Case, tensors: Iterable[Any], math: int = 0) -> dict[str, Any]:
    """The arguments of a case; the tensors are input, weight and bias."""
    stride, padding, dilation, transposed, extra, groups = case.attributes
    given = dict(zip(("input", "weight", "bias"), tensors, strict=True))
    attributes = {"stride": stride, "padding": padding, "dilation": dilation, "transposed": transposed}
    return given | attributes | {"outputPadding": extra, "groups": groups, "cubeMathType": math}


def legal(rng: np.random.Generator, axes: int = 3) -> Case:
    while True:
        case = random_case(rng)
        if case.axes <= axes:
            return case


def drawn(rng: np.random.Generator, case: Case, dtype: Any) -> list[Array]:
    shapes = case.input, case.weight, (case.channels,)
    return [laid_out(rng, rng.standard_normal(shape).astype(dtype)) for shape in shapes]


@pytest.mark.parametrize(
    ("products", "name", "math", "operand"),
    [pytest.param(*one, id=f"{one[0][0]}-{one[1]}-{one[2]}") for one in COMPUTED],
)
@pytest.mark.parametrize("biased", [True, False])
def test_random_calls(
    products: tuple[str, ...],
    name: str,
    math: int,
    operand: DType,
    biased: bool,
    rng: np.random.Generator,
    within: Callable[..., None],
) -> None:
    for turn in range(SAMPLES // 4):
        product = products[turn % len(products)]
        case = legal(rng, 2 if products is OLD else 3)
        x, weight, bias = drawn(rng, case, FLOATS[name])
        call = call_of(case, (x, weight, bias if biased else None), math)
        found = CONVOLUTION(**call, product=product).output
        wide = operands(x, operand), operands(weight, operand)
        shift = bias.astype(np.float64) if biased else np.zeros(case.channels)
        assert found.dtype == FLOATS[name]
        exact, sizes = forward(case, *wide, shift), forward(case, np.abs(wide[0]), np.abs(wide[1]), np.abs(shift))
        within(CONVOLUTION, call, "output", found, exact, sizes, product=product)


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
    value = 1 + 2.0**-12 + 2.0**-20
    case = Case((1, 1, 1), (1, 1, 1), (1,), (0,), (1,))
    one, fine = np.ones((1, 1, 1), np.float32), np.full((1, 1, 1), value, np.float32)
    for pair in ((one, fine), (fine, one)):
        assert CONVOLUTION(**call_of(case, (*pair, None), math), product=product).output.item() == wanted
        exact = CONVOLUTION(**call_of(case, (*pair, None), math), product=product, compute="exact").output
        assert exact.item() == value


def test_mixed_dtypes(rng: np.random.Generator) -> None:
    case = Case((1, 2, 4), (3, 2, 2), (1,), (0,), (1,))
    half, brain, single = (FLOATS[name] for name in ("float16", "bfloat16", "float32"))
    for kinds, wanted in [
        ((half, single, half), single),
        ((single, half, half), single),
        ((brain, half, single), single),
        ((half, half, brain), half),
        ((brain, brain, single), brain),
    ]:
        given = [one.astype(kind) for one, kind in zip(drawn(rng, case, np.float64), kinds, strict=True)]
        found = CONVOLUTION(**call_of(case, given), product="atlas_a2").output
        assert found.dtype == wanted
        x, weight, bias = (one.astype(np.float64) for one in given)
        exact = forward(case, x, weight, bias)
        np.testing.assert_allclose(found.astype(np.float64), exact, rtol=2.0**-7, atol=1e-2)


def test_against_torch_exactly(rng: np.random.Generator) -> None:
    torch = peer()
    for _ in range(SAMPLES):
        case = legal(rng)
        if any(begin != end for begin, end in case.pads):
            continue  # PyTorch has no such padding
        given = drawn(rng, case, np.float32)
        pads = tuple(begin for begin, _ in case.pads)
        attributes = case.stride, pads, case.dilation, case.transposed, case.extra, case.groups
        exact = torch.convolution(*(torch.tensor(one.astype(np.float64)) for one in given), *attributes)
        found = CONVOLUTION(**call_of(case._replace(padding=pads), given), compute="exact").output
        np.testing.assert_allclose(found, exact.numpy().astype(np.float32), rtol=2.0**-22, atol=2.0**-40)


@pytest.mark.parametrize("conformance", ["document", "library"])
@pytest.mark.parametrize("product", [*OLD, *NEW])
def test_no_samples(conformance: str, product: str) -> None:
    case = Case((0, 2, 5, 5), (4, 1, 2, 2), (1, 1), (0, 1), (1, 1), groups=2)
    given = (np.ones(case.input, np.float16), np.ones(case.weight, np.float16), np.ones(4, np.float16))
    found = CONVOLUTION(**call_of(case, given), product=product, conformance=conformance).output
    assert found.shape == case.output


GOOD: dict[str, Any] = {
    "input": Tensor.parse("float32[2,2,4,4]"),
    "weight": Tensor.parse("float32[4,1,2,2]"),
    "bias": Tensor.parse("float32[4]"),
    "stride": (1, 1),
    "padding": (0, 0),
    "dilation": (1, 1),
    "transposed": False,
    "outputPadding": (0, 0),
    "groups": 2,
    "cubeMathType": 1,
}
OUTPUT = Tensor.parse("float32[2,4,3,3]")
HUGE = 2**63 - 1
SCANT = Tensor.parse("float32[0,2,4,4]")
TRANSPOSED: dict[str, Any] = {
    "input": Tensor.parse("float32[2,4,2,2]"),
    "transposed": True,
    "bias": Tensor.parse("float32[2]"),
}
LONG: dict[str, Any] = {"weight": Tensor.parse("float32[4,1,258,2]")}


def refused(changes: dict[str, Any], conformance: str | None = None, product: str | None = None) -> tuple[int, str]:
    """The status and the rule of a call that is wrong."""
    call = GOOD | {"output": OUTPUT} | changes
    out = call.pop("output")
    with pytest.raises(AclnnError) as caught:
        CONVOLUTION(**call, out=out, conformance=conformance, product=product)
    return int(caught.value.status), str(caught.value.rule).partition(".")[2]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        *(
            pytest.param({name: (one,) * count}, f"{kebab}-length", id=f"{kebab}-of-{count}")
            for name, kebab, one in (
                ("stride", "stride", 1),
                ("padding", "padding", 0),
                ("dilation", "dilation", 1),
            )
            for count in (0, 1, 3, 5)
        ),
        *(
            pytest.param(
                {"outputPadding": (0,) * count, "transposed": True},
                "output-padding-length",
                id=f"output-padding-of-{count}",
            )
            for count in (0, 1, 3, 4, 5)
        ),
        pytest.param({"stride": (0, 1)}, "stride-positive", id="zero-stride"),
        pytest.param({"stride": (1, -1)}, "stride-positive", id="negative-stride"),
        pytest.param({"dilation": (0, 1)}, "dilation-positive", id="zero-dilation"),
        pytest.param({"dilation": (1, -1)}, "dilation-positive", id="negative-dilation"),
        pytest.param({"outputPadding": (0, -1), "transposed": True}, "output-padding-non-negative", id="below-zero"),
        pytest.param({"outputPadding": (1, 0), "transposed": True}, "output-padding-below-stride", id="as-stride"),
        pytest.param({"groups": 0}, "groups-positive", id="no-groups"),
        pytest.param({"groups": -2}, "groups-positive", id="negative-groups"),
        pytest.param({"groups": 3}, "group-channels", id="wrong-groups"),
        pytest.param({"groups": HUGE, "transposed": True}, "weight-channels", id="huge-groups"),
        pytest.param({"cubeMathType": -1}, "value-cube-math-type", id="negative-math"),
        pytest.param({"cubeMathType": 4}, "value-cube-math-type", id="math-of-4"),
        pytest.param({"padding": (1, 1)}, "output-shape", id="wrong-size"),
        pytest.param({"output": Tensor.parse("float32[1,4,3,3]")}, "output-shape", id="wrong-batch"),
        pytest.param({"bias": Tensor.parse("float32[3]")}, "bias-shape", id="short-bias"),
        pytest.param({"bias": Tensor.parse("float32[1,4]")}, "bias-shape", id="flat-bias"),
        *(
            pytest.param({name: None}, f"null-{kebab}", id=f"null-{kebab}")
            for name, kebab in (
                ("input", "input"),
                ("weight", "weight"),
                ("stride", "stride"),
                ("padding", "padding"),
                ("dilation", "dilation"),
            )
        ),
        pytest.param({"bias": Tensor.parse("float32[4]:NHWC")}, "format-bias", id="bias-nhwc"),
    ],
)
def test_bad_input(changes: dict[str, Any], rule: str) -> None:
    null = rule.startswith("null-")
    status = Status.ACLNN_ERR_PARAM_NULLPTR if null else Status.ACLNN_ERR_PARAM_INVALID
    assert refused(changes) == (status, rule)
    if rule != "output-shape":  # nor is there another answer where the output follows, or does not, from the inputs
        assert refused(changes | {"output": None}) == (status, rule)
        assert refused(changes | {"output": None}, "library") == (status, rule)


@pytest.mark.parametrize(
    ("changes", "rule", "in_library"),
    [
        *(
            pytest.param(
                {"outputPadding": (0,) * count}, "output-padding-length-plain", "", id=f"output-padding-{count}"
            )
            for count in (0, 1, 3, 4)
        ),
        pytest.param({"outputPadding": None}, "null-output-padding-plain", "", id="null-output-padding"),
        pytest.param({"padding": (0, -1)}, "padding-non-negative", "", id="negative-padding"),
        pytest.param({"padding": (0, 0, 0, -1)}, "padding-non-negative", "", id="negative-padding-of-four"),
        pytest.param({"padding": (0, -2)}, "padding-non-negative", "kernel-fits", id="padding-that-leaves-nothing"),
        pytest.param({"dilation": (4, 1)}, "kernel-fits-always", "kernel-fits", id="kernel-too-wide"),
        pytest.param(
            {"dilation": (4, 1), "input": SCANT}, "kernel-fits-always", "", id="kernel-too-wide-for-no-samples"
        ),
        pytest.param(
            {"input": Tensor.parse("float32[2,2,0,4]"), "padding": (1, 0)}, "input-sizes", "output-empty-too", id="rows"
        ),
        pytest.param({"weight": Tensor.parse("float32[0,1,2,2]"), "bias": None}, "weight-sizes", "", id="no-weight"),
        pytest.param(
            TRANSPOSED | {"padding": (2, 0)}, "output-not-empty", "output-sizes-non-negative", id="cut-beyond"
        ),
        pytest.param(TRANSPOSED | {"padding": (3, 0, 0, 0)}, "output-not-empty", "", id="cut-to-nothing"),
        pytest.param(
            TRANSPOSED | {"bias": Tensor.parse("float32[2]:NCHW")}, "bias-format-transposed", "", id="bias-nchw"
        ),
        pytest.param(TRANSPOSED | LONG, "", "kernel-beyond-padding-2d-height", id="long-kernel"),
    ],
)
def test_what_the_library_does_otherwise(changes: dict[str, Any], rule: str, in_library: str) -> None:
    null = Status.ACLNN_ERR_PARAM_NULLPTR if rule.startswith("null-") else Status.ACLNN_ERR_PARAM_INVALID
    nothing = Status.ACLNN_ERR_RUNTIME_ERROR, ""  # accepted, but these tensors have no data
    empty = changes.get("input") == SCANT or "weight" in changes or changes.get("padding") == (3, 0, 0, 0)
    assert refused(changes | {"output": None}) == ((null, rule) if rule else nothing)
    if empty and not in_library:
        call = GOOD | changes
        assert 0 in CONVOLUTION(**call, conformance="library").output.shape
    else:
        found = refused(changes | {"output": None}, "library")
        assert found == ((Status.ACLNN_ERR_PARAM_INVALID, in_library) if in_library else nothing)


def test_the_library_cuts_the_edges_off_where_padding_is_negative(rng: np.random.Generator) -> None:
    case = Case((2, 2, 7, 6), (4, 1, 2, 3), (2, 1), (-1, 1), (1, 2), groups=2)
    given = drawn(rng, case, np.float32)
    x, weight, bias = (one.astype(np.float64) for one in given)
    exact = forward(case._replace(input=(2, 2, 5, 6), padding=(0, 1)), x[:, :, 1:-1], weight, bias)
    found = CONVOLUTION(**call_of(case, given, 1), compute="exact", conformance="library").output
    np.testing.assert_allclose(found, exact, rtol=2.0**-22, atol=2.0**-20)


def test_one_axis_may_have_two_paddings(rng: np.random.Generator) -> None:
    for conformance in ("document", "library"):
        case = Case((2, 2, 7), (4, 1, 3), (2,), (2, 1), (1,), groups=2)
        given = drawn(rng, case, np.float32)
        found = CONVOLUTION(**call_of(case, given, 1), compute="exact", conformance=conformance).output
        exact = forward(case, *(one.astype(np.float64) for one in given))
        np.testing.assert_allclose(found, exact, rtol=2.0**-20, atol=2.0**-20)


def test_an_output_padding_may_reach_the_stride_below_the_dilation(rng: np.random.Generator) -> None:
    case = Case((1, 2, 4), (2, 3, 3), (1,), (1,), (3,), True, (2,))
    given = drawn(rng, case, np.float32)
    found = CONVOLUTION(**call_of(case, given, 1), compute="exact").output
    np.testing.assert_allclose(
        found, forward(case, *(one.astype(np.float64) for one in given)), rtol=2.0**-20, atol=2.0**-20
    )


def test_the_rule_says_why_no_output_follows() -> None:
    call = GOOD | {"stride": (1, 1, 1)}
    with pytest.raises(AclnnError) as caught:
        CONVOLUTION(**call, product="atlas_a2")
    assert str(caught.value).splitlines() == [
        "The length of stride is 3; it must be 4 - 2 = 2, the rank of input minus 2.",
        " - while checking rule aclnnConvolution.stride-length for atlas_a2",
        " - while calling aclnnConvolution",
    ]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("product", [*OLD, *NEW])
def test_sizes_beyond_int64_do_no_harm(transposed: bool, product: str) -> None:
    extremes = {"stride": (HUGE, HUGE), "padding": (HUGE, HUGE), "dilation": (HUGE, HUGE), "transposed": transposed}
    for tensor in ("float32[2,2,4,4]", f"float32[{HUGE},2,{HUGE},3]"):
        changes = extremes | {"input": Tensor.parse(tensor)}
        assert refused(changes, product=product)[0] == Status.ACLNN_ERR_PARAM_INVALID
        assert refused(changes, "library", product)[0] == Status.ACLNN_ERR_PARAM_INVALID


def test_an_output_that_overflows_int64_is_no_output() -> None:
    changes = {"transposed": True, "groups": 1, "stride": (HUGE, 1)}
    for given in ({}, {"output": None}):
        changes |= given | {"input": Tensor.parse("float32[2,4,4,4]"), "bias": None}
        status, _ = refused(changes)
        assert status != Status.ACLNN_SUCCESS


def test_tensors_larger_than_memory_are_refused_by_their_shapes() -> None:
    size = 2**40
    changes = {
        "input": Tensor(shape=(size, 2, 4, 4), dtype=SINGLE),
        "output": Tensor(shape=(size, 4, 3, 3), dtype=SINGLE),
    }
    assert refused(changes)[0] == Status.ACLNN_ERR_RUNTIME_ERROR
