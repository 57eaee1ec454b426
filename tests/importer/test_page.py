"""Facts that are read from a page."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aclspec.codegen.importer.blocks import Code, Heading, Line, Table
from aclspec.codegen.importer.document import read
from aclspec.codegen.importer.draft import make_draft
from aclspec.codegen.importer.model import Function
from aclspec.codegen.importer.vocabulary import dtypes, products_in, ranks
from tests.importer.conftest import PAGE, page_of

A2, A3, TRAINING = "atlas_a2", "atlas_a3", "atlas_training"


def test_the_signature_is_that_of_the_prototype(function: Function) -> None:
    assert [str(one) for one in function.parameters] == [
        "const aclTensor* paint",
        "const aclTensor* canvas",
        "const aclTensor* maskOptional",
        "const aclIntArray* tiles",
        "int64_t axis",
        "bool wet",
        "const aclTensorList* layers",
        "aclTensor* mixed",
    ]


def test_products_are_those_that_the_page_supports(function: Function) -> None:
    assert function.products == (TRAINING, A2, A3)


def test_a_note_takes_a_dtype_from_one_product(function: Function) -> None:
    assert function.dtypes("paint", A2) == ("FLOAT", "FLOAT16", "BF16")
    assert function.dtypes("paint", TRAINING) == ("FLOAT", "FLOAT16")


def test_a_bracket_in_a_cell_limits_its_part(function: Function) -> None:
    assert function.dtypes("maskOptional", A3) == ("BOOL", "UINT8")
    assert function.dtypes("maskOptional", A2) == ("BOOL",)


def test_a_reference_takes_the_cells_of_the_other(function: Function) -> None:
    assert function.dtypes("canvas", A3) == ("FLOAT", "FLOAT16", "BF16")


def test_a_dtype_that_the_hardware_lacks_is_taken_out_and_marked(function: Function) -> None:
    assert function.dtypes("canvas", TRAINING) == ("FLOAT", "FLOAT16")
    without_note = page_of(PAGE.replace("paint和mixed不支持BFLOAT16", "")).functions[0]
    assert without_note.dtypes("paint", TRAINING) == ("FLOAT", "FLOAT16")
    assert without_note.value("paint", "removed", TRAINING) == ("BF16",)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("canvas", "formats", ("NCHW", "ND")),
        ("canvas", "rank", (0, 1, 2, 3, 4, 5)),
        ("maskOptional", "rank", (2,)),
        ("canvas", "noncontiguous", False),
        ("paint", "noncontiguous", True),
        ("maskOptional", "optional", True),
        ("paint", "optional", None),
        ("mixed", "direction", "out"),
    ],
)
def test_columns(function: Function, name: str, field: str, value: object) -> None:
    assert function.value(name, field) == value


def test_a_fact_knows_its_line(function: Function) -> None:
    fact = next(function.about("canvas", "formats"))
    assert "NCHW" in PAGE.split("\n")[fact.place.line - 1]


def test_a_span_of_rows_gives_each_row_its_status(function: Function) -> None:
    rows = [(s.status, s.text) for s in function.sentences if s.where == "error"]
    assert [status for status, _ in rows] == ["161001", *["161002"] * 4, "561002"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("2-4", (2, 3, 4)),
        ("不超过3维", (0, 1, 2, 3)),
        ("1、3~5", (1, 3, 4, 5)),
        ("0、3、4", (3, 4)),
        ("0、1", (0, 1)),
        ("二维或三维", (2, 3)),
        ("(A, B) 或 (A, B, C)", (2, 3)),
        ("2-4(ND)", (2, 3, 4)),
        ("(A, ..., B)", None),
        ("由tiles决定", None),
        ("2-12", None),
        ("-", None),
    ],
)
def test_ranks_of_a_cell(cell: str, expected: tuple[int, ...] | None) -> None:
    assert ranks(cell)[0] == expected


def test_dtypes_of_a_cell_have_one_spelling() -> None:
    assert dtypes("float32、ACL_BFLOAT16，FP16、INT8^1") == ("FLOAT", "BF16", "FLOAT16", "INT8")


def test_names_of_products_in_running_text() -> None:
    keys, rest = products_in("Atlas 200I/500 A2 推理产品、Atlas 推理系列产品：晾干", "#")
    assert keys == ("atlas_200i_500_a2", "atlas_inference")
    assert rest == "#、#：晾干"


def test_a_fence_that_is_never_closed_ends_at_the_next_heading() -> None:
    blocks = read("# a\n\n```cpp\nint x;\n\n## b\n\ntext\n")
    assert [type(one) for one in blocks] == [Heading, Code, Heading, Line]


def test_a_table_that_is_never_closed_ends_at_the_next_heading() -> None:
    blocks = read("<table><tr><td>x\n\n## b\n\ntext\n")
    assert [type(one) for one in blocks] == [Table, Heading, Line]


def test_a_bracket_between_the_rows_of_a_markdown_table() -> None:
    table = read('| a | b |\n|---|---|\n<!-- npu="A3" i -->\n| c | d |\n<!-- end i -->\n| e | f |\n')[0]
    assert isinstance(table, Table)
    assert [row[0].text for row in table.rows] == ["a", "c", "e"]
    assert [row[0].parts[0].products for row in table.rows] == [None, frozenset({A3}), None]


def test_spans_are_laid_out() -> None:
    table = read('<table><tr><td rowspan="2">a</td><td colspan="2">b</td></tr><tr><td>c</td><td>d</td></tr></table>')[0]
    assert isinstance(table, Table)
    assert [[cell.text for cell in row] for row in table.rows] == [["a", "b", "b"], ["a", "c", "d"]]


def test_a_page_in_html_gives_the_same_facts(function: Function) -> None:
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").render(PAGE)
    other = page_of(f"<!DOCTYPE html>\n<html><body>{body}</body></html>").functions[0]
    assert [str(one) for one in other.parameters] == [str(one) for one in function.parameters]
    assert other.products == function.products
    assert other.dtypes("paint", TRAINING) == function.dtypes("paint", TRAINING)
    assert other.value("canvas", "rank") == function.value("canvas", "rank")


def test_the_older_form_with_a_bullet_for_each_parameter() -> None:
    text = """\
