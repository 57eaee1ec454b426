"""Examples keep the rules that they illustrate, and expect what inference promises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from aclspec.codegen.compile.context import Context, Path
from aclspec.codegen.findings import listing
from aclspec.codegen.same import Made, Same, remembered
from aclspec.runtime.convert import scalar_of
from aclspec.runtime.dtypes import DType
from aclspec.runtime.formats import Format
from aclspec.runtime.info import ExampleInfo, ExampleValue, Mode, OperatorInfo, ParamInfo, TensorValue
from aclspec.runtime.predicate.interp import INFERRED, UNDEFINED, Environment, Memory, evaluate, evaluate_node
from aclspec.runtime.predicate.nodes import InRows, Node
from aclspec.runtime.predicate.sentences import failure
from aclspec.runtime.predicate.walk import children
from aclspec.runtime.tensor import Tensor


def check_examples(context: Context, info: OperatorInfo) -> None:
    """Call the interpreter with every example on every product that it holds for."""
    by_product = _by_product(info)
    for index, example in enumerate(info.examples):
        call, memory = example_call(info, example), _memory_of(info, example)
        broken: dict[str, list[str]] = {}
        asked = example.products or tuple(key for key, _ in info.products)
        rules = info
        for alike in _alike(info, asked):
            report = evaluate(rules, call, alike[0], "document", memory)
            if not report.failing and report.shortcut is None:
                rules = by_product
            for rule_id in report.failing[:1]:
                broken.setdefault(rule_id, []).extend(alike)
        for rule_id, found in broken.items():
            products = [product for product in asked if product in found]
            sentence = failure(info, info.rule(rule_id), call, products[0], "document")
            text = f"An example ({example.id}) breaks a rule ({rule_id}) on {listing(products)}: {sentence}"
            context.report(("examples", index), "example-rule", text)
        if not broken:
            _check_outputs(context, info, ("examples", index), example, call)


class _Memory(Memory):
    """What predicates say of an example in all operators that take it for the same call."""

    def __init__(self) -> None:
        """Nothing said yet."""
        super().__init__()
        self._first: tuple[dict[str, object], dict[Node, object]] | None = None

    def of(self, info: OperatorInfo, product: str, mode: Mode) -> tuple[dict[str, object], dict[Node, object]]:
        """With other rows only what asks for rows is not known yet."""
        names, said = super().of(info, product, mode)
        if self._first is None:
            self._first = names, said
        elif not names:
            names.update(self._first[0])
            said.update((node, value) for node, value in self._first[1].items() if not _asks_rows(node))
        return names, said


_MEMORIES = Made[_Memory](64)


def _memory_of(info: OperatorInfo, example: ExampleInfo) -> _Memory:
    """The memory of a call: of its arguments as they are written, and of the parameters and lets by themselves."""
    written = repr((example.inputs, example.outputs))
    return _MEMORIES.of((written, tuple(map(Same, info.params)), tuple(map(Same, info.lets))), _Memory)


def _alike(info: OperatorInfo, products: Iterable[str]) -> Iterable[list[str]]:
    """The products, those together that no rule and no dtype row tells apart."""
    listed = {key for key, _ in info.products}
    groups: dict[tuple[bool, ...], list[str]] = {}
    for product in products:
        limits = (*(rule.products for rule in info.rules), *(row.products for row in info.rows), listed)
        groups.setdefault(tuple(product in limit for limit in limits), []).append(product)
    return groups.values()


def _by_product(info: OperatorInfo) -> OperatorInfo:
    """The operator with only those rules that may say something else on another product."""
    told_apart = (rule for rule in info.rules if rule.products or rule.kind in ("product", "shortcut"))
    of_rows = (rule for rule in info.rules if rule.require is not None and _asks_rows(rule.require))
    kept = {rule.id for rule in (*told_apart, *of_rows)}
    return replace(info, rules=tuple(rule for rule in info.rules if rule.id in kept))


@remembered
def _asks_rows(node: Node) -> bool:
    return isinstance(node, InRows) or any(map(_asks_rows, children(node)))


def example_call(info: OperatorInfo, example: ExampleInfo) -> dict[str, object]:
    """The arguments of an example as the interpreter takes them; an output that is not given is inferred."""
    inputs, outputs = dict(example.inputs), dict(example.outputs)
    call: dict[str, object] = {}
    for param in info.params:
        value = inputs.get(param.name) if param.direction != "out" else outputs.get(param.name, ...)
        call[param.name] = INFERRED if value is ... else _argument(param, value)
    return call


def _argument(param: ParamInfo, value: ExampleValue) -> object:
    if not isinstance(value, TensorValue):
        return scalar_of(value) if param.type == "scalar" else value
    format_ = value.format or default_format(param, len(value.shape))
    return Tensor(shape=value.shape, dtype=DType[value.dtype], format=Format[format_] if format_ else None)


def default_format(param: ParamInfo, rank: int) -> str | None:
    """The first format that the parameter allows for a rank."""
    table = dict(param.formats)
    formats = table.get(rank, table.get(-1, ()))
    return formats[0] if formats else None


def _check_outputs(
    context: Context, info: OperatorInfo, path: Path, example: ExampleInfo, call: Mapping[str, object]
) -> None:
    """Each output that is not switched off has a shape and a dtype by inference, as the example expects."""
    products = example.products or tuple(key for key, _ in info.products)
    env = Environment(info, call, products[0], "document")
    rules = {entry.param: entry for entry in info.infer}
    expected = dict(example.outputs)
    for param in info.params:
        value, where = expected.get(param.name), (*path, "outputs", param.name)
        if param.required is not None and evaluate_node(param.required, env) is False:
            if value is not None:
                text = f"An example ({example.id}) expects an output ({param.name}) that its inputs switch off."
                context.report(where, "example-output", text, key=True)
        elif param.name in rules:
            rule = rules[param.name]
            for what, node in (("shape", rule.shape), ("dtype", rule.dtype)):
                found = evaluate_node(node, env)
                if found is UNDEFINED:
                    text = f"An example ({example.id}) has no {what} of an output ({param.name}): none is inferred."
                    context.report(path, "example-output", text)
                elif value is not None:
                    _compare(context, (*where, what), example, value, found)


def _compare(context: Context, where: Path, example: ExampleInfo, value: TensorValue, inferred: Any) -> None:
    what, name = where[-1], where[-2]
    wanted, found = (list(value.shape), list(inferred)) if what == "shape" else (value.dtype, str(inferred))
    if wanted != found:
        text = f"An example ({example.id}) expects a {what} ({wanted}) of {name}; inference gives {found}."
        context.report(where, "example-output", text)
