"""Dtypes and formats one by one, and the dtypes that are legal each by itself but not together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations as pairs_of
from itertools import product

from aclspec.codegen.derive.search import Search
from aclspec.runtime.rules.nodes import InRows
from aclspec.runtime.search.call import Call, ScalarMeta, TensorMeta, Value, relabelled, replaced
from aclspec.runtime.search.oracle import Kind
from aclspec.runtime.search.space import DTYPES, FORMATS, applies, kebab
from aclspec.runtime.testing.suite import Combinations, Expect, Sweep

Expected = Callable[[Call], Expect]
_EXHAUSTIVE = 40
_CANDIDATES = 800


def sweeps(search: Search, expected: Expected) -> tuple[Sweep, ...]:
    """Each dtype, and each format, that some product refuses a parameter of the base call."""
    found = []
    for place, param in enumerate(search.space.info.params):
        rules: dict[str, str] = {
            rule.kind: rule.id for rule in reversed(search.space.info.rules) if rule.params == (param.name,)
        }
        for facet, values in (("dtype", DTYPES), ("format", FORMATS)):
            start = search.base[place]
            if not _has(start, facet):
                continue
            cases = [(one, expected(replaced(search.base, place, _as_run(start, facet, one)))) for one in values]
            refused = [(one, expect) for one, expect in cases if any(text[0] != "0" for text in expect.values())]
            outcomes = tuple((" ".join(names), dict(expect)) for expect, names in _grouped(refused).items())
            if outcomes:
                found.append(Sweep(rules.get(facet, f"{facet}-{kebab(param)}"), param.name, facet, outcomes))
    return tuple(found)


def _as_run(value: Value, facet: str, name: str) -> Value:
    """The value with another dtype or format as the test that runs it has it: a scalar with the same number."""
    return replace(value, dtype=name) if isinstance(value, ScalarMeta) else relabelled(value, facet, name)


def _has(value: Value, facet: str) -> bool:
    one = value[0] if isinstance(value, tuple) and value else value
    return isinstance(one, TensorMeta) or (facet == "dtype" and isinstance(one, ScalarMeta | str))


def _grouped(cases: Iterable[tuple[str, Expect]]) -> dict[tuple[tuple[str, str], ...], list[str]]:
    """The values that have the same outcomes, together."""
    groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for value, expect in cases:
        groups.setdefault(tuple(expect.items()), []).append(value)
    return groups


def complements(search: Search, expected: Expected) -> tuple[Combinations, ...]:
    """For each joint dtype rule, the combinations of legal dtypes that no row has, on any product."""
    tables = []
    for rule in search.space.info.rules:
        if rule.kind != "dtypes" or not isinstance(rule.require, InRows):
            continue
        names = tuple(name for name in rule.require.params if search.base[search.space.index[name]] is not None)
        lines: dict[tuple[str, ...], None] = {}
        for kind in search.oracle.kinds:
            if applies(rule, kind.cells[0]):
                lines |= dict.fromkeys(_complement(search, names, kind))
        groups = _grouped((" ".join(dtypes), expected(_joint(search, names, dtypes))) for dtypes in lines)
        if groups:
            outcomes = tuple((dict(expect), tuple(values)) for expect, values in groups.items())
            tables.append(Combinations(rule.id, names, outcomes))
    return tuple(tables)


def _joint(search: Search, names: tuple[str, ...], dtypes: tuple[str, ...]) -> Call:
    call = search.base
    for name, dtype in zip(names, dtypes, strict=True):
        place = search.space.index[name]
        call = replaced(call, place, relabelled(call[place], "dtype", dtype))
    return call


def _complement(search: Search, names: tuple[str, ...], kind: Kind) -> list[tuple[str, ...]]:
    """All of them where they are few; else enough that every pair of parameters shows every pair of dtypes it can."""
    legal = [search.space.legal_dtypes(name, kind.cells[0]) for name in names]
    if not all(legal):
        return []
    few = math.prod(map(len, legal)) <= _CANDIDATES
    candidates = product(*legal) if few else _pairwise(search, names, legal, kind)
    node = InRows(names)
    refused = [one for one in candidates if search.oracle.value(node, _joint(search, names, one), kind.rows) is False]
    return refused if len(refused) <= _EXHAUSTIVE else _covering(refused)


def _pairwise(
    search: Search, names: tuple[str, ...], legal: list[tuple[str, ...]], kind: Kind
) -> Iterator[tuple[str, ...]]:
    """Each row's first combination with every pair of its dtypes changed."""
    for row in search.space.rows(kind.cells[0]):
        cells_of = dict(row.cells)
        first = [cells_of.get(name, dtypes)[0] for name, dtypes in zip(names, legal, strict=True)]
        for one, other in pairs_of(range(len(legal)), 2):
            for left, right in product(legal[one], legal[other]):
                changed = list(first)
                changed[one], changed[other] = left, right
                yield tuple(changed)


def _covering(combinations: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """A part of the combinations that shows every pair of values which the whole shows: greedy, in order."""
    wanted = {pair for line in combinations for pair in _pairs(line)}
    chosen = []
    for line in combinations:
        fresh = wanted & set(_pairs(line))
        if fresh:
            wanted -= fresh
            chosen.append(line)
    return chosen


def _pairs(line: tuple[str, ...]) -> Iterator[tuple[int, str, int, str]]:
    return ((one, line[one], other, line[other]) for one, other in pairs_of(range(len(line)), 2))
