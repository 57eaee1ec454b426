"""Calls that a spec adds to the ones that are found."""

from __future__ import annotations

import pytest

from aclspec.codegen.compile.calls import WrittenCall, compile_calls
from aclspec.codegen.compile.context import Context
from aclspec.codegen.compile.fingerprint import fingerprints
from aclspec.codegen.derive import Cases, derive_cases
from aclspec.codegen.derive.corpus import corpus_text, plain
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.search.call import Literal, brief, elements
from aclspec.runtime.testing.corpus import read
from aclspec.runtime.testing.suite import Case, Suite

SPEC = """\
op: aclnnToyMany
level: checked
summary: [Adds tensors., 张量相加。]
products: [atlas_a2]
params:
  tensors: {in: tensor_list, rank: [1, 4], doc: [The tensors., 各张量。]}
  alpha: {in: scalar, doc: [The factor., 系数。]}
  out:
    {out: tensor, optional: true, rank: [1, 4], shape: "shape(tensors[0])", dtype: "dtype(tensors[0])", doc: [S., 和。]}
dtypes:
  - {row: {tensors: T, alpha: [FLOAT, INT64, DOUBLE], out: T}, where: {T: [FLOAT, FLOAT16]}}
rules:
  - {some: len(tensors) > 0}
  - {at-most: len(tensors) <= 200}
  - {few: "numel(tensors[0]) < 1099511627776"}
examples:
  two:
    title: [Two tensors, 两个张量]
    call: {tensors: ["FLOAT[2]: 1 2", "FLOAT[2]: 3 4"], alpha: 1.0, out: "FLOAT[2]: 4 6"}
calls:
  most: {like: two, call: {tensors: ["200 * float32[2]"]}}
  one-more: {like: two, call: {tensors: ["200 * float32[2]", "float32[2]"]}}
  too-large: {like: two, call: {tensors: ["float16[1048576,1048576]:ND:strides=1,1048576"], alpha: int64(3)}}
  without-out: {like: two, call: {out: null}}
"""


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Operator:
    """An operator on a list of tensors."""
    folder = tmp_path_factory.mktemp("specs")
    (folder / "toy").mkdir()
    (folder / "toy" / "toy_many.yaml").write_text(SPEC, encoding="utf-8")
    (found,) = load_project(folder).operators
    return found


@pytest.fixture(scope="module")
def suite(operator: Operator) -> Suite:
    """The derived cases."""
    return derive_cases(operator.info, (), _written(operator)).suite


def _written(operator: Operator) -> tuple[WrittenCall, ...]:
    return compile_calls(Context(operator.spec, operator.source, (), []))


def test_a_call_that_a_person_added_may_repeat_an_element(operator: Operator) -> None:
    many: dict[str, Literal] = {"tensors": ("200 * float32[2]:ND",), "alpha": "float32(1.0)", "out": "float32[2]:ND"}
    kept = WrittenCall("kept", "", tuple(many.items()))
    found = derive_cases(operator.info, (), (*_written(operator), kept)).suite
    (case,) = (case for case in found.cases if case.id == "kept")
    tensors = found.call(case)["tensors"]
    assert isinstance(tensors, tuple)
    assert len(list(elements(tensors))) == 200


def _case(suite: Suite, name: str) -> Case:
    (found,) = (case for case in suite.boundaries if case.id == name)
    return found


@pytest.mark.parametrize(
    ("name", "outcome"),
    [("most", "0"), ("one-more", "161002 at-most"), ("too-large", "161002 few"), ("without-out", "0")],
)
def test_the_rules_say_what_comes_of_a_call(suite: Suite, name: str, outcome: str) -> None:
    assert set(_case(suite, name).expect.values()) == {outcome}


def test_a_call_has_its_own_arguments_and_outputs_as_inferred(suite: Suite) -> None:
    call = suite.call(_case(suite, "too-large"))
    assert call == {
        "tensors": ("float16[1048576,1048576]:ND:strides=1,1048576",),
        "alpha": "int64(3)",
        "out": "float16[1048576,1048576]:ND",
    }


def test_a_rule_that_a_call_shows_is_decided(operator: Operator, suite: Suite) -> None:
    """No call near the example has as many tensors as the rule needs."""
    assert "at-most" in derive_cases(operator.info).suite.gaps
    assert "at-most" not in suite.gaps
    assert derive_cases(operator.info, (), _written(operator)).undecided == ()


def test_an_output_that_is_stated_stays(suite: Suite) -> None:
    assert suite.call(_case(suite, "without-out"))["out"] is None


def test_equal_elements_are_written_once(suite: Suite) -> None:
    assert suite.call(_case(suite, "most"))["tensors"] == ("200 * float32[2]:ND",)
    assert tuple(elements(("3 * int8[1]", "int8[2]"))) == ("int8[1]",) * 3 + ("int8[2]",)
    few = ("int8[1]",) * 16
    assert brief(few) == few
    assert brief((*few, "int8[2]")) == (*few, "int8[2]")


def test_valid_calls_are_found_without_those_that_are_written(operator: Operator, suite: Suite) -> None:
    assert derive_cases(operator.info).suite.valid == suite.valid


def test_a_corpus_is_whole(suite: Suite, operator: Operator) -> None:
    """Every call is a line of the corpus, which reads as the same suite."""
    found = read(corpus_text(operator.info, Cases(suite, {}, (), ()), fingerprints(operator)), operator.info).suite
    assert {("200 * float32[2]",), ("201 * float32[2]",)} <= {
        found.call(case)["tensors"] for case in (*found.valid, *found.violations)
    }
    assert {str(found.call(case)) for case in found.valid} >= {str(plain(suite.call(case))) for case in suite.valid}