# aclnnToyOld
## 产品支持情况
- Atlas A2 训练系列产品/Atlas A2 推理系列产品：支持
## 函数原型
- `aclnnStatus aclnnToyOldGetWorkspaceSize(const aclTensor* ink, double flow, aclTensor* page, uint64_t* workspaceSize)`
## aclnnToyOldGetWorkspaceSize
- 参数说明：
  - ink（aclTensor*，计算输入）：墨水，数据类型支持FLOAT、INT8，shape支持2-3维，数据格式支持ND，不支持非连续的Tensor。
  - flow（double，计算输入）：流量。
  - page（aclTensor*，计算输出）：纸张，数据类型支持FLOAT，shape支持2-3维。
- 返回值：
  - 返回161001（ACLNN_ERR_PARAM_NULLPTR）：ink或page是空指针。
"""
    function = page_of(text).functions[0]
    assert function.products == (A2,)
    assert function.dtypes("ink", A2) == ("FLOAT", "INT8")
    assert (function.value("ink", "rank"), function.direction("page")) == ((2, 3), "out")
    assert function.value("ink", "noncontiguous") is False
    assert [s.status for s in function.sentences if s.where == "error"] == ["161001"]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_broken_page_gives_a_draft_or_a_finding(data: Any) -> None:
    start = data.draw(st.integers(0, len(PAGE)))
    length = data.draw(st.integers(0, 400))
    noise = data.draw(st.text('<>/|`#-*（）[]\n表参数 \x00npu="A3"', max_size=30))
    page = page_of(PAGE[:start] + noise + PAGE[start + length :])
    assert page.functions or page.findings
    for function in page.functions:
        assert make_draft(function).tree["op"]


def test_a_note_with_a_condition_changes_no_cell() -> None:
    note = "当wet为true时，paint的数据类型为FLOAT，mixed的数据类型支持FLOAT。"
    function = page_of(PAGE.replace("paint和mixed不支持BFLOAT16。", note)).functions[0]
    assert function.dtypes("mixed", TRAINING) == function.dtypes("paint", TRAINING) == ("FLOAT", "FLOAT16")


@pytest.mark.parametrize("line", ["湿画场景", "- 当颜料湿润时：", "- 湿画、刮画场景下paint，canvas的综合限制："])
def test_what_stands_under_a_scenario_holds_for_it_alone(line: str) -> None:
    items = (
        f"- {line.removeprefix('- ')}\n  - paint的维度不超过2维。\n  - Atlas A2 训练系列产品：paint不支持FLOAT16。\n"
    )
    function = page_of(PAGE.replace("- 成画后不可再刮擦。", items)).functions[0]
    draft = make_draft(function)
    assert draft.tree["params"][0]["rank"] == [1, 4]
    assert "FLOAT16" in function.dtypes("paint", A2)
    assert [one.kind for one in draft.questions].count("unread-constraint") == 2


@pytest.mark.parametrize(("words", "most"), [("数据维度不支持6维以上", 6), ("维度不超过5", 5)])
def test_the_most_dimensions_of_a_bullet(words: str, most: int) -> None:
    text = f"""\
# aclnnToyOld
## 函数原型
- `aclnnStatus aclnnToyOldGetWorkspaceSize(const aclTensor* ink, aclTensor* page, uint64_t* workspaceSize)`
## aclnnToyOldGetWorkspaceSize
- 参数说明：
  - ink（aclTensor*，计算输入）：墨水，数据类型支持FLOAT，{words}。
"""
    assert page_of(text).functions[0].value("ink", "rank") == tuple(range(most + 1))


def test_a_parameter_whose_name_is_cut_off_does_not_stop_the_reading() -> None:
    page = page_of(PAGE[:512] + PAGE[580:])
    assert make_draft(page.functions[0]).tree["op"]


@pytest.mark.parametrize("text", ["", "plain", "<table>" * 3000, "> " * 3000 + "x", "- " * 3000 + "x", "[" * 20000])
def test_what_is_no_page_is_a_finding(text: str) -> None:
    page = page_of(text)
    assert not page.functions
    assert page.findings[0].kind in ("no-prototype", "nesting", "huge")
