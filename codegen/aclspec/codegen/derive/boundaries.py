"""Calls on and beside every bound: those that show of a predicate what valid calls and violations do not show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from itertools import product as combinations
from random import Random
from typing import Any

from aclspec.codegen.derive.coverage import Coverage, Feature
from aclspec.codegen.derive.decision_conditions import Conditions, DecisionConditions
from aclspec.codegen.derive.search import Goal, Search
from aclspec.codegen.derive.tables import by_columns, by_lists, by_rows
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import Call as Function
from aclspec.runtime.language.nodes import Node
from aclspec.runtime.rules.operator_info import PrecisionInfo, RuleInfo
from aclspec.runtime.search.call import Call, TensorMeta, Value, relabelled, replaced
from aclspec.runtime.search.changes import of_length, reshaped, typed, with_axes
from aclspec.runtime.search.oracle import Kind
from aclspec.runtime.search.space import kebab

_PARENTS = 10
_VARIED = 1
_DECISION_LIMIT = 600
_MISSES = 40
"""A rule is given up after this number of failed attempts in a row; of 44 operators none succeeds after 20."""
_DRAWS, _SETTLED = 1500, 150
"""How many calls are drawn, and how many of them are made valid."""
_RANKS = (0, 1, 2, 8, 9)
_SHORT = 4
"""How many calls that take a shortcut are resized."""
_DRAWN_SIZES = (0, 1, 1, 2, 3, 4, 5, 6, 8, 10, 17, 20)
_DRAWN_NUMBERS = (0, 1, 1, 2, 2, 3)
_STAYS = 0.5
"""The chance that a number stays as it is in a drawn call, and that a flag is set."""


def boundaries(search: Search, known: Iterable[Call]) -> list[tuple[str, Call]]:
    """The calls, each labelled with the rule that it shows something new about."""
    known = list(known)
    coverage = Coverage(search.oracle)
    for call in known:
        coverage.new(call)
    chosen = [call for call in sorted(search.pool, key=search.distance) if coverage.new(call)]
    chosen += [call for call in _varied(search, [*search.seeds, *known]) if coverage.new(call)]
    chosen += [call for call in _promoted(search) if coverage.new(call)]
    chosen += [call for call in _drawn(search, [*search.seeds, *known]) if coverage.new(call)]
    search.repair.joint = True
    for find in (_by_repairs, _by_decisions):
        for rule in search.space.info.rules:
            if search.oracle.bits(rule.id):
                chosen += find(search, [*search.seeds, *known, *chosen], coverage, rule)
    chosen += [call for call in _by_precision(search) if coverage.new(call)]
    # Later calls show more: what all the others show need not be shown again.
    final = Coverage(search.oracle)
    for call in known:
        final.new(call)
    samples = [(_label(search, fresh), call) for call in reversed(chosen) if (fresh := final.new(call))]
    taken = {*known, *(call for _, call in samples)}
    typed = by_rows(search, [*known, *chosen])
    more = dict.fromkeys((*_guards(search, known), *_standard(search, known), *typed, *by_lists(search)))
    more |= dict.fromkeys(by_columns(search, [*known, *(call for _, call in (*samples, *more))]))
    samples += [(label, call) for label, call in more if call not in taken]
    order = {rule.id: place for place, rule in enumerate(search.space.info.rules)}
    return sorted(samples, key=lambda one: (order.get(one[0], len(order)), search.distance(one[1])))


def _varied(search: Search, calls: list[Call]) -> Iterator[Call]:
    """Calls with a flag turned, a number -1, an optional parameter left out, and one axis more or fewer everywhere."""
    params = search.space.info.params
    for call in calls:
        yield from _turned(search, call)
        yield from (replaced(call, place, None) for place, param in enumerate(params) if param.optional)
        for place, param in enumerate(params):
            if search.space.kinds[place] == "int" and PARAM_TYPES[param.type].low < 0:
                yield from search.neighbours.followed(replaced(call, place, -1))
        for step in (1, -1):
            yield with_axes(search.space, call, step)


def _promoted(search: Search) -> Iterator[Call]:
    """The base call with each pair of legal dtypes of two parameters that promote together, and outputs as inferred."""
    info = search.space.info
    nodes = [node for rule in info.rules for node in (rule.when, rule.require) if node is not None]
    nodes += [node for row in info.compute.precision for _, node in row.entries]
    parts = dict.fromkeys(part for node in nodes for part in search.oracle.parts(node))
    pairs = [
        search.oracle.places(part) for part in parts if isinstance(part, Function) and part.func.startswith("promot")
    ]
    for one, other in dict.fromkeys(places for places in pairs if len(places) == 2):
        names = [info.params[place].name for place in (one, other)]
        for dtypes in combinations(*map(search.space.legal_dtypes, names)):
            both = zip((one, other), dtypes, strict=True)
            given = {place: dtype for place, dtype in both if search.base[place] is not None}
            yield search.neighbours.inferred(typed(search.space, search.base, given))


def _guards(search: Search, known: list[Call]) -> Iterator[tuple[str, Call]]:
    """For each rule with a guard a call that would break it, and passes since a flag turns the guard off."""
    for rule in search.space.info.rules:
        bits, require = search.oracle.bits(rule.id), rule.require
        if rule.when is None or require is None:
            continue
        for call in known:
            kinds = [
                one for one in search.oracle.kinds if search.oracle.failing(search.oracle.verdict(call), one) & bits
            ]
            passing = (
                one
                for one in _turned(search, call)
                if search.oracle.value(require, one) is False
                and any(search.oracle.is_valid(one, kind) for kind in kinds)
            )
            if (found := next(passing, None)) is not None:
                yield rule.id, found
                break


def _turned(search: Search, call: Call) -> Iterator[Call]:
    """The call with each flag turned, with outputs as inferred and as they are."""
    for place, value in enumerate(call):
        if isinstance(value, bool):
            moved = replaced(call, place, not value)
            yield from (search.neighbours.inferred(moved), moved)


def _standard(search: Search, known: list[Call]) -> Iterator[tuple[str, Call]]:
    """Calls with arrays of other lengths, inputs of other ranks, outputs switched off, and one axis more everywhere."""
    newest = search.oracle.kinds[-1]
    for place, param in enumerate(search.space.info.params):
        yield from _resized(search, search.base, place)
        yield from _retyped(search, known, place)
        off = search.neighbours.switched_off(search.base, place)
        yield from ((f"{kebab(param)}-switched-off", call) for call in islice(off, 1))
        yield from _flagless(search, place)
        value = search.base[place]
        yield from _mixed(search, place, value)
        for rank in _RANKS if isinstance(value, TensorMeta) and not param.is_output else ():
            shape = of_length(value.shape, rank, 1)
            yield f"{kebab(param)}-rank-{rank}", reshaped(search.space, search.base, place, shape)
    lists = [place for place, kind in enumerate(search.space.kinds) if kind in ("tensors", "scalars")]
    for place in lists:
        if search.space.info.params[place].optional:
            yield from (
                (f"{kebab(search.space.info.params[place])}-length-0", replaced(seed, place, ()))
                for seed in search.seeds
            )
    for call in {search.shape_class(seed): seed for seed in search.seeds}.values():
        yield "one-axis-more", with_axes(search.space, call, 1)
    for scalar in islice((call for call in known if _is_of_a_scalar(search, call)), 1):
        for place, param in enumerate(search.space.info.params):
            if param.is_output and isinstance(scalar[place], TensorMeta):
                yield f"infer-{kebab(param)}", reshaped(search.space, scalar, place, (1, *scalar[place].shape))
    # A shortcut skips rules that would refuse odd sizes, so that the rules before it meet them.
    short = sorted((one for one in known if _takes_shortcut(search, one, newest)), key=search.distance)[:_SHORT]
    for start in short:
        for place in range(len(start)):
            resized = _resized(search, start, place)
            yield from ((label, one) for label, one in resized if _takes_shortcut(search, one, newest))


def _flagless(search: Search, place: int) -> Iterator[tuple[str, Call]]:
    """The base call without an output that is wanted, and with an array of flags that ends before or behind its own."""
    param = search.space.info.params[place]
    for flag in () if param.required is None else search.oracle.places(param.required):
        value = search.base[flag]
        for length in range(len(value)) if isinstance(value, tuple) else ():
            call = replaced(replaced(search.base, place, None), flag, value[:length])
            yield f"null-{kebab(param)}", call


def _is_of_a_scalar(search: Search, call: Call) -> bool:
    """Whether the first tensor of a call has no axes, and the call is valid somewhere."""
    first = next((value for value in call if isinstance(value, TensorMeta)), None)
    return first is not None and not first.shape and search.targets_valid(call) > 0


def _mixed(search: Search, place: int, value: Value) -> Iterator[tuple[str, Call]]:
    """The base call with each other legal dtype for the first element of a list."""
    param = search.space.info.params[place]
    if isinstance(value, tuple) and len(value) > 1 and isinstance(value[0], TensorMeta):
        for dtype in search.space.legal_dtypes(param.name):
            mixed = replaced(value, 0, relabelled(value[0], "dtype", dtype))
            yield f"dtype-{kebab(param)}", search.neighbours.inferred(replaced(search.base, place, mixed))


def _retyped(search: Search, known: list[Call], place: int) -> Iterator[tuple[str, Call]]:
    """A call with each legal dtype, and one more, of a tensor that the base call does not have."""
    param = search.space.info.params[place]
    call = next((one for one in (*search.seeds, *known) if isinstance(one[place], TensorMeta)), None)
    if call is not None and search.base[place] is None:
        legal = search.space.legal_dtypes(param.name)
        for dtype in (*legal, *(one for one in ("DOUBLE", "BOOL") if one not in legal)):
            yield f"dtype-{kebab(param)}", replaced(call, place, relabelled(call[place], "dtype", dtype))


def _takes_shortcut(search: Search, call: Call, kind: Kind) -> bool:
    return search.oracle.outcome(call, kind).startswith("0 ")


def _resized(search: Search, call: Call, place: int) -> Iterator[tuple[str, Call]]:
    """The call with an input of larger inner axes, or an array of each length up to two more."""
    param, value = search.space.info.params[place], call[place]
    if isinstance(value, TensorMeta) and not param.is_output:
        larger = (*value.shape[:2], *(size + 2 for size in value.shape[2:]))
        yield f"{kebab(param)}-larger", reshaped(search.space, call, place, larger)
    elif search.space.kinds[place] in ("ints", "bools") and isinstance(value, tuple) and value:
        for length in range(len(value) + 3):
            changed = of_length(value, length, value[-1])
            yield f"{kebab(param)}-length-{length}", replaced(call, place, changed)


def _drawn(search: Search, calls: list[Call]) -> Iterator[Call]:
    """Calls with sizes and numbers drawn anew, equal sizes alike, and outputs that follow them."""
    random = Random(search.space.info.name)
    for turn in range(_DRAWS):
        sizes: dict[int, int] = {}
        drawn = tuple(
            _redrawn(search, place, value, random, sizes) for place, value in enumerate(calls[turn % len(calls)])
        )
        call = search.neighbours.inferred(drawn)
        kind = search.oracle.kinds[turn % len(search.oracle.kinds)]
        settled = search.settled(Goal(), kind, call) if turn < _SETTLED else None
        yield from (call,) if settled is None else (call, settled)


def _redrawn(search: Search, place: int, value: Value, random: Random, sizes: dict[int, int]) -> Value:
    param, kind = search.space.info.params[place], search.space.kinds[place]
    if isinstance(value, TensorMeta):
        shape = tuple(sizes.setdefault(size, random.choice(_DRAWN_SIZES)) for size in value.shape)
        return search.space.reshaped(place, value, shape)
    if value is None or random.random() < _STAYS:
        return value
    if kind == "bool":
        return random.random() < _STAYS
    if kind == "bools":
        return tuple(random.random() < _STAYS for _ in value)
    if kind == "ints":
        return tuple(random.choice(_DRAWN_NUMBERS) for _ in value)
    if kind == "int":
        return random.choice(param.values or _DRAWN_NUMBERS)
    return value


def _by_repairs(search: Search, parents: list[Call], coverage: Coverage, rule: RuleInfo) -> list[Call]:
    """Repairs of each comparison of a rule, in calls of different ranks that reach it."""
    if coverage.is_complete(rule):
        return []
    nodes = [node for node in (rule.when, rule.require) if node is not None]
    bits, found = search.oracle.bits(rule.id), []
    chosen: dict[object, Call] = {}
    for call in parents:
        if _reaches(search, call, bits):
            guarded = rule.when is None or search.oracle.value(rule.when, call) is True
            chosen.setdefault((guarded, search.shape_class(call)), call)
    for turn, call in enumerate(list(chosen.values())[:_PARENTS]):
        for node in nodes:
            found += [one for one in search.repair.of(node, call) if coverage.new(one)]
            if turn < _VARIED:
                near = search.neighbours.of(call, search.oracle.places(node))
                found += [one for one in near if coverage.new(one)]
    return found


def _by_decisions(search: Search, known: list[Call], coverage: Coverage, rule: RuleInfo) -> list[Call]:
    """A call for each decision condition of a rule with variants that no call shows, where a search finds one."""
    oracle, bits, found, misses = search.oracle, search.oracle.bits(rule.id), [], 0
    missing = list(coverage.missing(rule))
    unguarded = rule.when is not None and not coverage.shows_guard(rule)
    if not missing and not unguarded:
        return []
    kinds = [kind for kind in oracle.kinds if kind.active & bits]
    reaching = [call for call in known if _reaches(search, call, bits)]
    decisions = DecisionConditions(oracle, search.base)
    some = decisions.of_rule(rule) if missing else decisions.unguarded(rule)
    nodes = [node for node in (rule.require, rule.when) if node is not None]
    for feature, conditions in (
        *((None, conditions) for conditions in some),
        *((one, ((node, True),)) for one, node in missing),
    ):
        if feature in coverage.shown or misses > _MISSES:
            continue
        penalty, about = _penalty(search, conditions, bits), partial(_unshown, search, conditions)
        if feature is not None:
            penalty, about = _lacking(coverage, feature, rule, penalty), partial(_around, about, nodes)
        ranked = sorted(reaching, key=penalty)
        if not ranked or (penalty(ranked[0]) == 0 and feature is None):
            continue
        goal = Goal(allowed=-(bits & -bits), penalty=penalty, about=about)
        for kind in (kinds[0], kinds[-1])[: 1 if feature else len(kinds)]:
            call = search.best_first(goal, kind, ranked[:_PARENTS], _DECISION_LIMIT)
            if call is not None and coverage.new(call):
                misses = 0
                reaching.append(call)
                found.append(call)
                break
        else:
            misses += 1
    return found


def _lacking(
    coverage: Coverage, feature: Feature, rule: RuleInfo, penalty: Callable[[Call], int]
) -> Callable[[Call], int]:
    return lambda call: penalty(call) + (not coverage.shows(feature, rule, call))


def _around(about: Callable[[Call], list[Node]], nodes: list[Node], call: Call) -> list[Node]:
    return [*about(call), *nodes]


def _by_precision(search: Search) -> Iterator[Call]:
    """Valid calls for each decision condition of the guards of the precision table, on its products and on others."""
    decisions, rows = DecisionConditions(search.oracle, search.base), search.space.info.compute.precision
    for place, row in enumerate(rows):
        for inside, want in ((True, True), (True, False), (False, True)):
            found = [
                (kind, next((one.product for one in kind.targets if row.applies_to(one.product) is inside), None))
                for kind in search.oracle.kinds
            ]
            places = [(kind, product) for kind, product in found if product is not None]
            for one in decisions.of(row.when, want) if row.when is not None else ():
                yield from islice(_valid_by(search, one, rows[:place], places), 1)


def _valid_by(
    search: Search, one: Conditions, rows: tuple[PrecisionInfo, ...], places: list[tuple[Kind, str]]
) -> Iterator[Call]:
    """Valid calls that meet conditions where no earlier row holds, one for each kind of target that has one."""
    for kind, product in places:
        guards = (row.when for row in rows if row.applies_to(product))
        conditions = (*((guard, False) for guard in guards if guard is not None), *one)
        goal = Goal(penalty=_penalty(search, conditions, 0), about=partial(_unshown, search, conditions))
        starts = [seed for seed in search.seeds if search.oracle.is_valid(seed, kind)]
        met = search.best_first(goal, kind, starts[:_PARENTS], _DECISION_LIMIT)
        yield from [] if met is None else [met]


def _unshown(search: Search, conditions: Conditions, call: Call) -> list[Node]:
    """The predicates that do not have the values of the conditions."""
    return [node for node, want in conditions if search.oracle.value(node, call) is not want]


def _reaches(search: Search, call: Call, bits: int) -> bool:
    return bool(search.oracle.reached_anywhere(search.oracle.verdict(call)) & bits)


def _penalty(search: Search, conditions: Conditions, bits: int) -> Callable[[Call], int]:
    """How many of the conditions a call does not meet, and whether it does not reach the rule."""
    values = [(search.oracle.remembered(node), want) for node, want in conditions]

    def penalty(call: Call) -> int:
        unshown = sum(value(call) is not want for value, want in values)
        return unshown + (bits > 0 and not _reaches(search, call, bits))

    return penalty


def _label(search: Search, fresh: set[Any]) -> str:
    """The first rule that a call shows something of, else the output, else the precision table."""
    owners = {feature[0] for feature in fresh}
    rule = next((rule.id for rule in search.space.info.rules if rule.id in owners), None)
    output = next((f"infer-{kebab(param)}" for param in search.space.info.params if param.name in owners), None)
    return rule or output or ("precision" if "precision" in owners else "let")
