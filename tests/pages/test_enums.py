"""The values of an attribute stand on its page with what they mean, where the description lists them."""

from __future__ import annotations

import pytest

from aclspec.codegen.pages.enums import meanings
from aclspec.codegen.pages.operator import operator_pages
from aclspec.codegen.render.manual.words import Lang
from tests.support.project import own_project


@pytest.mark.parametrize(
    ("doc", "values", "expected"),
    [
        ("What lies beyond: 0 zeros, 1 the edge, 2 the rest.", (0, 1, 2), ["zeros", "the edge", "the rest"]),
        ("边缘以外：0 补零，1 取边缘值，2 反射。", (0, 1, 2), ["补零", "取边缘值", "反射"]),
        ("Where: `up` above, or `down` below.", ("up", "down"), ["above", "below"]),
        ("One of two: 0 zeros.", (0, 1), []),
        ("Sizes: 0 zeros, 1 ones.", (0, 1, 2), []),
        ("Always: 0 zeros.", (0,), []),
        ("No list 0 of 1 values.", (0, 1), []),
    ],
)
def test_a_list_in_a_description(doc: str, values: tuple[object, ...], expected: list[str]) -> None:
    assert list(meanings(doc, values).values()) == expected


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_values_of_an_attribute_are_explained(lang: Lang) -> None:
    project = own_project()
    page = operator_pages(project, project.operator("matmul"), lang)["matmul"].html
    row = next(part for part in page.split("<tr>") if part.count("cubeMathType") and "<br>" in part)
    assert all(f"<code>{value}</code> " in row for value in range(4))


def test_most_attributes_of_computed_operators_have_meanings() -> None:
    computed = [one.info for one in own_project().operators if one.info.facts.has_kernel]
    params = [param for info in computed for param in info.params if len(param.values) > 1]
    both = [meanings(param.doc.en, param.values) and meanings(param.doc.zh, param.values) for param in params]
    assert sum(map(bool, both)) / len(both) > 0.6
