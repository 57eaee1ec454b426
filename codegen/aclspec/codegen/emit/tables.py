"""The module-level constants of a generated module: product sets and dtype tables, each written once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aclspec.codegen.emit.layout import comment as comment_lines
from aclspec.codegen.emit.logic import conj, disj, negation
from aclspec.codegen.emit.pretty import Literal, call, flat, group, lay_out, quoted, tuple_literal
from aclspec.codegen.emit.python import FALSE, TRUE, Kept, Py, Text, compare
from aclspec.codegen.emit.scope import Place
from aclspec.runtime.info import MODES

LIBRARY = Text("library")
PRODUCT = Text("product")
_IN_MODE = {"document": negation(LIBRARY), "library": LIBRARY}


@dataclass(frozen=True, slots=True)
class Constant:
    """A module-level constant with the comment above it."""

    name: str
    comment: str
    value: Literal

    @property
    def comments(self) -> tuple[str, ...]:
        """The lines of the comment."""
        return tuple(comment_lines(self.comment, 0))

    @property
    def lines(self) -> tuple[str, ...]:
        """The assignment."""
        return tuple(lay_out(f"{self.name} = ", self.value))


def kept(hint: str, comment: str, value: Literal) -> Kept:
    """A value that a constant named after the hint holds, unless another one has it already."""
    return Kept(flat(value), f"_{hint.upper().replace('-', '_')}", comment, value)


@dataclass(frozen=True, slots=True)
class Tables:
    """Conditions on the product and the mode; ``universe`` is every product there is."""

    universe: tuple[str, ...]

    def where(self, wanted: frozenset[Place], reached: frozenset[Place], hint: str) -> Py:
        """The condition, on the product and the mode, that a place of ``reached`` is one of ``wanted``."""
        products = _products(wanted)
        if all(place in wanted or place[1] not in products for place in reached):
            return self._among(products, _products(reached), hint)
        parts = [(mode, frozenset(place for place in reached if place[0] == mode)) for mode in MODES]
        found = [self._among(_products(wanted & part), _products(part), hint) for _, part in parts]
        return disj(*(conj(_IN_MODE[mode], condition) for (mode, _), condition in zip(parts, found, strict=True)))

    def _among(self, products: frozenset[str], reached: frozenset[str], hint: str) -> Py:
        """The condition that the product, one of ``reached``, is one of ``products``."""
        if reached <= products:
            return TRUE if reached else FALSE
        if not products & reached:
            return FALSE
        if len(products) == 1:
            return compare(PRODUCT, "==", Text(quoted(min(products))))
        names = [quoted(product) for product in self.universe if product in products]
        return compare(PRODUCT, "in", kept(f"{hint}-products", "", frozen(names)))


def _products(places: Iterable[Place]) -> frozenset[str]:
    return frozenset(product for _, product in places)


def frozen(items: Iterable[Literal]) -> Literal:
    """A frozenset display."""
    return call("frozenset", group("{", items, "}"))


def by_product(values: Mapping[str, Literal]) -> Literal:
    """A dict from product to value, products of the same value together."""
    if not values:
        return "{}"
    kinds = list(dict.fromkeys(values.values()))
    return group(
        "{",
        (
            call("**dict.fromkeys", tuple_literal(quoted(p) for p in values if values[p] == kind), kind)
            for kind in kinds
        ),
        "}",
    )


def _dtype_literal(name: str | None) -> Literal:
    return "None" if name is None else f"DType.{name}"


def dtype_tuple(cell: tuple[str, ...] | None) -> Literal:
    """The dtypes of a cell; every dtype for one that takes any."""
    return "tuple(DType)" if cell is None else tuple_literal(map(_dtype_literal, cell))


def dtype_rows(found: tuple[tuple[str | None, ...], ...]) -> Literal:
    """A set of combinations of dtypes."""
    return frozen(tuple_literal(map(_dtype_literal, row)) for row in found)


def dtype_cells(found: tuple[tuple[tuple[str, ...] | None, ...], ...]) -> Literal:
    """Rows, cell by cell; None for a cell that takes any dtype."""
    return tuple_literal(tuple_literal("None" if cell is None else dtype_tuple(cell) for cell in row) for row in found)
