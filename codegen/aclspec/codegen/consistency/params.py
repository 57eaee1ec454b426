"""Whether each key of a parameter fits its type and direction."""

from __future__ import annotations

from math import isfinite

from aclspec.codegen.compile.context import Context, Path, beyond, type_of
from aclspec.codegen.compile.rows import DTYPES
from aclspec.codegen.findings import did_you_mean, one_of
from aclspec.codegen.spec.params import Param
from aclspec.runtime.predicate.functions import ELEMENTS

_TENSOR_KEYS = ("formats", "rank", "empty", "noncontiguous")
_WITHOUT_DEFAULT = ("tensor", "tensors", "scalars")
_ELEMENTS: dict[str, type] = {"ints": int, "bools": bool, "floats": float}
_PLAIN: dict[str, type] = {"int": int, "bool": bool, "float": float, "string": str, "dtype": str}


def check_params(context: Context) -> None:
    """Check every parameter by itself."""
    for index, param in enumerate(context.spec.params):
        path: Path = ("params", index)
        _check_keys(context, path, param)
        _check_tensor(context, path, param)
        for position, value in enumerate(param.values):
            _check_value(context, (*path, "values", position), param, value)
        _check_default(context, (*path, "default"), param)
        _check_clauses(context, (*path, "clauses"), param)


def _check_keys(context: Context, path: Path, param: Param) -> None:
    """Keys that say nothing of this type or direction."""
    kind = type_of(param)
    of_type = f"a parameter ({param.name}) of type {param.type}"
    wrong: dict[str, str | None] = {
        **dict.fromkeys(_TENSOR_KEYS, of_type if kind.predicate not in ("tensor", "tensors") else None),
        "lengths": None if kind.pointer and kind.predicate in ELEMENTS else of_type,
        "values": None if kind.predicate in ("int", "string", "dtype") else of_type,
        "optional": None if kind.pointer else of_type,
        "required": None if kind.pointer else of_type,
        "default": of_type if kind.predicate in _WITHOUT_DEFAULT else None,
    }
    if param.direction != "in":
        wrong["default"] = f"an output ({param.name})"
    if param.direction != "out":
        wrong["partial"] = f"a parameter ({param.name}) that is {param.direction}"
    if param.optional and kind.pointer:
        wrong["required"] = f"an optional parameter ({param.name})"
    for key, what in wrong.items():
        if what is not None and key in param.model_fields_set:
            context.report((*path, key), "param-type", f"The key ({key}) says nothing of {what}.", key=True)
    if param.direction != "in" and kind.predicate not in ("tensor", "tensors"):
        text = f"A parameter ({param.name}) of type {param.type} is {param.direction}; expected in."
        context.report((*path, "direction"), "param-type", text)


def _check_tensor(context: Context, path: Path, param: Param) -> None:
    """The formats and the ranks of a tensor agree."""
    if type_of(param).predicate not in ("tensor", "tensors"):
        return
    low, high = param.rank
    if low > high:
        context.report((*path, "rank"), "value", f"The least rank ({low}) is above the greatest ({high}).")
    if param.formats is None:
        text = f"A tensor ({param.name}) names no formats; expected the key formats."
        context.report(path, "missing-key", text)
    elif isinstance(param.formats, dict):
        named = [rank for rank in param.formats if isinstance(rank, int)]
        for rank in named:
            if not low <= rank <= high:
                text = f"Formats are given for a rank ({rank}) outside {low} to {high}."
                context.report((*path, "formats", rank), "dead", text, key=True)
        missing = [str(rank) for rank in range(low, high + 1) if rank not in named]
        if missing and "any" not in param.formats:
            text = f"Formats are given for some ranks but not for {one_of(missing)}; expected the key any."
            context.report((*path, "formats"), "missing-key", text, key=True)


def _check_value(context: Context, path: Path, param: Param, value: object) -> None:
    """A legal value is of the parameter's own type and within its range."""
    kind = type_of(param)
    if kind.predicate not in ("int", "string", "dtype"):
        return
    if not isinstance(value, _PLAIN[kind.predicate]):
        context.report(
            path, "value", f"A value ({value}) of a parameter ({param.name}) does not fit its type {kind.key}."
        )
    elif isinstance(value, int) and not kind.low <= value <= kind.high:
        text = f"A value ({value}) of a parameter ({param.name}) is outside its C type, {kind.low} to {kind.high}."
        context.report(path, "value", text)
    elif kind.predicate == "dtype" and value not in DTYPES:
        known = list(DTYPES)
        text = f"A dtype ({value}) is unknown; expected one of {one_of(known)}{did_you_mean(str(value), known)}"
        context.report(path, "unknown-dtype", text)


def _check_default(context: Context, path: Path, param: Param) -> None:
    """A default is a value that the parameter may have."""
    kind, value = type_of(param), param.default
    if not param.has_default or kind.predicate in ("tensor", "tensors", "scalar", "scalars"):
        return
    if value is None:
        if not param.optional:
            text = f"The default of a parameter ({param.name}) is null; expected optional: true beside it."
            context.report(path, "value", text)
    elif not _fits(kind.predicate, value):
        context.report(path, "value", f"The default ({value}) of a parameter ({param.name}) is no {kind.key}.")
    elif outside := beyond(kind, value):
        text = f"The default of a parameter ({param.name}) is an integer ({outside[0]}) that its C type cannot hold."
        context.report(path, "value", text)
    elif any(
        isinstance(item, float) and not isfinite(item) for item in (value if isinstance(value, tuple) else (value,))
    ):
        text = f"The default ({value}) of a parameter ({param.name}) is not finite; expected a number that is."
        context.report(path, "value", text)
    elif param.values and value not in param.values:
        expected = one_of(str(choice) for choice in param.values)
        text = f"The default ({value}) of a parameter ({param.name}) is none of its values; expected {expected}."
        context.report(path, "value", text)
    elif isinstance(value, tuple) and param.lengths and len(value) not in param.lengths:
        expected = one_of(str(length) for length in param.lengths)
        text = f"The default of a parameter ({param.name}) has {len(value)} elements; expected {expected}."
        context.report(path, "value", text)
    elif not isinstance(value, tuple):
        _check_value(context, path, param, value)


def _fits(predicate: str, value: object) -> bool:
    if predicate in _ELEMENTS:
        return isinstance(value, tuple) and all(_is(item, _ELEMENTS[predicate]) for item in value)
    return _is(value, _PLAIN[predicate])


def _is(value: object, kind: type) -> bool:
    """Whether a value is of a type, an int being also a float and a bool no int."""
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    return isinstance(value, int | float if kind is float else kind)


def _check_clauses(context: Context, path: Path, param: Param) -> None:
    """The keys of ``clauses`` name fields of a parameter."""
    fields = [name for name in Param.model_fields if name != "clauses"] + ["dtype"]
    for name in param.clauses:
        if name not in fields:
            text = f"A field ({name}) of a parameter is unknown; expected one of {one_of(fields)}"
            context.report((*path, name), "unknown-key", text + did_you_mean(name, fields), key=True)
