"""The pages over all operators: operators, support, products, status codes and signatures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from aclspec.codegen.pages.environment import template
from aclspec.codegen.pages.html import HTML
from aclspec.codegen.pages.tables import with_widths
from aclspec.codegen.pages.words import sound
from aclspec.codegen.render.headers import c_type
from aclspec.codegen.render.manual.markdown import MARKDOWN, code, escaped
from aclspec.codegen.render.manual.prose import Prose
from aclspec.codegen.render.manual.words import LANGS, Lang, category, labels
from aclspec.codegen.spec.project import Project
from aclspec.codegen.wording.rules import requirement
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.operator_info import OperatorInfo, RowInfo

_TEMPLATES = {
    "operators/index.md": "index.md.j2",
    "support.md": "support.md.j2",
    "products.md": "products.md.j2",
    "status-codes.md": "status-codes.md.j2",
}
_SIGNATURES = ("signatures.md", "signatures.md.j2")
_CATEGORIES = Path(__file__).with_name("categories.yaml")
_FIRST = ("FLOAT", "FLOAT16", "BF16")
_SHORT = {"FLOAT": "fp32", "FLOAT16": "fp16", "DOUBLE": "fp64"}
_SHOWN = 3
FEW_RULES = 12
"""As many rules as a status may have for the page of the statuses to show them."""


class Sets:
    """The sets of names that cells of a table stand for, each once: a cell has a short text and the place of its set.

    assets/javascripts/filter.js asks the sets, and shows them whole where there is room. A name with an asterisk is of
    the library alone.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._places: dict[tuple[str, ...], int] = {}

    def cell(self, names: Iterable[str], short: str) -> str:
        """The cell of a table, in HTML."""
        place = self._places.setdefault(tuple(names), len(self._places))
        return f'<td data-set="{place}">{short}</td>'

    @property
    def json(self) -> str:
        """All sets, to stand in a script."""
        return json.dumps(list(self._places), separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """An operator in the pages of one language.

    ``listed``, ``dtypes`` and ``support`` are cells of tables in HTML, the last one for each product; ``raised`` has
    the rules by the status that they give: the id of each and its sentence.
    """

    name: str
    snake: str
    summary: str
    category: str
    products: tuple[str, ...]
    has_rules: bool
    listed: str
    dtypes: str
    support: tuple[str, ...]
    raised: Mapping[str, tuple[tuple[str, str], ...]]
    level: str


def render_indexes(project: Project) -> dict[str, str]:
    """The pages over the operators of a project in each language, as Markdown."""
    found: dict[str, str] = {}
    for lang in LANGS:
        sets = Sets()
        operators = sorted((_entry(one.info, lang, sets) for one in project.operators), key=lambda one: one.name)
        counts = Counter(one.info.category for one in project.operators)
        rows = [row for operator in project.operators for row in operator.info.rows]
        context = {
            "t": labels(lang),
            "lang": lang,
            "has_declared": bool(project.declared),
            "declared": [(info, sets.cell(*_products(info))) for info in project.declared],
            "operators": operators,
            "products": project.products,
            "docs": {status.name: escaped(getattr(status.doc, lang)) for status in project.statuses},
            "statuses": Status,
            "raised": _raised(operators),
            "few": FEW_RULES,
            "categories": sorted({operator.category for operator in operators}, key=sound),
            "described": [
                (escaped(category(key, lang)), _described(key, lang), counts[key])
                for key in sorted(counts, key=lambda key: sound(category(key, lang)))
            ],
            "dtypes": _dtypes_of(rows),
            "sets": sets,
            "code": code,
            "html": HTML,
            "codes": MARKDOWN.codes,
            "c_type": c_type,
            "escaped": escaped,
        }
        templates = dict([*_TEMPLATES.items(), *([_SIGNATURES] if project.declared else [])])
        found |= {f"{lang}/{path}": with_widths(template(name).render(context)) for path, name in templates.items()}
    return found


def _raised(operators: Iterable[IndexEntry]) -> dict[str, tuple[int, int]]:
    """How many rules give each status, and of how many operators."""
    found: dict[str, tuple[int, int]] = {}
    for operator in operators:
        for status, rules in operator.raised.items():
            count, families = found.get(status, (0, 0))
            found[status] = (count + len(rules), families + 1)
    return found


def _described(key: str, lang: Lang) -> str:
    """What the operators of a category do; nothing for a category of one's own."""
    texts = _summaries().get(key)
    return "" if texts is None else texts[LANGS.index(lang)]


@cache
def _summaries() -> dict[str, list[str]]:
    found: dict[str, list[str]] = yaml.safe_load(_CATEGORIES.read_text(encoding="utf-8"))
    return found


def _entry(info: OperatorInfo, lang: Lang, sets: Sets) -> IndexEntry:
    plain, prose = Prose.of(info, lang, HTML), Prose.of(info, lang, MARKDOWN)
    raised: dict[str, list[tuple[str, str]]] = {}
    for rule in info.rules:
        if rule.kind != "shortcut" and rule.outcome == "error":
            for status in dict.fromkeys(dict(rule.status).values()):
                raised.setdefault(status, []).append((rule.id, prose(requirement(info, rule, lang, marks=True))))
    listed = {key for key, _ in info.products}
    return IndexEntry(
        info.name,
        info.snake,
        plain.written(getattr(info.summary, lang)),
        HTML.escaped(category(info.category, lang)),
        tuple(key for key, _ in info.products),
        info.facts.has_rules,
        sets.cell(*_products(info)),
        sets.cell(_dtypes_of(info.rows), _short(_dtypes_of(info.rows)) if info.facts.has_rules else "?"),
        tuple(_support(info, key, key in listed, sets) for key in KEYS),
        {status: tuple(rules) for status, rules in raised.items()},
        info.level,
    )


def _products(info: OperatorInfo) -> tuple[tuple[str, ...], str]:
    """The products that list an operator, and how many of all they are; a question mark where they are unknown."""
    keys = tuple(key for key, _ in info.products)
    return keys, f"{len(keys)}/{len(KEYS)}" if keys else "?"


def _support(info: OperatorInfo, product: str, listed: bool, sets: Sets) -> str:
    """Every dtype that some tensor may have on a product, with an asterisk those that library mode alone takes."""
    if not info.facts.has_rules:
        return "<td>?</td>"
    rows = [row for row in info.rows if product in row.products]
    documented = _dtypes_of(row for row in rows if listed and "document" in row.modes)
    names = tuple(dtype if dtype in documented else f"{dtype}*" for dtype in _dtypes_of(rows))
    return sets.cell(names, _short(names)) if names else "<td>-</td>"


def _short(names: Iterable[str]) -> str:
    """The usual floats and the first others by short names, and how many more there are."""
    order = sorted(names, key=lambda name: (name.endswith("*"), _place(name.rstrip("*"))))
    words = [
        f"<i>{text}</i>" if name.endswith("*") else text
        for name in order[:_SHOWN]
        for text in [_SHORT.get(name.rstrip("*"), name.rstrip("*").lower())]
    ]
    return " ".join([*words, *([f"+{len(order) - _SHOWN}"] if len(order) > _SHOWN else [])]) or "-"


def _place(name: str) -> int:
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def _dtypes_of(rows: Iterable[RowInfo]) -> tuple[str, ...]:
    return _sorted(dtype for row in rows for _, dtypes in row.cells for dtype in dtypes)


def _sorted(dtypes: Iterable[str]) -> tuple[str, ...]:
    """Each dtype once, in the order of their numbers."""
    return tuple(sorted(set(dtypes), key=lambda dtype: DType[dtype]))
