"""Sentences of a page read by the grammar: the condition first, then the way it is said, then what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import aclspec.codegen.importer.classes as classes
from aclspec.codegen.importer.grammar import (
    GRAMMAR,
    Outcome,
    Remark,
    Rule,
    SameDtype,
    TableFact,
    Vague,
    compile_form,
    kebab,
    letters,
)
from aclspec.codegen.importer.model import Fact, Function, Sentence
from aclspec.codegen.importer.tokens import Token, Tokens
from aclspec.codegen.importer.vocabulary import plain

__all__ = ["Reading", "classes", "read_sentences"]

_CONDITIONS = (
    re.compile(
        r"\s*(?:当(?!前)|如果|若|假如)(?P<condition>[^,。]*?)(?:时|的时候|场景下?|情况下|的情况下)?\s*,(?P<rest>.+)",
        re.DOTALL,
    ),
    re.compile(r"\s*(?P<condition>[^,。]{2,60}?)(?:时|的时候|场景下?|情况下|的情况下)\s*,(?P<rest>.+)", re.DOTALL),
    re.compile(r"\s*(?P<condition>[^,。]{2,60}?(?:[Tt]rue|[Ff]alse|非空))(?:时|且|并且)\s*(?P<rest>.+)", re.DOTALL),
)
_CLAUSE = re.compile(r"[,]\s*(?:或者|或|以及)?(?!\s*且|\s*并且|\s*则)")
_OR = re.compile(r"[,，]\s*或")
_IDLE = re.compile(r"^\s*如果传入参数(?:类型)?(?:为|是)?(?:aclTensor|或|、|List)+(?:且|,)其?")
_TOGETHER = re.compile("均|都|同时|全部|全为")
_TRAILING = re.compile(r"(?:时|的时候|的情况下?|的场景)\s*[。;]?\s*$")
_SINGLE = ("null", "emptytensor", "gt", "ge", "lt", "le", "eq", "ne", "negative", "positive")
_SUBJECT = ("names", "inputs", "outputs", "cond")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence became: its class, "" where no form fits, and the outcomes."""

    sentence: Sentence
    kind: str
    outcomes: tuple[Outcome, ...]

    @property
    def is_check(self) -> bool:
        """Whether something is checked because of it."""
        return any(isinstance(one, Rule | TableFact | SameDtype) for one in self.outcomes)

    @property
    def is_vague(self) -> bool:
        """Whether it is understood and leaves open what must hold."""
        return any(isinstance(one, Vague) for one in self.outcomes)


def read_sentences(function: Function) -> list[Reading]:
    """Every sentence of a function; what is said of promotion first, since other rows speak of "the result"."""
    tokens = Tokens(function.parameters)
    for sentence in function.sentences:
        _remember_promoted(function, tokens.read(sentence.text), sentence)
    return [_read(function, sentence, tokens) for sentence in function.sentences]


_PROMOTED = compile_form("names (dtype|must|can|cannot|unsatisfied|requirement|names)* promote requirement?")


def _remember_promoted(function: Function, tokens: list[Token], sentence: Sentence) -> None:
    """Keep the tensors whose dtypes promote, for sentences that only say "the promoted dtype"."""
    names = tuple(dict.fromkeys(name for token in tokens if token.word == "names" for name in token.values))
    if sentence.where == "error" and len(names) in (2, 3) and _PROMOTED.fullmatch(letters(tokens)):
        function.add(Fact("", "promoted", names, "page", sentence.place, None, "sentence"))


def _read(function: Function, sentence: Sentence, tokens: Tokens) -> Reading:
    reading = _understood(function, sentence, tokens)
    if sentence.scenario and not all(isinstance(one, Remark) for one in reading.outcomes):
        return Reading(sentence, "", ())  # it holds under a condition that stands in another line
    return reading


