"""Dtypes and formats one by one, and the dtypes that are legal each by itself but not together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice, product
from itertools import combinations as pairs_of

from aclspec.codegen.derive.search import Search
from aclspec.runtime.language.evaluation import Rows
from aclspec.runtime.language.nodes import InRows
from aclspec.runtime.rules.operator_info import NULL, names_null
from aclspec.runtime.search.call import Call, ScalarMeta, TensorMeta, Value, relabelled, replaced
from aclspec.runtime.search.changes import typed
from aclspec.runtime.search.oracle import Kind
from aclspec.runtime.search.space import DTYPES, FORMATS, applies, kebab
from aclspec.runtime.testing.suite import Combinations, Expect, Sweep

Expected = Callable[[Call], Expect]
_EXHAUSTIVE = 40
_CANDIDATES = 800
_COMBINED = 64
_FEW_ROWS = 4
"""Up to this number of rows show every dtype that they refuse in a place; of more, each shows one."""


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
            if applies(rule, kind.targets[0]):
                lines |= dict.fromkeys(_complement(search, names, kind))
        groups = _grouped((" ".join(dtypes), expected(_joint(search, names, dtypes))) for dtypes in lines)
        if groups:
            outcomes = tuple((dict(expect), tuple(values)) for expect, values in groups.items())
            tables.append(Combinations(rule.id, names, outcomes))
    return tuple(tables)


def by_rows(search: Search, known: Iterable[Call]) -> Iterator[tuple[str, Call]]:
    """Calls of each dtype row with its combinations, and with one dtype or null that it does not allow in a place.

    Only where the table of combinations leaves some out: a parameter may be null, or combinations are many.
    """
    known = list(known)
    for rule in search.space.info.rules:
        if rule.kind != "dtypes" or not isinstance(rule.require, InRows):
            continue
        bits, names = search.oracle.bits(rule.id), rule.require.params
        for kind in search.oracle.kinds:
            rows = search.space.rows(kind.targets[0])
            nullable = {name for name in names if names_null(name, [row.table for row in rows])}
            legal = {name: search.space.legal_dtypes(name, kind.targets[0]) for name in names}
            many = math.prod(len(dtypes) or 1 for dtypes in legal.values()) > _EXHAUSTIVE
            optional = {name for name in names if search.space.info.param(name).optional}
            if kind.active & bits and (optional or many):
                valid = [call for call in known if search.oracle.is_valid(call, kind)]
                varied = {name: legal[name] for name in names if len({row.table.get(name) for row in rows}) > 1}
                most = len(DTYPES) if len(rows) <= _FEW_ROWS else 1
                for row in rows:
                    alone = [row.table]
                    of_row = (call for call in valid if _is_of(search, call, row.table, alone, nullable))
                    typed = (_typed(search, seed, _first(row.table)) for seed in search.seeds)
                    starts = chain(of_row, (call for call in typed if _decides(search, call, kind, bits)))
                    named = {name: row.table[name] for name in names if name in row.table}
                    for call in islice(starts, 1):
                        moved = (
                            *_beside(search, call, row.table, varied, nullable, most),
                            *_within(search, call, named, optional - nullable),
                        )
                        yield from ((rule.id, one) for one in moved if _decides(search, one, kind, bits))


def by_columns(search: Search, known: Iterable[Call]) -> Iterator[tuple[str, Call]]:
    """The base call with each legal dtype of a parameter that no known call shows where its rule is asked."""
    known = list(known)
    for rule in search.space.info.rules:
        if rule.kind == "dtype" and isinstance(rule.require, InRows):
            (name,), bits = rule.require.params, search.oracle.bits(rule.id)
            place = search.space.index[name]
            for kind in search.oracle.kinds:
                asked = (call[place] for call in known if _decides(search, call, kind, bits))
                shown = {dtype for value in asked for dtype in _dtypes_of(value)}
                for dtype in search.space.legal_dtypes(name, kind.targets[0]):
                    value = search.base[place] or search.space.default(place)
                    call = replaced(search.base, place, relabelled(value, "dtype", dtype))
                    if dtype not in (*shown, NULL) and _decides(search, call, kind, bits):
                        known.append(call)
                        yield rule.id, call


def _dtypes_of(value: Value) -> tuple[str, ...]:
    """The dtypes of a tensor, a scalar or a list; a dtype itself."""
    if isinstance(value, tuple):
        return tuple(dtype for item in value for dtype in _dtypes_of(item))
    return (value,) if isinstance(value, str) else () if value is None else (getattr(value, "dtype", ""),)


def by_lists(search: Search) -> Iterator[tuple[str, Call]]:
    """The base call with each pair of legal dtypes in one list, where rows allow it different ones."""
    for rule in search.space.info.rules:
        if rule.kind != "dtype" or not isinstance(rule.require, InRows):
            continue
        (name,), bits = rule.require.params, search.oracle.bits(rule.id)
        place = search.space.index[name]
        if search.space.kinds[place] not in ("tensors", "scalars"):
            continue
        for kind in search.oracle.kinds:
            target = kind.targets[0]
            pairs = pairs_of(search.space.legal_dtypes(name, target), 2)
            if kind.active & bits and len({row.table.get(name) for row in search.space.rows(target)}) > 1:
                item = (search.base[place] or search.space.default(place))[0]
                for pair in pairs:
                    call = replaced(search.base, place, tuple(relabelled(item, "dtype", dtype) for dtype in pair))
                    if _decides(search, call, kind, bits):
                        yield rule.id, call


def _first(row: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The first combination of a row."""
    return {name: target[0] for name, target in row.items() if target}


