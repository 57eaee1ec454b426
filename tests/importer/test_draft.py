"""Drafts: their YAML, what stands in them, where it comes from, and what they ask."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from aclspec.codegen.importer.draft import Draft, make_draft
from aclspec.codegen.importer.model import Function
from aclspec.codegen.importer.page import read_page
from aclspec.codegen.importer.sources import Sources
from aclspec.codegen.importer.writing import draft_text, sidecar_tree, write_draft
from aclspec.codegen.source.yaml_tree import plain, read
from tests.importer.conftest import PAGE, page_of


@pytest.fixture
def draft(function: Function) -> Draft:
    return make_draft(function)


def checks(draft: Draft) -> list[object]:
    return [{key: value for key, value in entry.items() if key != "id"} for entry in draft.tree["checks"]]


def questions(draft: Draft) -> list[tuple[str, str]]:
    return [(one.kind, one.subject) for one in draft.questions]


def test_the_draft_of_the_page(draft: Draft) -> None:
    assert {key: draft.tree[key] for key in ("op", "header", "category", "draft")} == {
        "op": "aclnnToyBlend",
        "header": "aclnn_toy_blend.h",
        "category": "imported",
        "draft": True,
    }
    keys = ("name", "type", "direction", "optional", "rank", "lengths", "noncontiguous")
    assert [tuple(entry.get(key) for key in keys) for entry in draft.tree["params"]] == [
        ("paint", "tensor", "in", None, [1, 4], None, None),
        ("canvas", "tensor", "in", None, [0, 5], None, "refused"),
        ("maskOptional", "tensor", "in", True, [2, 2], None, None),
        ("tiles", "int_array", "in", None, None, [3], None),
        ("axis", "int64", "in", None, None, None, None),
        ("wet", "bool", "in", None, None, None, None),
        ("layers", "tensor_list", "in", None, [0, 8], None, None),
        ("mixed", "tensor", "out", None, [1, 5], None, None),
    ]


def test_joint_dtypes_have_one_variable(draft: Draft) -> None:
    training, newer = draft.tree["dtypes"][0], draft.tree["dtypes"][1]
    assert training["row"] == {"paint": "T", "canvas": "T", "maskOptional": "BOOL", "layers": "FLOAT", "mixed": "T"}
    assert (training["where"], training["products"]) == ({"T": ["FLOAT", "FLOAT16"]}, ["atlas_training"])
    assert newer["where"] == {"T": ["FLOAT", "FLOAT16", "BF16"]}


def test_checks_stand_in_the_order_of_the_error_table(draft: Draft) -> None:
    assert checks(draft) == [
        {"product": "all"},
        {"null": ["paint", "canvas", "tiles", "layers", "mixed"]},
        {"dtype": "all"},
        {"dtypes": "all"},
        {"format": "all", "enforced_by": ["document"]},
        {"rank": "all"},
        {"contiguous": ["canvas"]},
        {"length": ["tiles"], "status": "ACLNN_ERR_INNER_TILING_ERROR"},
        {"require": "shape(mixed) == broadcast(shape(paint), shape(canvas))"},
        {"require": "broadcastable(shape(canvas), shape(paint))"},
    ]


def test_an_output_is_inferred_from_the_rules(draft: Draft) -> None:
    assert draft.tree["infer"] == {
        "mixed": {"shape": "broadcast(shape(paint), shape(canvas))", "dtype": "dtype(paint)"}
    }


def test_what_was_not_understood_is_a_question_with_its_line(draft: Draft) -> None:
    assert sorted(questions(draft)) == [("unread-constraint", ""), ("unread-error", ""), ("unread-usage", "canvas")]
    lines = {one.kind: PAGE.split("\n")[one.places[0].line - 1] for one in draft.questions}
    assert "搅拌" in lines["unread-error"]
    assert "漂移" in lines["unread-usage"]


def test_every_rule_has_a_place(draft: Draft) -> None:
    about = {one.about: one for one in draft.origins}
    for entry in draft.tree["checks"]:
        if "id" in entry:
            assert about[f"checks.{entry['id']}"].places[0].line > 0


def test_no_sentence_of_the_page_is_in_the_files(draft: Draft) -> None:
    texts = draft_text(draft) + str(sidecar_tree(draft))
    for words in ("搅拌", "漂移", "刮擦", "颜料", "画布", "成品"):
        assert words in PAGE
        assert words not in texts


def test_the_files_are_yaml_for_both_readers(draft: Draft, tmp_path: Path) -> None:
    spec, sidecar = write_draft(draft, tmp_path)
    source = read(spec)
    assert source.findings == []
    assert source.tree is not None
    assert json.loads(json.dumps(plain(source.tree))) == json.loads(json.dumps(draft.tree))
    assert yaml.safe_load(sidecar.read_text(encoding="utf-8"))["op"] == "aclnnToyBlend"


def test_a_rule_for_some_products_and_of_another_status() -> None:
    text = PAGE.replace(
        "<tr><td>颜料尚未", "<tr><td>Atlas A3 训练系列产品：paint与mixed的维数不相等。</td></tr><tr><td>颜料尚未"
    )
    text = text.replace("tiles的长度不等于3。", "axis大于2。")
    draft = make_draft(page_of(text).functions[0])
    assert {"products": ["atlas_a3"], "require": "rank(mixed) == rank(paint)"} in checks(draft)
    assert {"status": "ACLNN_ERR_INNER_TILING_ERROR", "require": "axis <= 2"} in checks(draft)


def test_contradicting_ranks_are_a_question() -> None:
    draft = make_draft(page_of(PAGE.replace("颜料尚未搅拌均匀。", "paint的维度不为6维。")).functions[0])
    assert ("rank-conflict", "paint") in questions(draft)


def test_dtypes_without_a_common_one_are_a_question() -> None:
    draft = make_draft(
        page_of(PAGE.replace("颜料尚未搅拌均匀。", "maskOptional与paint的数据类型不一致。")).functions[0]
    )
    assert any(kind == "dtypes-conflict" for kind, _ in questions(draft))


def test_a_rule_that_equal_shapes_imply_is_left_out() -> None:
    text = PAGE.replace("颜料尚未搅拌均匀。", "paint与canvas的shape不一致。").replace(
        "tiles的长度不等于3", "paint与canvas的维数不一致"
    )
    rules = [entry["require"] for entry in make_draft(page_of(text).functions[0]).tree["checks"] if "require" in entry]
    assert "shape(canvas) == shape(paint)" in rules
    assert not any("rank(" in rule or rule.startswith("broadcastable") for rule in rules)


@pytest.mark.parametrize(("formats", "stated"), [("ND", False), ("NCHW", True)])
def test_equal_formats_are_a_rule_where_the_table_does_not_say_it(formats: str, stated: bool) -> None:
    text = PAGE.replace("颜料尚未搅拌均匀。", "paint与canvas的数据格式不一致。").replace("NCHW、ND", formats)
    rules = [entry.get("require") for entry in make_draft(page_of(text).functions[0]).tree["checks"]]
    assert ("format(canvas) == format(paint)" in rules or "format(paint) == format(canvas)" in rules) == stated


def test_a_table_of_joint_dtypes_gives_rows() -> None:
    table = "| paint | layers |\n|---|---|\n| FLOAT | FLOAT |\n| FLOAT16、BFLOAT16 | FLOAT |\n"
    text = PAGE.replace("- 成画后", f"{table}\n- 成画后").replace("paint和mixed不支持BFLOAT16", "-")
    draft = make_draft(page_of(text).functions[0])
    rows = [entry for entry in draft.tree["dtypes"] if "atlas_a2" in entry["products"]]
    assert [row["row"]["paint"] if "where" not in row else row["where"]["T"] for row in rows] == [
        "FLOAT",
        ["FLOAT16", "BF16"],
    ]


@pytest.fixture
def facts(tmp_path: Path) -> Sources:
    path = tmp_path / "facts.json"
    entry = {
        "events": [
            ["null", ["paint"], None, "ACLNN_ERR_PARAM_NULLPTR"],
            ["null", ["canvas"], None, "ACLNN_ERR_PARAM_NULLPTR"],
            ["max_dim", ["paint"], 3, "ACLNN_ERR_PARAM_INVALID"],
            ["dtype", ["paint"], {"atlas_a2": ["FLOAT", "DOUBLE"]}, "ACLNN_ERR_PARAM_INVALID"],
        ]
    }
    path.write_text(json.dumps({"aclnnToyBlend": entry}), encoding="utf-8")
    sources = Sources()
    sources.add_facts(path)
    assert sources.findings == []
    return sources


def test_facts_of_the_library_order_the_checks_and_part_the_modes(function: Function, facts: Sources) -> None:
    facts.apply(function)
    draft = make_draft(function)
    kinds = [next(key for key in entry if key != "enforced_by") for entry in draft.tree["checks"]]
    assert kinds[:6] == ["product", "null", "null", "rank", "dtype", "dtypes"]
    assert draft.tree["checks"][1:3] == [
        {"null": ["paint", "canvas"]},
        {"null": ["tiles", "layers", "mixed"], "enforced_by": ["document"]},
    ]
    assert {"null-library", "rank-library", "dtypes-library"} <= {kind for kind, _ in questions(draft)}


def test_a_definition_gives_the_joint_rows_where_it_agrees_with_the_cells(function: Function, tmp_path: Path) -> None:
    names = ["paint", "canvas", "mask", "layers", "mixed"]
    rows = [["FLOAT", "FLOAT", "BOOL", "FLOAT", "FLOAT"], ["FLOAT16", "FLOAT16", "BOOL", "FLOAT", "FLOAT16"]]
    path = tmp_path / "facts.json"
    entry = {"rows": {"atlas_training": {"params": names, "rows": rows}}}
    path.write_text(json.dumps({"ToyBlend": entry}), encoding="utf-8")
    sources = Sources()
    sources.add_facts(path)
    sources.apply(function)
    found = [row["row"] for row in make_draft(function).tree["dtypes"] if row["products"] == ["atlas_training"]]
    assert [row["paint"] for row in found] == ["FLOAT", "FLOAT16"]


def test_the_header_wins_and_the_difference_is_a_question(function: Function, tmp_path: Path) -> None:
    path = tmp_path / "aclnn_blend.h"
    prototype = "aclnnStatus aclnnToyBlendGetWorkspaceSize(const aclTensor* paint, aclTensor* mixed, uint64_t* size);"
    path.write_text(prototype.replace("size)", "workspaceSize, aclOpExecutor** executor)"), encoding="utf-8")
    sources = Sources()
    sources.add_header(path)
    sources.apply(function)
    draft = make_draft(function)
    assert [entry["name"] for entry in draft.tree["params"]] == ["paint", "mixed"]
    assert draft.tree["header"] == "aclnn_blend.h"
    assert ("signature", "") in questions(draft)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"aclnnToy": 1}', '{"aclnnToy": {"events": 3}}', "[" * 5000])
def test_a_file_without_facts_is_a_finding(text: str, tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    path.write_text(text, encoding="utf-8")
    sources = Sources()
    sources.add_facts(path)
    assert [one.kind for one in sources.findings] == ["source"]


def test_a_page_of_a_folder_that_is_missing_is_a_finding(tmp_path: Path) -> None:
    assert [one.kind for one in read_page(tmp_path / "none.md").findings] == ["unreadable"]
