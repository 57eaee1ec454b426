"""What the search of the site knows in one language: operators, rules, and sections of pages."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from aclspec.codegen.render.manual.words import Lang, category
from aclspec.codegen.spec.project import Project
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.products import aliases
from aclspec.runtime.rules.operator_info import OperatorInfo

_TERMS: Final = {
    "Backward": "gradient 反向 梯度",
    "Grad": "gradient backward 反向 梯度",
    "Pool": "pooling 池化",
    "Conv": "卷积",
    "Norm": "normalization 归一化",
    "Softmax": "归一化指数",
    "Matmul": "矩阵乘 matrix product",
    "MatMul": "矩阵乘 matrix product",
    "Mm": "矩阵乘 matrix product",
    "Attention": "注意力",
    "Upsample": "resize interpolate 上采样 插值",
    "Inplace": "in place 原地",
    "Random": "随机",
    "Foreach": "list 列表",
    "Mean": "average 均值",
    "Avg": "average mean 平均",
    "Max": "最大",
    "Min": "最小",
    "Add": "加",
    "Mul": "乘",
    "Div": "除",
    "Index": "索引",
    "Loss": "损失",
    "Quant": "量化",
}
"""What people say for a part of a name, in both languages."""
_TAG = re.compile(r"<[^>]+>")
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
    """The index as a script; ``entries`` are the sections of the pages as MkDocs divides them."""
    names = {alias: keys for alias, keys in aliases().items() if alias not in keys}
    dtypes = {name: [dtype.name] for dtype in DType if dtype.is_stored for name in dtype.spellings}
    data = {
        "aliases": {**{name: list(keys) for name, keys in names.items()}, **dtypes},
        "operators": [_operator(one.info, lang) for one in project.operators if one.info.facts.has_rules],
        "sections": list(_sections(entries)),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"aclspecSearch.load({text});\n"


def _operator(info: OperatorInfo, lang: Lang) -> dict[str, Any]:
    return {
        "name": info.name,
        "snake": info.snake,
        "summary": getattr(info.summary, lang).replace("`", ""),
        "category": f"{category(info.category, 'en')} {category(info.category, lang)}",
        "keywords": " ".join([*(words for part, words in _TERMS.items() if part in info.name), *info.torch]),
        "takes": sorted({*dict(info.products), *(one for row in info.rows for _, cell in row.cells for one in cell)}),
        "params": [param.name for param in info.params],
        "rules": [rule.id for rule in info.checks],
    }


def _sections(entries: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The sections without markup; of a long one the beginning, and of a table of signatures the names."""
    for entry in entries:
        page = entry["location"].partition("#")[0]
        title, text = (" ".join(html.unescape(_TAG.sub(" ", entry[key])).split()) for key in ("title", "text"))
        title, text = title.replace(_BREAK, ""), text.replace(_BREAK, "")
        if page == "signatures.html":
            text = " ".join(dict.fromkeys(re.findall(r"aclnn\w+", text)))
        elif len(text) > _LONGEST:
            text = text[:_LONGEST]
        found = {"title": title, "location": entry["location"], "text": text}
        keywords = {"keywords": [*aliases(), *(f"ascend{one}" for one in aliases())]}
        yield found | {"boost": _BOOSTS.get(page, 1.0)} | (keywords if entry["location"] == "products.html" else {})
