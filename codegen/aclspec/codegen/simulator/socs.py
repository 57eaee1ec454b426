"""The chips that a simulator can be: every SoC name of the products, and how many cores each has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aclspec.codegen.spec.common import ProductSpec

UNKNOWN = 0
"""The number of cores of a SoC of which the specs tell none."""


@dataclass(frozen=True, slots=True)
class Soc:
    """A SoC name, or a prefix that ends in ``*``."""

    name: str
    product: str
    cube_cores: int
    vector_cores: int
    bf16: bool


@dataclass(frozen=True, slots=True)
class Socs:
    """All of them, the name that stands for each product, and the one of the default product."""

    all: tuple[Soc, ...]
    standard: dict[str, str]
    default: str


def socs_of(products: Iterable[ProductSpec]) -> Socs:
    """The SoCs of the products; the names that are whole come before the prefixes."""
    found: list[Soc] = []
    standard: dict[str, str] = {}
    default = ""
    for product in products:
        cores = {name: (line.cube, line.vector) for line in product.cores for name in line.socs}
        found += [Soc(name, product.key, *cores.get(name, (UNKNOWN, UNKNOWN)), product.bf16) for name in product.socs]
        standard[product.key] = product.standard_soc or product.socs[0].replace("*", "0")
        default = standard[product.key] if product.default else default
    return Socs(tuple(sorted(found, key=lambda soc: soc.name.endswith("*"))), standard, default)
