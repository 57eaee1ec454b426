"""The least call that still shows a disagreement, found by trying simpler ones on the backend.

A simpler call counts where the spec expects the same of it by the same rule, and the backend gives the same kind of
answer: what is left is the fault and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from aclspec.codegen.conform.calls import Call, Piece, Settings, read_call, size_of, text_of
from aclspec.codegen.conform.judge import AGREE, SKIPPED
from aclspec.codegen.conform.measure import followed, mapped, with_size
from aclspec.codegen.conform.operators import find
from aclspec.codegen.conform.process import Caller, Row
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.search.changes import without
from aclspec.runtime.tensors.tensor import Tensor, leaves
from aclspec.runtime.testing.random_calls import retyped

TRIES = 400
"""Simpler calls that are tried on the backend, at most."""


def kind_of(row: Row) -> tuple[Any, ...]:
    """What makes two disagreements of one kind: operator, product, rule, and what came instead of what.

    Calls that are to succeed are of one kind, whichever shortcut they take.
    """
    actual = None if row["outcome"] in ("crash", "hang", "leak", "values") else row["actual"]
    rule = row["rule"] if row["expected"] else ""
    return row["operator"], row["product"], row["outcome"], rule, row["expected"], actual


def is_finding(row: Row) -> bool:
    """Whether a row is a disagreement."""
    return row["outcome"] not in (AGREE, SKIPPED)


def shrink(caller: Caller, settings: Settings, row: Row, tries: int = TRIES) -> list[Row]:
    """The row of the least call of the same kind that is found, as one of origin "shrunk"."""
    operator = find(row["operator"])
    known = set(row["call"])
    best, left = row, tries if row["outcome"] != "hang" else min(tries, 12)
    progress = True
    while progress and left > 0:
        progress = False
        call = read_call(operator.info, best["call"])
        for made in sorted(simpler(operator, call), key=size_of):
            text = text_of(made)
            if text in known or size_of(made) >= size_of(call) or not _expects_the_same(operator, row, made):
                continue
            known.add(text)
            left -= 1
            piece = Piece(row["operator"], row["product"], row["spec"], "shrunk", row["seed"], (text,))
            (found,) = caller.rows(piece)
            if kind_of(found) == kind_of(row):
                best, progress = found, True
                break
            if left <= 0:
                break
    return [{**best, "origin": "shrunk"}]


def shrinking(row: Row) -> Piece:
    """The piece of work that shrinks a row; its only call is the row's."""
    return Piece(row["operator"], row["product"], row["spec"], "shrunk", row["seed"], (row["call"],))


def shrunk_rows(caller: Caller, settings: Settings, piece: Piece) -> list[Row]:
    """The rows of such a piece: the least call of the same kind; none where the call agrees by now."""
    found = [one for one in caller.rows(piece) if is_finding(one)]
    key = piece.id(settings)
    return [{**one, "piece": key} for row in found for one in shrink(caller, settings, row)]


def _expects_the_same(operator: Operator, row: Row, call: Call) -> bool:
    """Whether the spec decides a call as it decides a row's."""
    try:
        verdict = operator.check(row["product"], True, *call.values())
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return False
    rule = "" if verdict is None else verdict.rule.rpartition(".")[2]
    expected = 0 if verdict is None else verdict.library
    return expected == row["expected"] and (rule == row["rule"] or expected == 0)


def simpler(operator: Operator, call: Call) -> Iterator[Call]:
    """Calls that are simpler in one respect, with outputs that follow and with outputs as they are."""
    for changed in _changed(operator, call):
        made = followed(operator, call, changed)
        if made is not None:
            yield made
        yield changed


def _changed(operator: Operator, call: Call) -> Iterator[Call]:
    tensors = {name: value for name, value in call.items() if any(leaves(value))}
    sizes = {size for value in tensors.values() for one in leaves(value) for size in one.shape if size > 1}
    for size in sizes:
        for less in _less(size):
            yield mapped(call, partial(with_size, old=size, new=less))
    ranks = {one.rank for value in tensors.values() for one in leaves(value) if one.rank}
    for rank in ranks:
        for axis in range(rank):
            yield mapped(call, partial(_without, rank=rank, axis=axis))
    yield mapped(call, retyped)
    for param in operator.params:
        for value in _values(operator, param.name, call[param.name]):
            yield {**call, param.name: value}


def _less(size: int) -> Iterator[int]:
    yield from dict.fromkeys(one for one in (1, 2, size // 16, size // 4, size // 2, size - 1) if 0 < one < size)


def _without(tensor: Tensor, rank: int, axis: int) -> Tensor:
    if tensor.rank != rank:
        return tensor
    return retyped(tensor, without(tensor.shape, axis))


def _values(operator: Operator, name: str, value: Any) -> Iterator[Any]:
    """Simpler values of one parameter."""
    match value:
        case Tensor():
            yield from (with_size(value, size, less) for size in set(value.shape) if size > 1 for less in _less(size))
            yield from (_without(value, value.rank, axis) for axis in range(value.rank))
            yield retyped(value)
        case bool() | None | str():
            return
        case int():
            yield from dict.fromkeys(one for one in (0, 1, value // 2) if abs(one) < abs(value))
        case tuple() if len(value) > 1:
            yield from (without(value, at) for at in range(len(value)))
            yield value[: len(value) // 2]
        case tuple():
            return
    if value is not None and operator.info.param(name).optional:
        yield None
