"""The reference of an operator: its formulas, what they may name, and that every output has one."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from aclspec.codegen.compile.context import Context, Path, type_of
from aclspec.codegen.source.findings import did_you_mean, one_of
from aclspec.codegen.source.naming import Name
from aclspec.codegen.spec.operator import Compute
from aclspec.codegen.spec.reference import Reference
from aclspec.runtime.language.nodes import IfElse, Node
from aclspec.runtime.language.nodes import Name as Variable
from aclspec.runtime.rules.operator_info import OperatorInfo, ReferenceInfo, RoundingInfo
from aclspec.runtime.testing.formula import FormulaError, parse_formula
from aclspec.runtime.testing.magnitude import FUNCTIONS, SHAPES, TORCH_NAMES

_PATH: Path = ("compute", "reference")
_KEYS = {
    "formula": {"formula"},
    "torch": {"torch", "arguments", "outputs"},
    "gradient": {"gradient", "arguments", "outputs", "upstream", "saved"},
}
_ANY = {"rounding", "unchecked"}


def compile_reference(context: Context) -> ReferenceInfo | None:
    """The compiled reference; None where there is none, or a mistake in its kind."""
    compute = context.spec.compute
    reference = None if compute is None else compute.reference
    if compute is None or reference is None:
        return None
    kinds = [kind for kind in _KEYS if kind in reference.model_fields_set]
    if len(kinds) != 1:
        named = " and ".join(kinds) or "none"
        context.report(_PATH, "value", f"A reference has one of formula, torch and gradient ({named}).", key=True)
        return None
    (kind,) = kinds
    for key in sorted(reference.model_fields_set - _KEYS[kind] - _ANY):
        text = f"A reference by {kind} has a key ({key}) that is not its own; expected one of {one_of(_KEYS[kind])}."
        context.report((*_PATH, key), "unknown-key", text, key=True)
    outputs = dict(reference.formula or reference.outputs)
    _check_outputs(context, reference, outputs, "formula" if kind == "formula" else "outputs")
    inputs = _inputs(context)
    if kind == "gradient":
        _check_gradient(context, reference, inputs)
    else:
        _check_formulas(context, "formula" if kind == "formula" else "outputs", outputs, kind, {"result"})
    _check_formulas(context, "arguments", reference.arguments, kind, set())
    forward = "" if reference.gradient is None else Name(reference.gradient).snake
    return ReferenceInfo(
        kind=kind,  # type: ignore[arg-type]
        outputs=tuple(outputs.items()),
        target=reference.torch or forward,
        arguments=tuple(reference.arguments.items()),
        upstream=tuple(reference.upstream.items()),
        saved=tuple(reference.saved.items()),
        rounding=_roundings(context, compute, reference, inputs),
    )


def _inputs(context: Context) -> list[str]:
    return [param.name for param in context.spec.params if param.direction != "out"]


def _check_outputs(context: Context, reference: Reference, outputs: Mapping[str, str], key: str) -> None:
    """Every output tensor, and list of them, has an answer or a reason why it has none."""
    kinds = ("tensor", "tensors")
    tensors = [p.name for p in context.spec.params if p.direction != "in" and type_of(p).predicate in kinds]
    for section, names in ((key, outputs), ("unchecked", reference.unchecked), ("rounding", reference.rounding)):
        for name in names:
            _known(context, (*_PATH, section, name), name, tensors, "an output tensor")
    for name in tensors:
        if name not in outputs and name not in reference.unchecked:
            text = f"An output ({name}) has no reference; expected it under {key}, or a reason under unchecked."
            context.report(_PATH, "missing-reference", text, key=True)


def _known(context: Context, path: Path, name: str, names: Collection[str], what: str) -> None:
    if name not in names:
        text = f"A reference names a parameter ({name}) that is not {what}{did_you_mean(name, names)}"
        context.report(path, "unknown-param", text, key=True)


def _check_formulas(context: Context, section: str, texts: Mapping[str, str], kind: str, more: set[str]) -> None:
    """The formulas of a section parse, and name inputs, lets, settings and functions that there are."""
    rows = () if context.spec.compute is None else context.spec.compute.precision
    names = {*_inputs(context), *context.lets, *(name for row in rows for name in row.settings), "null"}
    names |= more if kind == "torch" else set()
    functions = {**SHAPES, **dict.fromkeys(TORCH_NAMES)} if kind == "torch" else FUNCTIONS
    for key, text in texts.items():
        path = (*_PATH, section, key)
        try:
            formula = parse_formula(text)
        except FormulaError as error:
            context.report(path, "syntax", str(error))
            continue
        for name in sorted(formula.names - names):
            hint = did_you_mean(name, {*names, "true", "false"})
            context.report(path, "unknown-name", f"A formula names something unknown ({name}); expected an input{hint}")
        if kind == "torch" and section == "outputs" and _may_be_null(formula.tree):
            text = (
                f"A formula ({text}) may give null for an output; expected a tensor, of NaN where nothing is compared."
            )
            context.report(path, "value", text)
        for name in sorted(formula.functions - set(functions)):
            hint = did_you_mean(name, functions)
            context.report(path, "unknown-function", f"A formula calls a function ({name}) that is unknown here{hint}")


def _may_be_null(tree: Node) -> bool:
    """Whether one of the values that a formula chooses between is null."""
    if isinstance(tree, IfElse):
        return _may_be_null(tree.then) or _may_be_null(tree.orelse)
    return tree == Variable("null")


def _check_gradient(context: Context, reference: Reference, inputs: list[str]) -> None:
    """The inputs that a gradient names are inputs; what it names of the forward operator, `check_forward` looks at."""
    if not reference.upstream:
        text = "A gradient names no upstream; expected for each forward output the input that holds its gradient."
        context.report(_PATH, "missing-reference", text, key=True)
    for name, own in reference.upstream.items():
        _known(context, (*_PATH, "upstream", name), own, inputs, "an input")
    for own in reference.saved:
        _known(context, (*_PATH, "saved", own), own, inputs, "an input")


def check_forward(context: Context, reference: ReferenceInfo, operators: Mapping[str, OperatorInfo]) -> None:
    """What a gradient names of the forward operator is there; ``operators`` are all, by module."""
    named = None if context.spec.compute is None else context.spec.compute.reference
    forward = operators.get(reference.target)
    own = None if forward is None else forward.compute.reference
    if forward is None or own is None or own.kind == "gradient":
        what = "is none of these specs" if forward is None else "has no reference by formula or torch"
        text = f"The forward operator of a reference ({named.gradient if named else ''}) {what}."
        context.report((*_PATH, "gradient"), "unknown-operator", text)
        return
    inputs = [param.name for param in forward.params if param.direction != "out"]
    outputs = [param.name for param in forward.params if param.direction != "in"]
    answered = [name for name, _ in own.outputs]
    given = {name for name, _ in reference.arguments} | set(_inputs(context))
    parts = (
        ("arguments", [(name, name) for name, _ in reference.arguments], inputs, "an input"),
        ("outputs", reference.outputs, inputs, "an input"),
        ("upstream", [(name, name) for name, _ in reference.upstream], answered, "an output with a reference"),
        ("saved", reference.saved, outputs, "an output"),
    )
    for section, pairs, names, what in parts:
        for key, name in pairs:
            if name not in names:
                text = f"A reference names a parameter ({name}) that is not {what} of {forward.name}"
                context.report((*_PATH, section, key), "unknown-param", text + did_you_mean(name, names))
    for param in forward.params:
        if param.name in inputs and param.name not in given and not param.optional:
            text = f"An input of {forward.name} ({param.name}) has no value; expected it under arguments."
            context.report(_PATH, "missing-input", text, key=True)


def _roundings(context: Context, compute: Compute, reference: Reference, inputs: list[str]) -> tuple[RoundingInfo, ...]:
    roles = {role: "dtype" for row in compute.precision for role in row.roles}
    scope, found = roles | context.scope, []
    for name, entry in reference.rounding.items():
        path: Path = (*_PATH, "rounding", name)
        nodes = []
        for own, value in entry.inputs.items():
            _known(context, (*path, "inputs", own), own, inputs, "an input")
            node = context.expression((*path, "inputs", own), value, "dtype", "The dtype of an input", scope)
            nodes += [] if node is None else [(own, node)]
        sums = context.expression((*path, "sums"), entry.sums, "dtype", "The dtype of sums", scope)
        result = context.expression((*path, "result"), entry.result, "dtype", "The dtype of a result", scope)
        if sums is not None:
            found.append(RoundingInfo(name, tuple(nodes), sums, result))
    return tuple(found)
