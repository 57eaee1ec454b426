"""What `why` answers: for each operator or code of a text what follows, what to do next, and what is not known."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aclspec.runtime.api.answers import Explanation
from aclspec.runtime.rules.sentences import Lang
from aclspec.runtime.why.words import WORDS

VERSION: Final = 1
"""Of the JSON."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer about one operator, or about a code or message that names none.

    ``says`` are the sentences that follow, ``checks`` what to check, in order, ``next`` the commands that continue.
    ``explanation`` is there where the text holds a whole call.
    """

    operator: str | None
    title: str
    says: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    explanation: Explanation | None = None

    def lines(self, lang: Lang) -> list[str]:
        """The answer as lines of text."""
        words = WORDS[lang]
        lines = [self.title, *(f"  {one}" for one in self.says)]
        if self.explanation is not None:
            lines += [f"  {line}" for line in str(self.explanation).splitlines()[1:]]
        if self.checks:
            lines.append(f"  {words['check']}")
            lines += [f"  {at}. {one}" for at, one in enumerate(self.checks, 1)]
        return [*lines, *(f"  {words['next']} {one}" for one in self.next)]

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain values."""
        return {
            "operator": self.operator,
            "title": self.title,
            "says": list(self.says),
            "checks": list(self.checks),
            "next": list(self.next),
            "facts": {kind: list(texts) for kind, texts in self.facts.items()},
            "explanation": None if self.explanation is None else self.explanation.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Why:
    """The answers to a text; ``notes`` say how it was read, and what it lacks."""

    answers: tuple[Answer, ...]
    notes: tuple[str, ...] = ()
    lang: Lang = "en"

    @property
    def found(self) -> bool:
        """Whether the text holds anything that is known."""
        return bool(self.answers)

    def __str__(self) -> str:
        """All answers, then the notes."""
        blocks = ["\n".join(one.lines(self.lang)) for one in self.answers]
        return "\n\n".join([*blocks, *(["\n".join(self.notes)] if self.notes else [])])

    def __repr__(self) -> str:
        """The same text."""
        return str(self)

    def _repr_html_(self) -> str:
        """The same for notebooks; what comes from the text is escaped."""
        parts = []
        for one in self.answers:
            title, *rest = one.lines(self.lang)
            items = "".join(f"<li>{html.escape(line.strip())}</li>" for line in rest)
            parts.append(f"<p><b>{html.escape(title)}</b></p><ul>{items}</ul>")
        return "".join([*parts, *(f"<p>{html.escape(one)}</p>" for one in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """The answers as plain values, for JSON."""
        return {
            "version": VERSION,
            "found": self.found,
            "answers": [one.to_dict() for one in self.answers],
            "notes": list(self.notes),
        }
