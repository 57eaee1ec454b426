"""The two languages of sentences: their phrases, and where they differ in more than words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final, Literal, TypeAlias

from aclspec.codegen.wording.phrases import PHRASES
from aclspec.codegen.wording.slots import APPOSITION
from aclspec.runtime.rules.operator_info import Text
from aclspec.runtime.rules.sentences import Lang, enumeration

Last: TypeAlias = Literal["and", "or"]
Quantity: TypeAlias = Literal["every", "some", "no"]


_OPERATORS = {"+": "plus", "-": "minus", "*": "times"}
_DENIALS = {
    "is": "is not",
    "are": "are not",
    "may": "may not",
    "has": "does not have",
    "have": "do not have",
    "holds": "does not hold",
    "hold": "do not hold",
}
_DEMANDS: Final = {
    "is": "must be",
    "is not": "must not be",
    "are": "must be",
    "are not": "must not be",
    "has": "must have",
    "have": "must have",
    "holds": "must hold",
    "hold": "must hold",
    "does not have": "must not have",
    "do not have": "must not have",
    "does not hold": "must not hold",
    "do not hold": "must not hold",
    "begin": "must begin",
}
"""What must be, of a clause that says what is."""
_JOINS: Final[dict[Lang, dict[str, str]]] = {
    "en": {
        "compound": ", | and | or ",
        "short and": " and ",
        "short or": " or ",
        "long and": ", and ",
        "long or": ", or ",
    },
    "zh": {
        "compound": "[，；且或]",
        "short and": "，且",
        "short or": "或",
        "long and": "，并且",
        "long or": "，或者",
    },
}
"""Clauses are joined the long way where one of them matches ``compound``."""
_VERB = re.compile(rf"\b(?:{'|'.join(_DENIALS)})\b")
_DEMANDING = re.compile(rf"\b(?<!that )(?<!which )(?:{'|'.join(sorted(_DEMANDS, key=len, reverse=True))})\b")


class _Language:
    """What both languages share; ``truth`` false asks for the denial of a clause."""

    code: ClassVar[Lang]
    either: ClassVar[str]
    """Stands before a choice among other conditions."""

    def say(self, phrase: str, *parts: str | bool) -> str:
        """A phrase; booleans are part of its name, texts stand in it."""
        name = " ".join([phrase, *(str(part).lower() for part in parts if isinstance(part, bool))])
        return PHRASES[name][self.code == "zh"].format(*(part for part in parts if not isinstance(part, bool)))

    def pick(self, text: Text) -> str:
        """This language's half of a text."""
        return text.en if self.code == "en" else text.zh

    def nouns(self, items: Sequence[str], *, last: Last) -> str:
        """An enumeration: "a, b and c"."""
        return enumeration(self.code, items, last)

    def clauses(self, items: Sequence[str], *, last: Last) -> str:
        """Several clauses as one, joined the long way where one of them has a conjunction of its own."""
        words = _JOINS[self.code]
        *head, tail = items
        closed = bool(self.either) and tail.startswith(self.either)
        compound = any(re.search(words["compound"], item) for item in (head if closed else items))
        is_long = compound or (self.code == "en" and len(items) > 2)
        return words[f"{'long' if is_long else 'short'} {last}"].join(items)

    def relation(self, op: str, truth: bool, right: str, literal: bool) -> str:
        """The predicate of a comparison; ``literal``: the right side is a value as it stands."""
        if op in ("==", "!="):
            return self.say("literal" if literal else "equal", truth == (op == "=="), right)
        return self.say(op, truth, right)


