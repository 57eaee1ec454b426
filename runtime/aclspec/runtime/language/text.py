"""A text in two languages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """A text in English and in Chinese."""

    en: str
    zh: str
