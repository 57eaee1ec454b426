"""One Chinese word for each term, in pages and in what programs print; categories in the order of their sound."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from aclspec.codegen.conform.words import WORDS as CONFORM
from aclspec.codegen.pages.glossary import glossary, terms
from aclspec.codegen.pages.search_index import search_index
from aclspec.codegen.pages.words import WORDS as PAGES
from aclspec.codegen.pages.words import sound
from aclspec.codegen.render.javascript.labels import LABELS
from aclspec.codegen.render.manual.words import _CATEGORIES, category, labels
from aclspec.runtime.replay.words import WORDS as REPLAY
from aclspec.runtime.rules.answer_words import ANSWER_WORDS, FIX_WORDS
from aclspec.runtime.rules.sentences import WORDS as SENTENCES
from aclspec.runtime.why.words import WORDS as WHY
from tests.support.project import own_project

TOP = Path(__file__).parents[2]
CODE = re.compile(r"```.*?```|`[^`]+`|\]\([^)]*\)|<[^>]+>", re.DOTALL)
ENGLISH = re.compile(r"[A-Za-z][a-z]+(?:[ ,]+[a-z]+){3,}")
"""Four English words in a row."""


def chinese_texts() -> Iterator[tuple[str, str]]:
    """Every Chinese text that is written by hand: pages without their code, and the words of programs."""
    for path in (TOP / "site/docs/zh").rglob("*.md"):
        yield path.name, CODE.sub("", path.read_text(encoding="utf-8"))
    for table in (CONFORM, PAGES, REPLAY, ANSWER_WORDS, FIX_WORDS, SENTENCES, WHY):
        yield from ((key, text) for key, text in strings("words", table["zh"]))
    yield from ((key, texts[1]) for key, texts in LABELS.items())
    yield from vars(labels("zh")).items()
    failures: Any = yaml.safe_load((TOP / "specs/common/failures.yaml").read_text(encoding="utf-8"))
    yield from ((key, text) for key, text in strings("failures", failures) if re.search("[一-鿿]", text))


def strings(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, CODE.sub("", value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from strings(str(name), inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(key, inner)


def test_each_term_has_one_word() -> None:
    banned = {word: one["term"][1] for one in terms() for word in one.get("not", ())}
    wrong = [(key, word, banned[word]) for key, text in chinese_texts() for word in banned if word in text]
    assert wrong == []


def test_each_word_stands_once_and_is_used() -> None:
    for at in (0, 1):
        words = [one["term"][at] for one in terms()]
        assert len(words) == len(set(words))
    texts = "\n".join(text for _, text in chinese_texts())
    assert [one["term"][1] for one in terms() if one["term"][1] not in texts] == []


def test_no_english_sentence_is_left() -> None:
    assert [(key, ENGLISH.findall(text)) for key, text in chinese_texts() if ENGLISH.search(text)] == []


def test_categories_and_terms_are_sorted_by_sound() -> None:
    found = sorted((category(key, "zh") for key in _CATEGORIES), key=sound)
    assert found == [
        *(
            "Transformer 组件",
            "采样",
            "池化",
            "二元运算",
            "归一化",
            "归约",
            "激活",
            "矩阵乘",
            "卷积",
            "量化",
            "列表运算",
        ),
        *("随机", "损失函数", "缩放", "填充", "优化器", "张量操作", "逐元素运算"),
    ]
    first = [row.split("|")[1].strip() for row in glossary("zh").splitlines() if row.startswith("| ")][1:]
    assert first == sorted(first, key=sound)
    assert len(first) >= len(terms())


@pytest.mark.all
def test_the_search_says_what_pages_say() -> None:
    assert '"declared":"签名"' in search_index(own_project(), "zh", [])