def _understood(function: Function, sentence: Sentence, tokens: Tokens) -> Reading:
    text = plain(sentence.text)
    when: str | None = None
    about: tuple[str, ...] = ()
    for pattern in _CONDITIONS:
        understood = (
            condition(function, tokens.read(match["condition"]))
            if (match := pattern.fullmatch(text)) and match["condition"].count("(") == match["condition"].count(")")
            else None
        )
        if match and understood is not None:
            (when, about), text = understood, match["rest"]
            about = about if sentence.where == "error" else ()  # elsewhere the subject may stand further up
            break
    kind, outcomes = _clause(function, sentence, tokens, text, about)
    if not outcomes and len(clauses := _CLAUSE.split(text)) > 1:
        kind, outcomes = _clauses(function, sentence, tokens, clauses, about)
    if when is not None:
        outcomes = tuple(changed for one in outcomes for changed in _under(one, when))
    return Reading(sentence, kind if outcomes else "", outcomes)


def _clauses(
    function: Function, sentence: Sentence, tokens: Tokens, clauses: list[str], about: tuple[str, ...]
) -> tuple[str, tuple[Outcome, ...]]:
    """Several statements of one sentence, separated by commas: all must be understood, and none be a condition."""
    found: list[tuple[str, tuple[Outcome, ...]]] = []
    if sentence.where != "error" and _OR.search(sentence.text):
        return "", ()  # one of several ways is enough; in a row of errors each is one
    for clause in clauses:
        words = tokens.read(clause)
        if not words or any(token.word == "cond" for token in words):
            return "", ()
        if words[0].word == "names" and sentence.where == "error":
            about = words[0].values  # the next clause may leave its subject out
        found.append(_clause(function, sentence, tokens, clause, about))
    if any(not outcomes for _, outcomes in found):
        return "", ()
    return found[0][0], tuple(outcome for _, outcomes in found for outcome in outcomes)


def _clause(
    function: Function, sentence: Sentence, tokens: Tokens, text: str, about: tuple[str, ...]
) -> tuple[str, tuple[Outcome, ...]]:
    """One clause without a condition."""
    holds = sentence.where != "error"
    text = _IDLE.sub("", text)
    words = tokens.read(_TRAILING.sub("", text) if not holds else text)
    if not holds and _TOGETHER.search(text) and any(token.word in _SINGLE for token in words):
        return "", ()  # "x and y are both null" refuses neither alone
    if any(token.word == "must" for token in words):
        words, holds = [token for token in words if token.word != "must"], True
    if holds:
        words = [token for token in words if token.word != "satisfied"]
    words = _with_subject(words, about or ((sentence.subject,) if sentence.subject else ()), holds)
    if any(token.word in ("cond", "other") for token in words) and not _mentions_null(words):
        kind, outcomes = (
            ("", ()) if any(token.word == "cond" for token in words) else GRAMMAR.read(words, function, holds)
        )
        return (kind, outcomes) if all(isinstance(one, Vague) for one in outcomes) else ("", ())
    return GRAMMAR.read(words, function, holds)


def _mentions_null(tokens: Iterable[Token]) -> bool:
    """Rows about null pointers may begin with an idle condition."""
    return any(token.word == "null" for token in tokens)


def _with_subject(tokens: list[Token], subject: tuple[str, ...], holds: bool) -> list[Token]:
    """A sentence without a subject speaks of the parameter of its row."""
    if not subject or (tokens and tokens[0].word in _SUBJECT and not (holds and _refers(tokens))):
        return tokens
    if tokens and tokens[0].word == "names":
        return [Token("names", (*subject, *(one for one in tokens[0].values if one not in subject))), *tokens[1:]]
    return [Token("names", subject), *tokens]


def _refers(tokens: list[Token]) -> bool:
    """Whether the sentence of a row begins with the other side, as in "the same as y"."""
    return bool(_REFERRING.fullmatch(letters(tokens)))


_REFERRING = compile_form(
    "names (dtype|shape|dims|rankword|format)* (same|(dtype|promote|requirement|cast|broadcast)+)"
)


_UNDER = {"dtype": "dtype({})", "format": "format({})", "rank": "rank({})", "value": "{}", "length": "len({})"}


