"""The search over a small index: what it finds, in which order, and what it says of a dtype on a product."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from aclspec.codegen.pages import search_index
from aclspec.codegen.source.folders import find_specs
from tests.support.find import Result, results

Ask = Callable[[str], list[Result]]
LONG = "word " * 40 + "needle in this haystack " + "other " * 40


def operator(name: str, snake: str, support: int = 0, **more: Any) -> dict[str, Any]:
    plain = {"summary": "", "category": "", "keywords": "", "formats": [], "params": [], "rules": [], "torch": []}
    return {"name": name, "snake": snake, "support": support, **plain, **more}


INDEX = {
    "products": {"310p": ["atlas_inference"], "atlas800ia2": ["atlas_a2"], "atlasa2": ["atlas_a2"]},
    "dtypes": {"bf16": ["BF16"], "bfloat16": ["BF16"], "float16": ["FLOAT16"], "fp16": ["FLOAT16"]},
    "words": {"pair": "{dtype} on {product}: {count}", "dtype": "{dtype}: {count}", "kinds": {}},
    "support": [{"atlas_inference": ["FLOAT16"], "atlas_a2": ["BF16", "FLOAT16"]}, {"atlas_a2": ["BF16"]}],
    "operators": [
        operator("aclnnConvolution", "convolution", summary="A convolution.", params=["cubeMathType"]),
        operator("aclnnConvolutionBackward", "convolution_backward", keywords="gradient 反向 梯度", rules=["shape-x"]),
        operator("aclnnMatmul", "matmul", 1, summary="矩阵的乘积"),
        operator("aclnnAvgPool2d", "avg_pool2d", torch=["torch.nn.functional.average"]),
        operator("aclnnEinsum", "einsum", -1, location="signatures.html#einsum"),
    ],
    "sections": [
        {"title": "A guide", "location": "guides/one.html", "text": LONG, "boost": 1.0},
        {"title": "Of a matrix", "location": "guides/two.html#part", "text": "The words stand here.", "boost": 1.0},
    ],
}


@pytest.fixture
def ask(program: Callable[[str], str], tmp_path: Path) -> Ask:
    index = tmp_path / "index.js"
    data = {**INDEX, "synonyms": search_index.synonyms()}
    index.write_text(f"aclspecSearch.load({json.dumps(data)});", encoding="utf-8")
    return lambda query: results(program("node"), index, [query])[query]


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("bf16 310P", "support.html?product=atlas_inference&dtype=BF16"),
        ("310P bfloat16", "support.html?product=atlas_inference&dtype=BF16"),
        ("float16 on Atlas 800I A2", "support.html?product=atlas_a2&dtype=FLOAT16"),
        ("bf16 atlas_a2 convolution", "support.html?product=atlas_a2&dtype=BF16&name=convolution"),
        ("BF16", "support.html?dtype=BF16"),
    ],
)
def test_a_dtype_on_a_product_is_answered_by_the_support_page(ask: Ask, query: str, place: str) -> None:
    first, *others = ask(query)
    assert (first["kind"], first["location"]) == ("matrix", place)
    count = {"310P": 0, "310p": 0, "Atlas 800I": 3, "convolution": 2}
    expected = next((number for part, number in count.items() if part in query), 4)
    assert first["title"].endswith(f": {expected}")
    assert len([one for one in others if one["kind"] == "operator"]) == expected


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("conv2d", "operators/convolution.html"),
        ("F.conv2d", "operators/convolution.html"),
        ("反向卷积", "operators/convolution_backward.html"),
        ("卷积的梯度", "operators/convolution_backward.html"),
        ("矩阵乘法", "operators/matmul.html"),
        ("矩阵之乘积", "operators/matmul.html"),
        ("torch.nn.functional.average", "operators/avg_pool2d.html"),
        ("torch.einsum", "signatures.html#einsum"),
        ("cube_math_type", "operators/convolution.html"),
        (".".join(["aclnnConvolutionBackward", "shape-x"]), "operators/convolution_backward.html#rule-shape-x"),
        ("convolutions", "operators/convolution.html"),
        ("the guide", "guides/one.html"),
    ],
)
def test_what_people_say_is_found_first(ask: Ask, query: str, place: str) -> None:
    assert ask(query)[0]["location"] == place


def test_some_of_the_words_count_where_nothing_has_all(ask: Ask) -> None:
    assert [one["location"] for one in ask("zeppelin needle")] == ["guides/one.html"]
    both = ask("words stand")
    assert [one["location"] for one in both] == ["guides/two.html#part"]  # and not those with one of both


def test_words_of_scripts_are_words(ask: Ask) -> None:
    assert ask("constructor") == []
    assert ask("__proto__ toString") == []


def test_an_excerpt_is_cut_between_words_around_what_was_found(ask: Ask) -> None:
    (found,) = ask("haystack")
    assert found["text"].startswith("… ")
    assert found["text"].endswith(" …")
    assert "needle in this haystack" in found["text"]
    assert set(found["text"].split()) <= {"…", *LONG.split()}
    assert len(found["text"]) < 180


def test_kinds_have_a_label_in_both_languages(ask: Ask) -> None:
    assert search_index.KINDS["en"].keys() == search_index.KINDS["zh"].keys()
    kinds = {one["kind"] for query in ("einsum", "conv2d", "bf16", "haystack") for one in ask(query)}
    assert {"declared", "operator", "matrix", "guide"} <= kinds <= search_index.KINDS["en"].keys()


def test_every_synonym_is_plain_words() -> None:
    words = yaml.safe_load((find_specs() / "common/site/search_words.yaml").read_text(encoding="utf-8"))
    for entry in words["synonyms"]:
        assert entry.keys() == {"say", "mean"}
        assert all(isinstance(one, str) and one for one in (*entry["say"], *entry["mean"])), entry
