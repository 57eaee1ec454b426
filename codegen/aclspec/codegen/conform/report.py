"""What a file of results says: counts by operator, product and rule, kinds of disagreement, errors, changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from aclspec.codegen.conform.calls import digest
from aclspec.codegen.conform.judge import AGREE, SKIPPED
from aclspec.codegen.conform.measure import BINS
from aclspec.codegen.conform.process import Row
from aclspec.codegen.conform.results import ResultsError, batches, require_results, run_of
from aclspec.codegen.conform.shrink import is_finding, kind_of
from aclspec.runtime.abi.errors import AclnnError

SHRUNK = "shrunk"
NUMBERS = "agree", "differ", "skipped"
NOT_A_CALL = (AclnnError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a call raises that aclspec did not write."""


@dataclass
class Count:
    """The calls of one operator on one product that one rule decides; an empty rule is that of calls that compute."""

    operator: str
    product: str
    rule: str
    agree: int = 0
    differ: int = 0
    skipped: int = 0


@dataclass
class Kind:
    """One kind of disagreement: how many calls show it on each product, and the least of them."""

    least: Row
    products: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    dtypes: set[tuple[tuple[str, str], ...]] = field(default_factory=set)
    """The dtypes of the tensors of the calls, by parameter."""

    @property
    def calls(self) -> int:
        """How many calls show it."""
        return sum(self.products.values())


@dataclass
class Errors:
    """The errors of one operator on one product: how many elements are in each bin, and the call with the worst."""

    operator: str
    product: str
    bins: list[int] = field(default_factory=lambda: [0] * BINS)
    worst: Row | None = None


@dataclass
class Change:
    """Calls that an older run answered differently: how many, and the least of them."""

    before: str
    after: str
    least: Row
    calls: int = 0


@dataclass
class ConformReport:
    """Everything that a page shows."""

    run: dict[str, Any]
    older: dict[str, Any] | None
    counts: list[Count]
    kinds: list[Kind]
    errors: list[Errors]
    changes: list[Change]
    missing: int = 0
    """Calls of the older run that this one did not make."""

    @property
    def totals(self) -> dict[str, int]:
        """How many calls agree, differ and were skipped in all."""
        return {name: sum(getattr(count, name) for count in self.counts) for name in NUMBERS}


def read_report(results: Path, against: Path | None = None) -> ConformReport:
    """Read a file of results, and compare it with an older one; ResultsError for a file that is none."""
    for file in (results, *([] if against is None else [against])):
        require_results(file)
    try:
        return _read(results, against)
    except NOT_A_CALL as error:
        raise ResultsError(f"The file {results} has a row that is no result: {error}") from error


def _read(results: Path, against: Path | None) -> ConformReport:
    counts: dict[tuple[str, str, str], Count] = {}
    kinds: dict[tuple[Any, ...], Kind] = {}
    errors: dict[tuple[str, str], Errors] = {}
    for row in _rows(results):
        if row["origin"] != SHRUNK:
            _count(counts, row)
            _measure(errors, row)
        if is_finding(row):
            _gather(kinds, row)
    changes, missing = ([], 0) if against is None else _changes(results, against)
    return ConformReport(
        run_of(results),
        None if against is None else run_of(against),
        [counts[key] for key in sorted(counts)],
        [kinds[key] for key in sorted(kinds, key=str)],
        [errors[key] for key in sorted(errors)],
        changes,
        missing,
    )


def _rows(file: Path) -> Iterator[Row]:
    for table in batches(file):
        yield from table.to_pylist()


def _count(counts: dict[tuple[str, str, str], Count], row: Row) -> None:
    key = row["operator"], row["product"], row["rule"]
    count = counts.setdefault(key, Count(*key))
    if row["outcome"] == AGREE:
        count.agree += 1
    elif row["outcome"] == SKIPPED:
        count.skipped += 1
    else:
        count.differ += 1


def _measure(errors: dict[tuple[str, str], Errors], row: Row) -> None:
    if not row["ulp"]:
        return
    key = row["operator"], row["product"]
    found = errors.setdefault(key, Errors(*key))
    found.bins = [one + other for one, other in zip(found.bins, row["ulp"], strict=True)]
    if found.worst is None or row["worst_ulp"] > found.worst["worst_ulp"]:
        found.worst = row


def _gather(kinds: dict[tuple[Any, ...], Kind], row: Row) -> None:
    operator, _, *rest = kind_of(row)
    kind = kinds.setdefault((operator, *rest), Kind(row))
    if (row["size"], row["id"]) < (kind.least["size"], kind.least["id"]):
        kind.least = row
    if row["origin"] != SHRUNK:
        kind.products[row["product"]] += 1
        kind.dtypes.add(_dtypes(row["call"]))


@lru_cache(maxsize=1024)
def _dtypes(text: str) -> tuple[tuple[str, str], ...]:
    """The dtypes of the tensors and scalars of a call, by parameter; the first of a list stands for all."""
    from aclspec.codegen.conform.calls import literals
    from aclspec.runtime.abi.dtypes import DType

    found = []
    for name, value in literals(text).items():
        one = value[0] if isinstance(value, tuple) and value else value
        if isinstance(one, str) and ("[" in one or "(" in one):
            found.append((name, DType.parse(one.partition("[")[0].partition("(")[0]).name))
    return tuple(found)


def answer_of(row: Row) -> str:
    """The outcome of a call, in few words."""
    outcome: str = row["outcome"]
    if outcome in ("crash", "hang", "leak", "values", SKIPPED) or row["actual"] is None:
        return outcome
    return f"{row['actual']}"


def _changes(results: Path, against: Path) -> tuple[list[Change], int]:
    """What an older run answered differently, by operator, product, rule and both answers."""
    before = {_key(row): answer_of(row) for row in _rows(against) if row["origin"] != SHRUNK}
    found: dict[tuple[str, ...], Change] = {}
    for row in _rows(results):
        old = before.pop(_key(row), None) if row["origin"] != SHRUNK else None
        new = answer_of(row)
        if old is None or old == new:
            continue
        change = found.setdefault((row["operator"], row["product"], row["rule"], old, new), Change(old, new, row))
        change.calls += 1
        if row["size"] < change.least["size"]:
            change.least = row
    return [found[key] for key in sorted(found)], len(before)


def _key(row: Row) -> bytes:
    """What makes two calls of two runs the same, whatever the spec says of them by now."""
    return bytes.fromhex(digest(row["operator"], row["product"], row["call"], row["seed"]))[:16]
