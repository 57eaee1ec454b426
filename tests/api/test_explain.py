"""What explain takes, and what it answers without raising."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime import AclnnError, Tensor
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.api.operator import Operator


def rules(explanation: Any, product: str = "atlas_a2") -> list[str]:
    return [violation.rule.rpartition(".")[2] for violation in explanation[product].violations]


def test_every_product_answers(prelu: Operator) -> None:
    x = Tensor((4, 2), "bfloat16")
    found = prelu.explain(x, x, Tensor((2,), "bfloat16"))
    assert tuple(found) == KEYS
    assert [key for key in found if found[key].ok] == ["atlas_a2", "atlas_a3", "ascend_950"]
    assert tuple(prelu.explain(x, x, x, product="Ascend910B1")) == ("atlas_a2",)


def test_outputs_that_are_not_given_are_blamed_for_nothing(prelu: Operator, call: dict[str, Any]) -> None:
    assert rules(prelu.explain(**(call | {"self": None}))) == ["null-self"]
    assert rules(prelu.explain(**(call | {"weight": np.zeros(3, np.float32)}))) == ["weight-numel"]


def test_outputs_by_keyword_in_out_and_in_c_order(prelu: Operator, call: dict[str, Any]) -> None:
    bad, good = Tensor((2, 4), "float32"), Tensor((2,), "float32")
    expected = ["grad-input-shape"]
    assert rules(prelu.explain(**call, gradInput=bad)) == expected
    assert rules(prelu.explain(**call, grad_input=bad, grad_weight=good)) == expected
    assert rules(prelu.explain(**call, out={"gradInput": bad})) == expected
    assert rules(prelu.explain(**call, out=(bad, None))) == expected
    assert rules(prelu.explain(*call.values(), bad, good)) == expected
    assert rules(prelu.explain(*call.values(), None, good)) == ["null-grad-input"]


def test_a_tensor_needs_no_data_and_may_have_any_size(prelu: Operator) -> None:
    big = Tensor((1 << 40, 1 << 20), "float32")
    assert prelu.explain(big, big, Tensor((1 << 20,), "float32"), product="atlas_a2").ok


def test_conformance_and_language(prelu: Operator, call: dict[str, Any]) -> None:
    named = call | {"self": Tensor((4, 2), "float32", "NCHW")}
    assert rules(prelu.explain(**named)) == ["format-self"]
    assert rules(prelu.explain(**named, conformance="library")) == []
    chinese = prelu.explain(**named, lang="zh")["atlas_a2"].violations[0].sentence
    assert any("\u4e00" <= letter <= "\u9fff" for letter in chinese)


@pytest.mark.parametrize("bad", ["x", 3, ["a"], {}, np.array(["a"]), object()], ids=lambda bad: type(bad).__name__)
def test_a_value_of_the_wrong_type_is_an_answer(prelu: Operator, call: dict[str, Any], bad: object) -> None:
    for wrong in (call | {"self": bad}, call | {"out": {"gradInput": bad}}):
        found = prelu.explain(**wrong)
        assert tuple(found) == KEYS
        assert rules(found) == ["argument"]
        assert found["atlas_a2"].status == 161002
        name = "gradInput" if "out" in wrong else "self"
        sentence = found["atlas_a2"].violations[0].sentence
        assert sentence.startswith((f"The value of {name} (", f"The dtype of {name} ("))
        assert "\n" not in sentence


def test_what_fits_no_signature_still_raises(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="The argument weight is missing"):
        prelu.explain(call["gradOutput"], call["self"])
    with pytest.raises(ValueError, match="neither a product nor a SoC name"):
        prelu.explain(**call, product="every")


@pytest.mark.parametrize("conformance", ["document", "library"])
def test_an_element_outside_its_range_is_named_beside_the_answer(conformance: str) -> None:
    """Phase one does not see it, the kernel refuses it."""
    from aclspec import ops

    index_select, x = ops.get("aclnnIndexSelect"), np.zeros(3, np.float32)
    asked: dict[str, Any] = {"product": "atlas_a2", "conformance": conformance}
    found = index_select.explain(x, 0, np.array([2, 7]), **asked)["atlas_a2"]
    assert (found.works, found.status, found.violations) == (True, 0, ())
    assert found.note == "The element of index at (1,) (7) is outside its range, 0 <= element < 3."
    assert str(found) == f"atlas_a2: works\n  {found.note}"
    assert found.to_dict()["note"] == found.note
    zh = index_select.explain(x, 0, np.array([2, 7]), **asked, lang="zh")["atlas_a2"]
    assert zh.note == "index 在 (1,) 处的元素 (7) 超出范围 0 <= element < 3。"
    for silent in (np.array([2, 1]), Tensor((2,), "int64")):
        verdict = index_select.explain(x, 0, silent, **asked)["atlas_a2"]
        assert verdict.note == ""
        assert "note" not in verdict.to_dict()
    refused = index_select.explain(x, 3, np.array([7]), **asked)["atlas_a2"]
    assert not refused.works
    assert refused.note == ""


def test_a_bound_without_a_value_refuses_every_element() -> None:
    """Else a kernel would index with any number that it is given."""
    from aclspec import ops
    from aclspec.runtime.execution.elements import element_outside, require_elements

    embedding, weight, out = ops.get("aclnnEmbedding"), Tensor(data=np.zeros((), np.float32)), Tensor((1,), "float32")
    told = "The bound of the elements of indices (below) has no value in this call."
    values = [weight, Tensor(data=np.array([0])), out]
    with pytest.raises(AclnnError) as caught:
        require_elements(embedding, "atlas_a2", values)
    assert str(caught.value) == f"{told}\n - while calling aclnnEmbedding"
    call = {"weight": weight, "indices": Tensor((3,), "int64"), "out": out}
    assert element_outside(embedding.info, call, "atlas_a2") == told
    require_elements(embedding, "atlas_a2", [weight, Tensor(data=np.zeros(0, np.int64)), out])


def test_a_null_in_a_list_has_no_elements() -> None:
    from aclspec import ops
    from aclspec.runtime.rules.bounds import bounds_of

    index, first = Tensor((1,), "int64"), Tensor((2, 5), "float32")
    call = {"selfRef": first, "indices": (None, index), "values": first, "accumulate": False, "unsafe": False}
    found = [(name, bounds.below) for name, _, bounds in bounds_of(ops.get("index_put_impl").info, call, "atlas_a2")]
    assert found == [("indices[1]", 5)]
