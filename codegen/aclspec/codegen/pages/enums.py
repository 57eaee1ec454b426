"""What the values of an attribute mean, as its description lists them: ``...: 0 zeros, 1 the edge, 2 the rest.``"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SENTENCE = re.compile(r"[:：]\s*(?P<list>[^.。:：]*)[.。]?")


def meanings(doc: str, values: Sequence[object]) -> dict[str, str]:
    """The meaning of each value by its text; nothing where the description does not list all of them in order."""
    keys = [str(value).strip("'\"") for value in values]
    if len(keys) < 2:
        return {}
    for found in _SENTENCE.finditer(doc):
        parts = _parts(found["list"], keys)
        if parts is not None:
            return dict(zip(keys, parts, strict=True))
    return {}


def _parts(text: str, keys: Sequence[str]) -> list[str] | None:
    """The texts between the values, which begin it and stand behind commas."""
    pattern = r"[,，;；、]\s*(?:or |and |或|和)?".join(rf"`?{re.escape(key)}`?\s+(?:is |为 ?)?(.+?)" for key in keys)
    found = re.fullmatch(rf"{pattern}\s*", text)
    return None if found is None else [part.strip() for part in found.groups()]
