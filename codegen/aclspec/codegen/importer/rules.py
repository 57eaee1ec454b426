"""Rules of a draft: outcomes of sentences gathered, checked against the language, each with its places."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from aclspec.codegen.importer.grammar import Confidence, Rule, SameDtype, TableFact, Vague
from aclspec.codegen.importer.html_table import Products
from aclspec.codegen.importer.model import Function, Place, Sentence
from aclspec.codegen.importer.sentences import Reading
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.status import Status
from aclspec.runtime.language.functions import FUNCTIONS
from aclspec.runtime.language.nodes import Node
from aclspec.runtime.language.parser import PredicateError, parse
from aclspec.runtime.language.types import Checker

_DEFAULT = {"161001": "null", "161002": "invalid"}


@dataclass(slots=True)
class DraftRule:
    """A rule with everything that a draft and its sidecar say of it."""

    id: str
    require: str
    when: str | None
    products: Products
    status: str | None
    confidence: Confidence
    places: list[Place] = field(default_factory=list)
    reading: str = ""


@dataclass(slots=True)
class Gathered:
    """What the sentences of a function became together."""

    rules: list[DraftRule] = field(default_factory=list)
    table: list[tuple[TableFact, Sentence]] = field(default_factory=list)
    same: list[tuple[SameDtype, Sentence]] = field(default_factory=list)
    vague: list[tuple[Vague, Sentence]] = field(default_factory=list)
    unread: list[Sentence] = field(default_factory=list)
    refused: list[tuple[str, Sentence]] = field(default_factory=list)

    @property
    def not_taken(self) -> list[Sentence]:
        """The sentences that nothing of a draft says: not understood, without numbers, or of what it has not."""
        return [*self.unread, *(sentence for _, sentence in (*self.vague, *self.refused))]

    def about(self, check: str, name: str) -> list[tuple[TableFact, Sentence]]:
        """The facts that sentences say of a parameter."""
        return [(fact, sentence) for fact, sentence in self.table if fact.check == check and name in fact.names]


def gather(function: Function, readings: Iterable[Reading]) -> Gathered:
    """Sort the outcomes; a rule said twice is one rule with two places."""
    found = Gathered()
    for reading in sorted(readings, key=lambda one: one.sentence.where != "error"):  # the rows have the library's order
        sentence = reading.sentence
        if not reading.outcomes and _wants_reading(sentence):
            found.unread.append(sentence)
        for outcome in reading.outcomes:
            match outcome:
                case Rule():
                    _add(function, found, outcome, reading)
                case TableFact():
                    found.table.append((outcome, sentence))
                case SameDtype() if sentence.products is None:
                    found.same.append((outcome, sentence))
                case SameDtype(names):
                    for name in names[1:]:
                        text = f"dtype({name}) == dtype({names[0]})"
                        _add(function, found, Rule(f"{name}-dtype", text), reading)
                case Vague() if sentence.where == "error":
                    found.vague.append((outcome, sentence))
    return found


_WEIGHTY = re.compile(
    r"必须|只能|不能|不支持|仅支持|不超过|不可|不得|需|应|一致|相同|满足|取值范围|大于|小于|倍数|整除|≤|≥|要求|范围"
)
_IDLE = re.compile(
    r"^(?:表示|公式|代表|建议|推荐|默认|预留|可选)|例如|确定性|性能|精度|建议|详见|请参考|暂(?:时)?不支持|[::]$"
)


def _wants_reading(sentence: Sentence) -> bool:
    """Whether a sentence may state a constraint: every error row, and other sentences with a word of constraint."""
    if sentence.where == "error":
        return sentence.status[:4] != "3610" and sentence.status not in ("561103", "561101")
    return bool(_WEIGHTY.search(sentence.text)) and not _IDLE.search(sentence.text.strip())


def scope_of(function: Function) -> dict[str, str]:
    """The types of the parameters for predicates."""
    return {one.name: PARAM_TYPES[one.kind].predicate for one in function.parameters if one.kind}


def problem(function: Function, text: str, expected: str | tuple[str, ...] = "bool") -> str | None:
    """What is wrong with a predicate text, or None."""
    try:
        tree: Node = parse(text)
    except PredicateError as error:
        if "promotable" in text and "promotable" not in FUNCTIONS:
            return problem(function, text.replace("promotable(", "castable("), expected)
        return str(error)
    checker = Checker(scope_of(function))
    checker.check(tree, expected)
    return checker.problems[0].message if checker.problems else None


def _add(function: Function, found: Gathered, rule: Rule, reading: Reading) -> None:
    """Keep a rule that the language accepts."""
    sentence = reading.sentence
    wrong = problem(function, rule.require) or (problem(function, rule.when) if rule.when else None)
    if wrong:
        found.refused.append((wrong, sentence))
        return
    for known in found.rules:
        if (_canonical(known.require), known.when) == (_canonical(rule.require), rule.when):
            if known.products is not None and known.products != sentence.products:
                known.products = None if sentence.products is None else known.products | sentence.products
            known.places.append(sentence.place)
            known.status = known.status or _status(sentence)
            return
    ident, number = re.sub(r"-+", "-", rule.id.replace("_", "-")), 2
    ident = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", ident).lower()
    taken = {known.id for known in found.rules}
    base = ident
    while ident in taken:
        ident, number = f"{base}-{number}", number + 1
    found.rules.append(
        DraftRule(ident, rule.require, rule.when, sentence.products, _status(sentence), rule.confidence,
                  [sentence.place], reading.kind)
    )  # fmt: skip


def _canonical(text: str) -> frozenset[str] | str:
    """The sides of an equation without their order."""
    if pair := re.fullmatch(r"(promotable|broadcastable)\((\w+\(\w+\)), (\w+\(\w+\))\)", text):
        return frozenset(pair.groups())
    sides = text.split(" == ")
    return frozenset(sides) if len(sides) == 2 and " and " not in text else text


def _status(sentence: Sentence) -> str | None:
    """The status of an error row where it is not the usual one."""
    if sentence.where != "error" or sentence.status in _DEFAULT:
        return None
    codes = {str(int(status)): status.name for status in Status}
    return codes.get(sentence.status)
