"""What a recording says of failures and of products, and that it is what the checks say."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from aclspec import ops
from aclspec.cli.main import main
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.replay.arguments import NotKnown, values_of
from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.recording import RecordedCall
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from aclspec.runtime.testing.expected import arguments
from tests.replay.conftest import Write, line, prelu, tensor
from tests.support.suites import own_suite


def shown(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["replay", *map(str, words)]) == 0
    return capsys.readouterr().out


def summary(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    return json.loads(shown(capsys, *words, "--json"))


def test_why_a_call_failed(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(prelu(2), *[prelu(3, status=161002, rule="aclnnPrelu.weight-numel")] * 2)
    text = shown(capsys, path)
    assert "3 calls in 1 file, 2 of them different" in text
    assert "2 times on atlas_a2: 161002 (ACLNN_ERR_PARAM_INVALID)" in text
    assert "aclnnPrelu.weight-numel: The number of elements of weight is 3; it must be 1 or" in text
    assert "weight=float32[3]:ND" in text
    found = summary(capsys, path, "--lang", "zh")["failures"]
    assert [one["count"] for one in found] == [2]
    assert "weight" in found[0]["reasons"][0]
    assert not found[0]["reasons"][0].isascii()
    assert found[0]["fixes"]


def test_tables_are_in_the_language_asked_for(
    write: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Titles, heads and what stands in cells; names, dtypes, products and ids of rules are the same in both."""
    path = write(prelu(2), prelu(3, status=161002), line("aclnnNoSuchThing", {"x": tensor(2)}), '{"operator')
    words = (path, "--product", "all", "--backend", "numpy")
    asked = shown(capsys, *words, "--lang", "zh")
    monkeypatch.setenv("ACLSPEC_LANG", "zh")
    assert re.sub(r"[\d.\s─]", "", shown(capsys, *words)) == re.sub(r"[\d.\s─]", "", asked)  # but for times
    for text in ("算子", "次数", "各产品上的调用", "重新运行", "文档未列", "上的障碍", "修改建议", "说明：", "不完整"):
        assert text.rstrip("：") in asked
    known = {"aclnnPrelu", "aclnnNoSuchThing", "weight", "self", "out", "float", "int", "CANN", "jsonl", "calls", "tmp"}
    left = [word for word in re.findall(r"[a-z]{4,}", strip_names(asked)) if word not in known]
    assert left == []


def strip_names(text: str) -> str:
    """The text without what is no word: paths, names of operators and products, rules, tensors, statuses."""
    text = re.sub(r"/\S+|aclnn\w+(\.[\w-]+)?|atlas_\w+|ascend_\w+|--\w+", "", text)
    return re.sub(r"\w+=|\w+\[[\d,]*\](:ND)?|\(ACLNN\w+\)", "", text)


def test_a_failure_that_no_rule_explains(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert "No rule of the specs explains this." in shown(capsys, write(prelu(2, status=561000)))
    failed = {"status": 361001, "nanoseconds": 1, "executor": "new"}
    assert "Phase two failed." in shown(capsys, write(prelu(2, second=failed)))


def test_operators_without_a_spec_are_not_judged(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(line("aclnnNoSuchThing", {"x": tensor(2)}), line("aclnnNoSuchThing", {"x": 1}, status=161002))
    found = summary(capsys, path, "--product", "all")
    assert [one["judged"] for one in found["operators"]] == [False]
    assert all(port["calls"]["not judged"] == 2 for port in found["ports"])
    assert found["failures"][0]["reasons"] == ["The operator has no spec."]


def test_products(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """A dtype that an old product lacks stands in the way there, and the report says which."""
    narrow = {
        name: tensor(*shape, dtype="BF16") for name, shape in (("self", (4, 2)), ("weight", (2,)), ("out", (4, 2)))
    }
    path = write(prelu(2), *[line("aclnnPrelu", narrow)] * 3)
    found = {port["product"]: port for port in summary(capsys, path, "--product", "all")["ports"]}
    assert list(found) == list(KEYS)
    assert found["atlas_a2"]["calls"]["works"] == 4
    obstacles = found["atlas_training"]["obstacles"]
    assert sum(one["calls"] for one in obstacles) == 3
    assert "BF16" in obstacles[0]["reason"]
    one = summary(capsys, path, "--product", "910B", "--product", "A3")["ports"]
    assert [port["product"] for port in one] == ["atlas_a2", "atlas_a3"]
    text = shown(capsys, path, "--product", "all")
    assert "What stands in the way on atlas_training" in text
    assert "What stands in the way on atlas_a2" not in text


def as_recorded(value: Any) -> Any:
    """An argument as the layer writes it, by another way than the layer."""
    if isinstance(value, Tensor):
        one = tensor(*value.shape, dtype=value.dtype.name, format="ND" if value.format is None else value.format.name)
        if not value.is_contiguous or value.offset:
            one |= {"strides": list(value.strides), "offset": value.offset}
        return one if value.storage_shape == value.shape else one | {"storage_shape": list(value.storage_shape)}
    if isinstance(value, Scalar):
        return {"dtype": value.dtype.name, "value": value.value}
    if isinstance(value, tuple):
        return [as_recorded(one) for one in value]
    return getattr(value, "name", value)


@pytest.mark.parametrize("name", ops.names()[::8])
def test_a_recorded_call_is_judged_as_the_call_itself(name: str) -> None:
    operator = ops.get(name)
    judge = Judge(ops.get)
    suite = own_suite(name).suite
    for case in suite.cases[:40]:
        given = arguments(operator.info, suite.call(case))
        call = RecordedCall(operator.name, "atlas_a2", {key: as_recorded(value) for key, value in given.items()}, "")
        for product in KEYS:
            verdict = operator.explain(**given, product=product)[product]
            answer = judge.answer(call, product)
            assert answer.kind == verdict.verdict, (case.id, product)
            assert answer.rule == (verdict.deciding.rule or verdict.deciding.caveat)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"self": {"destroyed": True}}, "The content of self was destroyed before the call."),
        ({"self": {"unknown": True}}, "The content of self was not seen when it was created."),
        ({"self": tensor(2, dtype="FLOAT99")}, "The value of self"),
        ({"self": tensor(2) | {"shape": [True]}}, "The value of self"),
        ({"self": tensor(2) | {"strides": [1, 2]}}, "The value of self"),
        ({"self": 3}, "The value of self"),
        ({"more": 3}, "The operator has no parameter more: the recording has another signature."),
    ],
)
def test_arguments_that_cannot_be_judged(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(NotKnown) as caught:
        values_of(ops.get("aclnnPrelu").info, prelu(2)["arguments"] | changed)
    assert str(caught.value).startswith(sentence)


def test_numbers_that_json_does_not_have() -> None:
    add = ops.get("aclnnAdd").info
    given = {"self": tensor(2), "other": tensor(2), "out": tensor(2)}
    for value, expected in (("-inf", -float("inf")), (2, 2.0)):
        found = values_of(add, given | {"alpha": {"dtype": "FLOAT", "value": value}})["alpha"]
        assert (found.value, found.dtype.name) == (expected, "FLOAT")
    assert values_of(add, given | {"alpha": {"dtype": "BOOL", "value": 1}})["alpha"].value is True
