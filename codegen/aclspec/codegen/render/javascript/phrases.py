"""The phrases of both languages with places for texts, read from the writers of sentences that Python itself uses."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Final

from aclspec.runtime.predicate.wording.chinese import CHINESE
from aclspec.runtime.predicate.wording.english import ENGLISH
from aclspec.runtime.predicate.wording.language import Language

LANGUAGES: Final[tuple[Language, ...]] = (ENGLISH, CHINESE)
_ORDERS: Final = ("<", "<=", ">", ">=")
_OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "relation": ("==", "!=", *_ORDERS),
    "not_ordered": _ORDERS,
    "arithmetic": ("+", "-", "*", "//", "%", "followed by"),
}
_NAMES: Final = (
    *("relation", "same", "not_ordered", "arithmetic", "element_of", "boolean", "applies", "constant", "divisible"),
    *("broadcasts", "exactly_when", "otherwise", "worked", "whether", "quantified", "size", "for_each", "of_each"),
    *("element_domain", "index_domain", "range_domain", "of_shape", "of_strides", "row", "together", "guarded"),
    "despite",
)
"""The methods of a language whose text depends on a few choices, and for the rest holds what it is given."""


def phrases(language: Language) -> dict[str, str]:
    """Every phrase by its name and its choices, separated by spaces; a text stands in its place as {0}, {1}, ..."""
    found = {key: text for name in _NAMES for key, text in _variants(language, name)}
    found["case_by_case"] = language.case_by_case(["{0}", "{1}"])
    return found


def _variants(language: Language, name: str) -> Iterator[tuple[str, str]]:
    method = getattr(language, name)
    kinds = {name: str(one.annotation) for name, one in inspect.signature(method).parameters.items()}
    choices = {one: _choices(name, one, kind) for one, kind in kinds.items()}
    texts = [one for one, kind in kinds.items() if kind in ("str", "str | None", "Sequence[str]") and one != "op"]
    places = {one: f"{{{at}}}" for at, one in enumerate(texts)}
    told = [one for one, options in choices.items() if options]
    for chosen in product(*(choices[one] for one in told)):
        by_name: dict[str, Any] = dict(zip(told, chosen, strict=True))
        values = [_value(kinds[one], places.get(one), by_name.get(one)) for one in kinds]
        yield " ".join([name, *map(_spelt, chosen)]), method(*values)


def _choices(name: str, param: str, kind: str) -> tuple[Any, ...]:
    """What a parameter may be, if it is a choice; a text that may be missing is given, or not."""
    if param == "op":
        return _OPERATORS[name]
    return {"bool": (True, False), "str | None": (True, False), "Quantity": ("every", "some", "no")}.get(kind, ())


def _value(kind: str, place: str | None, chosen: Any) -> Any:
    if kind == "Sequence[str]":
        return [place]
    if kind == "str | None":
        return place if chosen else None
    return place if chosen is None else chosen


def _spelt(choice: Any) -> str:
    return str(choice).lower() if isinstance(choice, bool) else str(choice)
