"""Parameters and lets."""

from __future__ import annotations

from aclspec.codegen.compile.context import Context, kebab, text, texts, type_of
from aclspec.codegen.compile.shared import shared_let, shared_param
from aclspec.codegen.findings import did_you_mean, one_of
from aclspec.codegen.naming import CALL_KEYWORDS, Name
from aclspec.codegen.predicate.kinds import EMPTY_LIST
from aclspec.codegen.predicate.lexer import KEYWORDS
from aclspec.codegen.predicate.parser import SYMBOLS
from aclspec.codegen.spec.params import Let, Param
from aclspec.runtime.formats import Format
from aclspec.runtime.info import LetInfo, ParamInfo

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
    elif kebab(param.name) in (OPTIONS | {"out"} if param.direction == "in" else OPTIONS):
        text_ = f"A parameter ({param.name}) has the name of a keyword that every call takes; expected another name."
        context.report(path, "reserved-name", text_)
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


def _param(context: Context, index: int, param: Param) -> ParamInfo:
    path = ("params", index)
    flags = {name: kind for name, kind in context.scope.items() if name != param.name}
    required = context.expression((*path, "required"), param.required, "bool", "The condition", flags)
    checked = context.expression((*path, "checked"), param.checked, "bool", "The condition", flags)
    info = ParamInfo(
        name=param.name,
        snake=Name(param.name).snake,
        type=param.type,
        direction=param.direction,
        doc=texts(param.doc),
        optional=param.optional,
        required=required,
        checked=checked,
        formats=_formats(context, index, param),
        rank=param.rank,
        empty=param.empty == "allowed",
        noncontiguous=param.noncontiguous == "allowed",
        partial=param.partial,
        values=param.values,
        lengths=param.lengths,
        default=param.default,  # type: ignore[arg-type]
        has_default=param.has_default,
    )
    return info if context.placed else shared_param(info)


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
        if name not in known:
            expected = f"expected one of {one_of(known)}{did_you_mean(name, known)}"
            context.report((*path, index), "unknown-format", f"A format ({name}) is unknown; {expected}")
        elif name in formats[:index]:
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
            let = LetInfo(name, node, context.lets[name], text(value.doc) if isinstance(value, Let) else None)
            lets.append(let if context.placed else shared_let(let))
    return tuple(lets)


def _check_let_name(context: Context, name: str) -> None:
    path = ("let", name)
    if name in context.params:
        context.report(path, "duplicate-id", f"A let ({name}) has the name of a parameter.", key=True)
    elif name in RESERVED:
        context.report(path, "reserved-name", f"A let ({name}) has a name that predicates reserve.", key=True)


def has_fact(param: Param, kind: str, columns: frozenset[str]) -> bool:
    """Whether the parameter table states this fact of a parameter, so that a check entry must carry it."""
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
