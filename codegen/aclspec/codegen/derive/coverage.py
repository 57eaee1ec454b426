"""What the valid samples of an operator must cover, as wishes; each is a label and a way."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from aclspec.codegen.derive.space import DTYPES, Space, kebab
from aclspec.codegen.derive.ways import Ways
from aclspec.codegen.derive.wishes import Way, Wish, edges
from aclspec.runtime.info import RowInfo
from aclspec.runtime.predicate.nodes import (
    Bool,
    Call,
    Compare,
    Index,
    InRows,
    Int,
    ListOf,
    Name,
    Node,
    Or,
    Str,
    Symbol,
)

_MAX_FLAGS = 5


class Aim(NamedTuple):
    """A label for the id of a case, and what the case should show."""

    label: str
    way: Way


def aims(space: Space, ways: Ways) -> Iterator[Aim]:
    """Everything that a valid call should show somewhere."""
    yield from _rows(space)
    yield from _flags(space)
    yield from _bool_arrays(space)
    for place, param in enumerate(space.info.params):
        kind = space.kinds[place]
        name, label = Name(param.name), kebab(param)
        if param.optional or param.required is not None:
            yield Aim(f"{label}-null", (Wish(Call("is_null", (name,)), "true"),))
            yield Aim(f"{label}-given", (Wish(Call("is_null", (name,)), "false"),))
        if param.required is not None:
            off = Wish(param.required, "not true")
            yield Aim(f"{label}-given-unasked", (off, Wish(Call("is_null", (name,)), "false")))
        if kind == "tensor":
            yield from _tensor(space, place)
        for value in param.values:
            node: Node = Str(value) if isinstance(value, str) else Int(value)
            one: Node = Index(name, Int(0)) if kind == "ints" else name
            yield Aim(f"{label}-is-{value}", (Wish(Compare("==", one, node), "true"),))
        if kind in ("ints", "bools", "floats", "tensors", "scalars"):
            yield from _array(name, label, param.lengths)
    for rule in space.info.rules:
        if rule.kind == "shortcut" and rule.when is not None:
            yield from (Aim(rule.id, way) for way in ways.of(rule.when, True))
            yield from (Aim(rule.id, (Wish(rule.when, "true"), Wish(item, "true"))) for item in _items(rule.when))
        elif rule.require is not None and rule.outcome == "error":
            guard = () if rule.when is None else (Wish(rule.when, "true"),)
            yield from (Aim(f"{rule.id}-holds", (*guard, *way)) for way in ways.of(rule.require, True))
            if rule.when is not None:
                broken = failing(space, rule.require)
                yield from (Aim(f"{rule.id}-off", (broken, *way)) for way in ways.of(rule.when, False))
    yield from _precision(space, ways)


def _precision(space: Space, ways: Ways) -> Iterator[Aim]:
    """Every row of the precision table that has a guard: why it holds, and why it does not."""
    before: Way = ()
    for number, row in enumerate(space.info.compute.precision, 1):
        if row.when is not None:
            borders = [(wish,) for wish in edges(row.when, space.lets)]
            for suffix, want in (("", True), ("-off", False)):
                own = Wish(row.when, "true" if want else "false")
                taken = [*ways.of(row.when, want), *((own, *border) for border in borders)]
                yield from (Aim(f"precision-{number}{suffix}", (*before, *way)) for way in taken)
            before = (*before, Wish(row.when, "not true"))


def _items(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Or) else ()


def failing(space: Space, node: Node) -> Wish:
    """What makes a requirement fail, did it only apply; a row leaves a parameter alone that is not to be checked."""
    if isinstance(node, InRows) and len(node.params) == 1:
        legal = {dtype for row in space.info.rows for dtype in dict(row.cells).get(node.params[0], ())}
        illegal = next((dtype for dtype in reversed(DTYPES) if dtype not in legal), DTYPES[0])
        return Wish(Compare("==", Call("dtype", (Name(node.params[0]),)), Symbol("dtype", illegal)), "true")
    return Wish(node, "false")


def _rows(space: Space) -> Iterator[Aim]:
    """Every dtype row; where its cells hold several dtypes, each of them once, and then beside its neighbours."""
    seen: set[tuple[tuple[str, str], ...]] = set()
    for row in space.info.rows:
        for turn in range(max((len(dtypes) for _, dtypes in row.cells), default=0)):
            for shift in (0, 1):
                chosen = tuple(
                    (name, dtypes[(turn + shift * place) % len(dtypes)])
                    for place, (name, dtypes) in enumerate(row.cells)
                )
                if chosen not in seen:
                    seen.add(chosen)
                    yield Aim("dtypes", tuple(_dtype(space, name, dtype) for name, dtype in chosen))


def row_wishes(space: Space, row: RowInfo) -> Way:
    """The first dtype of each cell of a row."""
    return tuple(_dtype(space, name, dtypes[0]) for name, dtypes in row.cells)


def _dtype(space: Space, name: str, dtype: str) -> Wish:
    kind = space.kinds[space.index[name]]
    wanted = Symbol("dtype", dtype)
    if kind == "dtype":
        return Wish(Compare("==", Name(name), wanted), "true")
    one: Node = Index(Name(name), Int(0)) if kind in ("tensors", "scalars") else Name(name)
    return Wish(Compare("!=", Call("dtype", (one,)), wanted), "not true")


def _flags(space: Space) -> Iterator[Aim]:
    """Every combination of the flags; where there are many, each alone, all but each, all and none."""
    flags = [name for name, kind in zip(space.names, space.kinds, strict=True) if kind == "bool"]
    for values in combinations(len(flags)):
        label = "-".join(["flags", *("on" if value else "off" for value in values)])
        pairs = zip(flags, values, strict=True)
        yield Aim(label, tuple(Wish(Name(name), "true" if value else "false") for name, value in pairs))


def combinations(count: int) -> list[tuple[bool, ...]]:
    """Values of so many flags: all combinations, or those near the ends where they would be too many."""
    if count == 0:
        return []
    if count <= _MAX_FLAGS:
        return list(product((True, False), repeat=count))
    ends = [(True,) * count, (False,) * count]
    places = range(count)
    singles = [tuple((place == at) is value for place in places) for value in (True, False) for at in places]
    return ends + singles


def _tensor(space: Space, place: int) -> Iterator[Aim]:
    param = space.info.params[place]
    name, label = Name(param.name), kebab(param)
    rank = Call("rank", (name,))
    for count in range(param.rank[0], param.rank[1] + 1):
        yield Aim(f"{label}-rank-{count}", (Wish(Compare("==", rank, Int(count)), "true"),))
    for count, formats in param.formats:
        for format in formats:
            way = (Wish(Compare("==", Call("format", (name,)), Symbol("format", format)), "true"),)
            at_rank = () if count < 0 else (Wish(Compare("==", rank, Int(count)), "true"),)
            if len(formats) > 1 or len(param.formats) > 1:
                yield Aim(f"{label}-{format.lower()}", way + at_rank)
    if param.empty:
        yield Aim(f"{label}-empty", (Wish(Call("is_empty", (name,)), "true"),))


def _array(name: Name, label: str, lengths: tuple[int, ...]) -> Iterator[Aim]:
    length = Call("len", (name,))
    for count in lengths or (0, 1, 2, 3):
        yield Aim(f"{label}-length-{count}", (Wish(Compare("==", length, Int(count)), "true"),))


def _bool_arrays(space: Space) -> Iterator[Aim]:
    """Every value of an array of flags of a fixed length."""
    for place, param in enumerate(space.info.params):
        if space.kinds[place] == "bools" and param.lengths and max(param.lengths) <= _MAX_FLAGS:
            for values in combinations(max(param.lengths)):
                wanted = ListOf(tuple(Bool(value) for value in values))
                text = "-".join("on" if value else "off" for value in values)
                way = (Wish(Compare("==", Name(param.name), wanted), "true"),)
                yield Aim(f"{kebab(param)}-{text}", way)