class English(_Language):
    """English: present tense, the value in parentheses after its noun."""

    code: ClassVar[Lang] = "en"
    either: ClassVar[str] = "either "

    def answered(self, question: str, truth: bool) -> str:
        """What a let says of "whether x is y": "x is y" or "x is not y"; of a verb not known, that it is not true."""
        clause = question.removeprefix("whether ")
        if clause == question:
            return self.say("applies", truth, question)
        verb = None if truth else _VERB.search(clause)
        if verb is None:
            return self.say("answered", truth, clause)
        return f"{clause[: verb.start()]}{_DENIALS[verb[0]]}{clause[verb.end() :]}"

    def demanded(self, question: str, truth: bool) -> str:
        """What a let says of "whether x is y", as a demand: "x must be y" or "x must not be y"."""
        return self.required(self.answered(question, truth))

    def required(self, clause: str) -> str:
        """That a clause must hold: "x must be y" of "x is y"; of several verbs, or one not known, in more words."""
        verbs = _DEMANDING.findall(clause)
        if len(verbs) != 1:
            return self.say("required", clause)
        return _DEMANDING.sub(_DEMANDS[verbs[0]], clause)

    def any_of(self, verbs: Sequence[str]) -> str:
        """Verbs one of which must be: "be 0 or at least 4"."""
        first, *rest = verbs
        return self.nouns([first, *(verb.removeprefix("be ") for verb in rest)], last="or")

    def alternatives(self, items: Sequence[str]) -> str:
        """Values one of which must be; a comma ends one that says what it is: "(2,), the shape of x, or 1"."""
        commas = any(APPOSITION.search(item) for item in items[:-1])
        return ", or ".join(items) if commas and len(items) == 2 else self.nouns(items, last="or")

    def predicates(self, subject: str, verbs: Sequence[str], *, last: Last) -> str:
        """A subject with several predicates; a repeated "is" is written once."""
        first, *rest = verbs
        if first.startswith("is ") and all(verb.startswith("is ") for verb in rest):
            rest = [verb.removeprefix("is ") for verb in rest]
        return f"{subject} {self.nouns([first, *rest], last=last)}"

    def both(self, first: str, second: str) -> str:
        """Two verbs of what must be: "be at least 1 and less than 3"."""
        return f"{first} and {second.removeprefix('be ')}"

    def one_of(self, truth: bool, items: Sequence[str]) -> str:
        """Membership in a list: "is a, b or c"."""
        if truth and items:
            return f"is {self.nouns(items, last='or')}"
        match items:
            case []:
                return self.say("element_of", truth, "()")
            case [only]:
                return f"is not {only}"
            case [one, other]:
                return f"is neither {one} nor {other}"
            case _:
                return f"is none of {self.nouns(items, last='and')}"

    def choice(self, cases: Sequence[tuple[str, str]], orelse: str) -> str:
        """A noun for pairs of condition and noun, the first that holds: "a when x, b when y and c otherwise"."""
        return f"{', '.join(f'{noun} when {condition}' for condition, noun in cases)} and {orelse} otherwise"

    def element(self, base: str, index: str) -> str:
        """An element of an array."""
        if self.is_axis(index):
            return f"the element of {base} at {index}"
        return f"the element of {base} at index {index}" if " " in index else f"element {index} of {base}"

    def is_axis(self, index: str) -> bool:
        """Whether an index reads as an axis: "the batch axis"."""
        return index.startswith("the ") and "axis" in index.split()

    def plural(self, phrase: str) -> str:
        """The phrase of a function, such as "{0} is empty", for several subjects."""
        return phrase.replace("{0} is ", "{0} are ")

    def arithmetic(self, op: str, left: str, right: str, symbolic: bool) -> str:
        """A term in symbols or in words; the operator "followed by" joins lists."""
        return f"{left} {op if symbolic else _OPERATORS.get(op, op)} {right}"


class Chinese(_Language):
    """Chinese: no articles, the value in parentheses after its noun."""

    code: ClassVar[Lang] = "zh"
    either: ClassVar[str] = ""

    def answered(self, question: str, truth: bool) -> str:
        """甲 是否为 乙: 甲 为 乙, or 甲 不为 乙."""
        if "是否" not in question:
            return self.say("applies", truth, question)
        return question.replace("是否", "" if truth else "不", 1).replace("不有", "没有", 1)

    def demanded(self, question: str, truth: bool) -> str:
        """甲 是否为 乙: 甲 应为 乙, or 甲 不得为 乙."""
        if "是否" not in question:
            return self.required(self.answered(question, truth))
        return question.replace("是否", "应" if truth else "不得", 1)

    def required(self, clause: str) -> str:
        """That a clause must hold."""
        return self.say("required", clause)

    def any_of(self, verbs: Sequence[str]) -> str:
        """应为 0 或不小于 4."""
        first, *rest = verbs
        return self.nouns([first, *(verb.removeprefix("应") for verb in rest)], last="or")

    def alternatives(self, items: Sequence[str]) -> str:
        """Values one of which must be."""
        return self.nouns(items, last="or")

    def predicates(self, subject: str, verbs: Sequence[str], *, last: Last) -> str:
        """A repeated 为 is written once."""
        first, *rest = verbs
        if first.startswith("为 ") and all(verb.startswith("为 ") for verb in rest):
            rest = [verb.removeprefix("为 ") for verb in rest]
        return f"{subject} {('且' if last == 'and' else '或').join([first, *rest])}"

    def both(self, first: str, second: str) -> str:
        """应不小于 1 且小于 3."""
        return f"{first} 且{second.removeprefix('应')}"

    def one_of(self, truth: bool, items: Sequence[str]) -> str:
        """为 甲、乙或 丙 之一，既不为 甲，也不为 乙."""
        if truth and items:
            return f"为 {self.nouns(items, last='or')}"
        match items:
            case []:
                return self.say("element_of", truth, "()")
            case [only]:
                return f"不为 {only}"
            case [one, other]:
                return f"既不为 {one}，也不为 {other}"
            case _:
                return f"不是 {'、'.join(items)} 中的任何一个"

    def choice(self, cases: Sequence[tuple[str, str]], orelse: str) -> str:
        """甲（x 时）或 乙（否则）."""
        return f"{'、'.join(f'{noun}（{condition} 时）' for condition, noun in cases)}或 {orelse}（否则）"

    def element(self, base: str, index: str) -> str:
        """甲 中下标为 2 的元素."""
        return f"{base} 中下标为 {index} 的元素"

    def is_axis(self, index: str) -> bool:
        """Whether an index reads as an axis: 批量轴."""
        return "轴" in index

    def plural(self, phrase: str) -> str:
        """均 for several subjects."""
        return phrase.replace("{0} ", "{0} 均")

    def arithmetic(self, op: str, left: str, right: str, symbolic: bool) -> str:
        """In symbols always."""
        return f"{left} {'后接' if op == 'followed by' else op} {right}"


Language: TypeAlias = English | Chinese
LANGUAGES: Final[dict[Lang, Language]] = {"en": English(), "zh": Chinese()}
