"""A violation breaks its rule first; what it breaks besides is found, and what cannot be found is not claimed."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.derive import Cases
from aclspec.codegen.derive.cases import derive
from aclspec.codegen.pipeline import stages
from aclspec.codegen.pipeline.generate import generate
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.source.findings import SpecErrors

HEAD = """\
op: aclnnSmall
header: aclnn_small.h
category: toy
summary: {en: A small operator., zh: 小算子。}
source: {document: "900"}
products:
  - {product: atlas_a2, listed_by: document}
params:
  - {name: self, type: tensor, direction: in, formats: [ND], rank: [0, 8], doc: {en: The input., zh: 输入。}}
  - {name: dim, type: int64, direction: in, doc: {en: An axis., zh: 轴。}}
  - {name: out, type: tensor, direction: out, formats: [ND], rank: [0, 8], doc: {en: The result., zh: 结果。}}
dtypes:
  - row: {self: FLOAT, out: FLOAT}
    products: [atlas_a2]
checks:
  - {product: all}
  - {null: all}
  - {dtype: all}
  - {format: all}
  - {rank: all}
  - {id: out-shape, require: shape(out) == shape(self)}
"""
# What the second rule refuses, the first one does too; but that is beyond what intervals can prove.
HIDDEN = """\
  - {id: one, require: rank(self) == 1}
  - {id: two, require: "numel(self) == dim(self, 0)"}
"""
TAIL = """\
infer:
  out: {shape: shape(self), dtype: dtype(self)}
compute:
  kernel: toy:toy
  precision: [{roles: {accumulate: FLOAT}}]
  tolerance: {out: {terms: 1, unit: FLOAT}}
"""


# In library mode the second rule has nothing left to refuse.
IMPLIED = """\
  - {id: small, require: dim < 7, enforced_by: [library]}
  - {id: less-small, require: dim < 9}
"""


def written(folder: Path, checks: str) -> Path:
    """A folder of specs with a small operator that has these checks beside its own."""
    (folder / "toy").mkdir(parents=True)
    (folder / "toy" / "small.yaml").write_text(HEAD + checks + TAIL, encoding="utf-8")
    return folder


def derived(folder: Path, checks: str) -> Cases:
    (operator,) = load_project(written(folder, checks)).operators
    return derive(operator.info)


def test_a_rule_that_fails_alone_has_no_companions(tmp_path: Path) -> None:
    cases = derived(tmp_path, "  - {id: dim-positive, require: dim > 0}\n")
    assert "dim-positive" not in cases.companions
    assert cases.errors == cases.undecided == ()


def test_what_fails_with_a_rule_is_found(tmp_path: Path) -> None:
    cases = derived(tmp_path, "  - {id: one, require: dim < 9}\n  - {id: two, require: dim < 7}\n")
    assert cases.companions["one"] == ("two",)
    assert cases.companions["rank-out"] == ("out-shape",)
    assert "two" not in cases.companions
    assert cases.errors == cases.undecided == ()
    outcomes = {case.id: set(case.expect.values()) for case in cases.suite.violations}
    assert outcomes["one-1"] == {"161002 one two"}
    assert outcomes["two-1"] == {"161002 two"}


def test_a_rule_that_no_call_breaks_first_is_not_decided(tmp_path: Path) -> None:
    cases = derived(tmp_path, HIDDEN)
    assert cases.errors == ()
    assert {one.rule for one in cases.undecided} == {"two"}
    assert {cell.mode for cell in cases.suite.gaps["two"]} == {"document", "library"}
    message = cases.undecided[0].message
    start = "It is not decided whether the rule aclnnSmall.two can fail first in document mode on atlas_a2"
    assert message.startswith(start)
    tried = int(message.partition("none of the calls tried (")[2].partition(")")[0])
    assert tried > 100


def test_a_rule_is_an_error_in_a_mode_where_it_provably_never_fails_first(tmp_path: Path) -> None:
    cases = derived(tmp_path, IMPLIED)
    message = "In library mode a rule (less-small) never fails first: small and others before it refuse what it would."
    assert [(one.rule, one.message) for one in cases.errors] == [("less-small", message)]
    assert cases.undecided == ()


def test_a_guard_with_a_dtype_that_no_row_has_is_an_error(tmp_path: Path) -> None:
    cases = derived(tmp_path, "  - {id: of-bf16, when: dtype(self) == BF16, require: dim == 0}\n")
    assert [one.rule for one in cases.errors] == ["of-bf16", "of-bf16"]
    assert cases.errors[1].message == (
        "In library mode a rule (of-bf16) never applies: rules before it refuse every call that its guard "
        "(dtype(self) == BF16) is for."
    )
    assert cases.undecided == ()


@pytest.mark.parametrize("draft", ["", "draft: true # "])
def test_generation_goes_on_with_a_warning_and_a_line_of_the_report(tmp_path: Path, draft: str) -> None:
    """In a draft too, whose rules the lock does not hold."""
    root = written(tmp_path / "specs", HIDDEN)
    spec = root / "toy" / "small.yaml"
    spec.write_text(spec.read_text(encoding="utf-8").replace("source:", f"{draft}source:"), encoding="utf-8")
    result = generate(root, tmp_path / "out", "small_ops")
    line = (HEAD + HIDDEN).splitlines().index(HIDDEN.splitlines()[1]) + 1
    assert {(one.severity, one.at.line, Path(one.file).name) for one in result.warnings} == {
        ("warning", line, "small.yaml")
    }
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert all(f"- {one.message}\n" in report for one in result.warnings)
    again = generate(root, tmp_path / "out", "small_ops", check=True)
    assert again.clean
    assert again.warnings == result.warnings


def test_generation_refuses_what_is_proved_at_the_rule(tmp_path: Path) -> None:
    (operator,) = load_project(written(tmp_path, IMPLIED)).operators
    with pytest.raises(SpecErrors) as caught:
        stages.derive(operator)
    line = (HEAD + IMPLIED).splitlines().index(IMPLIED.splitlines()[1]) + 1
    assert {finding.at.line for finding in caught.value.findings} == {line}


def test_generation_refuses_an_operator_without_a_valid_call(tmp_path: Path) -> None:
    (operator,) = load_project(written(tmp_path, "  - {id: root-of-two, require: dim * dim == 2}\n")).operators
    with pytest.raises(SpecErrors) as caught:
        stages.derive(operator)
    (finding,) = caught.value.findings
    assert (finding.at.line, finding.at.column) == (1, 5)
    assert finding.message == "No call of aclnnSmall was found that breaks no rule; expected an example of one."


def test_a_rule_about_joined_lists_that_no_call_reaches_is_derived(tmp_path: Path) -> None:
    checks = """\
  - {id: never, require: dim % 8 == 8, when: dim > 2}
  - {id: longer, require: "shape(out) == shape(self) + [dim // 8]", when: dim > 2}
"""
    cases = derived(tmp_path, checks)
    assert "longer" in {problem.rule for problem in (*cases.errors, *cases.undecided)}
