"""The errors that ``make bench`` has measured, as a table for each operator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aclspec.codegen.pages.predicate_reference import table
from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.source.naming import Name
from aclspec.runtime.abi.products import KEYS

FIGURES = Path("site", "data", "accuracy.json")
_HEADS: dict[Lang, tuple[str, ...]] = {
    "en": ("dtypes", "computed in", "calls"),
    "zh": ("数据类型", "计算所用类型", "调用数"),
}
_WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "none": "Nothing has been measured yet: run `make bench`.",
        "machine": "Measured on {date} ({machine}): Python {python}, NumPy {numpy}, aclspec {aclspec}.",
    },
    "zh": {
        "none": "尚无测量数据：请运行 `make bench`。",
        "machine": "测量日期 {date}（{machine}）：Python {python}，NumPy {numpy}，aclspec {aclspec}。",
    },
}


def accuracy(lang: Lang, root: Path) -> str:
    """All that was measured last."""
    path = root / FIGURES
    if not path.is_file():
        return _WORDS[lang]["none"]
    figures = json.loads(path.read_text(encoding="utf-8"))
    return "\n".join([_WORDS[lang]["machine"].format(**figures["machine"]), "", *_sections(figures["rows"], lang)])


def _sections(rows: list[dict[str, Any]], lang: Lang) -> Iterator[str]:
    for name in dict.fromkeys(row["operator"] for row in rows):
        own = [row for row in rows if row["operator"] == name]
        products = [key for key in KEYS if any(key in row["errors"] for row in own)]
        yield f"## [`{name}`](operators/{Name(name).snake}.md) {{: #{name}}}\n"
        yield table((*_HEADS[lang], *(f"`{key}`" for key in products)), [_row(row, products) for row in own])


def _row(row: dict[str, Any], products: list[str]) -> tuple[str, ...]:
    roles = ", ".join(f"{role} `{dtype}`" for role, dtype in row["roles"].items())
    errors = (_number(row["errors"].get(product)) for product in products)
    return ", ".join(f"`{dtype}`" for dtype in row["dtypes"]), roles or "-", str(row["calls"]), *errors


def _number(error: float | None) -> str:
    return "-" if error is None else "0" if error == 0 else f"{error:.1e}"
