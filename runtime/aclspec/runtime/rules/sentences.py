"""The sentences of a rule: its requirement, and its failure filled with the values of a call."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from aclspec.runtime.language.nodes import Arith, Negate, Node, Quantifier
from aclspec.runtime.language.values import INFERRED, UNDEFINED, Undefined, dtypes_of, parenthesized, value_text
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
        # Clauses: joined the long way where one of them matches ``compound``
        "compound": ", | and | or ",
        "short and": " and ",
        "short or": " or ",
        "long and": ", and ",
        "long or": ", or ",
        # Dtype rows
        "dtype": "the dtype of {0}{1} is not one that {2} supports{3}",
        "together": "the dtypes of {0} are not supported together on {1}",
        "both": "both {0}",
        "all": "all {0}",
        "equal": "; there they are {0}",
        "cell": "{0} for {1}",
        "cells": " with ",
        "rows": "; supported there: {0}",
        "or row": ", or ",
    },
    "zh": {
        "comma": "、",
        "and": " 与 ",
        "or": " 或 ",
        "compound": "[，；且或]",
        "short and": "，且",
        "short or": "或",
        "long and": "，并且",
        "long or": "，或者",
        "dtype": "{0} 的数据类型{1}不是 {2} 支持的类型{3}",
        "together": "{1} 不支持 {0} 的数据类型组合",
        "both": "{0}",
        "all": "{0}",
        "equal": "；在该产品上须全部为 {0}",
        "cell": "{1} 取 {0}",
        "cells": "、",
        "rows": "；该产品支持：{0}",
        "or row": "，或 ",
    },
}


def enumeration(lang: Lang, items: Sequence[str], last: Literal["and", "or"]) -> str:
    """Several nouns as one: "a, b and c"."""
    *head, tail = items
    words = WORDS[lang]
    return f"{words['comma'].join(head)}{words[last]}{tail}" if head else tail


__all__ = ["PRECEDENCE", "WORDS", "Lang", "failure", "message", "requirement"]


def requirement(rule: RuleInfo, lang: Lang = "en") -> str:
    """What the rule requires of a call, as the manual says it."""
    return rule.requirement.en if lang == "en" else rule.requirement.zh


def failure(
    info: OperatorInfo, rule: RuleInfo, call: Mapping[str, object], product: str, mode: Mode, lang: Lang = "en"
) -> str:
    """What is wrong with a call on which the rule fails: given and expected, with the actual values."""
    if rule.failure is None:
        return requirement(rule, lang)
    template = rule.failure.en if lang == "en" else rule.failure.zh
    return filled(template, Environment(info, call, product, mode), lang)


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


def filled(template: str, env: Environment, lang: Lang) -> str:
    """The sentence that a template makes in a call."""
    names = frozenset(param.name for param in env.info.params)
    return sentence(Filler(env, lang).text(read_template(template)), lang, names)


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
    """Fills templates in a call; ``places`` has the index of the element of each bound variable."""

    env: Environment
    lang: Lang
    places: Mapping[str, int] = field(default_factory=dict)

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
            case "&":
                return self._clauses(part)
            case "%":
                return unsupported(part.names, self.env, self.lang)
        assert node is not None
        match part.kind:
            case "@":
                return self._element(node, part.texts)
            case "=":
                return self._worked(node)
        value = evaluate_node(node, self.env)
        match part.kind:
            case "?":
                return self.text(part.texts[-1 if value is UNDEFINED else not value])
            case "~":
                return "" if value is UNDEFINED else f" {parenthesized(value_text(value))}"
            case "/":
                return value_text(tuple(getattr(value, "strides", ())))
        return value_text(value)

    def _clauses(self, part: Placeholder) -> str:
        pairs = list(zip(part.nodes, part.texts, strict=True))
        chosen = [text for node, text in pairs if node is None or evaluate_node(node, self.env) is True]
        texts = list(map(self.text, chosen or part.texts))
        words = WORDS[self.lang]
        is_long = (len(texts) > 2 and self.lang == "en") or any(re.search(words["compound"], text) for text in texts)
        return words[f"{'long' if is_long else 'short'} {'and' if chosen else 'or'}"].join(texts)

    def _element(self, node: Node, texts: Sequence[Template]) -> str:
        """The text about the first element on which the body decides."""
        assert isinstance(node, Quantifier)
        elements = evaluate_node(node.over, self.env)
        for place, element in enumerate(() if elements is UNDEFINED else elements):
            env = self.env.bind(node.var, element)
            if evaluate_node(node.body, env) is (node.kind == "any"):
                return Filler(env, self.lang, {**self.places, node.var: place}).text(texts[0])
        return self.text(texts[-1]) if len(texts) > 1 else ""

    def _worked(self, node: Node) -> str:
        value = value_text(evaluate_node(node, self.env))
        operands = substituted(node, lambda leaf: value_text(evaluate_node(leaf, self.env)))
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


def unsupported(params: Sequence[str], env: Environment, lang: Lang) -> str:
    """The clause that the dtypes of a call are not supported: the given ones and the supported ones."""
    joint = len(params) > 1
    given = {name: dtypes for name in params if (dtypes := _given(name, env, joint)) is not None}
    unique = dict.fromkeys(tuple((name, row[name]) for name in given if name in row) for row in env.rows())
    rows = [dict(cells) for cells in unique]
    words = WORDS[lang]
    if len(params) == 1:
        name = params[0]
        supported = dict.fromkeys(dtype for row in rows for dtype in row.get(name, ()) if dtype != NULL)
        if not set(given.get(name, ("",))) <= supported.keys():
            shown = [f" ({', '.join(dtypes)})" if dtypes else "" for dtypes in (given.get(name, ()), supported)]
            return words["dtype"].format(name, shown[0], env.product, shown[1])
    named = [f"{name} ({', '.join(dtypes)})" for name, dtypes in given.items()] or list(params)
    clause = words["together"].format(enumeration(lang, named, "and"), env.product)
    return clause + _supported(given, rows, lang) if rows else clause


def _given(name: str, env: Environment, joint: bool) -> tuple[str, ...] | None:
    """The dtypes that the call gives to a parameter, if it gives any; a null where that decides among rows."""
    value = env.lookup(name)
    if value is None and joint and names_null(name, env.rows()):
        return (NULL,)
    dtypes = None if value is None or value is INFERRED else dtypes_of(value)
    return None if dtypes is None or isinstance(dtypes, Undefined) else dtypes


def _supported(given: Mapping[str, tuple[str, ...]], rows: Sequence[Row], lang: Lang) -> str:
    """What the product supports: the dtypes that all share, or some combinations."""
    words = WORDS[lang]
    joint = [name for name in given if len({row.get(name) for row in rows}) > 1] or list(given)
    cells = [{name: row[name] for name in joint if name in row} for row in rows]
    uniform = all(len(row) == len(joint) and len({*row.values()}) == 1 and len(row[joint[0]]) == 1 for row in cells)
    if uniform and joint == list(given):
        equal = words["both" if len(joint) == 2 else "all"]
        return words["equal"].format(enumeration(lang, [equal.format(row[joint[0]][0]) for row in cells], "or"))
    if len(cells) > LISTED_ROWS:
        cells = [min(cells, key=lambda row: sum(not set(given[name]) <= set(cell) for name, cell in row.items()))]
    return words["rows"].format(words["or row"].join(_combination(row, lang) for row in cells))


def _combination(row: Row, lang: Lang) -> str:
    """A row, parameters with the same dtypes together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, cell in row.items():
        groups.setdefault(cell, []).append(name)
    words = WORDS[lang]
    return words["cells"].join(
        words["cell"].format(enumeration(lang, cell, "or"), enumeration(lang, names, "and"))
        for cell, names in groups.items()
    )
