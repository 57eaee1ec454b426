"""The known name that a misspelt one most likely means, as the end of a message."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` (did you mean x?)`` for the end of a clause, or nothing when no name is close."""
    names = list(dict.fromkeys(known))
    close = _close(name, names) or _ignoring_case(name, names) or _beginning(name, names)
    return "" if close is None else f" (did you mean {close}?)"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The nearest known word, the one that differs only by case first; None when no word is close."""
    words = list(dict.fromkeys(known))
    folded = {word.lower(): word for word in reversed(words)}
    only_case = folded.get(name.lower(), name)
    return only_case if only_case != name else _close(name, words)


def question(name: str, known: Iterable[str]) -> str:
    """The end of a sentence: ``; did you mean x?``, or a full stop when no word is close."""
    word = nearest(name, known)
    return "." if word is None else f"; did you mean {word}?"


def one_of(known: Iterable[str], limit: int = 24) -> str:
    """``a, b or c`` for a message, cut after ``limit`` words."""
    words = list(known)
    if len(words) > limit:
        return ", ".join(words[:limit]) + f" and {len(words) - limit} more"
    return " or ".join(", ".join(words).rsplit(", ", 1)) if len(words) > 1 else "".join(words)


def _close(name: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # a failed call pays for this import, a good one does not

    return next(iter(get_close_matches(name, known, n=1, cutoff=0.6)), None)


def _ignoring_case(name: str, known: Iterable[str]) -> str | None:
    folded = {candidate.lower(): candidate for candidate in known}
    close = _close(name.lower(), folded)
    return None if close is None else folded[close]


def _beginning(name: str, known: Iterable[str]) -> str | None:
    """The one name that begins so, which a long name cut short is not close to."""
    found = [candidate for candidate in known if len(name) > 2 and candidate.lower().startswith(name.lower())]
    return found[0] if len(found) == 1 else None
