"""The rules, the parameters and the rows of dtypes of an operator, as rows of the tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aclspec.codegen.render.c.predicates import Predicates, type_name
from aclspec.codegen.render.c.sentences import failure
from aclspec.codegen.render.c.tables import NONE, CaveatRow, DtypeRow, ParamRow, RuleRow, Tables
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.status import Status
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.answer_words import of_versions, reason
from aclspec.runtime.rules.operator_info import (
    MODES,
    NULL,
    CaveatInfo,
    CaveatKind,
    Mode,
    OperatorInfo,
    RuleInfo,
    names_null,
)

CELL_NULL: Final = -3
NULL_IN_SOME: Final = 1 << 59
"""The bit of a column that says that a null fits some of its rows and not others."""
ANY: Final = (1 << 64) - 1 - NULL_IN_SOME
CAVEATS: Final[Mapping[CaveatKind, str]] = {
    "unjudged": "ACLSPEC_NOT_JUDGED",
    "no kernel": "ACLSPEC_NO_KERNEL",
    "version": "ACLSPEC_OLD_VERSIONS",
}
_SPECIAL: Final = {"DT_UNDEFINED": 62, "HFLOAT32": 61, NULL: 63}
"""The bits of what no small number stands for."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """An operator's part of the tables: where its rows begin, how many there are, and what it evaluates and says."""

    info: OperatorInfo
    first_rule: int
    rules: tuple[RuleInfo, ...]
    first_param: int
    first_row: int
    row_count: int
    first_caveat: int
    caveats: tuple[CaveatInfo, ...]
    columns: int
    roots: tuple[int, ...]
    templates: tuple[int, ...]


def encode(tables: Tables, info: OperatorInfo, universe: tuple[str, ...]) -> Encoded:
    """Add an operator that has rules to the tables."""
    predicates = Predicates.of(tables, info)
    named = {name for row in info.rows for name, _ in row.cells}
    columns = [param.name for param in info.params if param.name in named]
    first_param, first_row, first_rule = len(tables.params), len(tables.rows), len(tables.rules)
    for param in info.params:
        checked = predicates.node(param.checked)
        column = columns.index(param.name) if param.name in named else NONE
        required = predicates.node(param.required) if param.direction == "out" else NONE
        tables.params.append(ParamRow(tables.strings.add(param.name), type_name(param), checked, column, required))
    for row in info.rows:
        cells = [_cell(tables, row.table.get(name)) for name in columns]
        place = tables.children.add(cells)
        tables.rows.append(DtypeRow(products_of(row.products, universe), modes_of(row.modes), place))
    rules = tuple(sorted((one for one in info.checks if one.outcome == "error"), key=lambda one: one.kind != "product"))
    for rule in rules:
        tables.rules.append(_rule(predicates, rule, universe))
    own, first_caveat = tables.rules[first_rule:], len(tables.caveats)
    caveats = tuple(sorted((one for one in info.caveats if one.kind != "version" or one.since), key=_comes_last))
    tables.caveats += [_caveat(predicates, one, rules, universe) for one in caveats]
    param_nodes = (node for row in tables.params[first_param:] for node in (row.checked, row.required))
    roots = [node for row in own for node in (row.when, row.require) if node != NONE]
    roots += [row.when for row in tables.caveats[first_caveat:] if row.when != NONE]
    return Encoded(
        info,
        first_rule,
        rules,
        first_param,
        first_row,
        len(info.rows),
        first_caveat,
        caveats,
        _columns(tables, info, columns, universe),
        (*roots, *(node for node in param_nodes if node != NONE)),
        tuple(text for row in own for text in row.failure if text != NONE),
    )


def _columns(tables: Tables, info: OperatorInfo, names: Sequence[str], universe: tuple[str, ...]) -> int:
    """The place of what some row of each mode and product allows each column."""
    places = []
    for mode in MODES:
        for product in universe:
            rows = [row.table for row in info.rows if product in row.products and mode in row.modes]
            places.append(tables.sets.add([_allowed(name, rows) for name in names]) if rows else NONE)
    return tables.children.add(places)


