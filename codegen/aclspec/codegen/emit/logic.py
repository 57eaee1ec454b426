"""Conditions put together: constants folded, and in the words that a person would use."""

from __future__ import annotations

from aclspec.codegen.emit.python import FALSE, TRUE, Bracket, Chain, Level, Prefix, Py, Ternary, Walk, walk

_OPPOSITES = {"in": "not in", "==": "!=", "is not": "is"}


def conj(*items: Py) -> Py:
    """``a and b``, with the constants folded and inner chains joined to it."""
    return _join("and", Level.AND, items, neutral=TRUE, absorbing=FALSE)


def disj(*items: Py) -> Py:
    """``a or b``, with the constants folded and inner chains joined to it."""
    return _join("or", Level.OR, items, neutral=FALSE, absorbing=TRUE)


def _join(op: str, level: Level, items: tuple[Py, ...], neutral: Py, absorbing: Py) -> Py:
    flat: list[Py] = []
    for item in items:
        if item == absorbing:
            return absorbing
        parts = item.items if isinstance(item, Chain) and item.level == level else (item,)
        flat.extend(part for part in parts if part != neutral and part not in flat)
    if not flat:
        return neutral
    return flat[0] if len(flat) == 1 else Chain((op,) * (len(flat) - 1), tuple(flat), level)


def negation(item: Py) -> Py:
    """``not a``, with the constants folded."""
    if item in (TRUE, FALSE):
        return FALSE if item == TRUE else TRUE
    return Prefix("not ", item, Level.NOT)


def opposite(item: Py) -> Py:
    """``not a`` in the words a person would use: ``not in``, ``!=``, ``is None``."""
    match item:
        case Chain(ops=(op,), items=items, level=Level.COMPARE) if op in _OPPOSITES:
            return Chain((_OPPOSITES[op],), items, Level.COMPARE)
        case Bracket(opening="all(", items=(Walk(var=var, body=body, over=over),)):
            return walk("any(", var, opposite(body), over)
        case _:
            return negation(item)


def choice(cond: Py, negated: Py, then: Py, orelse: Py) -> Py:
    """A condition chosen by another, as a ternary or, where an arm is constant, as what it comes to."""
    if TRUE in (cond, negated):
        return then if cond == TRUE else orelse
    if _same(then, orelse):
        return then
    if FALSE in (then, orelse):
        return conj(negated, orelse) if then == FALSE else conj(cond, then)
    if TRUE in (then, orelse):
        return disj(cond, orelse) if then == TRUE else disj(negated, then)
    return Ternary(cond, then, orelse)


def _same(one: Py, other: Py) -> bool:
    """Whether two conditions are the same; the order of what something is compared with one by one does not matter."""
    match one, other:
        case (
            Chain(ops=("in" | "not in",) as op, items=(left, Bracket(opening="(", items=some))),
            Chain(ops=ops, items=(right, Bracket(opening="(", items=others))),
        ):
            return op == ops and left == right and set(some) == set(others)
        case _:
            return one == other
