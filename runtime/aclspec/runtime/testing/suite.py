"""The derived cases of one operator, as its generated test file holds them.

A case is a call and what must come of it, on every product and in both conformance modes. A call is written as its
difference from the ``base`` call. Only texts and plain values stand in the file, so that a reader can follow it and
any backend can run it.

- Where: ``*`` is every product in every mode in which the operator's rules are asked; ``document`` or ``library``
  is one mode; ``document:atlas_a2,atlas_a3`` names products; several of these are separated by spaces.
- Outcome: ``0`` is success, ``0 empty-input`` success by way of that shortcut, ``161002 weight-numel rank-self`` the
  status and every rule that fails, the deciding one first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

from aclspec.runtime.info import Mode

Literal: TypeAlias = "bool | int | float | str | tuple[Literal, ...] | None"
Change: TypeAlias = Mapping[str, Literal]
Expect: TypeAlias = Mapping[str, str]


class Cell(NamedTuple):
    """A product in a conformance mode."""

    product: str
    mode: Mode


class Outcome(NamedTuple):
    """What must come of a call: its status, the rules that fail in their order, or the shortcut that is taken."""

    status: int
    failing: tuple[str, ...]
    shortcut: str | None

    @classmethod
    def parse(cls, text: str) -> Outcome:
        """The outcome that a text of a case describes."""
        status, *names = text.split()
        if int(status):
            return cls(int(status), tuple(names), None)
        return cls(0, (), names[0] if names else None)

    def __str__(self) -> str:
        """The text that `parse` reads."""
        return " ".join([str(self.status), *self.failing, *([self.shortcut] if self.shortcut else [])])


@dataclass(frozen=True)
class Case:
    """One call: its id, how it differs from the base call, and its outcomes."""

    id: str
    change: Change
    expect: Expect


@dataclass(frozen=True)
class Sweep:
    """One parameter's dtype or format, changed to each value of a list; ``rule`` is the rule that looks at it."""

    rule: str
    param: str
    facet: str
    outcomes: tuple[tuple[str, Expect], ...]
    change: Change = field(default_factory=dict)

    def cases(self, base: Change) -> Iterator[Case]:
        """A case a value; the values of a group are separated by spaces."""
        for values, expect in self.outcomes:
            for value in values.split():
                start = {**base, **self.change}[self.param]
                moved = relabelled(start, self.facet, value)
                yield Case(f"{self.rule}-{value.lower()}", {**self.change, self.param: moved}, expect)


@dataclass(frozen=True)
class Combinations:
    """Dtypes of several parameters together, each legal by itself; a text of a group holds one of each."""

    rule: str
    params: tuple[str, ...]
    outcomes: tuple[tuple[Expect, tuple[str, ...]], ...]
    change: Change = field(default_factory=dict)

    def cases(self, base: Change) -> Iterator[Case]:
        """A case a combination."""
        start = {**base, **self.change}
        for expect, combinations in self.outcomes:
            for dtypes in map(str.split, combinations):
                moved = {
                    name: relabelled(start[name], "dtype", dtype)
                    for name, dtype in zip(self.params, dtypes, strict=True)
                }
                yield Case("-".join([self.rule, *dtypes]).lower(), {**self.change, **moved}, expect)


def relabelled(value: Literal, facet: str, name: str) -> Literal:
    """A literal with another dtype or another format."""
    from aclspec.runtime.dtypes import DType

    if isinstance(value, tuple):
        return tuple(relabelled(item, facet, name) for item in value)
    if not isinstance(value, str):
        return value
    if facet == "format":
        head, _, tail = value.partition("]:")
        return f"{head}]:{':'.join([name, *tail.split(':')[1:]])}"
    for opening in "[(":
        if opening in value:
            return DType[name].short + value[value.index(opening) :]
    return name


@dataclass(frozen=True)
class Suite:
    """Everything derived for one operator.

    ``products`` are those of each mode in which the operator's own rules are asked; ``unlisted`` maps every other
    product and mode to its outcome for any call. ``valid`` calls pass, ``violations`` fail by the rule in their id,
    ``boundaries`` stand on and beside each bound.
    """

    operator: str
    products: Mapping[Mode, tuple[str, ...]]
    base: Change
    valid: tuple[Case, ...]
    violations: tuple[Case, ...]
    boundaries: tuple[Case, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    combinations: tuple[Combinations, ...] = ()
    unlisted: Expect = field(default_factory=dict)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every product and mode of ``*``."""
        return tuple(Cell(product, mode) for mode, products in self.products.items() for product in products)

    @cached_property
    def groups(self) -> Mapping[str, tuple[Case, ...]]:
        """The cases by the name of their group."""
        return {
            "valid": self.valid,
            "violations": self.violations,
            "boundaries": self.boundaries,
            "sweeps": tuple(case for sweep in self.sweeps for case in sweep.cases(self.base)),
            "combinations": tuple(case for table in self.combinations for case in table.cases(self.base)),
        }

    @property
    def sizes(self) -> dict[str, int]:
        """How many cases each group has."""
        return {
            "valid": len(self.valid),
            "violations": len(self.violations),
            "boundaries": len(self.boundaries),
            "sweeps": sum(len(values.split()) for sweep in self.sweeps for values, _ in sweep.outcomes),
            "combinations": sum(len(texts) for table in self.combinations for _, texts in table.outcomes),
        }

    @property
    def expected(self) -> Iterator[tuple[Expect, int]]:
        """What must come of the cases, and of how many."""
        yield from ((case.expect, 1) for case in (*self.valid, *self.violations, *self.boundaries))
        yield from ((expect, len(values.split())) for sweep in self.sweeps for values, expect in sweep.outcomes)
        yield from ((expect, len(texts)) for table in self.combinations for expect, texts in table.outcomes)

    @cached_property
    def refused(self) -> dict[Cell, str]:
        """The outcome of any call in each cell that the product rule refuses."""
        return {cell: text for where, text in self.unlisted.items() for cell in resolve(where, self.products)}

    def call(self, case: Case) -> dict[str, Literal]:
        """The whole call of a case, by C name in C order."""
        return {**self.base, **case.change}

    def outcomes(self, case: Case) -> dict[Cell, Outcome]:
        """What must come of a case in each cell."""
        return {
            cell: Outcome.parse(text) for where, text in case.expect.items() for cell in resolve(where, self.products)
        }


def resolve(where: str, products: Mapping[Mode, tuple[str, ...]]) -> list[Cell]:
    """The cells that a text names; ValueError for a name that is unknown."""
    found: list[Cell] = []
    for part in where.split():
        name, _, keys = part.partition(":")
        modes = [mode for mode in products if name in ("*", mode)]
        if not modes:
            raise ValueError(f"The mode ({name}) is unknown.")
        for mode in modes:
            found += [Cell(key, mode) for key in (keys.split(",") if keys else products[mode])]
    return found


def describe(cells: Iterable[Cell], products: Mapping[Mode, tuple[str, ...]]) -> str:
    """The shortest text that names these cells."""
    chosen = set(cells)
    parts = []
    for mode, keys in products.items():
        inside = [key for key in keys if (key, mode) in chosen]
        if inside:
            parts.append(mode if len(inside) == len(keys) else f"{mode}:{','.join(inside)}")
    return "*" if parts == list(products) else " ".join(parts)
