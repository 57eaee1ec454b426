"""Forms of sentences and what they say.

A form is a pattern over the words of `tokens`, such as ``names dtype+ unsupported``; it has to fit the whole sentence.
Each class of sentences has its forms beside the short function that makes outcomes of them. A class returns nothing
where the names are not of the kinds it needs: the sentence is then a question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from aclspec.codegen.importer.model import Function, Parameter
from aclspec.codegen.importer.tokens import WORDS, Token
from aclspec.codegen.source.naming import Name

Confidence: TypeAlias = Literal["sure", "likely"]

_OTHER_WORDS = ("names", "product", "dtypes", "formats", "numbers", "interval", "string", "other")
_LETTERS = {
    word: chr(0xE100 + place) for place, word in enumerate((*dict.fromkeys(w for w, _ in WORDS), *_OTHER_WORDS))
}
_LETTERS |= {"size": _LETTERS["value"], "dimsize": _LETTERS["rankword"]}  # a form takes one for the other


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of its own: ``require`` holds, where ``when`` does."""

    id: str
    require: str
    when: str | None = None
    confidence: Confidence = "sure"


@dataclass(frozen=True, slots=True)
class TableFact:
    """A fact of the parameter table that a table check carries out, such as the greatest rank of x."""

    check: str
    names: tuple[str, ...]
    value: object = None
    when: str | None = None


@dataclass(frozen=True, slots=True)
class SameDtype:
    """Parameters with one dtype, which belongs in the joint rows."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vague:
    """Understood, but it does not say what must hold: a question."""

    what: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """Nothing to check: a legend, a remark about values on the device, precision or speed."""

    what: str


Outcome: TypeAlias = Rule | TableFact | SameDtype | Vague | Remark
Reader: TypeAlias = "Callable[[Hit], Sequence[Outcome] | None]"


@dataclass(slots=True)
class Hit:
    """A sentence that a form fits."""

    tokens: Sequence[Token]
    function: Function
    holds: bool
    """Whether the sentence says what must hold, rather than what is an error."""

    def all(self, word: str) -> list[tuple[str, ...]]:
        """The values of each token of a word."""
        return [token.values for token in self.tokens if token.word == word]

    @property
    def names(self) -> list[str]:
        """Every parameter named, in the order of the sentence."""
        return list(dict.fromkeys(name for values in self.all("names") for name in values))

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters named."""
        return [one for name in self.names if (one := self.function.parameter(name))]

    def of_kind(self, *kinds: str) -> list[str]:
        """The names whose type is one of these."""
        return [one.name for one in self.parameters if one.kind in kinds]

    @property
    def numbers(self) -> list[int | float]:
        """Every number."""
        return [float(x) if "." in x else int(x) for values in self.all("numbers") for x in values]

    def has(self, *words: str) -> bool:
        """Whether one of the words occurs."""
        return any(token.word in words for token in self.tokens)

    def agrees(self, good: Sequence[str], bad: Sequence[str]) -> bool:
        """Whether the word fits the way of the sentence: a good one where it holds, a bad one in an error."""
        return self.has(*(good if self.holds else bad)) and not self.has(*(bad if self.holds else good))

    @property
    def comparison(self) -> str | None:
        """The operator that must hold: that of the words, or its contrary in an error."""
        found = [token.word for token in self.tokens if token.word in _OPERATORS]
        if len(found) != 1:
            return None
        return _OPERATORS[found[0]][0 if self.holds else 1]

    def inputs(self, *kinds: str) -> list[str]:
        """The parameters of some kinds that the operator reads."""
        return [
            one.name
            for one in self.function.parameters
            if one.kind in (kinds or ("tensor",)) and self.function.direction(one.name) != "out"
        ]

    def outputs(self) -> list[str]:
        """The tensors that the operator writes."""
        return [
            one.name
            for one in self.function.parameters
            if one.kind == "tensor" and self.function.direction(one.name) != "in"
        ]


_OPERATORS = {
    "gt": (">", "<="), "ge": (">=", "<"), "lt": ("<", ">="), "le": ("<=", ">"), "eq": ("==", "!="), "ne": ("!=", "=="),
}  # fmt: skip


@dataclass(slots=True)
class SentenceClass:
    """A kind of sentence: an id, its forms, and the function that reads them."""

    id: str
    forms: tuple[re.Pattern[str], ...]
    read: Reader


@dataclass(slots=True)
class Grammar:
    """The classes in the order in which they are tried."""

    classes: list[SentenceClass] = field(default_factory=list)

    def form(self, ident: str, *forms: str) -> Callable[[Reader], Reader]:
        """Declare a class: a decorator for its function."""

        def declare(read: Reader) -> Reader:
            self.classes.append(SentenceClass(ident, tuple(map(compile_form, forms)), read))
            return read

        return declare

    def read(self, tokens: Sequence[Token], function: Function, holds: bool) -> tuple[str, tuple[Outcome, ...]]:
        """The class of a sentence and what it says; "" where no form fits."""
        text = letters(tokens)
        for one in self.classes:
            if any(form.fullmatch(text) for form in one.forms):
                outcomes = one.read(Hit(tokens, function, holds))
                if outcomes:
                    return one.id, tuple(outcomes)
        return "", ()


GRAMMAR = Grammar()


def letters(tokens: Sequence[Token]) -> str:
    """One letter for each token."""
    return "".join(_LETTERS[token.word] for token in tokens)


def compile_form(text: str) -> re.Pattern[str]:
    """A form as a regular expression over letters; KeyError for a word that no token has."""
    pattern = re.sub(r"[a-z]+", lambda match: _LETTERS[match[0]], text)
    return re.compile(pattern.replace(" ", ""))


def kebab(*names: str) -> str:
    """The id of a rule from names and words."""
    return "-".join(Name(name).kebab for name in names)
