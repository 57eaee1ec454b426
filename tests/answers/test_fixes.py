"""Fixes of derived violations, judged by the generated checks, which share no code with the search."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import pytest

from aclspec import ops
from aclspec.cli import values
from aclspec.runtime import Tensor
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.products import read_product
from aclspec.runtime.api.explain import explain
from aclspec.runtime.api.fixes import BUDGET
from aclspec.runtime.search.call import Call
from aclspec.runtime.search.oracle import Kind, Oracle
from aclspec.runtime.search.space import Space
from aclspec.runtime.tensors.tensor import Scalar
from aclspec.runtime.testing.amount import amount
from tests.agreement.test_agreement import derived_calls
from tests.support.operators import some


@pytest.mark.parametrize("name", some(16, small=4))
def test_a_fixed_call_passes_the_generated_check(name: str, repository: Path) -> None:
    operator = ops.get(name)
    calls = derived_calls(operator, repository)
    for call in Random(name).sample(calls, min(amount(4, 4, 30), len(calls))):
        for mode in ("document", "library"):
            verdict = explain(operator.info, call, "atlas_a2", mode)["atlas_a2"]
            assert not (verdict.works and verdict.fixes)
            for fix in verdict.fixes:
                answer = operator.check("atlas_a2", mode == "library", *(call | dict(fix.changes)).values())
                assert answer is None or answer.status(mode == "library") == 0, f"{name}: {verdict}"


def test_several_products_have_no_one_answer() -> None:
    found = ops.get("add").explain(1, 2)
    with pytest.raises(ValueError, match=r"about 6 products; take that of one of atlas_inference, "):
        _ = found.status
    assert len(repr(found).splitlines()) <= 40
    assert found._repr_html_().startswith("<table>")


def test_a_dtype_argument_and_numbers_without_an_integer_beside_them() -> None:
    """What the form of a random call showed: an argument that is a dtype, an infinity, NaN, a complex number."""
    image = Tensor.parse("float32[2,3]")
    found = ops.get("cumsum").explain(self=image, dim=5, dtype=DType.FLOAT, product="atlas_a2")
    assert [fix.sentence for fix in found.fixes][:1] == ["Set dim to 1."]
    integers = Tensor.parse("int32[4,2]")
    for alpha in (math.inf, math.nan):
        assert ops.get("add").explain(self=integers, other=integers, alpha=alpha, product="atlas_a2").fixes
    weight = Tensor.parse("float32[5]")
    found = ops.get("layer_norm").explain(
        input=image, normalized_shape=(3,), eps=math.nan, weight_optional=weight, product="atlas_a2"
    )
    assert found.fixes[0].sentence == "Give weightOptional the shape [3]."
    small = Tensor.parse("bfloat16[4]")
    found = ops.get("muls").explain(self=small, other=Scalar(2, DType.COMPLEX128), out=small, product="atlas_a2")
    assert "Give other the dtype BF16." in [fix.sentence for fix in found.fixes]


@pytest.mark.parametrize(
    ("given", "product", "sentences"),
    [
        (("int8", "uint8", "bool"), "atlas_a2", ["Give out the dtype INT16."]),  # which promotion makes of the two
        (("int32", "float16", "int32"), "atlas_a2", ["Give out the dtype FLOAT16.", "Give other the dtype INT32."]),
        (("float32", "int64", "int64"), "atlas_a2", ["Give out the dtype FLOAT.", "Give self the dtype INT64."]),
        (("int8", "uint16", "int8"), "atlas_a2", ["Give other the dtype INT8."]),
    ],
)
def test_a_dtype_that_has_to_do_with_the_call_is_proposed_first(
    given: tuple[str, str, str], product: str, sentences: list[str]
) -> None:
    one, other, out = (Tensor((2,), dtype) for dtype in given)
    found = ops.get("maximum").explain(one, other, out=out, product=product)
    assert [fix.sentence for fix in found.fixes] == sentences


MATRICES = {"cubeMathType": "1"}
PICTURE = {"kernelSize": "2,2", "stride": "2,2", "padding": "0,0", "dilation": "1,1", "ceilMode": "false"}
HEADS = dict.fromkeys(("query", "key", "value"), "float16[2,3,8,16]") | {
    "scaleValue": "1.0",
    "keepProb": "1.0",
    "preTokens": "65536",
    "nextTokens": "65536",
    "headNum": "3",
    "inputLayout": "BNSD",
    "innerPrecise": "0",
    "sparseMode": "0",
}
NEAREST: list[tuple[str, str, dict[str, str], list[str]]] = [
    # the dtype that keeps the most
    (
        "softmax_backward",
        "A2",
        {"gradOutput": "float64[4,2]", "output": "float64[4,2]", "dim": "1"},
        ["Give gradOutput and output the dtype FLOAT."],
    ),
    ("relu", "A2", {"self": "uint64[4]"}, ["Give self the dtype INT64."]),
    ("relu", "A2", {"self": "uint16[4]"}, ["Give self the dtype INT32."]),
    ("softmax", "910A", {"self": "bfloat16[4,2]", "dim": "1"}, ["Give self the dtype FLOAT."]),
    # nothing that changes what is computed: no real numbers for complex ones, no numbers for a mask, no mask left out
    ("relu", "A2", {"self": "complex64[4]"}, []),
    ("index_select", "A2", {"self": "float32[4,2]", "dim": "0", "index": "bool[4]"}, []),
    (
        "flash_attention_score",
        "A2",
        HEADS | {"attenMaskOptional": "int8[8,8]"},
        ["Give attenMaskOptional the dtype UINT8."],
    ),
    (
        "flash_attention_score",
        "A2",
        HEADS | {"attenMaskOptional": "bool[2,8,8]"},
        ["Add axes of size 1 to attenMaskOptional, so that the shape is [2, 1, 8, 8]."],
    ),
    # the last axis, and not the same number of an axis among more of them
    ("softmax", "A2", {"self": "float32[2,3,4]", "dim": "5"}, ["Set dim to 2."]),
    ("softmax", "A2", {"self": "float32[2,3,4]", "dim": "-5"}, ["Set dim to -1."]),
    ("softmax", "A2", {"self": "float32[2,3]", "dim": "3"}, ["Set dim to 1."]),
    ("softmax", "A2", {"self": "float32[2,3]", "dim": "2"}, ["Set dim to 1."]),
    # leading axes become one
    (
        "mm",
        "A2",
        MATRICES | {"self": "float16[2,3,4]", "mat2": "float16[4,5]"},
        ["Flatten the leading axes of self to the shape [6, 4]."],
    ),
    (
        "relu",
        "A2",
        {"self": "float32[2,2,2,2,2,2,2,2,3]"},
        ["Flatten the leading axes of self to the shape [4, 2, 2, 2, 2, 2, 2, 3]."],
    ),
    # several steps
    (
        "matmul",
        "A2",
        MATRICES | {"self": "float16[4,2]", "mat2": "int32[3,3]"},
        ["Give mat2 the dtype FLOAT16. Give mat2 the shape [2, 3]."],
    ),
    (
        "mm",
        "A2",
        MATRICES | {"self": "float64[2,3,4]", "mat2": "float64[4,5]"},
        ["Give self the dtype FLOAT. Give mat2 the dtype FLOAT. Flatten the leading axes of self to the shape [6, 4]."],
    ),
    (
        "max_pool2d_with_mask",
        "A2",
        PICTURE | {"self": "float32[8,8]:ND"},
        ["Give self the format NCHW. Add axes of size 1 to self, so that the shape is [1, 1, 8, 8]."],
    ),
]


@pytest.mark.parametrize(("name", "alias", "texts", "sentences"), NEAREST)
def test_what_is_nearest_in_meaning_is_proposed(
    name: str, alias: str, texts: dict[str, str], sentences: list[str]
) -> None:
    operator, product = ops.get(name), read_product(alias).key
    given: Any = {key: values.parse(operator.info.param(key), text) for key, text in texts.items()}
    fixes = operator.explain(**given, product=product)[product].fixes
    assert [fix.sentence for fix in fixes] == sentences
    for fix in fixes:
        assert operator.explain(**given | dict(fix.changes), product=product)[product].works


PRODUCT = {"self": "float32[4,2]", "mat2": "float32[2,3]"}


@pytest.mark.parametrize(
    ("math_type", "alias", "note"),
    [
        (
            "2",
            "A2",
            "It is computed in FLOAT16, in which numbers beyond 65504 are infinite. With cubeMathType = 0 it is not.",
        ),
        ("1", "310P", "It is computed in FLOAT16, in which numbers beyond 65504 are infinite."),
        ("0", "A2", ""),
        ("1", "A2", ""),
    ],
)
def test_a_call_that_overflows_in_float16_says_so(math_type: str, alias: str, note: str) -> None:
    operator, product = ops.get("mm"), read_product(alias).key
    texts = PRODUCT | {"cubeMathType": math_type}
    given: Any = {key: values.parse(operator.info.param(key), text) for key, text in texts.items()}
    assert operator.explain(**given, product=product)[product].document.note == note


def test_a_fix_into_float16_says_that_it_holds_less() -> None:
    wide, narrow = Tensor.parse("float32[4]"), Tensor.parse("float16[4]")
    fixes = ops.get("relu").explain(wide, out=narrow, product="atlas_a2").fixes
    assert "Give self the dtype FLOAT16, in which numbers beyond 65504 are infinite." in [str(fix) for fix in fixes]


@pytest.mark.parametrize("name", some(16, small=4))
def test_a_fix_of_document_mode_is_one_that_cann_takes(name: str, repository: Path) -> None:
    operator = ops.get(name)
    calls = derived_calls(operator, repository)
    for call in Random(name).sample(calls, min(4, len(calls))):
        for fix in explain(operator.info, call, "atlas_a2")["atlas_a2"].fixes:
            assert fix.portable
            assert explain(operator.info, call | dict(fix.changes), "atlas_a2")["atlas_a2"].library.works


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("cat", ([Tensor((2, 3), "float32")] * 12, 5)),
        ("inplace_copy", (Tensor((4, 2, 3, 3, 3), "float32"), Tensor((5, 2, 3, 3, 7), "float32"))),
        ("relu", (Tensor((2,) * 64, "float32"),)),
        ("cat", ([Tensor((2,), "float32")] * 1000, 5)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_search_has_a_budget(name: str, arguments: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each changed call is asked about in two modes at most, once for all products with the same rules."""
    asked = 0
    is_valid = Oracle.is_valid

    def counted(self: Oracle, call: Call, kind: Kind) -> bool:
        nonlocal asked
        asked += 1
        return is_valid(self, call, kind)

    monkeypatch.setattr(Oracle, "is_valid", counted)
    operator = ops.get(name)
    first = str(operator.explain(*arguments, product="all"))
    kinds = Oracle(Space(operator.info)).kinds
    assert asked <= 2 * BUDGET * len(kinds)
    assert asked <= 30_000
    if name != "cat":
        assert first == str(operator.explain(*arguments, product="all"))
