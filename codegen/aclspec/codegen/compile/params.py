"""Parameters, lets and dtype rows."""

from __future__ import annotations

from itertools import product

from aclspec.codegen.compile.context import Context, in_order, kebab, text, texts, type_of
from aclspec.codegen.source.findings import did_you_mean, dtype_hint, one_of
from aclspec.codegen.source.naming import CALL_KEYWORDS, PARAM_NAMES_IN_USE, Name
from aclspec.codegen.spec.operator import Let, Param, Row
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.language.nodes import Node
from aclspec.runtime.language.parser import KEYWORDS, SYMBOLS
from aclspec.runtime.language.types import EMPTY_LIST
from aclspec.runtime.rules.operator_info import MODES, NULL, LetInfo, ParamInfo, RowInfo

RESERVED = frozenset({"it", *KEYWORDS, *SYMBOLS})
OPTIONS = frozenset({*CALL_KEYWORDS, "lang"})
"""What calls, explanations and the command line take for every operator, but for out: an output may be called so."""
ANY_RANK = -1


def compile_params(context: Context) -> tuple[ParamInfo, ...]:
    """All parameters, in C order."""
    seen: dict[str, str] = {}
    for index, param in enumerate(context.spec.params):
        _check_name(context, index, param, seen)
    return tuple(_param(context, index, param) for index, param in enumerate(context.spec.params))


def _check_name(context: Context, index: int, param: Param, seen: dict[str, str]) -> None:
    """Names are unique in every casing, and none means something else in a predicate."""
    path = ("params", index, "name")
    if param.name in RESERVED:
        context.report(path, "reserved-name", f"A parameter ({param.name}) has a name that predicates reserve.")
    elif kebab(param.name) in (OPTIONS if _may_be_out(context, param) else OPTIONS | {"out"}):
        text_ = f"A parameter ({param.name}) has the name of a keyword that every call takes"
        wanted = "another name" if kebab(param.name) in OPTIONS else "the direction out or another name"
        context.report(path, "reserved-name", f"{text_}; expected {wanted}.")
    elif param.name in PARAM_NAMES_IN_USE or not Name(param.name).words:
        text_ = f"A parameter ({param.name}) has a name that the C prototype or the Python module cannot have"
        context.report(path, "reserved-name", f"{text_}; expected another name.")
    for casing in (param.name, kebab(param.name), Name(param.name).snake):
        other = seen.setdefault(casing, f"{param.name}#{index}")
        if other != f"{param.name}#{index}":
            first = other.split("#")[0]
            text_ = (
                f"A parameter ({param.name}) is declared twice."
                if first == param.name
                else f"A parameter ({param.name}) is the same as another ({first}) in snake_case."
            )
            context.report(path, "duplicate-id", text_)
            return


def _may_be_out(context: Context, param: Param) -> bool:
    """Whether it may be called out: the argument of that name of a Python function is for what is only written."""
    return param.direction == "out" or (param.direction == "unknown" and not context.has_function)


def _param(context: Context, index: int, param: Param) -> ParamInfo:
    path = ("params", index)
    flags = {name: kind for name, kind in context.scope.items() if name != param.name}
    required = context.expression((*path, "required"), param.required, "bool", "The condition", flags)
    checked = context.expression((*path, "checked"), param.checked, "bool", "The condition", flags)
    return ParamInfo(
        name=param.name,
        snake=Name(param.name).snake,
        type=param.type,
        direction=param.direction,
        doc=texts(param.doc),
        const=param.const,
        optional=param.optional,
        required=required,
        checked=checked,
        formats=_formats(context, index, param),
        rank=param.rank,
        axes=param.axes,
        empty=param.empty == "allowed",
        noncontiguous=param.noncontiguous == "allowed",
        partial=param.partial,
        data_dependent=param.data_dependent,
        elements=_elements(context, index, param),
        values=param.values,
        lengths=param.lengths,
        default=param.default,  # type: ignore[arg-type]
        has_default=param.has_default,
    )


def _elements(context: Context, index: int, param: Param) -> tuple[tuple[str, Node], ...]:
    """The bounds of the elements of a tensor."""
    if param.elements is None:
        return ()
    path = ("params", index, "elements")
    if param.elements.min is None and param.elements.below is None:
        context.report(path, "value", "The elements of a tensor have no bound; expected min, below or both.")
    found = []
    for key, text_ in (("min", param.elements.min), ("below", param.elements.below)):
        node = None if text_ is None else context.parse((*path, key), text_)
        kinds = ("int", "float", "ints") if param.type == "tensor_list" else ("int", "float")
        if node is not None and context.check(node, kinds, "A bound", context.input_scope):
            found.append((key, node))
    return tuple(found)


