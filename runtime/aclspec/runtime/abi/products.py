"""Products: their keys, the SoC names that stand for them, and which one a call means."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from aclspec.runtime.abi._product_table import DEFAULT, TABLE, Product
from aclspec.runtime.abi.environment import Variable

__all__ = ["KEYS", "PRODUCT_NAMES", "Product", "product_of", "resolve_product"]

KEYS: tuple[str, ...] = tuple(row[0] for row in TABLE)
PRODUCT_NAMES: dict[str, tuple[str, str]] = {row[0]: (row[1], row[2]) for row in TABLE}
ENVIRONMENT = Variable("ACLSPEC_PRODUCT")
_EXACT: dict[str, str] = {key: key for key in KEYS} | {
    soc: row[0] for row in TABLE for soc in row[5] if not soc.endswith("*")
}
_PREFIXES: tuple[tuple[str, str], ...] = tuple(
    (soc[:-1], row[0]) for row in TABLE for soc in row[5] if soc.endswith("*")
)


def product_of(name: str) -> str | None:
    """The key of the product with this key or SoC name, None when there is none."""
    found = _EXACT.get(name)
    if found is not None:
        return found
    return next((key for prefix, key in _PREFIXES if name.startswith(prefix)), None)


def resolve_product(product: object = None) -> str:
    """The key that a call means: the argument, else ACLSPEC_PRODUCT, else the NPU found, else the default.

    The argument and the variable hold a key or a SoC name. Raises ValueError for a name that is neither, and TypeError
    for what is not a name.
    """
    if product is None:
        product = ENVIRONMENT.read()
        return _without_name() if product is None else _known(product, str(ENVIRONMENT))
    found = _EXACT.get(product) if isinstance(product, str) else None
    return found if found is not None else _known(product, "product")


def _known(name: object, noun: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"The value of {noun} ({name!r}) is not a product's key or SoC name, which is a string.")
    found = product_of(name)
    if found is None:
        from aclspec.runtime.abi.suggest import did_you_mean

        hint = did_you_mean(name, _EXACT)
        raise ValueError(
            f"The value of {noun} ({name}) is neither a product nor a SoC name{hint}; "
            f"the products are {', '.join(KEYS)}."
        )
    return found


_find_soc: Callable[[], str | None] | None = None


def find_soc_with(function: Callable[[], str | None]) -> None:
    """Ask this function, once, for the name of the machine's SoC when a call names no product."""
    global _find_soc
    _find_soc = function


@cache
def _without_name() -> str:
    return product_of((_find_soc and _find_soc()) or "") or DEFAULT
