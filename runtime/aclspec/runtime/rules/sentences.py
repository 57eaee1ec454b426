"""The sentences of a rule: its requirement, and its failure filled with the values of a call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from aclspec.runtime.language.nodes import Arith, Negate, Node, Quantifier
from aclspec.runtime.language.values import (
    INFERRED,
    UNDEFINED,
    Undefined,
    dtypes_of,
    parenthesized,
    shortened,
    value_text,
)
from aclspec.runtime.rules.interpreter import Environment, evaluate_node
from aclspec.runtime.rules.operator_info import NULL, Mode, OperatorInfo, RuleInfo, names_null
from aclspec.runtime.rules.template import Placeholder, Template, read_template

Lang: TypeAlias = Literal["en", "zh"]

NAME_MARK: Final = "\x04"
"""Stands before the name of a parameter in a text that will show names in a way of their own."""

WORDS: Final[Mapping[Lang, Mapping[str, str]]] = {
    "en": {
        "comma": ", ",
        "and": " and ",
        "or": " or ",
        # Dtype rows
        "is": "{0} is {1}",
        "are": "{0} are {1}",
        "given": ", ",
        "dtype": "{0}; on {1} it must be {2}",
        "none": "{0}; {1} supports no dtype of it",
        "together": "{0}; on {1} they must be {2}",
        "apart": "{0}; {1} supports no dtypes of them",
        "one": "{0}; on {1} they must have one dtype, {2}",
        "cell": "{0} for {1}",
        "cells": " with ",
        "or row": ", or ",
        # The rest of a long list
        "more": "and {0} more",
    },
    "zh": {
        "comma": "、",
        "and": " 与 ",
        "or": " 或 ",
        "is": "{0} 为 {1}",
        "are": "{0} 为 {1}",
        "given": "，",
        "dtype": "{0}；在 {1} 上应为 {2}",
        "none": "{0}；{1} 不支持它的任何数据类型",
        "together": "{0}；在 {1} 上应为 {2}",
        "apart": "{0}；{1} 不支持它们的任何数据类型",
        "one": "{0}；在 {1} 上应为同一数据类型：{2}",
        "cell": "{1} 取 {0}",
        "cells": "、",
        "or row": "，或 ",
        "more": "另有 {0} 项",
    },
}


def enumeration(lang: Lang, items: Sequence[str], last: Literal["and", "or"], more: str = "") -> str:
    """Several nouns as one: "a, b and c"; ``more`` stands for the rest of many: "a, b, c, d, e, f, and 2 more"."""
    words = WORDS[lang]
    if (shown := shortened(items, more)) != items:
        return words["comma"].join(shown)
    *head, tail = items
    return f"{words['comma'].join(head)}{words[last]}{tail}" if head else tail


__all__ = ["PRECEDENCE", "WORDS", "Lang", "failure", "message", "requirement"]


def requirement(rule: RuleInfo, lang: Lang = "en") -> str:
    """What the rule requires of a call, as the manual says it."""
    return rule.requirement.en if lang == "en" else rule.requirement.zh


def failure(
    info: OperatorInfo,
    rule: RuleInfo,
    call: Mapping[str, object],
    product: str,
    mode: Mode,
    lang: Lang = "en",
    whole: bool = False,
) -> str:
    """What is wrong with a call on which the rule fails: given and expected, with the actual values.

    ``whole``: with every element of long lists.
    """
    if rule.failure is None:
        return requirement(rule, lang)
    template = rule.failure.en if lang == "en" else rule.failure.zh
    return filled(template, Environment(info, call, product, mode), lang, whole)


def is_shortened(text: str, lang: Lang) -> bool:
    """Whether a sentence leaves out elements of a list; true of some whose values have these words."""
    return re.search(WORDS[lang]["more"].format("[0-9]+"), text) is not None


def message(
    info: OperatorInfo, rule: RuleInfo, call: Mapping[str, object], product: str, mode: Mode, function_name: str
) -> str:
    """The sentence of a failure with its context below it: the rule and the product, then the function called."""
    return "\n".join(
        (
            failure(info, rule, call, product, mode),
            f" - while checking rule {info.name}.{rule.id} for {product}",
            f" - while calling {function_name}",
        )
    )


PRECEDENCE: Final = {"+": 1, "-": 1, "*": 2, "//": 2, "%": 2}
_FIRST_WORD: Final = re.compile(r"\(*(\w+)")


def filled(template: str, env: Environment, lang: Lang, whole: bool = False) -> str:
    """The sentence that a template makes in a call."""
    names = frozenset(param.name for param in env.info.params)
    filler = Filler(env, lang, more="" if whole else WORDS[lang]["more"])
    return sentence(filler.text(read_template(template)), lang, names)


def sentence(text: str, lang: Lang, names: frozenset[str]) -> str:
    """The text with a capital, unless a name stands first, or with the spacing of Chinese and Latin text."""
    if lang == "zh":
        return _spaced(text)
    match = _FIRST_WORD.match(text)
    if match is None or match[1] in names:
        return text
    start = match.start(1)
    return f"{text[:start]}{text[start].upper()}{text[start + 1 :]}"


def _spaced(text: str) -> str:
    """One space between Chinese and Latin text, none between Chinese characters or beside Chinese punctuation."""
    text = re.sub(r"(?<=[一-鿿])(?=[\x04A-Za-z0-9(\[\"-])", " ", text)
    text = re.sub(r"(?<=[A-Za-z0-9)\]\"])(?=[一-鿿])", " ", text)
    text = re.sub(r"(?<=[一-鿿”]) +(?=[一-鿿“])", "", text)
    return re.sub(r" *([，；：、。（）]) *", r"\1", text)


@dataclass(frozen=True, slots=True)
class Filler:
    """Fills templates in a call.

    ``places`` has the index of the element of each bound variable, ``more`` stands for the rest of a long list.
    """

    env: Environment
    lang: Lang
    places: Mapping[str, int] = field(default_factory=dict)
    more: str = ""

    def text(self, template: Template) -> str:
        """The text of a template."""
        return "".join(part if isinstance(part, str) else self._filled(part) for part in template)

    def _filled(self, part: Placeholder) -> str:
        node = part.nodes[0]
        match part.kind:
            case "#":
                return str(self.places[part.names[0]])
            case "$":
                return self.env.product
            case "%":
                return unsupported(part.names, self.env, self.lang, self.more)
        assert node is not None
        match part.kind:
            case "@":
                return self._element(node, part.texts[0])
            case "=":
                return self._worked(node)
        value = evaluate_node(node, self.env)
        match part.kind:
            case "?":
                return self.text(part.texts[value is not True])
            case "~":
                return "" if value is UNDEFINED else f" {parenthesized(self._shown(value))}"
        return self._shown(value)

    def _shown(self, value: object) -> str:
        return value_text(value, more=self.more)

    def _element(self, node: Node, text: Template) -> str:
        """The text about the first element on which the body decides."""
        assert isinstance(node, Quantifier)
        elements = evaluate_node(node.over, self.env)
        for place, element in enumerate(() if elements is UNDEFINED else elements):
            env = self.env.bind(node.var, element)
            if evaluate_node(node.body, env) is (node.kind == "any"):
                return replace(self, env=env, places={**self.places, node.var: place}).text(text)
        return ""

    def _worked(self, node: Node) -> str:
        value = self._shown(evaluate_node(node, self.env))
        operands = substituted(node, lambda leaf: self._shown(evaluate_node(leaf, self.env)))
        return value if operands == value else f"{operands} = {value}"


def substituted(node: Node, leaf: Callable[[Node], Any]) -> str:
    """An arithmetic term with texts for its operands."""
    match node:
        case Arith(op=op, left=left, right=right):
            return f" {op} ".join(bracketed(node, substituted(left, leaf), substituted(right, leaf)))
        case Negate(operand=operand):
            text = substituted(operand, leaf)
            return f"-({text})" if " " in text or text.startswith("-") else f"-{text}"
        case _:
            return str(leaf(node))


def bracketed(node: Arith, left: str, right: str) -> tuple[str, str]:
    """The texts of the operands, in brackets where the precedence of operators asks for them."""
    own = PRECEDENCE[node.op]
    if isinstance(node.left, Arith) and PRECEDENCE[node.left.op] < own:
        left = f"({left})"
    if (isinstance(node.right, Arith) and PRECEDENCE[node.right.op] <= own) or right.startswith("-"):
        right = f"({right})"
    return left, right


Row = Mapping[str, tuple[str, ...]]
LISTED_ROWS = 4
"""More combinations than this are not listed; the sentence names the nearest one."""


def unsupported(params: Sequence[str], env: Environment, lang: Lang, more: str = "") -> str:
    """The clause that the dtypes of a call are not supported: those given, those supported, ``more`` for the rest."""
    joint = len(params) > 1
    given = {name: dtypes for name in params if (dtypes := _given(name, env, joint)) is not None}
    unique = dict.fromkeys(tuple((name, row[name]) for name in given if name in row) for row in env.rows())
    rows = [dict(cells) for cells in unique]
    words = WORDS[lang]
    if not joint:
        supported = dict.fromkeys(dtype for row in rows for dtype in row.get(params[0], ()) if dtype != NULL)
        if not supported:
            return words["none"].format(_told(given, lang, more), env.product)
        if not set(given[params[0]]) <= supported.keys():
            return words["dtype"].format(
                _told(given, lang, more), env.product, enumeration(lang, list(supported), "or", more)
            )
    if not rows:
        return words["apart"].format(_told(given, lang, more), env.product)
    deciding = {name: dtypes for name, dtypes in given.items() if _decides(name, dtypes, rows)} or given
    cells = list({tuple(cell.items()): cell for row in rows if (cell := _cells(row, deciding))}.values())
    alike = [
        next(iter({*cell.values()})) for cell in cells if len(cell) == len(deciding) and len({*cell.values()}) == 1
    ]
    several = len(deciding) > 1 or any(len({*dtypes}) > 1 for dtypes in deciding.values())
    if len(alike) == len(cells) and (not several or all(len(cell) == 1 for cell in alike)):
        shared = list(dict.fromkeys(dtype for cell in alike for dtype in cell))
        word = "one" if several else "dtype"
        return words[word].format(_told(deciding, lang, more), env.product, enumeration(lang, shared, "or", more))
    if len(cells) > LISTED_ROWS:
        cells = [min(cells, key=lambda row: sum(not set(given[name]) <= set(cell) for name, cell in row.items()))]
    listed = words["or row"].join(_combination(cell, lang, more) for cell in cells)
    return words["together"].format(_told(deciding, lang, more), env.product, listed)


def _decides(name: str, dtypes: tuple[str, ...], rows: Sequence[Row]) -> bool:
    """Whether the rows differ in a parameter, or none has its dtypes."""
    cells = {row.get(name) for row in rows}
    return len(cells) > 1 or not any(cell is None or set(dtypes) <= set(cell) for cell in cells)


def _cells(row: Row, names: Iterable[str]) -> Row:
    return {name: row[name] for name in names if name in row}


def _told(given: Row, lang: Lang, more: str) -> str:
    """The dtypes of parameters, each once, those with the same ones together."""
    words = WORDS[lang]
    texts = []
    for cell, names in _grouped(given):
        verb = "are" if len(names) > 1 or len({*cell}) > 1 else "is"
        texts.append(
            words[verb].format(enumeration(lang, names, "and"), ", ".join(shortened(list(dict.fromkeys(cell)), more)))
        )
    return words["given"].join(texts)


def _given(name: str, env: Environment, joint: bool) -> tuple[str, ...] | None:
    """The dtypes that the call gives to a parameter, if it gives any; a null where that decides among rows."""
    value = env.lookup(name)
    if value is None and joint and names_null(name, env.rows()):
        return (NULL,)
    dtypes = None if value is None or value is INFERRED else dtypes_of(value)
    return None if dtypes is None or isinstance(dtypes, Undefined) else dtypes


def _combination(row: Row, lang: Lang, more: str) -> str:
    """A row, parameters with the same dtypes together."""
    words = WORDS[lang]
    return words["cells"].join(
        words["cell"].format(enumeration(lang, cell, "or", more), enumeration(lang, names, "and"))
        for cell, names in _grouped(row)
    )


def _grouped(row: Row) -> list[tuple[tuple[str, ...], list[str]]]:
    """The parameters of a row by their dtypes."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, cell in row.items():
        groups.setdefault(cell, []).append(name)
    return list(groups.items())
