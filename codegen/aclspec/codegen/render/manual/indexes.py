"""The pages over all operators: operators, support, products and status codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

from aclspec.codegen.load import Project
from aclspec.codegen.render.manual.markdown import Prose, code, codes, escaped
from aclspec.codegen.render.manual.support import SupportCells, dtypes_of, support_cells
from aclspec.codegen.render.manual.words import Lang, category, labels
from aclspec.codegen.told import sentence
from aclspec.runtime.dtypes import DType
from aclspec.runtime.info import OperatorInfo
from aclspec.runtime.status import Status


@dataclass(frozen=True, slots=True)
class OperatorLine:
    """An operator in a list."""

    name: str
    snake: str
    summary: str
    category: str
    products: tuple[str, ...]
    dtypes: tuple[str, ...]
    support: SupportCells


@dataclass(frozen=True, slots=True)
class CoresLine:
    """How many cores some SoCs have, and where that is from."""

    socs: str
    cube: int
    vector: int
    source: str


@dataclass(frozen=True, slots=True)
class ProductLine:
    """A product with the operators that list it."""

    plain_key: str
    key: str
    name: str
    socs: str
    arch: int
    bf16: str
    simulated: str
    cores: tuple[CoresLine, ...]
    operators: tuple[OperatorLine, ...]


@dataclass(frozen=True, slots=True)
class StatusLine:
    """A status code with the rules that give it, by operator: the id of each and its sentence."""

    number: int
    name: str
    doc: str
    rules: tuple[tuple[OperatorLine, tuple[tuple[str, str], ...]], ...]


@dataclass(frozen=True, slots=True)
class Indexes:
    """Everything that the templates of the pages over all operators show."""

    t: SimpleNamespace
    lang: Lang
    operators: tuple[OperatorLine, ...]
    products: tuple[ProductLine, ...]
    statuses: tuple[StatusLine, ...]

    @property
    def categories(self) -> list[str]:
        """The categories that some operator has."""
        return sorted({line.category for line in self.operators})

    @property
    def dtypes(self) -> list[str]:
        """The dtypes that some operator takes, in the order of their numbers."""
        return sorted({dtype for line in self.operators for dtype in line.dtypes}, key=lambda dtype: DType[dtype])


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What an operator gives to the pages in one language: its line, and its rules by the status that they give."""

    line: OperatorLine
    raised: Mapping[str, tuple[tuple[str, str], ...]]


def index_entry(info: OperatorInfo, lang: Lang) -> IndexEntry:
    """What an operator gives to the pages in one language."""
    prose = Prose.of(info, lang)
    raised: dict[str, list[tuple[str, str]]] = {}
    for rule in info.rules:
        if rule.kind != "shortcut" and rule.outcome == "error":
            said = (rule.id, prose(sentence(info, rule, lang)))
            for status in dict.fromkeys(dict(rule.status).values()):
                raised.setdefault(status, []).append(said)
    return IndexEntry(_line(info, lang), {status: tuple(rules) for status, rules in raised.items()})


def indexes(project: Project, entries: Sequence[IndexEntry], lang: Lang) -> Indexes:
    """The pages in one language; of the project only the tables that its operators share are asked."""
    lines = tuple(entry.line for entry in entries)
    return Indexes(labels(lang), lang, lines, _products(project, lines, lang), _statuses(project, entries, lang))


def _line(info: OperatorInfo, lang: Lang) -> OperatorLine:
    return OperatorLine(
        info.name,
        info.snake,
        Prose.of(info, lang).written(getattr(info.summary, lang)),
        escaped(category(info.category, lang)),
        tuple(key for key, _ in info.products),
        dtypes_of(info.rows),
        support_cells(info),
    )


def _products(project: Project, lines: tuple[OperatorLine, ...], lang: Lang) -> tuple[ProductLine, ...]:
    words = labels(lang)
    return tuple(
        ProductLine(
            product.key,
            words.default_product.format(code(product.key)) if product.default else code(product.key),
            escaped(getattr(product.name, lang)),
            codes(product.socs),
            product.arch,
            words.knows_bf16 if product.bf16 else words.lacks_bf16,
            words.simulated_as.format(code(product.standard_soc)) if product.standard_soc else "",
            tuple(
                CoresLine(
                    codes(line.socs), line.cube, line.vector, words.cores_assumed if line.assumed else words.cores_read
                )
                for line in product.cores
            ),
            tuple(line for line in lines if product.key in line.products),
        )
        for product in project.products
    )


def _statuses(project: Project, entries: Sequence[IndexEntry], lang: Lang) -> tuple[StatusLine, ...]:
    docs = {status.name: escaped(getattr(status.doc, lang)) for status in project.statuses}
    return tuple(
        StatusLine(
            int(status),
            code(status.name),
            docs.get(status.name, ""),
            tuple((entry.line, entry.raised[status.name]) for entry in entries if status.name in entry.raised),
        )
        for status in Status
    )