def _decides(search: Search, call: Call, kind: Kind, bits: int) -> bool:
    """Whether the dtype rows are asked about a call."""
    return bool(search.oracle.reached(search.oracle.verdict(call), kind) & bits)


def _beside(
    search: Search,
    call: Call,
    row: Mapping[str, tuple[str, ...]],
    varied: Mapping[str, tuple[str, ...]],
    nullable: set[str],
    most: int,
) -> Iterator[Call]:
    """The call with each dtype that the row allows a parameter and with some that it does not.

    Null is one of them where only some rows name it.
    """
    for name, dtypes in varied.items():
        words = (*dtypes, *((NULL,) if name in nullable else ()))
        target = row.get(name, words)
        others = [word for word in words if word not in target]
        for word in (*(word for word in words if word in target), *others[:most]):
            yield _typed(search, call, {name: word})


def _within(search: Search, call: Call, row: Mapping[str, tuple[str, ...]], free: set[str]) -> Iterator[Call]:
    """The call with each combination of a row, if they are few; a null that every row allows is one of the dtypes."""
    absent = {name for name in free if call[search.space.index[name]] is None}
    for nulls in (free, absent):
        cells = {name: tuple(dict.fromkeys((NULL, *row[name]))) if name in nulls else row[name] for name in row}
        if math.prod(map(len, cells.values())) <= _COMBINED:
            for dtypes in product(*cells.values()):
                yield _typed(search, call, dict(zip(cells, dtypes, strict=True)))
            return


def _typed(search: Search, call: Call, dtypes: Mapping[str, str]) -> Call:
    return typed(search.space, call, {search.space.index[name]: dtype for name, dtype in dtypes.items()})


def _is_of(search: Search, call: Call, row: Mapping[str, tuple[str, ...]], alone: Rows, nullable: set[str]) -> bool:
    """Whether a row allows the dtypes of a call, and its nulls where rows tell of them."""
    if any(call[search.space.index[name]] is None and NULL not in row.get(name, (NULL,)) for name in nullable):
        return False
    return search.oracle.value(InRows(tuple(row)), call, alone) is True


def _joint(search: Search, names: tuple[str, ...], dtypes: tuple[str, ...]) -> Call:
    return _typed(search, search.base, dict(zip(names, dtypes, strict=True)))


def _complement(search: Search, names: tuple[str, ...], kind: Kind) -> list[tuple[str, ...]]:
    """All of them where they are few; else enough that every pair of parameters shows every pair of dtypes it can."""
    legal = [search.space.legal_dtypes(name, kind.targets[0]) for name in names]
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
    for row in search.space.rows(kind.targets[0]):
        cells_of = dict(row.cells)
        first = [(cells_of.get(name) or dtypes)[0] for name, dtypes in zip(names, legal, strict=True)]
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
