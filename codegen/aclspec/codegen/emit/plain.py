"""An operator as far as its functions depend on it: without names and words, equal trees being one tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from aclspec.codegen.predicate.rebuild import rebuild
from aclspec.runtime.info import ComputeInfo, InferInfo, OperatorInfo, ParamInfo, PrecisionInfo, RuleInfo, Text
from aclspec.runtime.predicate.nodes import Node

_NOTHING = Text("", "")


def plain(info: OperatorInfo) -> OperatorInfo:
    """What the functions of an operator depend on, and nothing else: two that are equal have the same functions."""

    def maybe(node: Node | None) -> Node | None:
        return None if node is None else shared(node)

    def param(given: ParamInfo) -> ParamInfo:
        made = ParamInfo(given.name, given.snake, given.type, given.direction, _NOTHING, given.optional)
        return replace(made, required=maybe(given.required), checked=maybe(given.checked))

    def rule(given: RuleInfo) -> RuleInfo:
        require, when = maybe(given.require), maybe(given.when)
        return RuleInfo(given.id, given.kind, (), given.status, require, when, given.products, given.outcome)

    def infer(given: InferInfo) -> InferInfo:
        return replace(given, shape=shared(given.shape), dtype=shared(given.dtype), format=maybe(given.format))

    def row(given: PrecisionInfo) -> PrecisionInfo:
        roles, settings = (tuple((name, shared(node)) for name, node in some) for some in (given.roles, given.settings))
        return replace(given, roles=roles, when=maybe(given.when), settings=settings)

    return replace(
        info,
        name="",
        snake="",
        header="",
        category="",
        summary=_NOTHING,
        spec="",
        params=tuple(map(param, info.params)),
        lets=tuple(replace(let, value=shared(let.value), doc=None) for let in info.lets),
        rules=tuple(map(rule, info.rules)),
        infer=tuple(map(infer, info.infer)),
        compute=ComputeInfo("", tuple(map(row, info.compute.precision)), ()),
        examples=(),
    )


@lru_cache(maxsize=1 << 14)
def shared(node: Node) -> Node:
    """The tree that stands for all that are equal to it: to compare two is then mostly to see that they are one."""
    return rebuild(node, shared)


def trees(info: OperatorInfo) -> Iterator[Node]:
    """Every tree of an operator that its functions depend on."""
    found = [node for rule in info.rules for node in (rule.require, rule.when)]
    found += [node for entry in info.infer for node in (entry.shape, entry.dtype, entry.format)]
    found += [node for row in info.compute.precision for node in (row.when, *(value for _, value in row.entries))]
    found += [node for param in info.params for node in (param.required, param.checked)]
    found += [let.value for let in info.lets]
    return (node for node in found if node is not None)
