"""What follows from pasted texts: all are made up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aclspec import ops
from aclspec.runtime.why.answer import Why
from aclspec.runtime.why.dtypes import keeps_most, taken

LANGUAGES = ("en", "zh")


def says(found: Why, at: int = 0) -> str:
    return "\n".join(found.answers[at].says)


def test_a_traceback_is_answered_from_the_rules() -> None:
    text = (
        "RuntimeError: call aclnnGelu failed, detail:EZ1001: Tensor self not implemented for DT_DOUBLE\n"
        "error code is 161002\n[device] Ascend910B2"
    )
    found = ops.why(text)
    (answer,) = found.answers
    allowed = taken(ops.get("aclnnGelu").info, "self", ["atlas_a2"])
    assert allowed is not None
    assert "DOUBLE" not in allowed
    assert f"self may not be DOUBLE on atlas_a2; it must be {', '.join(allowed[:-1])} or {allowed[-1]}." in says(found)
    assert "FLOAT keeps the most." in says(found)
    assert answer.next[0] == "aclspec explain gelu --self 'DOUBLE[SHAPE]' --product atlas_a2"
    assert sorted(answer.facts["code"]) == ["161002", "EZ1001"]


def test_a_dtype_that_the_rules_take_is_refused_by_the_installed_cann_alone() -> None:
    text = (
        "call aclnnSoftmax failed: Tensor self not implemented for DT_DOUBLE, dtype support list [DT_FLOAT,DT_FLOAT16]"
    )
    assert "DOUBLE" in (taken(ops.get("aclnnSoftmax").info, "self", ["atlas_a2"]) or ())
    found = says(ops.why(text, "atlas_a2"))
    assert "The installed CANN takes FLOAT and FLOAT16 for self, and not DOUBLE. FLOAT keeps the most." in found
    assert "may not be DOUBLE" not in found


def test_facts_over_lines_go_to_their_operator() -> None:
    text = (
        "ASCEND310P3 starts\n"
        "aclnnMulGetWorkspaceSize returned 161001\n"
        "got null for argument other\n"
        "aclnnAddGetWorkspaceSize returned 561103\n"
    )
    found = ops.why(text)
    assert [one.operator for one in found.answers] == ["aclnnMul", "aclnnAdd"]
    mul, add = (one.facts for one in found.answers)
    assert (mul["code"], mul["parameter"], mul["soc"]) == (("161001",), ("other",), ("ASCEND310P3",))
    assert (add["code"], add.get("parameter"), add["soc"]) == (("561103",), None, ("ASCEND310P3",))
    assert "aclnnMul.null-other" in says(found)
    assert "null-self" not in says(found)


def test_equal_lines_belong_to_the_operator_before_each() -> None:
    found = ops.why("call aclnnMul failed\nerror code is 161001\ncall aclnnAdd failed\nerror code is 161001\n")
    assert [(one.operator, one.facts["code"]) for one in found.answers] == [
        ("aclnnMul", ("161001",)),
        ("aclnnAdd", ("161001",)),
    ]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_code_that_is_no_refusal_blames_no_rule(lang: Any) -> None:
    (answer,) = ops.why("aclnnGeluGetWorkspaceSize returned 561103", lang=lang).answers
    assert answer.checks
    assert "aclnnGelu." not in "\n".join(answer.says)
    assert not answer.next  # explaining the call would not help


def test_a_wrapper_says_nothing_where_another_code_does() -> None:
    titles = says(ops.why("ERR01100 OPS call acl api failed\nEZ9999\ncall aclnnAdd failed, error code is 561002"))
    assert titles.startswith("A limit behind the checks.")
    assert "torch_npu reports" not in titles
    assert says(ops.why("ERR01100")).startswith("torch_npu reports a failure below it.")
    assert says(ops.why("EE9999 error code is 507899")).startswith("The device or its driver failed.")
    assert says(ops.why("EE9999")).startswith("Something failed in the runtime.")
    assert ops.why("call aclnnAdd failed, EZ9999").answers[0].next[-1].startswith("aclspec layer run --record")


def test_a_report_of_the_layer_is_judged_as_a_call() -> None:
    text = (
        "aclspec layer: aclnnPreluGetWorkspaceSize returned 161002 (ACLNN_ERR_PARAM_INVALID)\n"
        "   - while checking rule aclnnPrelu.weight-numel for atlas_a2\n"
        "   - while calling aclnnPreluGetWorkspaceSize(self=FLOAT[4, 2]:ND, weight=FLOAT[3]:ND, out=FLOAT[4, 2]:ND)\n"
    )
    (answer,) = ops.why(text).answers
    assert answer.explanation is not None
    assert list(answer.explanation) == ["atlas_a2"]
    assert answer.explanation.rule == "aclnnPrelu.weight-numel"


def test_a_line_of_a_recording_is_judged_as_replay_does() -> None:
    tensor = {"dtype": "FLOAT", "shape": [4, 2], "format": "ND"}
    line = {
        "operator": "aclnnPrelu",
        "product": "atlas_a3",
        "arguments": {"self": tensor, "weight": {**tensor, "shape": [3]}, "out": tensor},
        "status": 161002,
        "nanoseconds": 1,
    }
    (answer,) = ops.why(json.dumps(line)).answers
    assert answer.explanation is not None
    assert (list(answer.explanation), answer.explanation.rule) == (["atlas_a3"], "aclnnPrelu.weight-numel")


def test_a_call_that_was_cut_is_asked_for() -> None:
    (answer,) = ops.why(
        "aclnnAddGetWorkspaceSize(self=FLOAT[2]:ND, other=?, alpha=FLOAT(1.5), out=FLOAT[2]:ND)"
    ).answers
    assert answer.explanation is None
    assert "The text does not say other." in answer.says
    assert "--self 'float32[2]:ND' --other 'DTYPE[SHAPE]' --alpha 1.5:float32" in answer.next[0]


def test_an_operator_that_is_only_declared_is_not_judged() -> None:
    found = says(ops.why("call aclnnAdvanceStep failed, error code is 161002"))
    assert "Only the signature of aclnnAdvanceStep is known here" in found
    assert "aclnnAdvanceStep." not in found


def test_an_unknown_operator_is_said_to_be_unknown() -> None:
    assert "The operator (aclnnSoftmaxx) is unknown (did you mean aclnnSoftmax?)." in says(
        ops.why("call aclnnSoftmaxx failed")
    )


def test_a_product_that_the_document_does_not_list_is_told() -> None:
    info = ops.get("aclnnMatmul").info
    assert "atlas_200i_500_a2" not in dict(info.products)
    assert "The document of aclnnMatmul does not list atlas_200i_500_a2." in says(ops.why("aclnnMatmul 161002", "310B"))


def test_a_function_of_pytorch_leads_to_its_operators() -> None:
    found = ops.why("torch.nn.functional.softmax fails")
    assert found.answers[0].operator == "aclnnSoftmax"
    assert "torch.nn.functional.softmax calls aclnnSoftmax on an NPU." in says(found)
    assert "It is not known here which operator torch.made_up calls." in says(ops.why("torch.made_up"))


def test_a_type_of_an_operator_leads_to_an_operator_of_its_name() -> None:
    found = ops.why("does not support opType [Gelu]")
    assert found.answers[0].operator == "aclnnGelu"
    assert "No operator that is known here has the type MadeUp." in says(ops.why("does not support opType [MadeUp]"))


def test_nothing_known_is_said() -> None:
    for text in ("", "hello", "42 \u6ca1\u6709"):
        found = ops.why(text)
        assert not found.found
        assert len(found.notes) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_answer_is_text_json_and_html(lang: Any) -> None:
    found = ops.why("aclnnAdd <b>x</b> error code is 161001", lang=lang)
    assert "161001 (ACLNN_ERR_PARAM_NULLPTR)" in str(found) == repr(found)
    data = json.loads(json.dumps(found.to_dict()))
    assert (data["version"], data["found"], data["answers"][0]["operator"]) == (1, True, "aclnnAdd")
    page = ops.why("torch.made_up.<b>", lang=lang)._repr_html_()
    assert "<b>" not in page.replace("<p><b>", "")


@pytest.mark.parametrize(
    ("dtype", "among", "best"),
    [
        ("DOUBLE", ("FLOAT16", "BF16", "FLOAT"), "FLOAT"),
        ("DOUBLE", ("INT64",), None),
        ("FLOAT", ("BF16", "FLOAT16"), "FLOAT16"),
        ("UINT64", ("INT32", "INT64", "FLOAT"), "INT64"),
        ("INT64", ("UINT64", "INT16", "INT32"), "INT32"),
        ("UINT8", ("INT64", "INT16"), "INT16"),
        ("COMPLEX128", ("FLOAT", "COMPLEX64"), "COMPLEX64"),
        ("COMPLEX64", ("FLOAT",), None),
        ("BOOL", ("INT32",), None),
    ],
)
def test_the_dtype_that_keeps_the_most_changes_no_kind(dtype: str, among: tuple[str, ...], best: str | None) -> None:
    assert keeps_most(dtype, among) == best
