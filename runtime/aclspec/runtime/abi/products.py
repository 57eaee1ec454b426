"""Products: their keys, the names that stand for them, and which one a call means."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from aclspec.runtime.abi._product_table import DEFAULT, TABLE, Product
from aclspec.runtime.abi.environment import Variable

__all__ = [
    "KEYS",
    "PRODUCT_NAMES",
    "Product",
    "ProductName",
    "aliases",
    "folded",
    "product_of",
    "read_product",
    "resolve_product",
]

KEYS: tuple[str, ...] = tuple(row[0] for row in TABLE)
PRODUCT_NAMES: dict[str, tuple[str, str]] = {row[0]: (row[1], row[2]) for row in TABLE}
ENVIRONMENT = Variable("ACLSPEC_PRODUCT")
_EXACT: dict[str, str] = {key: key for key in KEYS} | {
    soc: row[0] for row in TABLE for soc in row[5] if not soc.endswith("*")
}
_PREFIXES: tuple[tuple[str, str], ...] = tuple(
    (soc[:-1], row[0]) for row in TABLE for soc in row[5] if soc.endswith("*")
)


class ProductName(NamedTuple):
    """A product as a person named it: its key, and a note where the name has another meaning elsewhere."""

    key: str
    note: str = ""


def product_of(name: str) -> str | None:
    """The key of the product with this key or with this SoC name, as aclrtGetSocName answers it; None for neither."""
    found = _EXACT.get(name)
    if found is not None:
        return found
    return next((key for prefix, key in _PREFIXES if name.startswith(prefix)), None)


def resolve_product(product: object = None) -> str:
    """The key that a call means: the argument, else ACLSPEC_PRODUCT, else the NPU found, else the default.

    The argument and the variable hold a key, a SoC name or an alias, as `read_product` takes them. Raises ValueError
    for a name that is none of these or is ambiguous, and TypeError for what is not a name.
    """
    if product is None:
        product = ENVIRONMENT.read()
        return _without_name() if product is None else read_product(product, str(ENVIRONMENT)).key
    return str(product) if product in KEYS else read_product(product).key


def read_product(name: object, noun: str = "product") -> ProductName:
    """The product that a person means by a key, a SoC name or an alias, however it is spelled; errors name ``noun``.

    ``910B`` and ``Ascend910B`` mean atlas_a2, though a SoC of atlas_training is called Ascend910B: the note says so.
    """
    if not isinstance(name, str):
        raise TypeError(f"The value of {noun} ({name!r}) is not a product's key or SoC name, which is a string.")
    plain = folded(name)
    candidates = aliases().get(plain, ())
    soc = product_of(name) or next((row[0] for row in TABLE if plain in map(folded, row[5])), None)
    if len(candidates) > 1:
        listed = ", ".join(candidates)
        raise ValueError(f"The value of {noun} ({name}) is ambiguous: it may mean {listed}.")
    if candidates:
        (key,) = candidates
        return ProductName(key, "" if soc in (None, key) else f"{name} means {key} here; a SoC of {soc} has that name.")
    if soc is not None:
        return ProductName(soc)
    from aclspec.runtime.abi.suggest import did_you_mean

    hint = did_you_mean(name, [*_EXACT, *(alias for row in TABLE for alias in row[6])])
    raise ValueError(
        f"The value of {noun} ({name}) is neither a product nor a SoC name{hint}; the products are {', '.join(KEYS)}."
    )


def folded(name: str) -> str:
    """A name without case, spaces, punctuation and a leading "Ascend"."""
    return re.sub(r"[\W_]", "", name.casefold()).removeprefix("ascend")


@cache
def aliases() -> dict[str, tuple[str, ...]]:
    """Folded keys, SoC names and aliases with the products that each may mean; an alias is stronger than a SoC name."""
    found = {folded(name): (key,) for name, key in _EXACT.items()}
    named: dict[str, tuple[str, ...]] = {}
    for row in TABLE:
        for alias in map(folded, row[6]):
            named[alias] = (*named.get(alias, ()), row[0])
    return found | named


_find_soc: Callable[[], str | None] | None = None


def find_soc_with(function: Callable[[], str | None]) -> None:
    """Ask this function, once, for the name of the machine's SoC when a call names no product."""
    global _find_soc
    _find_soc = function


@cache
def _without_name() -> str:
    return product_of((_find_soc and _find_soc()) or "") or DEFAULT