def _under(outcome: Outcome, when: str) -> list[Outcome]:
    """An outcome that holds only under a condition: facts of the table become rules, joint dtypes equations."""
    match outcome:
        case Rule():
            return [replace(outcome, when=f"({outcome.when}) and ({when})" if outcome.when else when)]
        case TableFact("null"):
            return [replace(outcome, when=when)]
        case TableFact(check, names, tuple() as values) if check in _UNDER:
            listed = ", ".join(f'"{one}"' if check == "value" and isinstance(one, str) else str(one) for one in values)
            return [
                Rule(f"{kebab(name)}-{check}-when", f"{_UNDER[check].format(name)} in [{listed}]", when)
                for name in names
            ]
        case TableFact(check, names) if check in ("empty", "contiguous"):
            text = {"empty": "not is_empty({})", "contiguous": "is_contiguous({})"}[check]
            return [Rule(f"{kebab(name)}-{check}-when", text.format(name), when) for name in names]
        case SameDtype(names):
            return [
                Rule(f"{kebab(name)}-dtype-when", f"dtype({name}) == dtype({names[0]})", when) for name in names[1:]
            ]
    return [outcome]


_FLAG = compile_form("names eq (true|false)")
_MASK = compile_form("names numbers eq (true|false)")
_EQUAL = compile_form("names value? (eq|ne) (numbers|string)")
_DTYPE = compile_form("names dtype? eq dtypes dtype?")
_GIVEN = compile_form("names (given|ne null|exist)")
_FILLED = compile_form("names filled")
_EMPTY = compile_form("names eq emptytensor")
_RANK = compile_form("names (rankword|dims|shape)+ (eq|ne|gt|ge|lt|le) numbers nd?")
_OPERATORS = {"eq": "==", "ne": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def condition(function: Function, tokens: list[Token]) -> tuple[str, tuple[str, ...]] | None:
    """A condition as a predicate, and the names it leaves as the subject of what follows; None where not sure."""
    text = letters(tokens)
    names = [name for token in tokens if token.word == "names" for name in token.values]
    kind = (parameter.kind if (parameter := function.parameter(names[0])) else None) if len(names) == 1 else None
    words = [token.word for token in tokens]
    numbers = [value for token in tokens if token.word == "numbers" for value in token.values]
    if _FLAG.fullmatch(text) and kind == "bool":
        return (names[0] if "true" in words else f"not {names[0]}"), ()
    if _MASK.fullmatch(text) and kind == "bool_array" and len(numbers) == 1 and numbers[0].isdigit():
        place = f"{names[0]}[{numbers[0]}]"
        return (place if "true" in words else f"not {place}"), ()
    if _EQUAL.fullmatch(text) and kind in ("int64", "int32", "int", "int8", "uint64", "string"):
        strings = [value for token in tokens if token.word == "string" for value in token.values]
        values = [f'"{one}"' for one in strings] if kind == "string" else numbers
        if len(values) == 1 and bool(strings) == (kind == "string"):
            return f"{names[0]} {'==' if 'eq' in words else '!='} {values[0]}", ()
    if _DTYPE.fullmatch(text) and kind == "tensor":
        listed = [value for token in tokens if token.word == "dtypes" for value in token.values]
        return f"dtype({names[0]}) in [{', '.join(listed)}]", ()
    if _GIVEN.fullmatch(text) and names and all(p and p.is_pointer for p in map(function.parameter, names)):
        return " and ".join(f"not is_null({name})" for name in names), tuple(names)
    if kind == "tensor" and (_FILLED.fullmatch(text) or _EMPTY.fullmatch(text)):
        if function.value(names[0], "optional"):
            return None  # it may also mean that there is none
        return f"{'not ' if 'filled' in words else ''}is_empty({names[0]})", ()
    if _RANK.fullmatch(text) and kind == "tensor" and len(numbers) == 1:
        operator = next(_OPERATORS[word] for word in words if word in _OPERATORS)
        return f"rank({names[0]}) {operator} {numbers[0]}", ()
    return None
