"""The parts of pages that are made while the site is built: pictures say what the code computes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aclspec import ops
from aclspec.codegen.pages import lifecycle, masks, windows
from aclspec.codegen.pages.coverage import coverage, verdicts
from aclspec.codegen.pages.html import formula
from aclspec.codegen.pages.pictures import pictures
from aclspec.codegen.pages.simulator import simulator
from aclspec.codegen.render.manual.words import LANGS, Lang
from aclspec.codegen.simulator.interface import read_runtime
from aclspec.runtime.abi.products import KEYS
from tests.support.project import own_project

TOP = Path(__file__).parents[2]
PICTURES: dict[str, Callable[[Lang], str]] = {**windows.PARTS, **masks.PARTS, **lifecycle.PARTS}


def svg(text: str) -> ET.Element:
    found = ET.fromstring(text).find("svg")
    assert found is not None
    return found


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_named_and_lies_inside_its_frame(name: str, lang: Lang) -> None:
    picture = svg(PICTURES[name](lang))
    assert picture.findtext("title")
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    for box in picture.iter("rect"):
        x, y, w, h = (float(box.attrib[key]) for key in ("x", "y", "width", "height"))
        assert min(x, y) >= 0
        assert x + w <= width
        assert y + h <= height
    assert "style=" not in ET.tostring(picture, encoding="unicode"), "Colours are those of the theme."


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "padding", "dilation"), [(5, 3, 1, 0, 1), (6, 2, 2, 1, 1), (7, 3, 2, 0, 2)]
)
def test_the_marks_of_windows_are_the_cells_of_a_loop(
    size: int, kernel: int, stride: int, padding: int, dilation: int
) -> None:
    marks = [
        box.attrib["class"] for box in svg(windows.windows("en", size, kernel, stride, padding, dilation)).iter("rect")
    ]
    starts = [at for at in range(-padding, size + padding, stride) if at + dilation * (kernel - 1) < size + padding]
    assert marks.count("cell") == size**2
    assert marks.count("pad") == (size + 2 * padding) ** 2 - size**2
    assert len([one for one in marks if one.startswith("mark ")]) == len(starts) ** 2 * kernel**2
    assert len([one for one in marks if one.startswith("cell c")]) == len(starts) ** 2


def test_the_mask_of_positions_shows_them_little_endian() -> None:
    words = [text.text or "" for text in svg(masks.argmax("en")).iter("text")]
    hexes = [word for word in words if re.fullmatch("[0-9a-f]{2}", word)][-16:]
    shown = [int.from_bytes(bytes.fromhex("".join(hexes[at : at + 4])), "little") for at in range(0, 16, 4)]
    assert shown == masks.POSITIONS.ravel().tolist()


def test_the_mask_of_bits_has_one_bit_a_window() -> None:
    bits = [text.text for text in svg(masks.bits("en")).iter("text") if text.text in ("0", "1")][-16:]
    table = np.array(bits, int).reshape(4, 4)
    windows_of = [(position // 4 % 2) * 2 + position % 2 for position in masks.POSITIONS.ravel()]
    assert table.sum(axis=0).tolist() == [1, 1, 1, 1]
    assert table.argmax(axis=0).tolist() == windows_of


def test_links_to_pictures_follow_from_predicates_and_settings() -> None:
    assert pictures(ops.get("prelu").info, "en") == ""
    shown = pictures(ops.get("avg_pool2d").info, "en")
    assert shown == '<li>In pictures: <a href="../guides/pictures.html#windows">how windows cover an input</a></li>\n'
    assert "#masks" in pictures(ops.get("max_pool2d_with_mask").info, "zh")
    assert pictures(ops.get("apply_rotary_pos_emb").info, "en") == ""  # its layout is no mask's


def test_a_formula_that_cannot_be_shown_is_told() -> None:
    assert "<mfrac>" in formula(r"\frac{a}{b}")
    with pytest.raises(ValueError, match=r"The formula \(a_b_c\) is no LaTeX"):
        formula("a_b_c")


def test_coverage_tells_verdicts_by_product() -> None:
    rows = {row[0]: dict(zip(KEYS, row[1:], strict=True)) for row in verdicts(own_project(), "en")}
    absolute = rows["[`aclnnAbs`](operators/abs.md)"]
    assert absolute["atlas_a2"] == "judged"
    assert absolute["ascend_950"] == "judged, some not judged"
    assert absolute["atlas_200i_500_a2"] == "undocumented"
    norm = rows["[`aclnnLayerNorm`](operators/layer_norm.md)"]
    assert norm["atlas_200i_500_a2"] == "judged, some without a kernel"
    assert rows["[`aclnnDot`](operators/dot.md)"]["atlas_200i_500_a2"] == "no kernel"
    assert rows["[`aclnnRotaryPositionEmbedding`](operators/rotary_position_embedding.md)"]["ascend_950"] == "refused"


@pytest.mark.all
@pytest.mark.parametrize("lang", LANGS)
def test_coverage_counts_what_the_specs_have(lang: Lang) -> None:
    project = own_project()
    lines = coverage(lang, TOP).splitlines()
    for operator in project.operators:
        line = next(line for line in lines if line.startswith(f"| [`{operator.info.name}`]"))
        _, level, rules, clauses, cases, mutants = (cell.strip() for cell in line.strip("|").split("|"))
        assert level == f"`{operator.info.level}`"
        assert int(rules) == len(operator.info.rules)
        assert int(clauses) == sum(len(file.clauses) for file in project.clauses if file.operator == operator.info.name)
        assert int(cases) > 30
        assert int(mutants) > 30
    waived = [clause.id for file in project.clauses for clause in file.clauses if clause.waiver]
    assert [line.split("|")[1].strip() for line in lines if line.startswith("| 0")][-len(waived) :] == waived


def test_the_simulator_page_names_what_its_headers_declare() -> None:
    text = simulator("en", TOP)
    for interface in read_runtime().interfaces.values():
        assert all(f"`{function.shown}`" in text for function in interface.functions), interface.name
    assert "`aclCreateTensor`" in text
    assert "`aclrtMalloc`" in text
    for operator in own_project().operators:
        assert f"`{operator.info.name}GetWorkspaceSize`" in text
