"""A spec beside a page: what is another wording is no difference."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from aclspec.codegen.importer.against import comparisons, differences, load_spec
from aclspec.codegen.importer.demands import canonical
from aclspec.codegen.importer.draft import Draft, make_draft
from aclspec.codegen.importer.model import Function
from aclspec.runtime.language.parser import parse
from aclspec.runtime.language.unparse import unparse
from tests.importer.conftest import PAGE, page_of

SHORT = """\
op: aclnnToyBlend
header: aclnn_toy_blend.h
level: checked
draft: true
summary: [Made up., 虚构。]
products: [atlas_training, atlas_a2, atlas_a3]
params:
  paint: {in: tensor, rank: [1, 4], doc: [x, x]}
  canvas: {in: tensor, formats: [ND, NCHW], rank: [0, 5], noncontiguous: refused, doc: [x, x]}
  maskOptional: {in: tensor, optional: true, rank: 2, doc: [x, x]}
  tiles: {in: int_array, lengths: [3], doc: [x, x]}
  axis: {in: int64, doc: [x, x]}
  wet: {in: bool, doc: [x, x]}
  layers: {in: tensor_list, doc: [x, x]}
  mixed: {out: tensor, rank: [1, 5], doc: [x, x]}
sets: {REAL: [FLOAT, FLOAT16]}
dtypes:
  - {row: {paint: REAL, canvas: REAL, maskOptional: BOOL, layers: FLOAT, mixed: REAL}}
rules:
  - {group: {enforced_by: document}, checks: [{product: all}, {format: all}]}
  - {axis-sign: axis >= 0}
