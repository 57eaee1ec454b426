"""Valid calls: each legal dtype row, format, rank, length and value, each null, each shortcut, and other layouts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import heapify, heappop, heappush

from aclspec.codegen.derive.search import Goal, Search
from aclspec.runtime.language.nodes import Call as Function
from aclspec.runtime.language.nodes import Name, Node
from aclspec.runtime.rules.operator_info import NULL
from aclspec.runtime.search.call import Call, TensorMeta, replaced
from aclspec.runtime.search.changes import OFFSET, layouts, strided, typed
from aclspec.runtime.search.oracle import Kind
from aclspec.runtime.search.space import applies, kebab
from aclspec.runtime.testing.suite import Target

Sample = tuple[str, Call]
Row = tuple[str, tuple[str, ...], tuple[tuple[int, str], ...]]
"""A label, the products of a dtype row, and a dtype for the parameter of each of its cells."""
_STARTS, _LIMIT = 6, 150


def valid(search: Search) -> list[Sample]:
    """The base call, the examples, and the fewest valid calls that show everything else a valid call can show."""
    rows = list(_rows(search))
    for call in _by_rows(search, rows):
        search.pool[call] = None
    samples = {search.base: "base"} | {call: label for label, call in _examples(search) if call != search.base}
    shown = features(search, search.base, rows)

    def add(label: str, call: Call) -> None:
        shown.update(features(search, call, rows))
        samples.setdefault(call, label)

    candidates = {call: features(search, call, rows) for call in sorted(search.pool, key=search.distance)}
    aims = [*_aims(search), *((label, ()) for label, *_ in rows)]
    wanted = {label for label, _ in aims} | set().union(*(candidates[seed] for seed in search.seeds))
    candidates = {call: found & wanted for call, found in candidates.items() if found}
    # What a call is worth only falls, so that the first one whose worth still stands is the best.
    heap = [(-_worth(search, call, found), place, call) for place, (call, found) in enumerate(candidates.items())]
    heapify(heap)
    while heap:
        worth, place, best = heappop(heap)
        fresh = candidates[best] - shown
        if fresh and (now := -_worth(search, best, fresh)) != worth:
            heappush(heap, (now, place, best))
        elif fresh:
            add(min(fresh), best)
    for label, about in aims:
        if about and label not in shown and (found := _searched(search, label, about)) is not None:
            add(label, found)
    views = ((label, call) for label, call in _views(search) if search.targets_valid(call))
    return [*((label, call) for call, label in samples.items()), *views]


def _examples(search: Search) -> Iterator[Sample]:
    """The examples that are valid somewhere; later calls are written by their difference from one of them."""
    for example in search.space.info.examples:
        if (call := search.example(example)) in search.seeds:
            yield example.id, call


def _worth(search: Search, call: Call, fresh: set[str]) -> int:
    return 100 * len(fresh) - search.distance(call)


def _searched(search: Search, label: str, about: tuple[Node, ...]) -> Call | None:
    places = search.oracle.places(*about)

    def is_missing(call: Call) -> bool:
        return not any(label == _named(search, place, fact) for place in places for fact in _facts(search, call, place))

    goal = Goal(penalty=is_missing, about=lambda call: about)
    kinds = search.oracle.kinds
    for kind in dict.fromkeys((0, len(kinds) - 1)):
        found = search.solve(goal, kinds[kind], _STARTS, _LIMIT)
        if found is not None:
            return found
    return None


def _named(search: Search, place: int, fact: str) -> str:
    return f"{kebab(search.space.info.params[place])}-{fact}"


def features(search: Search, call: Call, rows: list[Row]) -> set[str]:
    """What a call shows, if it is valid somewhere: facts of each parameter, shortcuts and targets."""
    oracle = search.oracle
    kinds = [kind for kind in oracle.kinds if oracle.is_valid(call, kind)]
    found: set[str] = set()
    if not kinds:
        return found
    for place in range(len(call)):
        found.update(_named(search, place, fact) for fact in _facts(search, call, place))
    nullable = {place for _, _, dtypes in rows for place, dtype in dtypes if dtype == NULL}
    for label, products, dtypes in rows:
        if all(_has_dtype(call[place], dtype, place in nullable) for place, dtype in dtypes):
            found.update(
                [label] if any(target.product in products for kind in kinds for target in kind.targets) else ()
            )
    taken = [_shortcut(search, call, kind) for kind in kinds]
    for kind, shortcut in zip(kinds, taken, strict=True):
        found.add(_place(shortcut or "valid", kind.targets[0]))
    return found


def _place(label: str, target: Target) -> str:
    return f"{label}-{target.mode}-{target.product}"


def _shortcut(search: Search, call: Call, kind: Kind) -> str | None:
    taken = search.oracle.verdict(call) & kind.active & search.oracle.shortcuts
    return search.oracle.rules(taken & -taken)[0] if taken else None


def _facts(search: Search, call: Call, place: int) -> Iterator[str]:
    value, param = call[place], search.space.info.params[place]
    if value is None:
        yield "null"
        if param.required is not None:
            yield "null-unrequired"
        return
    yield "given"
    if param.required is not None and search.oracle.value(param.required, call) is not True:
        yield "given-unrequired"
    if isinstance(value, TensorMeta):
        yield f"rank-{len(value.shape)}"
        yield f"{value.format.lower()}-{len(value.shape)}"
        yield from ["empty"] if value.numel == 0 else []
    elif isinstance(value, tuple):
        yield f"length-{len(value)}"
        if search.space.kinds[place] == "bools":
            yield "-".join("on" if item else "off" for item in value)
    elif isinstance(value, bool):
        yield "on" if value else "off"
    if param.values:
        yield f"is-{value[0] if isinstance(value, tuple) and value else value}"


def _aims(search: Search) -> Iterator[tuple[str, tuple[Node, ...]]]:
    """The labels of what should be shown, though no call met may show it, and expressions that it is about."""
    for place, param in enumerate(search.space.info.params):
        name, label, kind = Name(param.name), kebab(param), search.space.kinds[place]
        nodes: tuple[Node, ...] = (name,)
        if param.optional or param.required is not None:
            yield from ((f"{label}-{fact}", nodes) for fact in ("null", "given"))
        if kind == "tensor":
            ranks = (Function("rank", (name,)),)
            yield from ((f"{label}-rank-{rank}", ranks) for rank in range(param.rank[0], param.rank[1] + 1))
            yield from ((f"{label}-empty", nodes) for _ in range(param.empty))
        for rank, formats in param.formats:
            ranks_of = range(param.rank[0], param.rank[1] + 1) if rank < 0 else (rank,)
            yield from ((f"{label}-{format.lower()}-{one}", nodes) for format in formats for one in ranks_of[:1])
        yield from ((f"{label}-is-{value}", nodes) for value in param.values)
        yield from (
            (f"{label}-length-{length}", nodes) for length in param.lengths or ((0, 1) if kind in _LISTS else ())
        )
        if kind == "bool":
            yield from ((f"{label}-{value}", nodes) for value in ("on", "off"))
        if kind == "bools" and param.lengths and max(param.lengths) <= 4:
            for mask in range(1 << max(param.lengths)):
                text = "-".join("on" if mask >> at & 1 else "off" for at in range(max(param.lengths)))
                yield f"{label}-{text}", nodes
    for rule in search.space.info.rules:
        if rule.kind == "shortcut" and rule.when is not None:
            targets = [kind.targets[0] for kind in search.oracle.kinds if applies(rule, kind.targets[0])]
            yield from ((_place(rule.id, target), (rule.when,)) for target in targets)
    yield from ((_place("valid", kind.targets[0]), ()) for kind in search.oracle.kinds)


_LISTS = ("ints", "bools", "floats", "tensors", "scalars")


def _rows(search: Search) -> Iterator[Row]:
    """Every dtype row with each dtype of its cells once, alone and beside its neighbours."""
    seen: set[Row] = set()
    for row in search.space.info.rows:
        cells = [(name, dtypes) for name, dtypes in row.table.items() if dtypes]
        for turn in range(max((len(dtypes) for _, dtypes in cells), default=0)):
            for shift in (0, 1):
                chosen = tuple(
                    (search.space.index[name], dtypes[(turn + shift * at) % len(dtypes)])
                    for at, (name, dtypes) in enumerate(cells)
                )
                label = "-".join(["dtypes", *dict.fromkeys(dtype.lower() for _, dtype in chosen)])
                one = (f"{label}-{len(seen)}", row.products, chosen)
                if all(chosen != other for *_, other in seen):
                    seen.add(one)
                    yield one


def _has_dtype(value: object, dtype: str, rows_name_null: bool) -> bool:
    """Whether a value is of a dtype; a null is of every one, or of `NULL` alone where the rows tell of nulls."""
    if isinstance(value, tuple):
        return all(_has_dtype(item, dtype, rows_name_null) for item in value)
    if value is None:
        return dtype == NULL if rows_name_null else True
    return bool(getattr(value, "dtype", value) == dtype)


def _by_rows(search: Search, rows: list[Row]) -> Iterator[Call]:
    for _, _, dtypes in rows:
        is_null = any(dtype == NULL for _, dtype in dtypes)
        for call in search.seeds:
            moved = typed(search.space, call, {at: dtype for at, dtype in dtypes if is_null or call[at] is not None})
            yield moved
            yield search.neighbours.inferred(moved)


def _views(search: Search) -> Iterator[Sample]:
    """The base call with each tensor strided, transposed, at an offset or, where it is only read, repeated."""
    everything = search.base
    for place, param in enumerate(search.space.info.params):
        value = search.base[place]
        for at, tensor in enumerate(value if isinstance(value, tuple) else (value,)):
            if not isinstance(tensor, TensorMeta) or tensor.numel < 2:
                continue

            def put(call: Call, view: TensorMeta, at: int = at, place: int = place) -> Call:
                whole = call[place]
                return replaced(call, place, replaced(whole, at, view) if isinstance(whole, tuple) else view)

            label = kebab(param) + (f"-{at}" if isinstance(value, tuple) else "")
            for name, view in layouts(tensor, read_only=not param.is_output):
                yield f"{label}-{name}", put(search.base, view)
            everything = put(everything, replace(tensor, strides=strided(tensor.shape), offset=OFFSET, storage=None))
    if everything != search.base:
        yield "every-tensor-strided", everything
