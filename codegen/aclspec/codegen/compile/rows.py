"""Joint dtype rows, their variables expanded."""

from __future__ import annotations

from itertools import product

from aclspec.codegen.compile.context import Context, in_order, type_of
from aclspec.codegen.findings import did_you_mean, one_of
from aclspec.codegen.spec.params import Row
from aclspec.runtime.dtypes import DType
from aclspec.runtime.info import MODES, RowInfo

DTYPES = tuple(dtype.name for dtype in DType if dtype.is_stored)


def columns(context: Context) -> frozenset[str]:
    """The parameters that some row has a cell for."""
    params = context.params
    named = {name for row in context.spec.dtypes for name in row.row if name in params}
    return frozenset(name for name in named if type_of(params[name]).has_dtype)


def compile_rows(context: Context) -> tuple[RowInfo, ...]:
    """One row for each assignment of the variables."""
    rows: list[RowInfo] = []
    for index, row in enumerate(context.spec.dtypes):
        _check_row(context, index, row)
        rows += expand(context, row)
    return tuple(rows)


def expand(context: Context, row: Row) -> list[RowInfo]:
    """The rows that one entry stands for."""
    used = [name for name in row.where if any(name in cell for cell in row.row.values())]
    order = tuple(param.name for param in context.spec.params)
    expanded = []
    for choice in product(*(row.where[name] for name in used)):
        chosen = {name: (dtype,) for name, dtype in zip(used, choice, strict=True)}
        words = {**row.sets, **chosen}
        cells = tuple(
            (name, tuple(dict.fromkeys(dtype for word in row.row[name] for dtype in words.get(word, (word,)))))
            for name in in_order(row.row, order)
        )
        modes = tuple(mode for mode in MODES if mode in row.conformance)
        expanded.append(RowInfo(cells, in_order(row.products, context.product_keys), modes))
    return expanded


def _check_row(context: Context, index: int, row: Row) -> None:
    """Every word of a row is a parameter, a dtype, a variable or a product."""
    path = ("dtypes", index)
    variables = {**row.where, **row.sets}
    for group in ("where", "sets"):
        for name, dtypes in getattr(row, group).items():
            if name in DTYPES or (group == "sets" and name in row.where):
                context.report(
                    (*path, group, name),
                    "duplicate-id",
                    f"A variable ({name}) has the name of a dtype or of another variable.",
                    key=True,
                )
            if not any(name in cell for cell in row.row.values()):
                context.report((*path, group, name), "unused", f"A variable ({name}) stands in no cell.", key=True)
            for position, dtype in enumerate(dtypes):
                _check_word(context, (*path, group, name, position), dtype, {})
    for name, cell in row.row.items():
        _check_cell(context, index, name, cell, variables)


def _check_cell(
    context: Context, index: int, name: str, cell: tuple[str, ...], variables: dict[str, tuple[str, ...]]
) -> None:
    path = ("dtypes", index, "row", name)
    param = context.params.get(name)
    if param is None:
        hint = did_you_mean(name, context.params)
        context.report(
            path, "unknown-param", f"A dtype row names a parameter ({name}) that does not exist{hint}", key=True
        )
    elif not type_of(param).has_dtype:
        text = f"A dtype row names a parameter ({name}) of type {param.type}, which has no dtype."
        context.report(path, "param-type", text, key=True)
    for position, word in enumerate(cell):
        # A single word may stand without a list around it; its place is then that of the cell.
        _check_word(context, (*path, position), word, variables)


def _check_word(
    context: Context, path: tuple[str | int, ...], word: str, variables: dict[str, tuple[str, ...]]
) -> None:
    if word in DTYPES or word in variables:
        return
    expected = f"expected a variable of the row or one of {one_of(DTYPES)}"
    hint = did_you_mean(word, (*variables, *DTYPES))
    context.report(path, "unknown-dtype", f"A dtype ({word}) is unknown; {expected}{hint}")
