"""The precision of an operator, for ``aclspec show``."""

from __future__ import annotations

from typing import Any, Final

from aclspec.cli import output
from aclspec.codegen.render.manual.numbers import precision_roles
from aclspec.runtime.info import OperatorInfo, PrecisionInfo
from aclspec.runtime.predicate.sentences import Lang, clause, noun

WORDS: Final[dict[Lang, dict[str, str]]] = {
    "en": {
        "title": "Precision: the first row that holds",
        "when": "when",
        "meaning": "meaning",
        "always": "always",
        "otherwise": "otherwise",
        "comma": ", ",
    },
    "zh": {
        "title": "计算精度（取首个成立的行）",
        "when": "条件",
        "meaning": "含义",
        "always": "始终",
        "otherwise": "其他情形",
        "comma": "，",
    },
}


def precision_table(info: OperatorInfo, lang: Lang) -> Any:
    """The table for people: when a row holds, the dtype or setting of each role, and what that means."""
    words = WORDS[lang]
    roles = precision_roles(info)
    rows = []
    for row in info.compute.precision:
        told = _roles(info, row, lang)
        rows.append((_when(info, row, lang), *(told.get(role, "-") for role in roles), _meaning(row, lang)))
    return output.table(words["title"], [words["when"], *roles, words["meaning"]], rows)


def precision_rows(info: OperatorInfo, lang: Lang) -> list[dict[str, object]]:
    """The same for programs."""
    return [
        {
            "products": row.products,
            "when": None if row.when is None else clause(info, row.when, lang),
            "roles": _roles(info, row, lang),
            "meaning": _meaning(row, lang),
        }
        for row in info.compute.precision
    ]


def _roles(info: OperatorInfo, row: PrecisionInfo, lang: Lang) -> dict[str, str]:
    return {role: noun(info, value, lang) for role, value in row.entries}


def _when(info: OperatorInfo, row: PrecisionInfo, lang: Lang) -> str:
    condition = () if row.when is None else (clause(info, row.when, lang),)
    words = WORDS[lang]
    alone = words["always" if len(info.compute.precision) == 1 else "otherwise"]
    return words["comma"].join([*row.products, *condition]) or alone


def _meaning(row: PrecisionInfo, lang: Lang) -> str:
    return "" if row.doc is None else getattr(row.doc, lang)
