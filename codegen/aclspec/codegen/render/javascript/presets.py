"""The calls that the form of an operator can start from: the examples of its spec, and derived calls that fail."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from aclspec.codegen.render.javascript.argumenttext import argument_text
from aclspec.codegen.render.names import rule_of
from aclspec.runtime.info import OperatorInfo, RuleInfo
from aclspec.runtime.predicate.interp import INFERRED, Environment, Memory, evaluate
from aclspec.runtime.testing.data import argument
from aclspec.runtime.testing.suite import Case, Suite

_FAILING = 3
_ODD = re.compile(r"\[(.*,)?(0|-\d+)[],]")
_KINDS = ("rule", "dtypes", "rank", "dtype", "format", "value", "length", "empty", "contiguous", "null")
"""The kinds of rules in the order in which a call that breaks one teaches something."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A call by the texts of its arguments, without the outputs that are inferred; ``rule`` is the one it breaks."""

    texts: Mapping[str, str]
    product: str
    title: tuple[str, str] | None = None
    rule: str | None = None


def presets(info: OperatorInfo, suite: Suite, default: str) -> tuple[Preset, ...]:
    """The examples, then a few calls that each break another rule in document mode."""
    listed = [key for key, _ in info.products]
    usual = default if default in listed or not listed else listed[0]
    return (*_examples(info, usual), *_failing(info, suite, usual))


def _examples(info: OperatorInfo, usual: str) -> Iterator[Preset]:
    for example in info.examples:
        texts = {name: argument_text(info.param(name), value) for name, value in example.inputs}
        product = usual if not example.products or usual in example.products else example.products[0]
        yield Preset(texts, product, title=(example.title.en, example.title.zh))


def _failing(info: OperatorInfo, suite: Suite, usual: str) -> list[Preset]:
    """The first calls whose outputs may be left to inference, and which then fail by a rule not yet shown."""
    rules = {rule.id: rule for rule in info.rules}
    cases = [(case, rule) for case in suite.violations if (rule := rule_of(case.id, rules)) is not None]
    found: dict[str, Preset] = {}
    for case, rule in _ranked(suite, cases):
        preset = None if rule.id in found else _broken(info, suite, case, rule, usual)
        if preset is not None:
            found[rule.id] = preset
        if len(found) == _FAILING:
            break
    return list(found.values())


def _broken(info: OperatorInfo, suite: Suite, case: Case, rule: RuleInfo, product: str) -> Preset | None:
    """The call, if with its outputs left to inference it still fails by this rule."""
    literals = suite.call(case)
    outputs = {param.name for param in info.params if param.direction == "out"}
    given = {name: value for name, value in literals.items() if name not in outputs}
    call = {param.name: _argument(literals[param.name], param.type) for param in info.params if param.name in given}
    whole = call | dict.fromkeys(outputs, INFERRED)
    memory = Memory()
    alone = Environment(info, whole, product, "document", {}, *memory.of(info, product, "document"))
    if rule.require is not None and alone.said(rule.require) is not False:
        return None  # nor is any other rule worth asking
    until = info.rules.index(rule) + 1
    asked = (*info.rules[:until], *(later for later in info.rules[until:] if later.kind == "product"))
    report = evaluate(replace(info, rules=asked), whole, product, "document", memory)
    if report.first != rule.id:
        return None
    return Preset(
        {name: argument_text(info.param(name), value) for name, value in call.items()}, product, rule=report.first
    )


def _argument(literal: object, kind: str) -> object:
    """The argument of a literal; a text often comes again."""
    return _argument_of(literal, kind) if isinstance(literal, str) else argument(literal, kind)


_argument_of = lru_cache(maxsize=1 << 12)(argument)


def _ranked(suite: Suite, cases: Iterable[tuple[Case, RuleInfo]]) -> Iterator[tuple[Case, RuleInfo]]:
    """Kinds that teach something first, and calls without an empty or negative dimension, often another matter."""
    for _, alike in groupby(sorted(cases, key=_kind), key=_kind):
        odd = []
        for case, rule in alike:
            if any(map(_is_odd, suite.call(case).values())):
                odd.append((case, rule))
            else:
                yield case, rule
        yield from odd


def _kind(one: tuple[Case, RuleInfo]) -> int:
    """Where the kind of a case's rule stands."""
    kind = one[1].kind
    return _KINDS.index(kind) if kind in _KINDS else len(_KINDS)


def _is_odd(value: object) -> bool:
    if isinstance(value, tuple):
        return any(map(_is_odd, value))
    return isinstance(value, str) and _is_odd_text(value)


@lru_cache(maxsize=1 << 12)
def _is_odd_text(text: str) -> bool:
    return _ODD.search(text) is not None
