"""What a parameter may be, in the words of a docstring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aclspec.runtime.info import OperatorInfo, ParamInfo


def dtypes_of(info: OperatorInfo, name: str) -> Iterator[str]:
    """The dtypes that the documents list for a parameter, those of few products with the products."""
    keys = [product for product, _ in info.products]
    found: dict[str, list[str]] = {}
    for row in info.rows:
        for dtype in dict(row.cells).get(name, ()):
            places = [product for product in keys if product in row.products and "document" in row.modes]
            found.setdefault(dtype, []).extend(product for product in places if product not in found.get(dtype, ()))
    everywhere = [dtype for dtype, products in found.items() if len(products) == len(keys)]
    if everywhere:
        yield listed(everywhere)
    by_products: dict[tuple[str, ...], list[str]] = {}
    for dtype, products in found.items():
        if products and dtype not in everywhere:
            by_products.setdefault(tuple(sorted(products, key=keys.index)), []).append(dtype)
    for products_, dtypes in by_products.items():
        yield f"{listed(dtypes)} on {listed(products_, 'and')}"


def formats_of(param: ParamInfo) -> Iterator[str]:
    """The formats of a tensor, by rank where the rank matters."""
    for rank, names in param.formats:
        yield f"format {listed(names)}{'' if rank == -1 else f' at rank {rank}'}"


def listed(items: Iterable[str], word: str = "or") -> str:
    """``a, b or c``."""
    names = list(items)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
