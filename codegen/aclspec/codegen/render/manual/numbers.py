"""Outputs, precision and tolerance of a page."""

from __future__ import annotations

from dataclasses import dataclass

from aclspec.codegen.render.manual.markdown import Prose, code, codes
from aclspec.codegen.render.manual.words import Lang, labels
from aclspec.codegen.told import clause, noun
from aclspec.runtime.info import OperatorInfo, PrecisionInfo
from aclspec.runtime.predicate.nodes import IfElse, Name, Node


@dataclass(frozen=True, slots=True)
class OutputView:
    """What an output is when the caller does not give it."""

    name: str
    shape: str
    dtype: str
    format: str
    relies_on: str


@dataclass(frozen=True, slots=True)
class PrecisionView:
    """A row of the precision table: when it holds, the dtype or setting of each role, and what that means."""

    when: str
    cells: tuple[str, ...]
    doc: str


@dataclass(frozen=True, slots=True)
class ToleranceView:
    """The tolerance of an output."""

    name: str
    terms: str
    unit: str
    factor: str


def output_views(info: OperatorInfo, prose: Prose, lang: Lang) -> tuple[OutputView, ...]:
    """Every output that can be inferred."""
    words = labels(lang)
    return tuple(
        OutputView(
            code(one.param),
            prose.part(noun(info, one.shape, lang)),
            prose.part(noun(info, one.dtype, lang)),
            words.format_of_rank if one.format is None else prose.part(noun(info, one.format, lang)),
            words.comma.join(f"[{code(rule)}](#rule-{rule})" for rule in one.relies_on),
        )
        for one in info.infer
    )


def precision_roles(info: OperatorInfo) -> tuple[str, ...]:
    """The roles and settings that some row of the precision table has: its columns."""
    return tuple(dict.fromkeys(role for row in info.compute.precision for role, _ in row.entries))


def precision_views(info: OperatorInfo, prose: Prose, lang: Lang) -> tuple[PrecisionView, ...]:
    """The precision table."""
    return tuple(_precision(info, row, prose, lang) for row in info.compute.precision)


def _precision(info: OperatorInfo, row: PrecisionInfo, prose: Prose, lang: Lang) -> PrecisionView:
    told = {role: prose.part(noun(info, dtype, lang)) for role, dtype in row.entries}
    return PrecisionView(
        _when(info, row, prose, lang),
        tuple(told.get(role, labels(lang).none) for role in precision_roles(info)),
        "" if row.doc is None else prose.written(getattr(row.doc, lang)),
    )


def _when(info: OperatorInfo, row: PrecisionInfo, prose: Prose, lang: Lang) -> str:
    words = labels(lang)
    parts = [words.for_products.format(codes(row.products))] if row.products else []
    if row.when is not None:
        parts.append(prose.part(clause(info, row.when, lang)))
    return str(words.comma).join(parts) or str(words.otherwise)


def tolerance_views(info: OperatorInfo, prose: Prose, lang: Lang) -> tuple[ToleranceView, ...]:
    """The tolerance of every output."""
    return tuple(
        ToleranceView(
            code(one.param),
            _terms(info, one.terms, prose, lang),
            _unit(info, one.unit, prose, lang),
            f"{one.factor:g}",
        )
        for one in info.compute.tolerance
    )


def _terms(info: OperatorInfo, terms: Node, prose: Prose, lang: Lang) -> str:
    """The number of terms; what hangs on a condition stands in lines of its own, each after what it is for."""
    words = labels(lang)
    if not isinstance(terms, IfElse):
        return prose.part(noun(info, terms, lang))
    told = words.terms_when.format(prose.part(clause(info, terms.cond, lang)), prose.part(noun(info, terms.then, lang)))
    return f"{told}<br>{words.terms_else.format(_terms(info, terms.orelse, prose, lang))}"


def _unit(info: OperatorInfo, unit: Node, prose: Prose, lang: Lang) -> str:
    """The unit of a tolerance: a role as it stands in the precision table, else a dtype."""
    roles = {role for row in info.compute.precision for role, _ in row.roles}
    return code(unit.id) if isinstance(unit, Name) and unit.id in roles else prose.part(noun(info, unit, lang))
