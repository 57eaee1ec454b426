"""Specs that say of a shape that it depends on the data, where it cannot or where an example disagrees."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.source.findings import SpecErrors

SPEC = """op: aclnnPositive
summary: [Chooses positive elements., 选取正的元素。]
products: [atlas_a2]
params:
  self: {in: tensor, doc: [The input., 输入。]}
  out: {out: tensor, shape: "[numel(self), 2]", data_dependent: true, dtype: dtype(self), doc: [The output., 输出。]}
dtypes:
  - {same: [FLOAT]}
rules:
  - {shortcut: empty, when: is_empty(self), outputs: unwritten}
compute: {kernel: "my.positive:positive", roles: {operand: dtype(self)}}
examples:
  two: {title: [Two, 二], call: {self: "FLOAT[3]: 1 -1 2", out: "FLOAT[2, 2]: 1 1 2 2"}}
"""


def errors(tmp_path: Path, *edits: tuple[str, str]) -> list[str]:
    text = SPEC
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = tmp_path / "specs" / "math" / "positive.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    try:
        load_project(tmp_path / "specs")
    except SpecErrors as caught:
        return [finding.message for finding in caught.findings if finding.severity == "error"]
    return []


def test_an_example_states_what_is_written(tmp_path: Path) -> None:
    assert errors(tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "FLOAT[2, 2]: 1 1 2 2",
            "FLOAT[4, 2]: 1 ..0",
            "An example (two) expects a shape ([4, 2]) of out; inference gives [3, 2].",
        ),
        (
            "FLOAT[2, 2]: 1 1 2 2",
            "FLOAT[2, 3]: 1 ..0",
            "An example (two) expects a shape ([2, 3]) of out; inference gives [2, 2].",
        ),
        (
            "self: {in: tensor, doc",
            "self: {in: tensor, data_dependent: true, doc",
            "The key (data_dependent) says nothing of a parameter (self) that is in.",
        ),
    ],
)
def test_what_cannot_be(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert message in errors(tmp_path, (old, new))


@pytest.mark.parametrize(
    ("rank", "shape", "is_right"),
    [
        ("", "shape(self)", False),
        ("", "shape(self) + [2]", True),
        ("", "[2, 2] if rank(self) > 0 else [2]", True),
        ("rank: [1, 8], ", "shape(self)", True),
    ],
)
def test_an_output_without_axes(tmp_path: Path, rank: str, shape: str, is_right: bool) -> None:
    found = errors(tmp_path, ('shape: "[numel(self), 2]"', f'{rank}shape: "{shape}"'))
    text = "An output (out) whose first axis depends on the data may have rank 0; expected a rank from 1 on."
    assert (text in found) is not is_right


def test_a_list_has_no_rows(tmp_path: Path) -> None:
    found = errors(
        tmp_path,
        ('out: {out: tensor, shape: "[numel(self), 2]"', 'out: {out: tensor_list, shape: "[shape(self)]"'),
        ("dtype: dtype(self), doc", 'dtype: "[dtype(self)]", doc'),
        (', out: "FLOAT[2, 2]: 1 1 2 2"', ""),
    )
    assert "The key (data_dependent) says nothing of a parameter (out) of type tensor_list." in found
