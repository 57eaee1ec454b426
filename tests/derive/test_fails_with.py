"""Rules that cannot fail alone must say so, and those that can must not; both are errors of the spec."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aclspec.codegen.derive.cases import derive
from aclspec.codegen.findings import SpecErrors
from aclspec.codegen.load import load_project
from aclspec.codegen.render.project import target_of
from aclspec.codegen.render.tests import render_tests

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
  - {rank: all, fails_with: [out-shape], reason: {en: Both have one shape., zh: 二者同形。}}
  - {id: out-shape, require: shape(out) == shape(self)}
"""
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


def problems(folder: Path, checks: str) -> Iterator[tuple[str, str]]:
    """The problems of a small operator with these checks beside its own."""
    (folder / "toy").mkdir()
    (folder / "toy" / "small.yaml").write_text(HEAD + checks + TAIL, encoding="utf-8")
    (operator,) = load_project(folder).operators
    return (tuple(problem) for problem in derive(operator.info).problems)  # type: ignore[misc]


def test_a_rule_that_fails_alone_is_fine(tmp_path: Path) -> None:
    assert list(problems(tmp_path, "  - {id: dim-positive, require: dim > 0}\n")) == []


def test_a_rule_that_never_fails_first_is_named(tmp_path: Path) -> None:
    assert "two" in {rule for rule, _ in problems(tmp_path, HIDDEN)}


def test_the_rules_that_fail_with_it_are_told(tmp_path: Path) -> None:
    checks = "  - {id: one, require: dim < 9}\n  - {id: two, require: dim < 7}\n"
    messages = [message for rule, message in problems(tmp_path, checks) if rule == "one"]
    assert "cannot fail first and alone in document mode: two fails with it" in messages[0]
    assert "aclnnSmall.one" in messages[0]


def test_a_stale_fails_with_is_named(tmp_path: Path) -> None:
    checks = (
        "  - {id: one, require: dim < 9, fails_with: [two], reason: {en: None., zh: 无。}}\n"
        "  - {id: two, require: dim > 0}\n"
    )
    ((rule, message),) = problems(tmp_path, checks)
    assert rule == "one"
    assert "can fail without two" in message


def test_a_needless_member_of_fails_with_is_named(tmp_path: Path) -> None:
    checks = (
        "  - {id: one, require: dim < 9, fails_with: [two, three], reason: {en: It is so., zh: 如此。}}\n"
        "  - {id: two, require: dim < 7}\n"
        "  - {id: three, require: dim > 0}\n"
    )
    ((rule, message),) = problems(tmp_path, checks)
    assert rule == "one"
    assert "can fail without three" in message


def test_the_renderer_refuses_the_spec_at_the_rule(tmp_path: Path) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "small.yaml").write_text(HEAD + HIDDEN + TAIL, encoding="utf-8")
    project = load_project(tmp_path)
    with pytest.raises(SpecErrors) as caught:
        render_tests(project.operators[0], target_of(project))
    line = (HEAD + HIDDEN).splitlines().index(HIDDEN.splitlines()[1]) + 1
    assert line in {finding.at.line for finding in caught.value.findings}
    assert "aclnnSmall.two" in str(caught.value)
