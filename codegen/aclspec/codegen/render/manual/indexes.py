"""The pages over all operators: operators, products and status codes."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

from aclspec.codegen.load import Project
from aclspec.codegen.render.manual.markdown import Prose, code, codes, escaped
from aclspec.codegen.render.manual.words import LANGS, Lang, labels
from aclspec.runtime.status import Status


@dataclass(frozen=True, slots=True)
class OperatorLine:
    """An operator in a list."""

    name: str
    snake: str
    summary: str
    products: str


@dataclass(frozen=True, slots=True)
class ProductLine:
    """A product with the operators that list it."""

    key: str
    name: str
    socs: str
    operators: tuple[OperatorLine, ...]


@dataclass(frozen=True, slots=True)
class StatusLine:
    """A status code with the rules that give it, by operator: links into its page."""

    number: int
    name: str
    doc: str
    rules: tuple[tuple[OperatorLine, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Indexes:
    """Everything that the templates of the pages over all operators show."""

    t: SimpleNamespace
    lang: Lang
    other: Lang
    operators: tuple[OperatorLine, ...]
    products: tuple[ProductLine, ...]
    statuses: tuple[StatusLine, ...]


def indexes(project: Project, lang: Lang) -> Indexes:
    """The pages over all operators in one language."""
    lines = tuple(
        OperatorLine(
            operator.info.name,
            operator.info.snake,
            Prose([param.name for param in operator.info.params]).written(getattr(operator.info.summary, lang)),
            codes(key for key, _ in operator.info.products),
        )
        for operator in project.operators
    )
    other = next(one for one in LANGS if one != lang)
    return Indexes(labels(lang), lang, other, lines, _products(project, lines, lang), _statuses(project, lines, lang))


def _products(project: Project, lines: tuple[OperatorLine, ...], lang: Lang) -> tuple[ProductLine, ...]:
    listed = [{key for key, _ in operator.info.products} for operator in project.operators]
    return tuple(
        ProductLine(
            code(product.key),
            escaped(getattr(product.name, lang)),
            codes(product.socs),
            tuple(line for line, keys in zip(lines, listed, strict=True) if product.key in keys),
        )
        for product in project.products
    )


def _statuses(project: Project, lines: tuple[OperatorLine, ...], lang: Lang) -> tuple[StatusLine, ...]:
    docs = {status.name: escaped(getattr(status.doc, lang)) for status in project.statuses}
    return tuple(
        StatusLine(int(status), code(status.name), docs.get(status.name, ""), _raised(project, lines, status.name))
        for status in Status
    )


def _raised(
    project: Project, lines: tuple[OperatorLine, ...], status: str
) -> tuple[tuple[OperatorLine, tuple[str, ...]], ...]:
    found = []
    for line, operator in zip(lines, project.operators, strict=True):
        rules = [rule for rule in operator.info.rules if rule.kind != "shortcut" and rule.outcome == "error"]
        giving = tuple(rule.id for rule in rules if status in dict(rule.status).values())
        if giving:
            found.append((line, giving))
    return tuple(found)
