"""Dtypes and formats one by one, and the dtypes that are legal each by itself but not together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations as pairs_of
from itertools import product

from aclspec.codegen.derive.call import Call, ScalarMeta, TensorMeta, Value
from aclspec.codegen.derive.deriver import Deriver
from aclspec.codegen.derive.oracle import applies
from aclspec.codegen.derive.space import DTYPES, FORMATS, kebab
from aclspec.runtime.info import RuleInfo
from aclspec.runtime.predicate.nodes import InRows
from aclspec.runtime.testing.suite import Case, Cell, Combinations, Sweep

EXHAUSTIVE = 200


def sweeps(deriver: Deriver) -> list[Sweep]:
    """Each dtype, and each format, that some product refuses a parameter; the rest of the call is the base call."""
    found = []
    for place, param in enumerate(deriver.info.params):
        rules: dict[str, str] = {
            rule.kind: rule.id for rule in reversed(deriver.info.rules) if rule.params == (param.name,)
        }
        for facet, values in (("dtype", DTYPES), ("format", FORMATS)):
            start = deriver.base[place]
            if not _has(start, facet):
                continue
            cases = [(value, deriver.case("", _with(deriver, place, facet, value))) for value in values]
            groups = _grouped((value, case) for value, case in cases if _is_refused(case))
            if groups:
                outcomes = tuple((" ".join(values), dict(expect)) for expect, values in groups.items())
                found.append(Sweep(rules.get(facet, f"{facet}-{kebab(param)}"), param.name, facet, outcomes))
    return found


def _has(value: Value, facet: str) -> bool:
    one = value[0] if isinstance(value, tuple) and value else value
    return isinstance(one, TensorMeta) or (facet == "dtype" and isinstance(one, ScalarMeta | str))


def _with(deriver: Deriver, place: int, facet: str, value: str) -> Call:
    return deriver.space.replaced(deriver.base, place, _relabelled(deriver.base[place], facet, value))


def _relabelled(start: Value, facet: str, value: str) -> Value:
    if isinstance(start, TensorMeta):
        return replace(start, dtype=value) if facet == "dtype" else replace(start, format=value)
    if isinstance(start, ScalarMeta):
        return replace(start, dtype=value)
    if isinstance(start, tuple):
        return tuple(_relabelled(item, facet, value) for item in start)  # type: ignore[return-value]
    return value


def _is_refused(case: Case) -> bool:
    return any(not outcome.startswith("0") for outcome in case.expect.values())


def _grouped(cases: Iterable[tuple[str, Case]]) -> dict[tuple[tuple[str, str], ...], list[str]]:
    """The values that have the same outcomes, together."""
    groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for value, case in cases:
        groups.setdefault(tuple(case.expect.items()), []).append(value)
    return groups


def complements(deriver: Deriver) -> list[Combinations]:
    """For each joint dtype rule, the combinations of legal dtypes that no row has, on any product."""
    tables = []
    for rule in deriver.info.rules:
        if rule.kind != "dtypes" or not isinstance(rule.require, InRows):
            continue
        names = tuple(name for name in rule.require.params if deriver.base[deriver.space.index[name]] is not None)
        lines: dict[tuple[str, ...], None] = {}
        for cell in deriver.representatives:
            if applies(rule, cell):
                lines |= dict.fromkeys(_complement(deriver, rule, names, cell))
        cases = [(" ".join(dtypes), deriver.case("", _joint(deriver, names, dtypes))) for dtypes in lines]
        groups = _grouped(cases)
        if groups:
            outcomes = tuple((dict(expect), tuple(values)) for expect, values in groups.items())
            tables.append(Combinations(rule.id, names, outcomes))
    return tables


def _joint(deriver: Deriver, names: tuple[str, ...], dtypes: tuple[str, ...]) -> Call:
    call = deriver.base
    for name, dtype in zip(names, dtypes, strict=True):
        place = deriver.space.index[name]
        call = deriver.space.replaced(call, place, _relabelled(call[place], "dtype", dtype))
    return call


def _complement(deriver: Deriver, rule: RuleInfo, names: tuple[str, ...], cell: Cell) -> list[tuple[str, ...]]:
    """All of them where they are few; else enough that every pair of parameters shows every pair of dtypes it can."""
    legal = [deriver.space.legal_dtypes(name, cell) for name in names]
    if not all(legal):
        return []
    few = math.prod(map(len, legal)) <= 4 * EXHAUSTIVE
    candidates = product(*legal) if few else _pairwise(deriver, rule.id, names, legal, cell)
    refused = [
        dtypes
        for dtypes in candidates
        if deriver.oracle.value(InRows(names), _joint(deriver, names, dtypes), cell) is False
    ]
    return refused if len(refused) <= EXHAUSTIVE else _covering(refused)


def _pairwise(
    deriver: Deriver, rule: str, names: tuple[str, ...], legal: list[tuple[str, ...]], cell: Cell
) -> Iterator[tuple[str, ...]]:
    """Each row's first combination with every pair of its dtypes changed; then a spread of random combinations."""
    for row in deriver.space.rows(cell):
        cells_of = dict(row.cells)
        plain = [cells_of.get(name, dtypes)[0] for name, dtypes in zip(names, legal, strict=True)]
        for one, other in pairs_of(range(len(legal)), 2):
            for left, right in product(legal[one], legal[other]):
                changed = list(plain)
                changed[one], changed[other] = left, right
                yield tuple(changed)
    random = deriver.random(rule)
    for _ in range(4 * EXHAUSTIVE):
        yield tuple(random.choice(dtypes) for dtypes in legal)


def _covering(combinations: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """A part of the combinations that shows every pair of values which the whole shows: greedy, in order."""
    wanted = {pair for line in combinations for pair in _pairs(line)}
    chosen = []
    for line in combinations:
        new = wanted & set(_pairs(line))
        if new:
            wanted -= new
            chosen.append(line)
    return chosen


def _pairs(line: tuple[str, ...]) -> Iterator[tuple[int, str, int, str]]:
    return ((one, line[one], other, line[other]) for one, other in pairs_of(range(len(line)), 2))
