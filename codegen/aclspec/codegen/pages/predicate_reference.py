"""Parts of the reference pages that follow from the code: the models of a spec, the functions, the tables."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.spec import base, checks
from aclspec.codegen.spec.base import Model
from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.codegen.spec.tables import ClausesFile, ProductsFile, StatusFile
from aclspec.codegen.wording.formulas import FORMULAS
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES, ParamTypeKey
from aclspec.runtime.language.functions import DOCS, FUNCTIONS

FILES: tuple[type[Model], ...] = (OperatorSpec, ProductsFile, StatusFile, ClausesFile)
_ALIASES: tuple[tuple[Any, str], ...] = (
    (base.Expression, "[predicate](predicates.md)"),
    (base.Kebab, "kebab-case name"),
    (base.RuleId, "rule id"),
    (base.CName, "C name"),
    (base.ClauseId, "clause id"),
    (base.Sentence, "text"),
    (checks.AnyCheck, "[check](#kinds-of-check)"),
    (ParamTypeKey, "[type](#types-of-parameters)"),
    (str, "text"),
    (int, "integer"),
    (float, "number"),
    (bool, "`true` or `false`"),
    (type(None), "`null`"),
)


def spec_models(lang: Lang) -> str:
    """A section for every model of a spec file, the file's own first."""
    return "\n".join(_section(model, lang) for model in _reachable(FILES))


def models() -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """The name of every model of a spec file, and for each of its keys the value, the default and the meaning."""
    yield from ((model.__name__, _rows(model)) for model in _reachable(FILES))


def _reachable(roots: Iterable[type[Model]]) -> Iterator[type[Model]]:
    """The models of these files, each once, in the order in which a reader meets them."""
    seen: set[type[Model]] = set()
    stack = list(reversed(list(roots)))
    while stack:
        model = stack.pop()
        if model in seen:
            continue
        seen.add(model)
        yield model
        inner = [found for hint in _hints(model).values() for found in _models(hint)]
        stack.extend(reversed(inner))


def _hints(model: type[Model]) -> dict[str, Any]:
    hints = typing.get_type_hints(model, include_extras=True)
    return {name: hints[name] for name in model.model_fields}


def _models(hint: Any) -> Iterator[type[Model]]:
    if isinstance(hint, type) and issubclass(hint, Model):
        yield hint
    for inner in typing.get_args(hint):
        yield from _models(inner)


def _rows(model: type[Model]) -> list[tuple[str, ...]]:
    return [
        (f"`{field.alias or name}`", _type(_hints(model)[name]), _default(field), _line(field.description or ""))
        for name, field in model.model_fields.items()
    ]


