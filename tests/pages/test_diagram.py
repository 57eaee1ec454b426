"""The diagram of an operator: the tensors of an example, whose axes have the names that the spec gives them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from aclspec.codegen.pages.diagram import Shape, axis_names, diagram, example_shapes
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.rules.interpreter import Environment, evaluate_node
from aclspec.runtime.tensors.tensor import Tensor
from aclspec.runtime.testing.corpus import path_of, read
from aclspec.runtime.testing.expected import arguments
from tests.support.operators import some
from tests.support.project import own_project

SHAPES = {
    "matmul": "self[M K] mat2[K N] out[2 2]",
    "cat": "tensors[0][2 2] tensors[1][1 2] out[3 2]",
    "convolution": "input[N Cin H W] weight[2 2 1 1] bias[Cout] output[N Cout Ho Wo]",
    "avg_pool2d": "self[N C H W] out[N C Ho Wo]",
    "apply_rotary_pos_emb": "queryRef[B S Nq D] keyRef[B S Nk D] cos[B S 1 D] sin[B S 1 D]",
    "dot": "self[K] tensor[K] out[]",
}


def operator_of(name: str) -> Operator:
    return next(one for one in own_project().operators if one.info.snake == name)


def text_of(operator: Operator) -> str:
    return " ".join(f"{one.name}[{' '.join(one.axes)}]" for one in example_shapes(operator))


@pytest.mark.parametrize(("name", "expected"), SHAPES.items())
def test_axes_have_the_names_of_the_spec_or_the_sizes_of_an_example(name: str, expected: str) -> None:
    assert text_of(operator_of(name)) == expected


def test_the_channels_stand_last_where_the_format_says_so() -> None:
    operator = operator_of("batch_norm")
    last = tuple(one for one in operator.info.examples if getattr(dict(one.inputs)["input"], "format", None) == "NHWC")
    operator = replace(operator, info=replace(operator.info, examples=last[:1]))
    assert "input[N H W C]" in text_of(operator)
    assert "output[N H W C]" in text_of(operator)


def test_the_caption_speaks_of_names_only_where_there_are_some() -> None:
    same = "Axes with the same name have the same size, or broadcast."
    assert same in diagram(example_shapes(operator_of("mm")), "en")
    assert same not in diagram(example_shapes(operator_of("add")), "en")
    assert "取自一个示例" in diagram(example_shapes(operator_of("add")), "zh")
    assert diagram((), "en") == ""


def valid_calls(operator: Operator, repository: Path) -> Iterator[Environment]:
    """The derived calls that a product takes in document mode."""
    text = path_of(repository / "generated" / "tests", operator.info.snake).read_text(encoding="utf-8")
    suite = read(text, operator.info).suite
    for case in suite.cases:
        cells = (cell for cell, outcome in suite.outcomes(case).items() if not outcome.status)
        for product in [cell.product for cell in cells if cell.mode == "document"][:1]:
            call = arguments(operator.info, suite.call(case))
            yield Environment(operator.info, call, product, "document")


def test_axes_of_one_name_have_one_size_in_valid_calls(repository: Path) -> None:
    named = [one for one in own_project().operators if any(param.axes for param in one.spec.params)]
    assert len(named) > 40
    for operator in named:
        check_sizes(operator, repository)


def check_sizes(operator: Operator, repository: Path) -> None:
    for env in valid_calls(operator, repository):
        sizes: dict[str, set[int]] = {}
        for param, spec in zip(operator.info.params, operator.spec.params, strict=True):
            tensor = env.call[param.name]
            is_checked = param.checked is None or evaluate_node(param.checked, env) is True
            if isinstance(tensor, Tensor) and spec.axes and is_checked and tensor.numel:
                names = axis_names(spec, tensor.shape, tensor.format.name if tensor.format else "")
                for name, size in zip(names, tensor.shape, strict=False):
                    sizes.setdefault(name, {int(name)} if name.isdigit() else set()).add(size)
        wrong = {name: found for name, found in sizes.items() if len(found - {1}) > 1 or (name == "1" and found != {1})}
        assert not wrong, f"{operator.info.snake}: {wrong} in {dict(env.call)}"


def test_long_names_of_axes_lie_inside_the_frame() -> None:
    long = ("Length", "Groups", "Groups", "Height", "Weight", "Groups")
    shapes = (Shape("x", long, True, False), Shape("y", long[:2], True, False))
    (picture,) = ET.fromstring(diagram(shapes, "en")).iter("svg")
    for text in picture.iter("text"):
        wide, x = 6 * len(str(text.text)), float(text.attrib["x"])
        left = x - wide * (1 if text.attrib.get("class") == "e" else 0.5)
        assert 0 <= left <= left + wide <= float(picture.attrib["width"]), text.text


@pytest.mark.parametrize("name", some(24, small=8))
def test_the_picture_has_every_tensor_and_says_so(name: str) -> None:
    operator = operator_of(name)
    if not operator.info.facts.has_rules:
        return
    found = example_shapes(operator)
    shown = {one.name.partition("[")[0] for one in found}
    assert {one.name for one in operator.info.params if one.is_output and one.type in ("tensor", "tensor_list")} & shown
    figure = ET.fromstring(diagram(found, "en"))
    pictures = list(figure.iter("svg"))
    assert all(picture.findtext("title") and picture.findtext("desc") for picture in pictures)
    said = " ".join(str(picture.findtext("desc")) for picture in pictures)
    assert all(f"{one.name}: {' × '.join(one.axes) or '()'}" in said for one in found)
    for picture in pictures:
        width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
        for box in picture.iter("rect"):
            x, y, wide, high = (float(box.attrib[key]) for key in ("x", "y", "width", "height"))
            assert 0 <= x <= x + wide <= width
            assert 0 <= y <= y + high <= height
