"""The parameters that the reference of the spec language shows are read, every type and both kinds of inference."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.source.findings import SpecErrors
from aclspec.codegen.wording.rules import elements
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import Each
from aclspec.runtime.language.parser import parse
from aclspec.runtime.rules.operator_info import OperatorInfo
from tests.support.fences import blocks

HEAD = """\
op: aclnnTypes
header: aclnn_types.h
category: shown
summary: {en: Every type., zh: 各类型。}
products:
  - {product: atlas_a2, listed_by: newer}
dtypes:
  - row: {self: T, tensors: T, alpha: T, scalars: T, dtype: T, stateRef: T, out: T, parts: T}
    where: {T: [FLOAT, FLOAT16]}
    products: [atlas_a2]
    listed_by: newer
checks:
  - {product: all}
  - {null: all}
  - {dtype: all}
  - {dtypes: all}
  - {format: all}
  - {rank: all}
  - {length: all}
  - {value: all}
compute:
  kernel: shown:types
  precision: [{roles: {accumulate: FLOAT}}]
  tolerance:
    stateRef: {terms: 1, unit: FLOAT}
    out: {terms: 1, unit: FLOAT}
    parts: {terms: 1, unit: FLOAT}
"""


@pytest.fixture(params=["en", "zh"])
def shown(request: pytest.FixtureRequest, repository: Path) -> str:
    page = repository / "site" / "docs" / request.param / "reference" / "spec.md"
    return next(block.text for block in blocks(page) if block.title == "types.yaml")


def load(folder: Path, text: str) -> OperatorInfo:
    (folder / "shown").mkdir()
    (folder / "shown" / "types.yaml").write_text(HEAD + text, encoding="utf-8")
    return load_project(folder).operators[0].info


def test_every_type_is_shown_and_read(shown: str, tmp_path: Path) -> None:
    info = load(tmp_path, shown)
    assert {param.type for param in info.params} == set(PARAM_TYPES)
    assert {item.param: isinstance(item.shape, Each) for item in info.infer} == {"out": False, "parts": True}


SELF = "name: self, type: tensor, direction: in,"


def test_the_elements_of_a_tensor_are_bounded(shown: str, tmp_path: Path) -> None:
    bounded = shown.replace(SELF, f'{SELF} elements: {{min: 0, below: "dim(stateRef, 0) + beta"}},')
    with pytest.raises(SpecErrors, match="beta"):
        load(tmp_path, bounded)
    bounded = bounded.replace(" + beta", "")
    (tmp_path / "shown" / "types.yaml").write_text(HEAD + bounded, encoding="utf-8")
    info = load_project(tmp_path).operators[0].info
    assert info.param("self").elements == (("min", parse("0")), ("below", parse("dim(stateRef, 0)")))
    assert elements(info, info.param("self")) == (
        "The result is undefined unless every element of self is at least 0 "
        "and less than the size of axis 0 of stateRef."
    )
    assert (
        elements(info, info.param("self"), "zh")
        == "除非 self 的每个元素不小于 0 且小于 stateRef 第 0 轴的大小，否则结果未定义。"
    )


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("name: alpha, type: scalar, direction: in,", "elements.*of type scalar"),
        ("name: out, type: tensor, direction: out,", r"elements.*an output \(out\)"),
    ],
)
def test_only_an_input_tensor_has_bounded_elements(before: str, message: str, shown: str, tmp_path: Path) -> None:
    with pytest.raises(SpecErrors, match=message):
        load(tmp_path, shown.replace(before, f"{before} elements: {{min: 0}},"))


def test_elements_without_a_bound(shown: str, tmp_path: Path) -> None:
    with pytest.raises(SpecErrors, match="The elements of a tensor have no bound; expected min, below or both"):
        load(tmp_path, shown.replace(SELF, f"{SELF} elements: {{}},"))


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("alpha: [null, FLOAT]", r"allows a parameter \(alpha\) to be null that is not optional"),
        ("alpha: null", r"allows a parameter \(alpha\) to be null that is not optional"),
        ("alpha: [None]", r"A dtype \(None\) is unknown"),
    ],
)
def test_only_an_optional_parameter_is_null_in_a_row(cell: str, message: str, shown: str, tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    text = HEAD.replace("alpha: T", cell) + shown
    (tmp_path / "shown" / "types.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SpecErrors, match=message):
        load_project(tmp_path)


def test_a_flag_may_have_one_legal_value(shown: str, tmp_path: Path) -> None:
    rule = load(tmp_path, shown).rule("value-transpose-x")
    assert rule.require == parse("transposeX == false")
    assert rule.requirement.en == "transposeX is false."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "[shape(t) for t in tensors]",
            "shape(self)",
            r"one expression \(shape\(self\)\); expected \[... for t in a list\]",
        ),
        ("[dtype(t) for t in tensors]", "dtype(self)", r"expected \[... for t in tensors\]"),
        ("[dtype(t) for t in tensors]", "[rank(t) for t in tensors]", "dtype"),
        ("[shape(t) for t in tensors]", "[shape(t) for t in parts]", "parts"),
        ("[shape(t) for t in tensors]", "[shape(self) for self in tensors]", "a variable of its own|hides"),
        ("  parts: {", "  # parts: {", r"output \(parts\) has no inference"),
    ],
)
def test_what_cannot_be_inferred_of_a_list_is_told(
    old: str, new: str, message: str, shown: str, tmp_path: Path
) -> None:
    assert old in shown
    with pytest.raises(SpecErrors, match=message):
        load(tmp_path, shown.replace(old, new))