def _section(model: type[Model], lang: Lang) -> str:
    doc = (model.__doc__ or "").strip().split("\n\n")[0]
    title = f"## {model.__name__} {{ #{model.__name__.lower()} }}"
    return f"{title}\n\n{_line(doc)}\n\n{table(('key', 'value', 'default', 'meaning'), _rows(model), lang)}\n"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.default
    if value is PydanticUndefined or value in ((), None, ""):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{', '.join(map(str, value)) if isinstance(value, tuple) else value}`"


def _type(hint: Any) -> str:
    """What a reader may write for a key."""
    for alias, words in _ALIASES:
        if hint == alias:
            return words
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _type(args[0])
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in args)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(_type(arg) for arg in args if arg is not type(None)))
    if origin is tuple:
        return _list(args)
    if origin is dict:
        return f"map of {_type(args[0])} to {_type(args[1])}"
    if isinstance(hint, type) and issubclass(hint, Model):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    raise TypeError(f"The reference has no words for the type {hint!r}.")


def _list(args: tuple[Any, ...]) -> str:
    if args[-1] is Ellipsis:
        return f"list of {_type(args[0])}"
    return f"`[{', '.join('…' for _ in args)}]`, {len(args)} of {_type(args[0])}"


def functions(lang: Lang) -> str:
    """The library of the predicate language."""
    return table(("function", "value"), function_rows(lang).values(), lang)


def function_rows(lang: Lang) -> dict[str, tuple[str, str]]:
    """The signatures of each function, and what it computes."""
    return {name: (_signatures(name), _line(getattr(DOCS[name], lang))) for name in FUNCTIONS}


def _signatures(name: str) -> str:
    """A line for every result type; overloads that differ in one argument's type share it."""
    lines: dict[tuple[str, int], list[str]] = {}
    for one in FUNCTIONS[name]:
        shared = lines.setdefault((one.result, len(one.args) if len(one.args) > 1 else 0), [])
        shared.append(", ".join(one.args) + (", ..." if one.variadic else ""))
    return "<br>".join(f"`{name}({' | '.join(args)}) -> {result}`" for (result, _), args in lines.items())


def formula_functions(lang: Lang) -> str:
    """The functions of formulas."""
    rows = ((f"`{called}`", value) for called, value in formula_rows(lang).values())
    return table(("function", "value"), rows, lang)


def formula_rows(lang: Lang) -> dict[str, tuple[str, str]]:
    """How each function of formulas is called, and what it computes."""
    return {name: (called, getattr(doc, lang)) for name, (called, doc) in sorted(FORMULAS.items())}


def param_types(lang: Lang) -> str:
    """The C types of parameters."""
    return table(("type", "in C", "in a predicate", "in Python"), type_rows(), lang)


def type_rows() -> list[tuple[str, ...]]:
    """Each type of a parameter, its type in C and in a predicate, and what Python takes for it."""
    return [(f"`{kind.key}`", f"`{kind.c}`", f"`{kind.predicate}`", kind.python) for kind in PARAM_TYPES.values()]


def check_kinds(lang: Lang) -> str:
    """The kinds of check, by the key that selects each."""
    models = [model for model in _models(checks.AnyCheck) if model is not checks.Check]
    rows = [
        (f"`{key}`", f"[{model.__name__}](#{model.__name__.lower()})", _line(model.__doc__ or ""))
        for key, model in zip(checks.CHECK_KEYS, models, strict=True)
    ]
    return table(("key", "model", "what is checked"), rows, lang)


def dtypes(lang: Lang) -> str:
    """The dtypes, with the NumPy types that hold them."""
    rows = [
        (f"`{dtype.name}`", str(int(dtype)), f"`{dtype.short}`", f"`{dtype.numpy.name}`" if dtype.numpy else "none")
        for dtype in DType
    ]
    return table(("dtype", "number", "in a tensor literal", "NumPy"), rows, lang)


def formats(lang: Lang) -> str:
    """The formats."""
    rows = [(f"`{one.name}`", str(int(one)), "private" if one.is_private else "public") for one in Format]
    return table(("format", "number", "layout"), rows, lang)


_CHINESE = {
    "argument or option": "参数或选项",
    "default": "默认值",
    "dtype": "数据类型",
    "family": "算子族",
    "format": "数据格式",
    "function": "函数",
    "in C": "C",
    "in Python": "Python",
    "in a predicate": "谓词",
    "in a tensor literal": "张量字面量",
    "key": "键",
    "layout": "布局",
    "meaning": "含义",
    "model": "模型",
    "names": "名称",
    "number": "编号",
    "type": "类型",
    "value": "值",
    "short form": "简写",
    "what is checked": "检查内容",
    "what its operators have in common": "共同之处",
    "what it means": "含义",
    "where": "位置",
}


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], lang: Lang = "en") -> str:
    """A Markdown table, its heads in a language."""
    if lang == "zh":
        heads = tuple(_CHINESE.get(head, head) for head in heads)
    lines = [heads, tuple("---" for _ in heads), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _line(text: str) -> str:
    """A docstring as one line of Markdown."""
    return " ".join(text.split()).replace("``", "`")


PARTS: dict[str, Callable[[Lang], str]] = {
    "spec-models": spec_models,
    "check-kinds": check_kinds,
    "functions": functions,
    "formula-functions": formula_functions,
    "param-types": param_types,
    "dtypes": dtypes,
    "formats": formats,
}
