"""The derived cases of one operator: calls, and what must come of them on each product and in each mode.

A case states what differs from the ``base`` call, or all. Where the suite knows the operator's ``info``, outputs that a
case does not state follow from its inputs. An outcome is a text: ``0`` is success, ``0 empty-input`` success by way of
that shortcut, ``161002 weight-numel`` the status and the deciding rule.

The products and modes of a case are a text. ``*`` is every product in every mode in which the operator's rules are
checked. ``document`` or ``library`` is one mode, ``atlas_a2 atlas_a3`` are these products in every mode,
``document: atlas_a2`` is a product in one mode. ``but`` leaves products out: ``* but atlas_a2``. Several of these are
separated by semicolons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo
from aclspec.runtime.search.call import Literal as Literal
from aclspec.runtime.search.space import Target as Target
from aclspec.runtime.testing.expected import inferred_call

Products = Mapping[Mode, tuple[str, ...]]
_WORD = re.compile(r"[^\s:,;]+")


class _Clause(NamedTuple):
    modes: list[Mode]
    products: list[str]
    without: list[str]

    def targets(self, products: Products) -> Iterable[Target]:
        """The targets of this part; a product that is named stands for the modes that list it."""
        for mode in self.modes:
            listed = self.products or products[mode]
            one_mode = len(self.modes) == 1
            yield from (
                Target(key, mode) for key in listed if key not in self.without and (one_mode or key in products[mode])
            )


def resolve(where: str, products: Products) -> list[Target]:
    """The targets that a text names; ValueError for a name that is unknown."""
    clauses: list[_Clause] = []
    excluding = False
    for word in _WORD.findall(where):
        modes = [mode for mode in products if word in ("*", mode)]
        if modes or not clauses:
            clauses.append(_Clause(modes or list(products), [], []))
            excluding = False
        if word == "but":
            excluding = True
        elif not modes:
            if len(clauses[-1].modes) > 1 and all(word not in keys for keys in products.values()):
                raise ValueError(f"The mode or product ({word}) is unknown.")
            (clauses[-1].without if excluding else clauses[-1].products).append(word)
    return [target for clause in clauses for target in clause.targets(products)]


def describe(targets: Iterable[Target], products: Products) -> str:
    """The shortest text that names these targets."""
    chosen = set(targets)
    every = list(dict.fromkeys(key for keys in products.values() for key in keys))
    named = [key for key in every if any((key, mode) in chosen for mode in products)]
    if chosen == {(key, mode) for mode, keys in products.items() for key in keys if key in named}:
        return _listed("", named, every)
    texts = []
    for mode, keys in products.items():
        inside = [key for key in keys if (key, mode) in chosen]
        if inside:
            texts.append(_listed(mode, inside, keys))
    return "; ".join(texts)


def _listed(mode: str, named: Iterable[str], every: Iterable[str]) -> str:
    """Some of the products of a mode, or all but some; an empty mode is every mode."""
    without = [key for key in every if key not in named]
    if not without:
        return mode or "*"
    direct = f"{mode}: {' '.join(named)}" if mode else " ".join(named)
    return min(direct, f"{mode or '*'} but {' '.join(without)}", key=len)


Change: TypeAlias = Mapping[str, Literal]
Expect: TypeAlias = Mapping[str, str]


class Outcome(NamedTuple):
    """The status of a call, the rules that fail, the deciding one first, and the shortcut that is taken."""

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

    @property
    def deciding(self) -> Outcome:
        """The same without the rules that fail after the deciding one."""
        return self._replace(failing=self.failing[:1])

    @property
    def rule(self) -> str | None:
        """The rule or the shortcut that decides."""
        return self.failing[0] if self.failing else self.shortcut


@dataclass(frozen=True)
class Case:
    """One call: its id, how it differs from the base call, its outcomes, and the rule that it is about."""

    id: str
    change: Change
    expect: Expect
    rule: str = ""


@dataclass(frozen=True)
class Sweep:
    """One parameter's dtype or format, changed to each value of a list; ``rule`` is the rule that looks at it."""

    rule: str
    param: str
    facet: str
    outcomes: tuple[tuple[str, Expect], ...]

    def cases(self, base: Change) -> Iterator[Case]:
        """A case a value; the values of a group are separated by spaces."""
        for values, expect in self.outcomes:
            for value in values.split():
                moved = relabelled(base[self.param], self.facet, value)
                yield Case(f"{self.rule}-{value.lower()}", {**base, self.param: moved}, expect, self.rule)


