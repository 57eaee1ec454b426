"""The calls that the form of an operator can start from: the examples of its spec, and derived calls that fail."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.values import symbol
from aclspec.runtime.rules.interpreter import INFERRED, Environment, evaluate, evaluate_node
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo, RuleInfo, TensorValue
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from aclspec.runtime.testing.expected import argument
from aclspec.runtime.testing.suite import Case, Suite


def argument_text(param: ParamInfo, value: object) -> str:
    """The text of an argument: as an example of a spec, a derived case or a call holds it."""
    return _text(value, PARAM_TYPES[param.type].predicate)


def _text(value: object, predicate: str) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Scalar(value=number, dtype=dtype):
            return f"{_text(number, 'number')}:{dtype.short}"
        case TensorValue(dtype=name, shape=shape, format=format):
            return str(Tensor(shape, DType[name], format))
        case str() if predicate == "string":
            return json.dumps(value, ensure_ascii=False)
        case list() | tuple():
            separator = "; " if predicate in ("tensors", "scalars") else ","
            text = separator.join(_text(item, predicate.removesuffix("s")) for item in value)
            return "null;" if text == "null" else text  # a list that holds a null pointer, rather than one itself
        case DType():
            return symbol(value)
        case _:
            return str(value)


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
    cases = [(case, rule) for case in suite.violations if (rule := _rule_of(case.id, rules)) is not None]
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
    literals, types = suite.call(case), {param.name: param.type for param in info.params if param.direction != "out"}
    call = {name: argument(literals[name], kind) for name, kind in types.items() if name in literals}
    whole = call | {param.name: INFERRED for param in info.params if param.direction == "out"}
    environment = Environment(info, whole, product, "document")
    if rule.require is not None and evaluate_node(rule.require, environment) is not False:
        return None  # the rule holds: spare the others
    if evaluate(info, whole, product, "document").first != rule.id:
        return None
    return Preset({name: argument_text(info.param(name), value) for name, value in call.items()}, product, rule=rule.id)


def _ranked(suite: Suite, cases: Iterable[tuple[Case, RuleInfo]]) -> list[tuple[Case, RuleInfo]]:
    """Kinds that teach something first, and calls without an empty or negative dimension, often another matter."""

    def rank(one: tuple[Case, RuleInfo]) -> tuple[int, bool]:
        case, rule = one
        place = _KINDS.index(rule.kind) if rule.kind in _KINDS else len(_KINDS)
        return place, any(map(_is_odd, suite.call(case).values()))

    return sorted(cases, key=rank)


def _is_odd(value: object) -> bool:
    """Whether a literal has an empty or negative dimension."""
    if isinstance(value, tuple):
        return any(map(_is_odd, value))
    return isinstance(value, str) and _ODD.search(value) is not None


def _rule_of(case: str, rules: Mapping[str, RuleInfo]) -> RuleInfo | None:
    """The rule, of those by their ids, that a violation with this id breaks: its id begins with that of the rule."""
    start, hyphen, _ = case.rpartition("-")
    while hyphen and start not in rules:
        start, hyphen, _ = start.rpartition("-")
    return rules.get(start) if hyphen else None
