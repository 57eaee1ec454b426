"""From a pasted text to its answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from aclspec.runtime.abi.products import read_product
from aclspec.runtime.api.catalog import Catalog
from aclspec.runtime.rules.sentences import Lang
from aclspec.runtime.why.about import About
from aclspec.runtime.why.calls import FoundCall, calls_of
from aclspec.runtime.why.facts import gather
from aclspec.runtime.why.grammar import grammar
from aclspec.runtime.why.result import Answer, Why
from aclspec.runtime.why.words import WORDS

__all__ = ["MOST_TEXT", "Answer", "Why", "why"]

MOST_TEXT: Final = 1_000_000
"""Characters of a text that are read."""
MOST_ANSWERS: Final = 20
_CONTROL: Final = re.compile(r"\x1b\[[0-9;]{0,16}[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Colours of a terminal, and characters that are no text."""


def why(text: str | bytes, catalog: Catalog, product: str | None = None, lang: Lang = "en") -> Why:
    """What a text says about calls, and what follows; nothing of it is run or sent anywhere.

    ``product`` is a key, a SoC name or an alias, and takes the place of what the text names. Raises ValueError for
    another product, and TypeError for a text that is none.
    """
    key = None if product is None else read_product(product).key
    plain, notes = _readable(text, lang)
    about = About(catalog, lang, key)
    cases, loose = gather(grammar().lines(plain), grammar(), MOST_ANSWERS)
    facts = {case.operator: case for case in cases}
    answers: list[Answer] = []
    named = set(facts)
    for call in islice(_distinct(calls_of(plain, catalog)), MOST_ANSWERS):
        is_cut = call.code is not None and bool(call.missing or call.unread)
        if is_cut and (not call.values or (named and call.operator.name not in named)):
            continue  # nothing of the call is known, or it stands in a traceback on the way to the operator that failed
        known = facts.pop(call.operator.name, None) or loose
        answers.append(about.call(call, known))
    answers += [about.operator(case) for case in facts.values()]
    if not answers:
        answers += about.loose(loose)
    if not answers:
        notes.append(WORDS[lang]["nothing"])
    return Why(tuple(answers), tuple(notes), lang)


def _distinct(calls: Iterator[FoundCall]) -> Iterator[FoundCall]:
    seen: set[str] = set()
    for call in calls:
        key = f"{call.operator.name} {call.values!r} {call.product}"
        if key not in seen:
            seen.add(key)
            yield call


def _readable(text: str | bytes, lang: Lang) -> tuple[str, list[str]]:
    """The text without what is none, and notes about what was left out."""
    if isinstance(text, bytes | bytearray):
        text = bytes(text[: 4 * MOST_TEXT]).decode("utf-8", "replace")
    if not isinstance(text, str):
        raise TypeError(f"The text ({type(text).__name__}) is neither a string nor bytes.")
    notes = []
    if len(text) > MOST_TEXT:
        notes.append(WORDS[lang]["cut"].format(len(text), MOST_TEXT))
        text = text[:MOST_TEXT]
    plain = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if any(char in "\x00�" for char in text):
        notes.append(WORDS[lang]["binary"])
    return plain, notes
