"""The parameters that the reference of the spec language shows are read, every type and both kinds of inference."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.findings import SpecErrors
from aclspec.codegen.load import load_project
from aclspec.runtime.info import OperatorInfo
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.nodes import Each
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
