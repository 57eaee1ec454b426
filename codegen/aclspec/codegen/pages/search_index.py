"""What the search of the site knows in one language: operators, rules, and sections of pages."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

import yaml

from aclspec.codegen.render.manual.words import Lang, category
from aclspec.codegen.source.folders import COMMON, find_specs
from aclspec.codegen.spec.project import Operator, Project
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.products import KEYS, aliases
from aclspec.runtime.rules.operator_info import OperatorInfo

KINDS: Final[dict[Lang, dict[str, str]]] = {
    "en": {
        "operator": "Operator",
        "declared": "Signature",
        "rule": "Rule",
        "matrix": "Support",
        "guide": "Guide",
        "reference": "Reference",
        "decision": "Decision",
        "changelog": "Changelog",
        "home": "Home",
    },
    "zh": {
        "operator": "算子",
        "declared": "签名",
        "rule": "规则",
        "matrix": "支持情况",
        "guide": "指南",
        "reference": "参考",
        "decision": "设计决策",
        "changelog": "更新日志",
        "home": "首页",
    },
}
"""How each kind of result is labelled."""
_ANSWERS: Final[dict[Lang, dict[str, str]]] = {
    "en": {
        "pair": "Operators that take {dtype} on {product}: {count}",
        "dtype": "Operators that take {dtype} on some product: {count}",
    },
    "zh": {"pair": "{product} 支持 {dtype} 的算子：{count} 个", "dtype": "在某一产品上支持 {dtype} 的算子：{count} 个"},
}
_WORDS: Final = "site/search_words.yaml"
_TAG = re.compile(r"<[^>]+>")
_TABLES = ("signatures.html", "support.html", "operators/index.html")
"""Pages whose text the search knows from the specs."""
_BREAK = "\u200b"  # which MkDocs puts between Chinese words
_LONGEST = 1500
_BOOSTS = {"status-codes.html": 8.0} | dict.fromkeys(
    (
        "signatures.html",
        "reference/torch.html",
        "accuracy.html",
        "speed.html",
        "coverage.html",
        "support.html",
        "simulator.html",
    ),
    0.2,
)
"""How much a title weighs: a page about a status before the operators that give it, tables of operators last."""


def search_index(project: Project, lang: Lang, entries: Iterable[Mapping[str, Any]]) -> str:
    """The index as a script; ``entries`` are the sections of the pages as MkDocs divides them.

    Operators name what they support by its place in ``support``, since many support the same.
    """
    names = {key: (key,) for key in KEYS} | {alias: keys for alias, keys in aliases().items() if alias not in keys}
    stored = [dtype for dtype in DType if dtype.is_stored]
    dtypes = {_compact(name): [one.name] for one in stored for name in (one.name, *one.spellings)} | _words()["dtypes"]
    support: list[dict[str, list[str]]] = []
    data = {
        "products": {_compact(name): list(keys) for name, keys in names.items()},
        "dtypes": dtypes,
        "synonyms": synonyms(),
        "words": {**_ANSWERS[lang], "kinds": KINDS[lang]},
        "operators": [
            *(_operator(one, lang, support) for one in project.operators if one.info.facts.has_rules),
            *(_declared(info) for info in project.declared),
        ],
        "support": support,
        "sections": list(_sections(entries)),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"aclspecSearch.load({text});\n"


@cache
def _words() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((find_specs() / COMMON / _WORDS).read_text(encoding="utf-8"))
    return found


def synonyms() -> dict[str, list[str]]:
    """The words of names that each thing said means, by the letters and digits of what is said."""
    found: dict[str, list[str]] = {}
    for entry in _words()["synonyms"]:
        for said in map(_compact, entry["say"]):
            found.setdefault(said, []).extend(entry["mean"])
    return {said: list(dict.fromkeys(means)) for said, means in found.items()}


def _compact(text: str) -> str:
    """A text without anything but letters and digits, as find.js compares it."""
    return "".join(filter(str.isalnum, text.lower()))


def _operator(operator: Operator, lang: Lang, support: list[dict[str, list[str]]]) -> dict[str, Any]:
    info = operator.info
    own = {key: sorted(taken_on(info, key)) for key in KEYS}
    own = {key: dtypes for key, dtypes in own.items() if dtypes}
    if own not in support:
        support.append(own)
    return {
        "name": info.name,
        "snake": info.snake,
        "summary": getattr(info.summary, lang).replace("`", ""),
        "category": f"{category(info.category, 'en')} {category(info.category, lang)}",
        "keywords": " ".join(words for part, words in _words()["parts"].items() if part in info.name),
        "support": support.index(own),
        "formats": sorted({one for param in info.params for _, formats in param.formats for one in formats} - {"ND"}),
        "params": [param.name for param in info.params],
        "rules": [rule.id for rule in info.checks],
        "torch": _torch_names(operator),
    }


def _torch_names(operator: Operator) -> list[str]:
    """The functions of PyTorch that reach the operator, and the one that its reference calls."""
    compute = operator.spec.compute
    reference = None if compute is None or compute.reference is None else compute.reference.torch
    return list(dict.fromkeys([*operator.info.torch, *([reference] if reference else [])]))


def taken_on(info: OperatorInfo, product: str) -> set[str]:
    """The dtypes that some tensor of an operator may have on a product, as the support page shows them."""
    return {dtype for row in info.rows if product in row.products for _, dtypes in row.cells for dtype in dtypes}


def _declared(info: OperatorInfo) -> dict[str, Any]:
    """An operator whose signature alone is known: it has an anchor on the page of signatures."""
    return {
        "name": info.name,
        "snake": info.snake,
        "location": f"signatures.html#{info.snake}",
        "summary": ", ".join(param.name for param in info.params),
        "category": "",
        "keywords": " ".join(words for part, words in _words()["parts"].items() if part in info.name),
        "support": -1,
        "formats": [],
        "params": [],
        "rules": [],
        "torch": [],
    }


def _sections(entries: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The sections without markup; of a long one the beginning, and of a table of signatures the names."""
    for entry in entries:
        page = entry["location"].partition("#")[0]
        title, text = (" ".join(html.unescape(_TAG.sub(" ", entry[key])).split()) for key in ("title", "text"))
        title, text = title.replace(_BREAK, ""), text.replace(_BREAK, "")
        if page in _TABLES:
            text = ""
        elif len(text) > _LONGEST:
            text = text[:_LONGEST]
        found = {"title": title, "location": entry["location"], "text": text}
        keywords = {"keywords": [*aliases(), *(f"ascend{one}" for one in aliases())]}
        yield found | {"boost": _BOOSTS.get(page, 1.0)} | (keywords if entry["location"] == "products.html" else {})
