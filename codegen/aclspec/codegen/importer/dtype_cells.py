"""The dtypes of each parameter on each product: what the cells list, and what notes add or take away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aclspec.codegen.importer.html_table import Cell, Products, both
from aclspec.codegen.importer.model import Fact, Place
from aclspec.codegen.importer.vocabulary import DTYPE, dtypes, lacks, plain, products_in

_NAME, _DTYPE = "\ue020", "\ue021"
_NAMES = rf"(?P<names>(?:(?:入参|出参|可选参数|可选输入|参数|输入|输出)?{_NAME}[、,和或/及与]*)+)?"
_LIST = rf"(?:{_DTYPE}[、,和或/及]*)+"
_NOTES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (action, re.compile(f"(?:参数)?{pattern}[。;]?"))
    for action, pattern in (
        (
            "only",
            rf"{_NAMES}的?(?:输入)?(?:数据类型)?(?:均|都)?(?:仅|只)?支持(?:的?数据类型(?:为|有)?)?{_LIST}(?:等?数据类型)?",
        ),
        ("only", rf"{_NAMES}的?数据类型(?:均|都)?(?:仅|只)?(?:支持|为)?{_LIST}"),
        (
            "without",
            rf"{_NAMES}的?(?:输入)?(?:数据类型)?(?:均|都)?不支持(?:数据类型)?(?:为)?{_LIST}(?:等)?(?:的?(?:数据)?类型)?",
        ),
        ("without", rf"不支持{_NAMES}的?数据类型为?{_LIST}"),
        ("also", rf"{_NAMES}的?(?:数据类型)?(?:均|都)?额外支持{_LIST}(?:数据类型)?"),
    )
)
_ONLY_ON = re.compile(r"(\w+)\s*\(\s*仅?\s*([^()]*?)\s*(?:仅)?支持\s*\)")


@dataclass(slots=True)
class DtypeCells:
    """Working state while a page is read: for each parameter and product a list of dtypes."""

    supported: Sequence[str]
    cells: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    changed: set[tuple[str, str]] = field(default_factory=set)
    references: dict[str, str] = field(default_factory=dict)

    def read(self, name: str, cell: Cell, place: Place, row: Products) -> bool:
        """Take the dtypes of a cell, each piece for the products of its bracket; whether there were any."""
        found = False
        for part in cell.parts:
            text = plain(part.text)
            limited: dict[str, frozenset[str]] = {}
            for one in _ONLY_ON.finditer(text):
                keys = products_in(one[2])[0]
                if keys:
                    limited |= {dtype: frozenset(keys) for dtype in dtypes(one[1])}
            for dtype in dtypes(text):
                self._put(name, dtype, both(both(part.products, row), limited.get(dtype)))
                found = True
        if found:
            self.places.setdefault(name, place)
        return found

    def put_text(self, name: str, text: str, products: Sequence[str], place: Place) -> None:
        """Replace the dtypes of a parameter on some products by those of a text."""
        if found := dtypes(text):
            for product in products:
                self.cells.setdefault(name, {})[product] = list(found)
            self.places.setdefault(name, place)

    def _put(self, name: str, dtype: str, products: Products) -> None:
        for product in self.supported:
            if products is None or product in products:
                listed = self.cells.setdefault(name, {}).setdefault(product, [])
                if dtype not in listed:
                    listed.append(dtype)

    def notes(self, texts: Sequence[str], products: Sequence[str], names: Sequence[str]) -> bool:
        """Apply the clauses of a sentence, all of them or none: one that is not understood may be a condition."""
        read = [self._note(text, names) for text in texts]
        if None in read:
            return False
        for one in read:
            if one is not None:
                self._apply(*one, products)
        return True

    def note(self, text: str, products: Sequence[str], names: Sequence[str]) -> bool:
        """Apply a note such as "on these products x does not support BF16"; whether it was understood."""
        return self.notes([text], products, names)

    def _note(self, text: str, names: Sequence[str]) -> tuple[str, Sequence[str], Sequence[str]] | None:
        """What a clause does to the cells of which parameters, and the dtypes; None where it is not understood."""
        masked = re.sub(r"[“”\"`\s]", "", DTYPE.sub(_DTYPE, plain(text)))
        chosen = [name for name in names if re.search(_word(name), masked)]
        for name in sorted(names, key=len, reverse=True):
            masked = re.sub(_word(name), _NAME, masked)
        masked = re.sub(f"{_NAME}(?:\\({_NAME}\\))", _NAME, masked)
        for action, pattern in _NOTES:
            if match := pattern.fullmatch(masked):
                return action, chosen if match["names"] else [], dtypes(plain(text))
        return None

    def _apply(self, action: str, names: Sequence[str], said: Sequence[str], products: Sequence[str]) -> None:
        """Change the cells of the names, or of every parameter where none is named."""
        for name in names or self.cells:
            for product in products:
                have = self.cells.get(name, {}).get(product)
                if have is None:
                    continue
                if action == "also":
                    new = [*have, *(one for one in said if one not in have)]
                elif action == "only":
                    new = list(said) if names else [one for one in have if one in said]
                else:
                    new = [one for one in have if one not in said]
                if new:  # a note about every parameter empties none: an index among floats, say
                    self.cells[name][product] = new
                    self.changed.add((name, product))

    def facts(self) -> Iterator[Fact]:
        """The cells as facts; dtypes that the hardware lacks are taken out, with a fact that says so."""
        for name, target in self.references.items():
            if name not in self.cells and target in self.cells:
                self.cells[name] = {product: list(have) for product, have in self.cells[target].items()}
        for name, cells in self.cells.items():
            place = self.places.get(name, Place())
            for product, have in cells.items():
                kept = [dtype for dtype in have if not lacks(product, dtype)] or have
                reading = "note" if (name, product) in self.changed else "column"
                reading = "reference" if name in self.references else reading
                only = frozenset((product,))
                yield Fact(name, "dtypes", tuple(kept), "page", place, only, reading)
                if removed := tuple(dtype for dtype in have if dtype not in kept):
                    yield Fact(name, "removed", removed, "page", place, only, "hardware")


def _word(name: str) -> str:
    return rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])"
