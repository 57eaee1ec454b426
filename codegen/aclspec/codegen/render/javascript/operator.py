"""One operator's script: its parameters, dtype rows, rules and sentences as data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from aclspec.codegen.render.build import OWN_PACKAGE, Target, header_line
from aclspec.codegen.render.javascript.presets import Preset, argument_text
from aclspec.codegen.render.manual.words import LANGS, Lang
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.nodes import Node, children
from aclspec.runtime.rules.operator_info import MODES, CaveatInfo, OperatorInfo, ParamInfo, RuleInfo, Text
from aclspec.runtime.rules.template import Template, read_template

_SAFE = 2**53
_ANY_RANK = (0, 8)


def encoded(node: Node) -> Any:
    """A tree: a name as a string, a small integer and a boolean as themselves, all else as an array with its kind."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Bool(value=value):
            return value
        case ast.Int(value=value):
            return value if abs(value) < _SAFE else ["Int", str(value)]
        case ast.Float(value=value):
            return ["Float", {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(value), repr(value))]
        case ast.Str(value=text) | ast.Symbol(name=text):
            return [type(node).__name__, text]
        case ast.InRows(params=params):
            return ["InRows", *params]
        case ast.Arith(op=word) | ast.Compare(op=word) | ast.Call(func=word) | ast.Each(var=word):
            return [type(node).__name__, word, *map(encoded, children(node))]
        case ast.Quantifier(kind=kind, var=var):
            return [kind, var, *map(encoded, children(node))]
        case _:
            return [type(node).__name__, *map(encoded, children(node))]


def encoded_template(template: Template) -> list[Any]:
    """A template: texts, and placeholders as arrays of their kind, expressions, templates and names."""
    return [
        part
        if isinstance(part, str)
        else [
            part.kind,
            [None if node is None else encoded(node) for node in part.nodes],
            list(map(encoded_template, part.texts)),
            part.names,
        ]
        for part in template
    ]


def render_operator_script(
    info: OperatorInfo, target: Target, presets: Iterable[Preset] = (), lang: Lang | None = None
) -> str:
    """The text of ``operators/<op>.js``, with the texts of one language, or of all where that is None."""
    data = {
        "name": info.name,
        "snake": info.snake,
        "header": info.header,
        "python": "from aclspec import ops" if target.package == OWN_PACKAGE else f"import {target.package} as ops",
        "products": [product for product, _ in info.products],
        "params": list(map(_param, info.params)),
        "rows": [{"cells": row.table, "products": row.products, "modes": row.modes} for row in info.rows],
        "lets": [_object(let, "name", "value") for let in info.lets],
        "rules": list(map(_rule, info.checks)),
        "infer": {one.param: _object(one, "shape", "dtype", "format", reliesOn=one.relies_on) for one in info.infer},
        "caveats": list(map(_caveat, info.caveats)),
        "presets": list(map(_preset, presets)),
    }
    comments = (header_line(info.spec), f"The checks of {info.name}, as the page asks them.")
    return script(comments, "globalThis.aclspecAsk.register(", data if lang is None else _in_language(data, lang), ");")


def _in_language(value: Any, lang: Lang) -> Any:
    """Data with one language of each text."""
    if isinstance(value, list | tuple):
        return [_in_language(item, lang) for item in value]
    if not isinstance(value, Mapping):
        return value
    names = [lang] if value.keys() == set(LANGS) else list(value)
    return {name: _in_language(value[name], lang) for name in names}


def _param(param: ParamInfo) -> dict[str, Any]:
    formats = {"any" if rank == -1 else str(rank): names for rank, names in param.formats}
    default = argument_text(param, param.default) if param.has_default else None
    names = ("name", "snake", "type", "direction", "doc", "required", "checked", "values", "lengths")
    rank = None if param.rank == _ANY_RANK or not param.type.startswith("tensor") else param.rank
    return _object(param, *names, formats=formats, default=default, rank=rank)


def _rule(rule: RuleInfo) -> dict[str, Any]:
    """A rule, the sentence of what it requires and the templates of its failure."""
    fails = None if rule.failure is None else {lang: _template(text) for lang, text in _encoded(rule.failure).items()}
    outcome = None if rule.outcome == "error" else rule.outcome
    more = {"says": _encoded(rule.requirement), "outcome": outcome, "fails": fails}
    return _object(rule, "id", "kind", "params", "products", "when", "require", **more) | {"status": dict(rule.status)}


def _caveat(caveat: CaveatInfo) -> dict[str, Any]:
    known = {name: getattr(caveat, name) or None for name in ("status", "source", "since", "until")}
    modes = None if caveat.modes == MODES else caveat.modes
    return _object(caveat, "kind", "because", "when", "products", "rules", modes=modes, **known)


def _template(text: str) -> list[Any]:
    return encoded_template(read_template(text))


def _preset(preset: Preset) -> dict[str, Any]:
    title = None if preset.title is None else _encoded(Text(*preset.title))
    return _object(preset, "rule", "product", title=title) | {"texts": preset.texts}


def _object(one: object, *names: str, **more: Any) -> dict[str, Any]:
    """The fields of a part of the spec that say something, and more."""
    found = {name: _encoded(getattr(one, name)) for name in names} | more
    return {name: value for name, value in found.items() if value is not None and value not in ((), {})}


def _encoded(value: Any) -> Any:
    if isinstance(value, Text):
        return {"en": value.en, "zh": value.zh}
    return encoded(value) if isinstance(value, Node) else value


def script(comments: Iterable[str], before: str, data: Mapping[str, Any], after: str) -> str:
    """The text of a script; each item of a list or an object of ``data`` has a line of its own."""
    head = [*(f"// {comment}" for comment in comments), '"use strict";', ""]
    return "\n".join([*head, before + "{", *_script_lines(data), "}" + after, ""])


def _script_lines(data: Mapping[str, Any]) -> Iterator[str]:
    for name, value in data.items():
        if isinstance(value, list) and value:
            yield from (f"  {_json(name)}: [", *(f"    {_json(item)}," for item in value), "  ],")
        elif isinstance(value, dict) and value:
            items = (f"    {_json(key)}: {_json(item)}," for key, item in value.items())
            yield from (f"  {_json(name)}: {{", *items, "  },")
        else:
            yield f"  {_json(name)}: {_json(value)},"


def _json(value: Any) -> str:
    """A value as JSON that is JavaScript too."""
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
