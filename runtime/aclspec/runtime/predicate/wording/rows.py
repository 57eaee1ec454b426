"""Dtype rows in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aclspec.runtime.predicate.evaluation import Environment
from aclspec.runtime.predicate.nodes import InRows
from aclspec.runtime.predicate.values import INFERRED, Undefined, dtypes_of

if TYPE_CHECKING:
    from aclspec.runtime.predicate.wording.nouns import Nouns

Row = Mapping[str, tuple[str, ...]]
_LISTED_ROWS = 4
"""More combinations than this are not listed; the nearest one is told."""


def in_rows(writer: Nouns, node: InRows, truth: bool) -> str:
    """The clause that dtypes are, or are not, supported together; in a call, the given ones and the supported ones."""
    language, env = writer.language, writer.env
    if env is None:
        if len(node.params) == 1:
            return language.row(truth, node.params[0], "", None, "")
        return language.together(truth, node.params, None)
    given = {name: dtypes for name in node.params if (dtypes := _given(name, env)) is not None}
    rows = _projected(env, tuple(given))
    if len(node.params) == 1:
        return _single(writer, node.params[0], given, rows, truth)
    named = [f"{name} ({', '.join(dtypes)})" for name, dtypes in given.items()] or list(node.params)
    clause = language.together(truth, named, env.product)
    return clause if truth or not rows else clause + _supported(writer, given, rows)


def _single(writer: Nouns, name: str, given: Mapping[str, tuple[str, ...]], rows: Sequence[Row], truth: bool) -> str:
    assert writer.env is not None
    supported = dict.fromkeys(dtype for row in rows for dtype in row.get(name, ()))
    if not truth and set(given.get(name, ("",))) <= supported.keys():  # a list of which each dtype is, but not all
        clause = writer.language.together(truth, [f"{name} ({', '.join(given[name])})"], writer.env.product)
        return clause + _supported(writer, given, rows)
    actual = f" ({', '.join(given[name])})" if name in given else ""
    expected = f" ({', '.join(supported)})" if supported and not truth else ""
    return writer.language.row(truth, name, actual, writer.env.product, expected)


def _given(name: str, env: Environment) -> tuple[str, ...] | None:
    """The dtypes that the call gives to a parameter, if it gives any."""
    value = env.lookup(name)
    dtypes = None if value is None or value is INFERRED else dtypes_of(value)
    return None if dtypes is None or isinstance(dtypes, Undefined) else dtypes


def _projected(env: Environment, names: Sequence[str]) -> list[Row]:
    """The product's rows, reduced to these parameters, each once."""
    unique = dict.fromkeys(tuple((name, row[name]) for name in names if name in row) for row in env.rows())
    return [dict(cells) for cells in unique]


def _supported(writer: Nouns, given: Mapping[str, tuple[str, ...]], rows: Sequence[Row]) -> str:
    """What the product supports: the dtypes that all share, or some combinations."""
    joint = [name for name in given if len({row.get(name) for row in rows}) > 1] or list(given)
    told = [{name: row[name] for name in joint if name in row} for row in rows]
    uniform = all(len(row) == len(joint) and len({*row.values()}) == 1 and len(row[joint[0]]) == 1 for row in told)
    if uniform and joint == list(given):
        return writer.language.all_equal(len(joint), [row[joint[0]][0] for row in told])
    if len(told) > _LISTED_ROWS:
        told = [min(told, key=lambda row: sum(not set(given[name]) <= set(cell) for name, cell in row.items()))]
    return writer.language.combinations([_shared(row) for row in told])


def _shared(row: Row) -> list[tuple[Sequence[str], Sequence[str]]]:
    """A row as groups of parameters that may have the same dtypes."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, cell in row.items():
        groups.setdefault(cell, []).append(name)
    return [(names, cell) for cell, names in groups.items()]
