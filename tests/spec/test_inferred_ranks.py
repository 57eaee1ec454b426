"""An output whose inferred shape has a rank that its own check refuses: a spec that contradicts itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.pipeline.load import lint, load_project
from aclspec.runtime.language.unparse import unparse

SPEC = """op: aclnnFold
level: checked
draft: true
summary: [A reduction., 归约。]
products: [atlas_a2]
params:
  self: {{in: tensor, rank: [{low}, 8], doc: [The input., 输入。]}}
  dim: {{in: int_array, doc: [The axes., 轴。]}}
  keepDim: {{in: bool, doc: [Whether axes are kept., 是否保留。]}}
  out: {{out: tensor, rank: {rank}, shape: "{shape}", dtype: dtype(self), doc: [The output., 输出。]}}
dtypes:
  - {{same: [FLOAT]}}
rules:
{rules}
"""
SHORTCUT = "  - {shortcut: empty, when: is_empty(self), outputs: unwritten}"


def told(tmp_path: Path, shape: str, rank: str, low: int = 1, rules: str = SHORTCUT) -> list[str]:
    path = tmp_path / "specs" / "math" / "fold.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(SPEC.format(shape=shape, rank=rank, low=low, rules=rules), encoding="utf-8")
    found = lint([tmp_path / "specs"])
    assert [one for one in found if one.severity == "error"] == []
    return [f"{one.at.line}: {one.message}" for one in found if one.kind == "refused-rank"]


@pytest.mark.parametrize(
    ("shape", "rank", "low", "refused"),
    [
        ("reduce(shape(self), dim, keepDim)", "[1, 8]", 1, 0),
        ("reduce(shape(self), dim, false)", "[1, 8]", 1, 0),
        ("reduce(shape(self), dim, true)", "[1, 8]", 1, None),
        ("reduce(shape(self), dim, keepDim)", "[0, 8]", 1, None),
        ("shape(self)", "[1, 8]", 0, 0),
        ("shape(self)", "[1, 8]", 1, None),
        ("[1] if keepDim else [1, 2]", "1", 1, 2),
        ("[len(dim)]", "2", 1, 1),
    ],
)
def test_an_inferred_rank_that_is_refused(shape: str, rank: str, low: int, refused: int | None, tmp_path: Path) -> None:
    first, last = (rank.strip("[]").split(", ") * 2)[:2]
    text = f"10: An output (out) of the inferred shape may have rank {refused}, which the check of its rank refuses; "
    wanted = [f"{text}expected a rank of {first} to {last}."] if refused is not None else []
    assert told(tmp_path, shape, rank, low) == wanted


def test_the_check_of_a_shape_with_a_condition_compares_all_of_it(tmp_path: Path) -> None:
    assert told(tmp_path, "[1] if keepDim else [len(dim)]", "1") == []
    project = load_project(tmp_path / "specs")
    rule = project.operators[0].info.rule("out-shape")
    assert rule.require is not None
    assert unparse(rule.require) == "shape(out) == ([1] if keepDim else [len(dim)])"


def test_another_rule_may_refuse_the_rank_of_the_input(tmp_path: Path) -> None:
    assert told(tmp_path, "shape(self)", "[1, 8]", 0, f"  - {{self-rank: rank(self) >= 1}}\n{SHORTCUT}") == []
