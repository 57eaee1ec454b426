"""The facts of a text: what its lines say, put under the operator that they are about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.why.grammar import Grammar

_PHASE: Final = re.compile(r"(?:GetWorkspaceSize|_\d.*)\Z")
SHARED: Final = ("soc", "product", "cann")
"""Kinds that are about the machine, and so about every operator of a text."""


@dataclass(slots=True)
class Facts:
    """What is said about one operator, or about none: the texts of each kind in the order in which they stand."""

    operator: str | None = None
    by_kind: dict[str, list[str]] = field(default_factory=dict)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    """Parameters, and nouns that may be some, with the dtype that stands behind them."""

    def add(self, kind: str, text: str) -> None:
        """Add a fact once."""
        texts = self.by_kind.setdefault(kind, [])
        if text not in texts:
            texts.append(text)

    def all(self, kind: str) -> tuple[str, ...]:
        """The texts of a kind."""
        return tuple(self.by_kind.get(kind, ()))

    def first(self, kind: str) -> str | None:
        """The first text of a kind."""
        return next(iter(self.all(kind)), None)


def facts_of_line(line: str, grammar: Grammar) -> list[tuple[str, str]]:
    """Kind and plain text of everything that a line says, once; the dtypes of a list are no dtypes of a tensor."""
    found = dict.fromkeys(fact for kind, text in grammar.find(line) for fact in _plain(kind, text))
    listed = {name for kind, text in found if kind == "dtypes" for name in text.split(", ")}
    own = {dtype for _, dtype in pairs_of(list(found))}
    return [(kind, text) for kind, text in found if kind != "dtype" or text in own or text not in listed]


def pairs_of(facts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The parameters, and the nouns that may be some, behind which a form names a dtype."""
    kinds = ("parameter", "noun")
    return [(one[1], other[1]) for one, other in pairwise(facts) if one[0] in kinds and other[0] == "dtype"]


def _plain(kind: str, text: str) -> Iterator[tuple[str, str]]:
    """A fact as the answers take it: names without what the forms leave on them, dtypes by their own name."""
    match kind:
        case "operator":
            yield kind, _PHASE.sub("", text)
        case "rule":
            if "." in text.rstrip("-."):
                yield kind, text.rstrip("-.")
                yield "operator", text.partition(".")[0]
        case "parameter":
            yield kind, text.rstrip(".").rpartition(".")[2]
        case "dtype":
            if (name := dtype_name(text)) is not None:
                yield kind, name
        case "dtypes":
            names = [name for word in text.split(",") if (name := dtype_name(word.strip())) is not None]
            if names:
                yield kind, ", ".join(names)
        case "torch":
            if dtype_name(text) is None:
                yield kind, text.rstrip(".")
        case _:
            yield kind, text


def dtype_name(text: str) -> str | None:
    """The name of a dtype in any spelling; None for what is none."""
    try:
        return DType.parse(text.removeprefix("DT_")).name
    except ValueError:
        return None


def gather(lines: Iterable[str], grammar: Grammar, most: int) -> tuple[list[Facts], Facts]:
    """The facts by operator, ``most`` of them, and those about none, which stand in texts that name no operator.

    A fact belongs to the operator of its line, else to the last one before it; what stands before the first belongs to
    that. Facts about the machine belong to all.
    """
    found: dict[str, Facts] = {}
    loose, shared = Facts(), Facts()
    current: Facts | None = None
    for line in lines:
        facts = facts_of_line(line, grammar)
        names = [text for kind, text in facts if kind == "operator"]
        for name in names:
            if name in found or len(found) < most:
                current = found.setdefault(name, Facts(name))
        target = current or loose
        _add_line(target, shared, facts)
    cases = list(found.values())
    for case in cases[:1]:
        for kind, texts in loose.by_kind.items():
            for text in texts:
                case.add(kind, text)
        case.pairs[:0] = loose.pairs
    for case in (*cases, loose):
        for kind, texts in shared.by_kind.items():
            for text in texts:
                case.add(kind, text)
    return cases, loose


def _add_line(target: Facts, shared: Facts, facts: list[tuple[str, str]]) -> None:
    target.pairs += [pair for pair in pairs_of(facts) if pair not in target.pairs]
    for kind, text in facts:
        if kind != "operator":
            (shared if kind in SHARED else target).add(kind, text)
