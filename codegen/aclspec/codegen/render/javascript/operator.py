"""One operator's script: its parameters, dtype rows and rules, with the predicates as expressions of JavaScript."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import Any

from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.render.javascript.argumenttext import argument_text
from aclspec.codegen.render.javascript.layout import (
    WIDTH,
    Group,
    Layout,
    Part,
    array,
    lay_out,
    quoted,
    record,
    strings,
)
from aclspec.codegen.render.javascript.nodes import expression, words
from aclspec.codegen.render.javascript.presets import Preset
from aclspec.codegen.render.target import OWN_PACKAGE, Target
from aclspec.codegen.same import Made, Same, remembered
from aclspec.codegen.told import sentence, voice_of
from aclspec.codegen.wrapping import wrapped
from aclspec.runtime.info import LetInfo, OperatorInfo, ParamInfo, RowInfo, RuleInfo, Text
from aclspec.runtime.predicate.nodes import Node


def render_operator_script(info: OperatorInfo, target: Target, presets: Iterable[Preset] = ()) -> str:
    """The text of ``operators/<op>.js``."""
    how = "from aclspec import ops" if target.package == OWN_PACKAGE else f"import {target.package} as ops"
    operator = Group(
        "{",
        (
            Part("name: ", quoted(info.name)),
            Part("snake: ", quoted(info.snake)),
            Part("python: ", quoted(how)),
            Part("products: ", strings(product for product, _ in info.products)),
            Part("params: ", array(map(_param, info.params), broken=True)),
            Part("rows: ", array(map(_row, info.rows), broken=bool(info.rows))),
            Part("lets: ", _items((_expressed(let.value), _let(let)) for let in info.lets)),
            Part("rules: ", _items((_rule_comments(rule), _rule(info, rule)) for rule in info.rules)),
            Part("infer: ", record({one.param: _inferred(one) for one in info.infer}, broken=bool(info.infer))),
            Part("presets: ", array(map(_preset, presets), broken=True)),
        ),
        "}",
        broken=True,
    )
    used = sorted(frozenset().union(*map(_words, _trees(info))))
    taken = wrap(", ".join(used), WIDTH - 2, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    first, *rest = lay_out("", operator, "));")
    head = (
        f"// {target.header(info.spec)}",
        f"// The checks of {info.name}, as the page asks them.",
        '"use strict";',
        "",
    )
    words_line = ["globalThis.aclspecAsk.register(({", *taken, f"}}) => ({first}"]
    return "\n".join((*head, *words_line, *rest, ""))


@remembered
def _words(node: Node) -> frozenset[str]:
    """The functions that the expression of a tree calls."""
    return frozenset(words(node))


def _trees(info: OperatorInfo) -> Iterator[Node]:
    """Every predicate of an operator."""
    found = [node for param in info.params for node in (param.required, param.checked)]
    found += [let.value for let in info.lets]
    found += [node for rule in info.rules for node in (rule.when, rule.require)]
    found += [node for one in info.infer for node in (one.shape, one.dtype, one.format)]
    yield from (node for node in found if node is not None)


@remembered
def _param(param: ParamInfo) -> Layout:
    formats = {"any" if rank == -1 else str(rank): strings(names) for rank, names in param.formats}
    return record(
        {
            "name": quoted(param.name),
            "snake": quoted(param.snake),
            "type": quoted(param.type),
            "direction": quoted(param.direction),
            "doc": _text(param.doc),
            "formats": record(formats) if formats else None,
            "required": _optional(param.required),
            "checked": _optional(param.checked),
            "default": quoted(argument_text(param, param.default)) if param.has_default else None,
            "values": array(quoted(one) if isinstance(one, str) else f"{one}n" for one in param.values)
            if param.values
            else None,
        }
    )


def _row(row: RowInfo) -> Layout:
    return record(
        {
            "cells": record({name: strings(dtypes) for name, dtypes in row.cells}),
            "products": strings(row.products),
            "modes": strings(row.modes),
        }
    )


@remembered
def _let(let: LetInfo) -> Layout:
    doc = None if let.doc is None else _text(let.doc)
    return record({"name": quoted(let.name), "type": quoted(let.type), "value": expression(let.value), "doc": doc})


def _rule(info: OperatorInfo, rule: RuleInfo) -> Layout:
    return _RULES.of((Same(rule), voice_of(info)), lambda: _said(info, rule))


_RULES = Made[Layout]()


def _said(info: OperatorInfo, rule: RuleInfo) -> Layout:
    """A rule and its sentences, which are the same in a family."""
    status: Mapping[str, Layout | None] = {mode: quoted(name) for mode, name in rule.status}
    says = Text(sentence(info, rule, "en"), sentence(info, rule, "zh"))
    return record(
        {
            "id": quoted(rule.id),
            "kind": quoted(rule.kind),
            "params": strings(rule.params) if rule.params else None,
            "status": record(status),
            "products": strings(rule.products) if rule.products else None,
            "outcome": None if rule.outcome == "error" else quoted(rule.outcome),
            "when": _optional(rule.when),
            "require": _optional(rule.require),
            "says": _text(says),
        },
        broken=True,
    )


@remembered
def _rule_comments(rule: RuleInfo) -> tuple[str, ...]:
    """The id of a rule and its predicates as the spec writes them."""
    parts = [] if rule.require is None else [unparse(rule.require)]
    parts += [] if rule.when is None else [f"when {unparse(rule.when)}"]
    return _wrapped(f"{rule.id}: {', '.join(parts)}" if parts else rule.id)


@remembered
def _expressed(node: Node) -> tuple[str, ...]:
    return _wrapped(unparse(node))


def _wrapped(text: str) -> tuple[str, ...]:
    return tuple(wrapped(text, WIDTH - 8, later="  "))


def _items(items: Iterable[tuple[tuple[str, ...], Layout]]) -> Group:
    """An array with comments above each item."""
    return Group("[", tuple(Part("", value, comments) for comments, value in items), "]")


def _inferred(one: Any) -> Layout:
    return record(
        {
            "shape": expression(one.shape),
            "dtype": expression(one.dtype),
            "format": _optional(one.format),
            "reliesOn": strings(one.relies_on) if one.relies_on else None,
        }
    )


def _preset(preset: Preset) -> Layout:
    title = None if preset.title is None else Text(*preset.title)
    return record(
        {
            "title": None if title is None else _text(title),
            "rule": None if preset.rule is None else quoted(preset.rule),
            "product": quoted(preset.product),
            "texts": record({name: quoted(text) for name, text in preset.texts.items()}),
        }
    )


def _optional(node: Node | None) -> Layout | None:
    return None if node is None else expression(node)


def _text(text: Text) -> Layout:
    return record({"en": quoted(text.en), "zh": quoted(text.zh)})
