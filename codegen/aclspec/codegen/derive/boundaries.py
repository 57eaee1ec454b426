"""Calls on and beside every bound: each comparison with a constant, the ranks 0, 8 and 9, short and long arrays.

A boundary call is labelled with whatever comes of it; of the calls that stand on the bound, one with as few failing
rules as possible is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from aclspec.codegen.derive.deriver import QUICK, Deriver, Sample
from aclspec.codegen.derive.relied import one_broken
from aclspec.codegen.derive.space import Ref, kebab
from aclspec.codegen.derive.trial import Goal
from aclspec.codegen.derive.values import with_dtype
from aclspec.codegen.derive.wishes import Wish, edges, inside
from aclspec.runtime.info import OperatorInfo
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.nodes import Call, Compare, Int, ListOf, Name, Negate, Node
from aclspec.runtime.predicate.walk import children

RANKS = (0, 8, 9)
LENGTHS = (0, 1, 2, 3)


class Bound(NamedTuple):
    """An expression and a constant that it is compared with, in the rule of this id."""

    rule: str
    node: Node
    value: int


def boundaries(deriver: Deriver) -> list[Sample]:
    """A call for each value beside each bound, in every kind of cell where that makes a difference."""
    samples: list[Sample] = []
    rules = {rule.id: rule for rule in deriver.info.rules}
    for bound in dict.fromkeys(bounds(deriver.info)):
        wish = Wish(Compare("==", bound.node, constant(bound.value)), "true")
        label = _label(bound)
        found, _ = deriver.cover(Goal((wish,)), label, QUICK // 3, among=deriver.valid)
        if not found:
            found, _ = deriver.cover(Goal((wish,), anything=True), label, QUICK // 3)
        samples += [Sample(label, call) for call in found[:1]]
        guard = rules[bound.rule].when if bound.rule in rules else None
        if found and guard is not None and deriver.oracle.value(guard, found[0], deriver.cells[0]) is not True:
            found, _ = deriver.cover(Goal((wish, Wish(guard, "true"))), label, QUICK // 3, among=deriver.valid)
            samples += [Sample(label, call) for call in found[:1]]
    return list({sample.call: sample for sample in reversed(samples)}.values())[::-1]


def inference(deriver: Deriver) -> list[Sample]:
    """Calls for every branch of what is inferred, also with each parameter behind it null or one rule of it broken."""
    samples: list[Sample] = []
    for item in deriver.info.infer:
        label = f"infer-{kebab(deriver.info.param(item.param))}"
        samples += [Sample(label, call) for call in one_broken(deriver, item)]
        for node in (item.shape, item.dtype):
            nulls = [Wish(Call("is_null", (Name(name),)), "true") for name in sorted(_nullable(deriver, node))]
            branches = deriver.ways.branches(node)
            borders = [(wish,) for wish in edges(node, deriver.space.lets)]
            plain = [*branches, *borders] or [()]
            crossed = [(*branch, *border) for branch, border in product(branches, borders)]
            for wishes in [*plain, *((*way, null) for way in plain for null in nulls), *crossed]:
                goal = Goal(wishes, anything=True)
                found = deriver.anywhere(goal, label, QUICK // 3, among=[sample.call for sample in samples])
                samples += [] if found is None else [Sample(label, found)]
    return list({sample.call: sample for sample in reversed(samples)}.values())[::-1]


def undefined(deriver: Deriver) -> list[Sample]:
    """Calls at which a rule that is reached begins to be undefined, as where an axis is the first that is not there."""
    samples: list[Sample] = []
    for rule in deriver.info.rules:
        for node in (rule.when, rule.require):
            for wish in [] if node is None or rule.outcome != "error" else edges(node, deriver.space.lets):
                goal = Goal((wish,), anything=True, reaching=rule.id)
                found, _ = deriver.cover(goal, f"{rule.id}-edge", QUICK // 3, among=deriver.valid)
                samples += [Sample(f"{rule.id}-edge", call) for call in found[:1]]
    return list({sample.call: sample for sample in reversed(samples)}.values())[::-1]


def elements(deriver: Deriver) -> list[Sample]:
    """The base call with a null, or an element of another legal dtype, at the end of each list of them."""
    samples = []
    space = deriver.space
    for place, param in enumerate(deriver.info.params):
        value = deriver.base[place]
        if param.type not in ("tensor_list", "scalar_list") or not isinstance(value, tuple) or not value:
            continue
        last = Ref(place, len(value) - 1)
        samples.append(Sample(f"null-element-{kebab(param)}", space.put(deriver.base, last, None)))
        legal = [dtype for cell in deriver.representatives for dtype in space.legal_dtypes(param.name, cell)]
        for dtype in dict.fromkeys(legal):
            call = space.put(deriver.base, last, with_dtype(value[-1], dtype))
            samples += [Sample(f"mixed-{kebab(param)}-{dtype.lower()}", call)] if call != deriver.base else []
    return samples


def _nullable(deriver: Deriver, node: Node) -> set[str]:
    """The parameters behind an expression that can be null."""
    space = deriver.space
    places = deriver.oracle.watch(node).places
    return {space.names[place] for place in places if PARAM_TYPES[deriver.info.params[place].type].pointer}


def bounds(info: OperatorInfo) -> Iterator[Bound]:
    """Every bound of an operator; the same expression with the same value once, under the first rule that has it."""
    seen: set[tuple[Node, int]] = set()
    for bound in _bounds(info):
        if (bound.node, bound.value) not in seen:
            seen.add((bound.node, bound.value))
            yield bound


def _bounds(info: OperatorInfo) -> Iterator[Bound]:
    lets = {let.name: let.value for let in info.lets}
    for rule in info.rules:
        for node in (rule.when, rule.require):
            if node is None:
                continue
            comparisons = (part for part in inside(node, lets) if isinstance(part, Compare))
            for expression, value in (side for comparison in comparisons for side in _sides(comparison)):
                yield from (Bound(rule.id, expression, value + step) for step in (-1, 0, 1))
    for param in info.params:
        label = kebab(param)
        if param.type == "tensor":
            edges = {*RANKS, param.rank[0] - 1, *param.rank, param.rank[1] + 1}
            rank = Call("rank", (Name(param.name),))
            yield from (Bound(f"rank-{label}", rank, count) for count in sorted(edges) if count >= 0)
        elif param.type.endswith(("_array", "_list")):
            length = Call("len", (Name(param.name),))
            longest = max(param.lengths, default=0) + 1
            yield from (Bound(f"length-{label}", length, count) for count in sorted({*LENGTHS, longest}))


def _sides(comparison: Compare) -> Iterator[tuple[Node, int]]:
    """The expression that is compared with a constant, and the constant."""
    left, right = _integer(comparison.left), _integer(comparison.right)
    if right is not None and left is None:
        yield comparison.left, right
    elif left is not None and right is None:
        yield comparison.right, left
    elif comparison.op in ("in", "not in") and isinstance(comparison.right, ListOf):
        yield from ((comparison.left, value) for value in map(_integer, comparison.right.items) if value is not None)


def _integer(node: Node) -> int | None:
    if isinstance(node, Negate):
        value = _integer(node.operand)
        return None if value is None else -value
    return node.value if isinstance(node, Int) else None


def constant(value: int) -> Node:
    """A literal; negative ones are written with a minus."""
    return Int(value) if value >= 0 else Negate(Int(-value))


def _label(bound: Bound) -> str:
    """The rule's id, what is bounded, and the value, without saying a word twice."""
    words = [word for word in _words(bound.node) if word not in bound.rule.split("-")]
    value = f"minus-{-bound.value}" if bound.value < 0 else str(bound.value)
    return "-".join([bound.rule, *words, value])


def _words(node: Node) -> Iterator[str]:
    """The names and functions of an expression, in kebab-case."""
    match node:
        case Name(id=name):
            yield from re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).replace("_", "-").lower().split("-")
        case Call(func=func):
            yield func.replace("_", "-")
        case Int(value=value):
            yield str(value)
        case _:
            pass
    for child in children(node):
        yield from _words(child)