@dataclass(frozen=True)
class Combinations:
    """Dtypes of several parameters together, each legal by itself; a text of a group holds one of each."""

    rule: str
    params: tuple[str, ...]
    outcomes: tuple[tuple[Expect, tuple[str, ...]], ...]

    def cases(self, base: Change) -> Iterator[Case]:
        """A case a combination."""
        for expect, combinations in self.outcomes:
            for dtypes in map(str.split, combinations):
                pairs = zip(self.params, dtypes, strict=True)
                moved = {name: relabelled(base[name], "dtype", dtype) for name, dtype in pairs}
                yield Case("-".join([self.rule, *dtypes]).lower(), {**base, **moved}, expect, self.rule)


def relabelled(value: Literal, facet: str, name: str) -> Literal:
    """A literal with another dtype or another format; a scalar of UINT64 loses its sign."""
    if isinstance(value, tuple):
        return tuple(relabelled(item, facet, name) for item in value)
    if not isinstance(value, str):
        return value
    if facet == "format":
        head, _, tail = value.partition("]:")
        layout = [part for part in tail.split(":")[0 if "=" in tail.partition(":")[0] else 1 :] if part]
        return f"{head.removesuffix(']')}]:{':'.join([name, *layout])}"
    for opening in "[(":
        if opening in value:
            rest = value[value.index(opening) :]
            return DType[name].short + (rest.replace("(-", "(") if name == "UINT64" else rest)
    return name


@dataclass(frozen=True)
class Suite:
    """Everything derived for one operator.

    ``products`` are those of each mode in which the operator's own rules are checked; ``unlisted`` maps every other
    product and mode to its outcome for any call. ``valid`` calls pass, ``violations`` fail by the rule in their id,
    ``boundaries`` stand on and beside each bound. ``gaps`` are where no call was found that a rule decides.
    ``only`` narrows every case to one product.
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
    gaps: Mapping[str, tuple[Target, ...]] = field(default_factory=dict)
    info: OperatorInfo | None = None
    only: str | None = None

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """Every product and mode of ``*``."""
        named = (Target(product, mode) for mode, products in self.products.items() for product in products)
        return tuple(target for target in named if self.only in (None, target.product))

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

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The cases of all groups."""
        return tuple(case for cases in self.groups.values() for case in cases)

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
        """Outcomes, and how many cases have them."""
        yield from ((case.expect, 1) for case in (*self.valid, *self.violations, *self.boundaries))
        yield from ((expect, len(values.split())) for sweep in self.sweeps for values, expect in sweep.outcomes)
        yield from ((expect, len(texts)) for table in self.combinations for expect, texts in table.outcomes)

    @cached_property
    def refused(self) -> dict[Target, str]:
        """The outcome of any call in each target that the product rule refuses."""
        return {target: text for where, text in self.unlisted.items() for target in resolve(where, self.products)}

    @cached_property
    def _calls(self) -> dict[int, dict[str, Literal]]:
        return {}

    def call(self, case: Case) -> dict[str, Literal]:
        """The whole call of a case, by C name in C order."""
        if id(case) not in self._calls:
            call = {**self.base, **case.change}
            stated = self.info is None or len(case.change) == len(self.base)
            self._calls[id(case)] = call if stated or self.info is None else inferred_call(self.info, call, case.change)
        return dict(self._calls[id(case)])

    def outcomes(self, case: Case) -> dict[Target, Outcome]:
        """The outcome of a case in each target that it names."""
        named = ((target, text) for where, text in case.expect.items() for target in resolve(where, self.products))
        return {target: Outcome.parse(text) for target, text in named if self.only in (None, target.product)}
