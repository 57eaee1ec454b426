"""The did-you-mean of a message about an unknown name."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` (did you mean x?)`` for the end of a clause, or nothing when no name is close."""
    from difflib import get_close_matches  # a failed call pays for this import, a good one does not

    names = list(dict.fromkeys(known))
    close = get_close_matches(name, names, n=1, cutoff=0.6) or _ignoring_case(name, names) or _beginning(name, names)
    return f" (did you mean {close[0]}?)" if close else ""


def _beginning(name: str, known: list[str]) -> list[str]:
    """The one name that begins so, which a long name cut short is not close to."""
    found = [candidate for candidate in known if len(name) > 2 and candidate.lower().startswith(name.lower())]
    return found if len(found) == 1 else []


def _ignoring_case(name: str, known: list[str]) -> list[str]:
    from difflib import get_close_matches

    folded = {candidate.lower(): candidate for candidate in known}
    return [folded[match] for match in get_close_matches(name.lower(), list(folded), n=1, cutoff=0.6)]
