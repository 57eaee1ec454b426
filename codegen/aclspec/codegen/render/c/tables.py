"""The tables of the checks in C: nodes, strings and numbers, each once, named by their indices."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, NamedTuple, TypeVar

_T = TypeVar("_T", bound=Hashable)

NONE: Final = -1
"""The index of what is not there."""


class NodeRow(NamedTuple):
    """A node as the evaluator reads it: its operation, the kind of a number, three indices.

    ``negated``: it says the opposite.
    """

    op: str
    kind: str = "0"
    a: int = 0
    b: int = 0
    c: int = 0
    negated: bool = False


class RuleRow(NamedTuple):
    """A rule: where it is asked, what it asks, and what it answers; indices by language are of English and Chinese."""

    products: int
    modes: int
    shortcut: bool
    when: int
    require: int
    id: int
    effect: int
    document: int
    library: int
    requirement: tuple[int, int]
    failure: tuple[int, int]


class CaveatRow(NamedTuple):
    """A case beside the rules: where it may be, when it is, and what it says by language; ``rules`` leave it out."""

    products: int
    modes: int
    kind: str
    when: int
    rules: int
    rule_count: int
    id: int
    status: int
    because: tuple[int, int]


class ParamRow(NamedTuple):
    """A parameter: its name, its type, when the rows of dtypes look at it, their column, and when an output is on."""

    name: int
    type: str
    checked: int
    column: int
    required: int


class DtypeRow(NamedTuple):
    """A row of dtypes: where it holds, and its cells among the children."""

    products: int
    modes: int
    cells: int


class Part(NamedTuple):
    """A part of a sentence."""

    kind: str
    a: int = 0
    b: int = 0
    c: int = 0


class Interned(Generic[_T]):
    """Values by their index, equal ones once."""

    def __init__(self) -> None:
        """None so far."""
        self.values: list[_T] = []
        self._index: dict[_T, int] = {}

    def add(self, value: _T) -> int:
        """The index of a value."""
        index = self._index.setdefault(value, len(self.values))
        if index == len(self.values):
            self.values.append(value)
        return index


class Runs(Generic[_T]):
    """One array that holds runs of values, equal runs once."""

    def __init__(self) -> None:
        """No runs so far."""
        self.values: list[_T] = []
        self._first: dict[tuple[_T, ...], int] = {}

    def add(self, run: Sequence[_T]) -> int:
        """The index of the first value of a run."""
        found = tuple(run)
        first = self._first.setdefault(found, len(self.values))
        if first == len(self.values):
            self.values += found
        return first


class Strings:
    """One pool of strings, each named by the offset of its first byte."""

    def __init__(self) -> None:
        """No string so far."""
        self.offsets: dict[str, int] = {}
        self.size = 0

    def add(self, text: str) -> int:
        """The offset of a string."""
        if text not in self.offsets:
            self.offsets[text] = self.size
            self.size += len(text.encode()) + 1
        return self.offsets[text]


@dataclass(slots=True)
class Tables:
    """All tables; ``texts`` has of each node the predicate that it stands for, as a reviewer reads it."""

    nodes: Interned[NodeRow] = field(default_factory=Interned)
    texts: dict[int, str] = field(default_factory=dict)
    children: Runs[int] = field(default_factory=Runs)
    numbers: Interned[int] = field(default_factory=Interned)
    reals: Interned[str] = field(default_factory=Interned)
    sets: Runs[int] = field(default_factory=Runs)
    strings: Strings = field(default_factory=Strings)
    cells: Interned[tuple[int, int, int]] = field(default_factory=Interned)
    cell_dtypes: Runs[str] = field(default_factory=Runs)
    templates: Interned[tuple[int, int]] = field(default_factory=Interned)
    parts: Runs[Part] = field(default_factory=Runs)
    rules: list[RuleRow] = field(default_factory=list)
    caveats: list[CaveatRow] = field(default_factory=list)
    params: list[ParamRow] = field(default_factory=list)
    rows: list[DtypeRow] = field(default_factory=list)

    def template(self, parts: Sequence[Part]) -> int:
        """The index of a template of these parts."""
        return self.templates.add((self.parts.add(parts), len(parts)))