def _allowed(name: str, rows: Sequence[Mapping[str, tuple[str, ...]]]) -> int:
    """The dtypes that some row allows a parameter."""
    found = ANY if any(name not in row for row in rows) else 0
    for row in rows:
        for dtype in row.get(name, ()):
            found |= 1 << bit_of(dtype)
    return found | NULL_IN_SOME if names_null(name, rows) else found


def products_of(keys: Iterable[str], universe: tuple[str, ...]) -> int:
    """A mask of products."""
    return sum(1 << universe.index(key) for key in keys if key in universe)


def modes_of(modes: Iterable[Mode]) -> int:
    """A mask of conformance modes."""
    return sum(1 << MODES.index(mode) for mode in modes)


def _rule(predicates: Predicates, rule: RuleInfo, universe: tuple[str, ...]) -> RuleRow:
    info, strings = predicates.info, predicates.tables.strings
    is_shortcut = rule.kind == "shortcut"
    products = rule.products or universe
    if rule.kind == "product":  # it decides for each product that the operator does not list
        products = tuple(key for key in products if key not in dict(info.products))
    modes = tuple(mode for mode, _ in rule.status) or (MODES if is_shortcut else ())
    status = {mode: int(Status[code]) if not is_shortcut else 0 for mode, code in rule.status}
    decides = is_shortcut or rule.kind == "product" or rule.require is not None
    return RuleRow(
        products_of(products, universe) if decides else 0,
        modes_of(modes),
        is_shortcut,
        predicates.node(rule.when),
        predicates.node(rule.require),
        strings.add(f"{info.name}.{rule.id}"),
        strings.add(rule.effect or "unwritten") if is_shortcut else NONE,
        status.get("document", 0),
        status.get("library", 0),
        (strings.add(rule.requirement.en), strings.add(rule.requirement.zh)),
        failure(predicates, rule.failure),
    )


def _comes_last(caveat: CaveatInfo) -> bool:
    """Old versions are what is told of a call of which nothing else is."""
    return caveat.kind == "version"


def _caveat(
    predicates: Predicates, caveat: CaveatInfo, rules: Sequence[RuleInfo], universe: tuple[str, ...]
) -> CaveatRow:
    strings, info = predicates.tables.strings, predicates.info
    say = of_versions if caveat.kind == "version" else reason
    silent = [at for at, rule in enumerate(rules) if rule.id in caveat.rules and not caveat.until]
    return CaveatRow(
        products_of(caveat.products or universe, universe),
        modes_of(caveat.modes),
        CAVEATS[caveat.kind],
        predicates.node(caveat.when),
        predicates.tables.children.add(silent),
        len(silent),
        strings.add(f"{info.name}.{caveat.id}"),
        int(Status[caveat.status]) if caveat.status else 0,
        (strings.add(say(caveat, "en")), strings.add(say(caveat, "zh"))),
    )


def _cell(tables: Tables, cell: tuple[str, ...] | None) -> int:
    """The dtypes that a row allows a parameter; `NONE` where it does not name it."""
    if cell is None:
        return NONE
    bits = sum(1 << bit_of(dtype) for dtype in dict.fromkeys(cell))
    names = [str(CELL_NULL) if dtype == NULL else f"DT_{dtype}" for dtype in cell]
    return tables.cells.add((bits, tables.cell_dtypes.add(names), len(cell)))


def bit_of(dtype: str) -> int:
    """The bit that stands for a dtype in a set."""
    return _SPECIAL.get(dtype) or int(DType[dtype])


def described(rule: RuleInfo) -> Iterator[str]:
    """What a reviewer reads beside the row of a rule: its sentence and its predicates."""
    yield f"{rule.id}: {rule.requirement.en}"
    if rule.when is not None:
        yield f"when {unparse(rule.when)}"
    if rule.require is not None:
        yield f"require {unparse(rule.require)}"
