"""The constants of a generated module, and conditions on the product and the mode."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from aclspec.codegen.emit.dtype_rows import Cell, Combination, Combinations, Place
from aclspec.codegen.emit.lowered import FALSE, TRUE, Python, conj, disj
from aclspec.codegen.emit.printer import quoted, tuple_literal
from aclspec.runtime.language.nodes import Compare, Node, Not, Str
from aclspec.runtime.rules.operator_info import MODES

LIBRARY, PRODUCT = Python("library"), Python("product")
_IN_MODE: Mapping[str, Node] = {"document": Not(LIBRARY), "library": LIBRARY}


@dataclass(frozen=True, slots=True)
class Member:
    """A dtype or a format."""

    kind: str
    name: str

    def __str__(self) -> str:
        """Its Python text."""
        return f"{'DType' if self.kind == 'dtype' else 'Format'}.{self.name}"


@dataclass(frozen=True, slots=True)
class Products:
    """Some products, in order."""

    keys: tuple[str, ...]

    def __str__(self) -> str:
        """Its Python text."""
        return _frozen(map(quoted, self.keys))


@dataclass(frozen=True, slots=True)
class Column:
    """The dtypes of a cell or of a combination; every dtype for a cell that takes any."""

    cell: Cell | Combination

    def __str__(self) -> str:
        """Its Python text."""
        if self.cell is None:
            return "tuple(DType)"
        return tuple_literal("None" if name is None else f"DType.{name}" for name in self.cell)


@dataclass(frozen=True, slots=True)
class Joint:
    """A set of combinations of dtypes."""

    rows: Combinations

    def __str__(self) -> str:
        """Its Python text."""
        return _frozen(str(Column(row)) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows, cell by cell; None for a cell that takes any dtype."""

    rows: tuple[tuple[Cell | Combination, ...], ...]

    def __str__(self) -> str:
        """Its Python text."""
        return tuple_literal(
            tuple_literal("None" if cell is None else str(Column(cell)) for cell in row) for row in self.rows
        )


@dataclass(frozen=True, slots=True)
class ByProduct:
    """A table with an entry for each of some products."""

    entries: tuple[tuple[str, Column | Joint | Cells], ...]

    def __str__(self) -> str:
        """Its Python text, products of the same value together."""
        values = {product: str(content) for product, content in self.entries}
        kinds = dict.fromkeys(values.values())
        found = (
            f"**dict.fromkeys({tuple_literal(quoted(p) for p in values if values[p] == kind)}, {kind})"
            for kind in kinds
        )
        return f"{{{', '.join(found)}}}"


Content: TypeAlias = Member | Products | Column | Joint | Cells | ByProduct
"""What a constant holds; its text is Python."""


def _frozen(items: Iterable[str]) -> str:
    """A frozenset display."""
    return f"frozenset({{{', '.join(items)}}})"


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of a module: its name, its value and the comment above it."""

    name: str
    content: Content
    comment: str

    @property
    def value(self) -> str:
        """The Python text of its value."""
        return str(self.content)


class Constants:
    """The constants of one module, each value once.

    ``universe`` is every product there is, ``groups`` are the sets of products that have a name in the specs.
    """

    def __init__(self, universe: tuple[str, ...], groups: Mapping[str, Sequence[str]]) -> None:
        """None so far."""
        self.universe = universe
        self._groups = {frozenset(products): name for name, products in groups.items()}
        self._found: dict[str, Constant] = {}

    def add(self, hint: str, content: Content, comment: str = "") -> Python:
        """A constant with this value, named after the hint unless there is one."""
        value = str(content)
        if value not in self._found:
            name, names = f"_{hint.upper().replace('-', '_')}", {constant.name for constant in self._found.values()}
            while name in names:
                name += "_"
            self._found[value] = Constant(name, content, comment)
        return Python(self._found[value].name)

    def holds(self, content: Content) -> bool:
        """Whether there is a constant with this value."""
        return str(content) in self._found

    def used(self, lines: Iterable[str]) -> Iterator[Constant]:
        """The constants that a text names."""
        words = set(re.findall(r"\b\w+", "\n".join(lines)))
        return (one for one in self._found.values() if one.name in words)

    def where(self, wanted: frozenset[Place], reached: frozenset[Place]) -> Node:
        """The condition, on the product and the mode, that a place of ``reached`` is one of ``wanted``."""
        products = _products(wanted)
        if all(place in wanted or place[1] not in products for place in reached):
            return self._among(products, _products(reached))
        found = []
        for mode in MODES:
            part = frozenset(place for place in reached if place[0] == mode)
            found.append(conj(_IN_MODE[mode], self._among(_products(wanted & part), _products(part))))
        return disj(*found)

    def _among(self, products: frozenset[str], reached: frozenset[str]) -> Node:
        """The condition that the product, one of ``reached``, is one of ``products``."""
        if reached <= products:
            return TRUE if reached else FALSE
        if not products & reached:
            return FALSE
        if len(products) == 1:
            return Compare("==", PRODUCT, Str(min(products)))
        return Compare("in", PRODUCT, self.products(products))

    def products(self, products: Iterable[str], name: str = "") -> Node:
        """A constant that holds some products, named by the specs, or else by ``name`` or by what it holds."""
        wanted = frozenset(products)
        held = tuple(product for product in self.universe if product in wanted)
        others = tuple(product for product in self.universe if product not in wanted)
        described = "_or_".join(held) if len(held) <= len(others) else f"all_but_{'_and_'.join(others)}"
        return self.add(self._groups.get(wanted) or name or described, Products(held))


def _products(places: Iterable[Place]) -> frozenset[str]:
    return frozenset(product for _, product in places)
