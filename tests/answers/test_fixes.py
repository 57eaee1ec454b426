"""Fixes of derived violations, judged by the generated checks, which share no code with the search."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import pytest

from aclspec import ops
from aclspec.runtime import Tensor
from aclspec.runtime.abi.dtypes import DType
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
    assert [fix.sentence for fix in found.fixes][:1] == ["Set dim to -1."]
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


def test_a_dtype_of_the_same_kind_is_proposed_before_another() -> None:
    for dtype, sentence in (("uint16", "Give self the dtype INT32."), ("complex64", "Give self the dtype BF16.")):
        found = ops.get("relu").explain(Tensor((2,), dtype), product="atlas_a2")
        assert [fix.sentence for fix in found.fixes] == [sentence]


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
