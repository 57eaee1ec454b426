"""The pages over all operators: operators, support, products, status codes and signatures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aclspec.codegen.pages.environment import template
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


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """An operator in the pages of one language.

    ``support`` has a cell for each product, by its key, a question mark where it is unknown; ``raised`` has the rules
    by the status that they give: the id of each and its sentence.
    """

    name: str
    snake: str
    summary: str
    category: str
    products: tuple[str, ...]
    dtypes: tuple[str, ...]
    support: tuple[tuple[str, str], ...]
    raised: Mapping[str, tuple[tuple[str, str], ...]]
    level: str


def render_indexes(project: Project) -> dict[str, str]:
    """The pages over the operators of a project in each language, as Markdown."""
    found: dict[str, str] = {}
    for lang in LANGS:
        operators = sorted((_entry(operator.info, lang) for operator in project.operators), key=lambda one: one.name)
        context = {
            "t": labels(lang),
            "lang": lang,
            "has_declared": bool(project.declared),
            "declared": project.declared,
            "operators": operators,
            "products": project.products,
            "docs": {status.name: escaped(getattr(status.doc, lang)) for status in project.statuses},
            "statuses": Status,
            "raised": {status for operator in operators for status in operator.raised},
            "categories": sorted({operator.category for operator in operators}),
            "dtypes": _sorted(dtype for operator in operators for dtype in operator.dtypes),
            "code": code,
            "codes": MARKDOWN.codes,
            "c_type": c_type,
            "escaped": escaped,
        }
        templates = dict([*_TEMPLATES.items(), *([_SIGNATURES] if project.declared else [])])
        found |= {f"{lang}/{path}": template(name).render(context) for path, name in templates.items()}
    return found


def _entry(info: OperatorInfo, lang: Lang) -> IndexEntry:
    prose = Prose.of(info, lang, MARKDOWN)
    raised: dict[str, list[tuple[str, str]]] = {}
    for rule in info.rules:
        if rule.kind != "shortcut" and rule.outcome == "error":
            for status in dict.fromkeys(dict(rule.status).values()):
                raised.setdefault(status, []).append((rule.id, prose(requirement(info, rule, lang, marks=True))))
    listed = {key for key, _ in info.products}
    return IndexEntry(
        info.name,
        info.snake,
        prose.written(getattr(info.summary, lang)),
        escaped(category(info.category, lang)),
        tuple(key for key, _ in info.products),
        _dtypes_of(info.rows),
        tuple((key, _support(info, key, key in listed)) for key in KEYS),
        {status: tuple(rules) for status, rules in raised.items()},
        info.level,
    )


def _support(info: OperatorInfo, product: str, listed: bool) -> str:
    """Every dtype that some tensor may have on a product, in italics those that library mode alone takes."""
    if not info.facts.has_rules:
        return "?"
    rows = [row for row in info.rows if product in row.products]
    documented = _dtypes_of(row for row in rows if listed and "document" in row.modes)
    marks = (code(dtype) if dtype in documented else f"*{code(dtype)}*" for dtype in _dtypes_of(rows))
    return " ".join(marks) or "-"


def _dtypes_of(rows: Iterable[RowInfo]) -> tuple[str, ...]:
    return _sorted(dtype for row in rows for _, dtypes in row.cells for dtype in dtypes)


def _sorted(dtypes: Iterable[str]) -> tuple[str, ...]:
    """Each dtype once, in the order of their numbers."""
    return tuple(sorted(set(dtypes), key=lambda dtype: DType[dtype]))