def _formats(context: Context, index: int, param: Param) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """The formats per rank, any rank last."""
    if param.formats is None:
        return ()
    if isinstance(param.formats, tuple):
        _check_formats(context, ("params", index, "formats"), param.formats)
        return ((ANY_RANK, param.formats),)
    table = []
    for key, formats in param.formats.items():
        _check_formats(context, ("params", index, "formats", key), formats)
        table.append((ANY_RANK if key == "any" else int(key), formats))
    return tuple(sorted(table, key=lambda entry: (entry[0] == ANY_RANK, entry[0])))


def _check_formats(context: Context, path: tuple[str | int, ...], formats: tuple[str, ...]) -> None:
    known = [format_.name for format_ in Format]
    for index, name in enumerate(formats):
        if not context.is_known((*path, index), "format", name, known):
            continue
        if name in formats[:index]:
            context.report((*path, index), "duplicate-id", f"A format ({name}) is listed twice.")


def compile_lets(context: Context) -> tuple[LetInfo, ...]:
    """The lets in their order; each is in scope for those after it."""
    lets = []
    for name, value in context.spec.let.items():
        path: tuple[str | int, ...] = ("let", name)
        _check_let_name(context, name)
        if isinstance(value, Let):
            path = (*path, "value")
        node = context.parse(path, value.value if isinstance(value, Let) else value)
        checker = context.checker()
        kind = checker.check(node) if node else None
        context.complain(checker, context.at(path))
        context.lets[name] = "ints" if kind == EMPTY_LIST else kind or ""
        if node and kind:
            doc = text(value.doc) if isinstance(value, Let) else None
            lets.append(LetInfo(name, node, context.lets[name], doc))
    return tuple(lets)


def _check_let_name(context: Context, name: str) -> None:
    path = ("let", name)
    if name in context.params:
        context.report(path, "duplicate-id", f"A let ({name}) has the name of a parameter.", key=True)
    elif name in RESERVED:
        context.report(path, "reserved-name", f"A let ({name}) has a name that predicates reserve.", key=True)


def has_fact(param: Param, kind: str, columns: frozenset[str]) -> bool:
    """Whether the parameter table states this fact of a parameter, so that a check entry must cover it."""
    tensor = type_of(param).predicate in ("tensor", "tensors")
    return {
        "null": type_of(param).pointer and not param.optional,
        "dtype": param.name in columns,
        "format": tensor and param.formats is not None,
        "rank": tensor,
        "empty": tensor and param.empty == "refused",
        "contiguous": tensor and param.noncontiguous == "refused",
        "length": bool(param.lengths),
        "value": bool(param.values),
    }[kind]


DTYPES = tuple(dtype.name for dtype in DType if dtype.is_stored)
ATTRIBUTE_DTYPES = (*DTYPES, DType.DT_UNDEFINED.name)
"""The values of a parameter that is a dtype: DT_UNDEFINED stands for none."""


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
        words = {**row.sets, **chosen, NULL: ()}
        cells = tuple(
            (name, tuple(dict.fromkeys(dtype for word in row.row[name] for dtype in words.get(word, (word,)))))
            for name in in_order(row.row, order)
        )
        modes = tuple(mode for mode in MODES if mode in row.conformance)
        nulls = tuple(name for name, _ in cells if NULL in row.row[name])
        expanded.append(RowInfo(cells, in_order(row.products, context.product_keys), modes, nulls))
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
    elif NULL in cell and (not param.optional or param.checked is not None):
        why = "is not optional" if not param.optional else "is checked on a condition"
        context.report(path, "null", f"A dtype row allows a parameter ({name}) to be null that {why}.", key=True)
    for position, word in enumerate(cell):
        # A single word may stand without a list around it; its place is then that of the cell.
        _check_word(context, (*path, position), word, variables)


def _check_word(
    context: Context, path: tuple[str | int, ...], word: str, variables: dict[str, tuple[str, ...]]
) -> None:
    if word in DTYPES or word in variables or word == NULL:
        return
    expected = f"expected a variable of the row or one of {one_of(DTYPES)}"
    hint = dtype_hint(word, (*variables, *DTYPES))
    context.report(path, "unknown-dtype", f"A dtype ({word}) is unknown; {expected}{hint}")