"""


@pytest.fixture
def draft(function: Function) -> Draft:
    return make_draft(function)


def told(spec: dict[str, Any], draft: Draft) -> dict[str, tuple[str, str]]:
    return {one.about: (one.spec, one.page) for one in differences(spec, draft)}


def with_rules(draft: Draft, *rules: str, **more: object) -> dict[str, Any]:
    """The draft with other rules in the place of its own."""
    spec = {**deepcopy(draft.tree), **more}
    kept = [entry for entry in spec["checks"] if "require" not in entry]
    spec["checks"] = [*kept, *({"id": f"rule-{at}", "require": text} for at, text in enumerate(rules))]
    return spec


def test_a_draft_and_its_page_agree_in_every_fact(draft: Draft) -> None:
    found = list(comparisons(draft.tree, draft))
    assert all(one.spec == one.page for one in found)
    assert {"products", "params", "null", "params.paint.rank", "dtypes.paint", "dtypes.paint+mixed"} <= {
        one.about.partition(" on ")[0] for one in found
    }


def test_a_spec_in_the_short_form_is_read_as_any_other(draft: Draft, tmp_path: Path) -> None:
    path = tmp_path / "toys" / "toy_blend.yaml"
    path.parent.mkdir()
    path.write_text(SHORT, encoding="utf-8")
    tree, _ = load_spec(path)
    assert tree is not None
    found = told(dict(tree), draft)
    assert not {"products", "params", "params.tiles.lengths", "params.canvas.formats"} & set(found)
    assert not [about for about in found if about.endswith((".type", ".direction", ".rank"))]


def test_other_words_for_the_same_rules_are_no_difference(draft: Draft) -> None:
    spec = with_rules(
        draft,
        "both == shape(mixed) and broadcastable(shape(paint), shape(canvas))",
        let={"both": "broadcast(shape(canvas), shape(paint))"},
    )
    assert told(spec, draft) == {}


PAINT, CANVAS, MASK = "shape(paint)", "shape(canvas)", "shape(maskOptional)"


def told_of(draft: Draft, one: tuple[str, ...], other: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """The differences of two specs with these rules; of "x when y", y is the guard."""
    trees = [with_rules(draft, *(text.partition(" when ")[0] for text in texts)) for texts in (one, other)]
    for tree, texts in zip(trees, (one, other), strict=True):
        for entry, text in zip(tree["checks"][-len(texts) :], texts, strict=True):
            entry |= {"when": when} if (when := text.partition(" when ")[2]) else {}
    return told(trees[0], Draft(draft.name, draft.page, trees[1]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("axis in [0, 1, 2]",), ("axis >= 0", "axis <= 2")),
        (("axis in range(-1, 1)",), ("axis in [0, -1]",)),
        (("all(v in [1, 2, 3] for v in tiles)",), ("all(v >= 1 and v < 4 for v in tiles)",)),
        (
            (f"shape(mixed) == broadcast(broadcast({PAINT}, {CANVAS}), {MASK})",),
            (f"shape(mixed) == broadcast({CANVAS}, broadcast({MASK}, {PAINT}))",),
        ),
        (
            (f"broadcastable({PAINT}, {MASK})", f"broadcastable(broadcast({PAINT}, {MASK}), {CANVAS})"),
            (f"broadcastable({CANVAS}, {PAINT})", f"broadcastable({MASK}, broadcast({CANVAS}, {PAINT}))"),
        ),
        (
            (f"shape(mixed) == ({PAINT} if wet else [1])",),
            (f"shape(mixed) == {PAINT} when wet", "[1] == shape(mixed) when not wet"),
        ),
        (("shape(mixed) == [axis, 1]", "rank(mixed) == 2"), ("shape(mixed) == [axis, 1]",)),
    ],
)
def test_rules_in_other_words(one: tuple[str, ...], other: tuple[str, ...], draft: Draft) -> None:
    assert told_of(draft, one, other) == {}
    assert told_of(draft, other, one) == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("axis in [0, 2]", "axis >= 0 and axis <= 2"),
        ("axis in [0, 1]", "axis >= 0 and axis <= 2"),
        ("value(flow) in [0, 1]", "value(flow) >= 0 and value(flow) <= 1"),
        (f"broadcastable({PAINT}, {CANVAS})", f"broadcastable({PAINT}, broadcast({CANVAS}, {MASK}))"),
        (f"shape(mixed) == ({PAINT} if wet else [1])", f"shape(mixed) == ({PAINT} if wet else [2])"),
    ],
)
def test_rules_that_differ(one: str, other: str, draft: Draft) -> None:
    draft.tree["params"].append({"name": "flow", "type": "scalar", "direction": "in", "doc": {"en": "x", "zh": "x"}})
    assert told_of(draft, (one,), (other,))
    assert told_of(draft, (other,), (one,))


def test_what_a_page_leaves_open_is_no_value_of_its_own() -> None:
    text = PAGE.replace("<td>不超过5维</td>", "<td>随意</td>").replace("<td>NCHW、ND</td>", "<td>-</td>")
    draft = make_draft(page_of(text.replace("canvas、tiles、layers", "layers")).functions[0])
    spec = deepcopy(draft.tree)
    spec["params"][1] |= {"rank": [2, 3], "formats": ["NCHW"]}
    next(entry for entry in spec["checks"] if "null" in entry)["null"].remove("canvas")
    found = told(spec, draft)
    assert found["params.canvas.rank"] == ("2-3", "-")
    assert not {"params.canvas.formats", "null"} & set(found)
    assert told(draft.tree, draft) == {}


def test_a_rule_that_one_of_them_lacks(draft: Draft) -> None:
    spec = with_rules(draft, "shape(mixed) == broadcast(shape(paint), shape(canvas))", "axis >= 0")
    assert told(spec, draft) == {"checks.rule-1": ("0 <= axis", "-")}
    spec = with_rules(draft)
    assert [page for _, page in told(spec, draft).values() if "broadcast" in page]


def test_a_rule_that_others_imply_is_no_difference(draft: Draft) -> None:
    spec = with_rules(draft, "shape(paint) == shape(canvas)", "shape(canvas) == shape(mixed)")
    assert not [about for about, (_, page) in told(spec, draft).items() if about.startswith("checks") and page != "-"]


def test_ranks_formats_and_dtypes_count_whichever_rule_says_them(draft: Draft) -> None:
    spec = with_rules(draft, "rank(paint) != 4", "format(canvas) == ND", "dtype(maskOptional) == BOOL")
    found = told(spec, draft)
    assert found["params.paint.rank"] == ("1-3", "1-4")
    assert found["params.canvas.formats"] == ("ND", "NCHW, ND")
    assert found["dtypes.maskOptional on atlas_a3"] == ("BOOL", "BOOL, UINT8")


def test_dtypes_that_only_one_of_them_allows_together(draft: Draft) -> None:
    spec = deepcopy(draft.tree)
    spec["checks"] = [entry for entry in spec["checks"] if "dtypes" not in entry]
    found = told(spec, draft)
    assert found["dtypes.paint+mixed on atlas_training"] == ("FLOAT+FLOAT16, FLOAT16+FLOAT", "-")


def test_a_status_that_differs(draft: Draft) -> None:
    spec = deepcopy(draft.tree)
    entry = next(entry for entry in spec["checks"] if str(entry.get("require", "")).startswith("shape(mixed)"))
    entry["status"] = "ACLNN_ERR_INNER_TILING_ERROR"
    assert told(spec, draft) == {
        f"checks.{entry['id']}.status": ("ACLNN_ERR_INNER_TILING_ERROR", "ACLNN_ERR_PARAM_INVALID")
    }


@pytest.mark.parametrize(
    ("check", "name", "page"),
    [
        ("null", "paint", "ACLNN_ERR_PARAM_NULLPTR"),
        ("dtype", "paint", "ACLNN_ERR_PARAM_INVALID"),
        ("length", "tiles", "ACLNN_ERR_INNER_TILING_ERROR"),
    ],
)
def test_a_status_of_the_parameter_table_that_differs(check: str, name: str, page: str, draft: Draft) -> None:
    spec = deepcopy(draft.tree)
    next(entry for entry in spec["checks"] if check in entry)["status"] = "ACLNN_ERR_INNER"
    found = told(spec, draft)
    assert found[f"params.{name}.{check}.status"] == ("ACLNN_ERR_INNER", page)
    assert {about.split(".")[2] for about in found} == {check}
    place = next(one for one in differences(spec, draft) if one.about == f"params.{name}.{check}.status").places
    assert PAGE.splitlines()[place[0].line - 1].count("</td>")


@pytest.mark.parametrize("check", ["dtypes", "rank", "format", "null"])
def test_an_unusual_status_that_no_row_states(check: str, draft: Draft) -> None:
    spec, usual = deepcopy(draft.tree), {"null": "ACLNN_ERR_PARAM_INVALID"}.get(check, "ACLNN_ERR_PARAM_NULLPTR")
    draft.gathered.table[:] = [one for one in draft.gathered.table if one[0].check != check]
    next(entry for entry in spec["checks"] if check in entry)["status"] = usual
    found = told(spec, draft)
    assert found
    assert {about.rpartition(".")[2] for about in found} == {"status"}
    assert set(found.values()) == {(usual, "-")}


def test_a_rule_has_the_status_of_the_check_that_it_makes() -> None:
    row = "<tr><td>ACLNN_ERR_INNER_TILING_ERROR</td><td>561002</td><td>canvas的维度大于5。</td></tr>\n  </table>"
    draft = make_draft(page_of(PAGE.replace("</table>\n\n## 约束说明", f"{row}\n\n## 约束说明")).functions[0])
    assert told(draft.tree, draft) == {}
    spec = deepcopy(draft.tree)
    spec["checks"] = [entry for entry in spec["checks"] if "rank" not in entry]
    spec["checks"].append({"id": "canvas-rank", "require": "rank(canvas) <= 5"})
    assert told(spec, draft)["params.canvas.rank.status"] == ("ACLNN_ERR_PARAM_INVALID", "ACLNN_ERR_INNER_TILING_ERROR")


def test_a_status_counts_where_a_stronger_rule_makes_the_check(draft: Draft) -> None:
    spec = with_rules(draft, "shape(mixed) == broadcast(shape(paint), shape(canvas)) and rank(mixed) != 0")
    spec["checks"][-1]["status"] = "ACLNN_ERR_INNER"
    about = next(entry["id"] for entry in draft.tree["checks"] if str(entry.get("require")).startswith("shape(mixed)"))
    assert told(spec, draft)[f"checks.{about}.status"] == ("ACLNN_ERR_INNER", "ACLNN_ERR_PARAM_INVALID")


def test_a_page_whose_draft_cannot_be_compiled_is_never_the_same(draft: Draft) -> None:
    broken = Draft(draft.name, draft.page, {**draft.tree, "params": 3})
    with pytest.raises(ValueError, match="draft of the page of aclnnToyBlend cannot be compiled, and nothing was"):
        list(differences(draft.tree, broken))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rank(paint) >= 2", "2 <= rank(paint)"),
        ("not (axis == 1)", "axis != 1"),
        ("axis == 1 or axis == 2", "axis in [2, 1]"),
        ("flow > 0.0", "0 < flow"),
        ("all(v > 0 for v in tiles)", "all(0 < size for size in tiles)"),
        ("slice(shape(paint), 0, 2 - 1) + [axis]", "[dim(paint, 0), axis]"),
        ("broadcastable(shape(paint), shape(paint))", "true"),
    ],
)
def test_predicates_with_one_canonical_form(one: str, other: str) -> None:
    assert unparse(canonical(parse(one))) == unparse(canonical(parse(other)))
