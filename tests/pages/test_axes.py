"""The diagram of an operator: axes that rules and inference tie together have one name, the others names of theirs."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.pages.axes import Axes, axes_of
from aclspec.codegen.pages.diagram import diagram
from tests.support.operators import some

DRAWN = {
    "matmul": "self[A B] mat2[B C] out[A C]",
    "prelu": "self[A B] weight[B] out[A B]",
    "permute": "self[A B] out[B A]",
    "cat": "tensors[0][A B] tensors[1][C B] out[D B]",
    "topk": "self[A B] valuesOut[A k] indicesOut[A k]",
    "convolution": "input[N C H W] weight[K C/groups R S] bias[K] output[N K P Q]",
    "convolution_backward": "gradOutput[N C H W] input[N K R S] weight[C K/groups P Q] "
    "gradInput[N K R S] gradWeight[C K/groups P Q] gradBias[C]",
    "batch_norm": "input[N H W C] weight[C] bias[C] runningMean[C] runningVar[C] "
    "output[N H W C] saveMean[C] saveInvstd[C]",
    "avg_pool2d": "self[N C H W] out[N C K R]",
    "index_select": "self[A B] index[C] out[C B]",
}


def drawn(name: str) -> Axes:
    found = axes_of(ops.get(name).info)
    assert found is not None
    return found


@pytest.mark.parametrize(("name", "expected"), DRAWN.items())
def test_axes_have_the_names_that_the_rules_give(name: str, expected: str) -> None:
    assert " ".join(f"{one.name}[{' '.join(one.axes)}]" for one in drawn(name).tensors) == expected


def test_what_an_output_is_computed_from() -> None:
    found = drawn("avg_pool2d")
    assert found.derived["K"][:2] == ("H", "kernelSize")
    assert found.windows == ("kernelSize",)
    assert [one.name for one in found.tensors if one.has_window] == ["self"]
    assert "K, R from H, W, <code>kernelSize</code>" in diagram(found, "en")
    assert "虚线框" in diagram(found, "zh")


@pytest.mark.parametrize("name", some(24))
def test_the_picture_has_every_tensor_and_says_so(name: str, repository: Path) -> None:
    operator = ops.get(name)
    if not operator.info.facts.has_rules:
        return
    found = drawn(name)
    shown = {one.name.partition("[")[0] for one in found.tensors}
    assert {param.name for param in operator.outputs if param.type in ("tensor", "tensor_list")} & shown
    figure = ET.fromstring(diagram(found, "en"))
    pictures = list(figure.iter("svg"))
    assert all(picture.findtext("title") and picture.findtext("desc") for picture in pictures)
    said = " ".join(str(picture.findtext("desc")) for picture in pictures)
    assert all(f"{one.name}: {' × '.join(one.axes) or '()'}" in said for one in found.tensors)
    for picture in pictures:
        width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
        for box in picture.iter("rect"):
            x, y, wide, high = (float(box.attrib[key]) for key in ("x", "y", "width", "height"))
            assert 0 <= x <= x + wide <= width
            assert 0 <= y <= y + high <= height
