"""Inference, precision and the expected outputs of examples follow from the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

from aclspec.codegen.analysis.consistency.rules import type_facts
from aclspec.codegen.analysis.facts import FALSE, possible
from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.context import Context, Path
from aclspec.codegen.compile.lower import Lets
from aclspec.codegen.compile.numbers import MAX_ELEMENTS
from aclspec.codegen.source.findings import did_you_mean, listing
from aclspec.codegen.spec.operator import Compute
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.language.nodes import Call, Compare, InRows, Int, Node, children
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.interpreter import (
    INFERRED,
    UNDEFINED,
    Environment,
    evaluate,
    evaluate_node,
    undefined_by,
)
from aclspec.runtime.rules.operator_info import (
    MODES,
    ExampleInfo,
    ExampleValue,
    OperatorInfo,
    ParamInfo,
    RuleInfo,
    TensorValue,
)
from aclspec.runtime.rules.sentences import failure
from aclspec.runtime.tensors.coercion import scalar_of
from aclspec.runtime.tensors.tensor import Tensor


def check_compute(context: Context, info: OperatorInfo) -> None:
    """Every product ends in a row without a guard, every row can be reached, all rows name the same things."""
    compute, rows = context.spec.compute, info.compute.precision
    if compute is None:
        return
    open_to: set[str] = set()
    for index, row in enumerate(rows):
        products = set(row.products or context.product_keys)
        if products <= open_to:
            text = "A row of the precision table is never reached: the rows before it answer for all its products."
            context.report(("compute", "precision", index), "dead", text)
        if row.when is None:
            open_to |= products
    missing = [key for key in context.listed if key not in open_to and key in context.product_keys]
    if missing and len(rows) == len(compute.precision):
        text = f"The precision table may have no row for {listing(missing)}; expected a last one without a guard."
        context.report(("compute", "precision"), "missing-row", text, key=True)
    for tolerance in info.compute.tolerance:
        if possible(Compare(">=", Lets(info.lets).expand(tolerance.terms), Int(0)), type_facts(info)) == FALSE:
            text = f"The number of terms of {tolerance.param} ({unparse(tolerance.terms)}) is negative"
            path: Path = ("compute", "tolerance", tolerance.param, "terms")
            context.report(path, "value", f"{text}; expected how many terms each element sums.")
    _check_names(context, compute, "roles", "dtype")
    _check_names(context, compute, "settings", "value")
    for index, entry in enumerate(compute.precision):
        for name in entry.settings:
            if name in entry.roles:
                text = f"A setting ({name}) has the name of a role; the kernel gets both in one mapping."
                context.report(("compute", "precision", index, "settings", name), "duplicate-id", text, key=True)


def _check_names(context: Context, compute: Compute, section: str, what: str) -> None:
    """Every row has the roles, or the settings, of every other row."""
    rows: list[dict[str, Any]] = [getattr(row, section) for row in compute.precision]
    known = dict.fromkeys(name for row in rows for name in row)
    for index, row in enumerate(rows):
        lacking = [name for name in known if name not in row]
        if lacking:
            text = f"A row of the precision table gives no {what} for {listing(lacking)}, for which another row does."
            context.report(("compute", "precision", index, section), "missing-key", text, key=True)


def check_infer(context: Context, info: OperatorInfo, compiled: ChecksCompiler) -> None:
    """Check every rule that an inference names."""
    for param, entry in context.spec.infer.items():
        for position, rule_id in enumerate(entry.relies_on):
            path: Path = ("infer", param, "relies_on", position)
            if rule_id in compiled.paths:
                wrong = _unreliable(info, info.rule(rule_id))
                if rule_id in entry.relies_on[:position]:
                    wrong = "is named twice"
                if wrong is not None:
                    context.report(path, "relies-on", f"A rule ({rule_id}) under relies_on {wrong}.")
            elif rule_id not in compiled.attempted:
                hint = did_you_mean(rule_id, compiled.paths)
                context.report(path, "unknown-rule", f"A rule ({rule_id}) under relies_on does not exist{hint}")


def check_data_dependent(context: Context, info: OperatorInfo) -> None:
    """An output whose first axis depends on the data has a first axis."""
    lets, shapes = Lets(info.lets), {entry.param: entry.shape for entry in info.infer}
    for index, param in enumerate(context.spec.params):
        if param.data_dependent and param.rank[0] == 0 and param.name in shapes:
            length = Call("len", (lets.expand(shapes[param.name]),))
            if possible(Compare("==", length, Int(0)), type_facts(info)) != FALSE:
                text = f"An output ({param.name}) whose first axis depends on the data may have rank 0"
                context.report(
                    ("params", index, "data_dependent"), "value", f"{text}; expected a rank from 1 on.", key=True
                )


def _unreliable(info: OperatorInfo, rule: RuleInfo) -> str | None:
    """Why a rule does not refuse every call for which nothing follows; None when it does."""
    outputs = [param.name for param in info.params if param.direction == "out" and param.name in rule.params]
    lacking = [mode for mode in MODES if mode not in dict(rule.status)]
    shortcuts = [one.id for one in info.rules[: info.rules.index(rule)] if one.kind == "shortcut"]
    if rule.require is None:
        return "requires nothing"
    if rule.outcome != "error":
        return "refuses no call: its outcome is undefined"
    if outputs:
        return f"speaks of an output ({outputs[0]}), which is what is inferred"
    if rule.products:
        return f"is enforced only on {listing(rule.products)}; expected one that is enforced on every product"
    if lacking:
        return f"is not enforced in {listing(lacking)} mode; expected one that is enforced in both modes"
    if _asks_rows(rule.require):
        return "asks the dtype rows, which depend on the product; an inference does not know it"
    if shortcuts:
        return f"is not reached by a call that takes a shortcut before it ({shortcuts[0]})"
    return None


def _asks_rows(node: Node) -> bool:
    return isinstance(node, InRows) or any(map(_asks_rows, children(node)))


def check_examples(context: Context, info: OperatorInfo) -> None:
    """Evaluate every example on every product that it holds for."""
    for index, example in enumerate(info.examples):
        call = example_call(info, example)
        products = example.products or tuple(key for key, _ in info.products)
        broken: dict[str, list[str]] = {}
        for equivalent in _equivalent_products(info, products):
            failing = evaluate(info, call, equivalent[0], "document").failing
            for rule_id in (failing or undefined_by(info, call, equivalent[0], "document"))[:1]:
                broken.setdefault(rule_id, []).extend(equivalent)
        for rule_id, found in broken.items():
            ordered = [product for product in products if product in found]
            sentence = failure(info, info.rule(rule_id), call, ordered[0], "document")
            text = f"An example ({example.id}) breaks a rule ({rule_id}) on {listing(ordered)}: {sentence}"
            context.report(("examples", index), "example-rule", text)
        if not broken:
            _check_outputs(context, info, ("examples", index), example, call)


def _equivalent_products(info: OperatorInfo, products: Iterable[str]) -> Iterable[list[str]]:
    """The products in groups that no rule and no dtype row distinguishes."""
    listed = {key for key, _ in info.products}
    limits = (*(rule.products for rule in info.rules), *(row.products for row in info.rows), listed)
    groups: dict[tuple[bool, ...], list[str]] = {}
    for product in products:
        groups.setdefault(tuple(product in limit for limit in limits), []).append(product)
    return groups.values()


def example_call(info: OperatorInfo, example: ExampleInfo) -> dict[str, object]:
    """The arguments of an example as the interpreter takes them; an output that is not given is inferred."""
    inputs, outputs = dict(example.inputs), dict(example.outputs)
    call: dict[str, object] = {}
    for param in info.params:
        value = inputs.get(param.name) if param.direction != "out" else outputs.get(param.name, ...)
        if param.data_dependent:  # the example states the part that is written
            value = ...
        call[param.name] = INFERRED if value is ... else _argument(param, value)
    return call


def _argument(param: ParamInfo, value: ExampleValue) -> object:
    if isinstance(value, tuple) and param.type == "tensor_list":
        return tuple(_argument(param, one) for one in value)
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
    """Each output that is not switched off has the shape and the dtype that the example expects: those by inference, or
    those that a tensor written in place has before the call.
    """
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
        elif param.direction == "inout" and isinstance(given := call[param.name], Tensor) and value is not None:
            _compare(context, (*where, "shape"), example, value, given.shape, "before the call it has")
            _compare(context, (*where, "dtype"), example, value, given.dtype.name, "before the call it has")
        elif param.name in rules:
            rule = rules[param.name]
            for what, node in (("shape", rule.shape), ("dtype", rule.dtype)):
                found = evaluate_node(node, env)
                if what == "shape" and found is not UNDEFINED and _elements(found) > MAX_ELEMENTS:
                    text = f"An example ({example.id}) has an output ({param.name}) of {_elements(found)} elements"
                    context.report(path, "example-output", f"{text}; expected at most {MAX_ELEMENTS}.")
                elif found is UNDEFINED:
                    text = f"An example ({example.id}) has no {what} of an output ({param.name}): none is inferred."
                    context.report(path, "example-output", text)
                elif value is not None:
                    if param.data_dependent and what == "shape" and isinstance(value, TensorValue):
                        found = _cut(found, value.shape, param.data_dependent == "last")
                    _compare(context, (*where, what), example, value, found, "inference gives")


def _elements(shape: tuple[Any, ...]) -> int:
    """The elements of a tensor of this shape, or of a list of tensors of these shapes."""
    return sum(map(_elements, shape)) if isinstance(next(iter(shape), 0), tuple) else prod(shape)


def _cut(bound: tuple[int, ...], shape: tuple[int, ...], is_last: bool) -> tuple[int, ...]:
    """A bound with the length of the first axis, or of the last, that a shape has, unless it is beyond the bound."""
    if not bound or not shape:
        return bound
    return (*bound[:-1], min(bound[-1], shape[-1])) if is_last else (min(bound[0], shape[0]), *bound[1:])


def _compare(
    context: Context,
    where: Path,
    example: ExampleInfo,
    value: TensorValue | tuple[TensorValue, ...],
    derived: Any,
    because: str,
) -> None:
    what, name = where[-1], where[-2]
    is_list = isinstance(value, tuple)
    stated = [one.shape if what == "shape" else one.dtype for one in (value if isinstance(value, tuple) else (value,))]
    wanted = [_plain(what, one) for one in stated]
    found = [_plain(what, one) for one in (derived if is_list else [derived])]
    if wanted != found:
        given, expected = (wanted, found) if is_list else (wanted[0], found[0])
        text = f"An example ({example.id}) expects a {what} ({given}) of {name}; {because} {expected}."
        context.report(where, "example-output", text)


def _plain(what: str | int, fact: Any) -> Any:
    """A shape as a list, a dtype as its name."""
    return list(fact) if what == "shape" else str(fact)
