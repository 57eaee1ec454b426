"""The grammar of pasted texts: the forms of lines, and what codes and messages mean."""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pkgutil import get_data
from typing import Any, Final

from aclspec.runtime.language.text import Text

MOST_LINE: Final = 4096
"""Characters of a line that are looked at."""
MOST_LINES: Final = 5000
"""Lines that are looked at, of those in which something may be found."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a line: its pattern, the kind of each group, and what it means without a group."""

    name: str
    pattern: re.Pattern[str]
    yields: tuple[str, ...]
    implies: Mapping[str, str]
    doc: Text

    def find(self, line: str) -> Iterator[tuple[str, str]]:
        """Kind and text of everything that a line of this form says."""
        for match in self.pattern.finditer(line):
            yield from zip(self.yields, match.groups(), strict=True)
            yield from self.implies.items()


@dataclass(frozen=True, slots=True)
class Failure:
    """What a code or a message means, and what to check, in order."""

    name: str
    codes: tuple[str, ...]
    is_refusal: bool
    is_vague: bool
    title: Text
    doc: Text
    checks: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The forms in their order, and the failures by name."""

    forms: tuple[Form, ...]
    failures: Mapping[str, Failure]

    def find(self, line: str) -> Iterator[tuple[str, str]]:
        """Everything that a line says, by all forms."""
        for form in self.forms:
            yield from form.find(line[:MOST_LINE])

    def lines(self, text: str) -> list[str]:
        """The lines of a text in which some form may find something, the first `MOST_LINES` of them."""
        lines = text.split("\n")
        ends = list(accumulate(len(line) + 1 for line in lines))
        told: set[int] = set()
        for form in self.forms:
            for match in form.pattern.finditer(text):
                told.update(range(bisect(ends, match.start()), bisect(ends, match.end()) + 1))
        return [lines[at] for at in sorted(told)[:MOST_LINES] if at < len(lines)]

    def failure_of(self, code: str) -> Failure | None:
        """The failure that a code means: that with the code itself, else the first with its beginning."""
        exact = (one for one in self.failures.values() if code in one.codes)
        begins = (
            one
            for one in self.failures.values()
            for prefix in one.codes
            if prefix.endswith("*") and code.startswith(prefix[:-1])
        )
        return next(exact, None) or next(begins, None)


@cache
def grammar() -> Grammar:
    """The grammar that the specs state."""
    data = json.loads(get_data(__package__, "_grammar.json") or b"")
    return Grammar(
        tuple(_form(name, entry) for name, entry in data["forms"].items()),
        {name: _failure(name, entry) for name, entry in data["failures"].items()},
    )


def _form(name: str, entry: Mapping[str, Any]) -> Form:
    pattern = re.compile(entry["pattern"], re.ASCII)
    return Form(name, pattern, tuple(entry["yields"]), entry["implies"], Text(**entry["doc"]))


def _failure(name: str, entry: Mapping[str, Any]) -> Failure:
    checks = tuple(Text(**one["doc"]) for one in entry["checks"])
    title, doc = Text(**entry["title"]), Text(**entry["doc"])
    return Failure(name, tuple(entry["codes"]), entry["refusal"], entry["vague"], title, doc, checks)
