"""The chips that a simulator can be: every SoC name of the products, and how many cores each has."""

from __future__ import annotations

from dataclasses import dataclass

from aclspec.runtime._product_table import TABLE

STANDARD = {
    "atlas_inference": "Ascend310P3",
    "atlas_training": "Ascend910A",
    "atlas_a2": "Ascend910B2",
    "atlas_a3": "Ascend910_9391",
    "ascend_950": "Ascend950PR_9599",
    "atlas_200i_500_a2": "Ascend310B1",
}
"""The SoC name that stands for a product; of another product, the first of its names."""
_CORES = (  # by the longest prefix of the name: cube cores, vector cores
    ("Ascend310P", (8, 7)),
    ("Ascend310B", (1, 1)),
    ("Ascend910B1", (24, 48)),
    ("Ascend910B2", (24, 48)),
    ("Ascend910B3", (20, 40)),
    ("Ascend910B4", (20, 40)),
    ("Ascend910_95", (32, 64)),
    ("Ascend910_9", (24, 48)),
    ("Ascend910", (32, 32)),
    ("Ascend950", (32, 64)),
)


@dataclass(frozen=True, slots=True)
class Soc:
    """A SoC name, or a prefix that ends in ``*``."""

    name: str
    product: str
    cube_cores: int
    vector_cores: int
    bf16: bool


def socs() -> list[Soc]:
    """Every SoC name of the products; those that are whole come before the prefixes."""
    found = [Soc(name, row[0], *_cores(name), row[4]) for row in TABLE for name in row[5]]
    return sorted(found, key=lambda soc: soc.name.endswith("*"))


def standard_socs() -> dict[str, str]:
    """The SoC name that stands for each product."""
    return {row[0]: STANDARD.get(row[0], row[5][0].replace("*", "0")) for row in TABLE}


def _cores(name: str) -> tuple[int, int]:
    return next((cores for prefix, cores in _CORES if name.startswith(prefix)), (1, 1))
