"""Inference, precision and tolerance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aclspec.codegen.compile.context import Context, Path, in_order, text, type_of
from aclspec.codegen.compile.status import known_products
from aclspec.codegen.findings import did_you_mean
from aclspec.codegen.predicate.types import Checker
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.spec.base import Expression
from aclspec.codegen.spec.operator import Inference
from aclspec.runtime.info import ComputeInfo, InferInfo, PrecisionInfo, ToleranceInfo
from aclspec.runtime.predicate.functions import ELEMENTS
from aclspec.runtime.predicate.nodes import Each, Node


def compile_infer(context: Context) -> tuple[InferInfo, ...]:
    """The inference of each output, in C order."""
    known_outputs(context, "infer", tuple(context.spec.infer))
    found = []
    for param in context.spec.params:
        entry = context.spec.infer.get(param.name)
        if entry is None:
            if param.direction == "out":
                text_ = f"An output ({param.name}) has no inference; expected its shape and dtype under infer."
                context.report(("infer",), "missing-infer", text_, key=True)
            continue
        infer = _of_list if type_of(param).predicate == "tensors" else _of_tensor
        info = infer(context, param.name, entry)
        if info is not None:
            found.append(info)
    return tuple(found)


def _of_tensor(context: Context, name: str, entry: Inference) -> InferInfo | None:
    path: Path = ("infer", name)
    scope = context.input_scope
    shape = context.expression((*path, "shape"), entry.shape, "ints", "The shape", scope)
    dtype = context.expression((*path, "dtype"), entry.dtype, "dtype", "The dtype", scope)
    format_ = context.expression((*path, "format"), entry.format, "format", "The format", scope)
    return None if shape is None or dtype is None else InferInfo(name, shape, dtype, format_, entry.relies_on)


def _of_list(context: Context, name: str, entry: Inference) -> InferInfo | None:
    """The inference of a list of tensors: ``[shape(t) for t in x]``, and a dtype and a format over the same list."""
    path: Path = ("infer", name)
    shape = _each(context, (*path, "shape"), entry.shape, "ints", None)
    dtype = _each(context, (*path, "dtype"), entry.dtype, "dtype", shape)
    format_ = None if entry.format is None else _each(context, (*path, "format"), entry.format, "format", shape)
    return None if shape is None or dtype is None else InferInfo(name, shape, dtype, format_, entry.relies_on)


def _each(context: Context, path: Path, value: Expression, kind: str, like: Each | None) -> Each | None:
    """An expression ``[... for v in list]``, over the same list as another one."""
    node = context.parse(path, value)
    if node is None:
        return None
    if not isinstance(node, Each) or (like is not None and (node.var, node.over) != (like.var, like.over)):
        wanted = "[... for t in a list]" if like is None else f"[... for {like.var} in {unparse(like.over)}]"
        text_ = f"What is inferred of a list of tensors is one expression ({unparse(node)}); expected {wanted}."
        context.report(path, "type", text_)
        return None
    scope = context.input_scope
    if not context.check(node.over, None, "The list", scope):
        return None
    element = ELEMENTS.get(Checker(scope).type_of(node.over, scope) or "")
    if element is None or node.var in scope:
        context.report(path, "type", f"The list ({unparse(node)}) runs over no list with a variable of its own.")
        return None
    inside = {**scope, node.var: element}
    return node if context.check(node.body, kind, f"The {path[-1]} of an element", inside) else None


def known_outputs(context: Context, section: str, names: tuple[str, ...], prefix: Path = ()) -> None:
    """Report keys of a section that name no output tensor."""
    outputs = [param.name for param in context.spec.params if param.direction != "in"]
    for name in names:
        if name not in outputs:
            what = "is an input" if name in context.params else "does not exist"
            hint = did_you_mean(name, outputs)
            text_ = f"A key of {section} names a parameter ({name}) that {what}; expected an output{hint}"
            context.report((*prefix, section, name), "unknown-param", text_, key=True)


def compile_compute(context: Context) -> ComputeInfo:
    """The kernel, the precision table and the tolerances."""
    compute = context.spec.compute
    precision = tuple(row for index in range(len(compute.precision)) if (row := _precision(context, index)) is not None)
    return ComputeInfo(compute.kernel, precision, _tolerances(context), compute.deterministic)


def _precision(context: Context, index: int) -> PrecisionInfo | None:
    row = context.spec.compute.precision[index]
    path: Path = ("compute", "precision", index)
    roles = []
    for role, value in row.roles.items():
        node = context.expression((*path, "roles", role), value, "dtype", "The dtype of a role", context.input_scope)
        if node is not None:
            roles.append((role, node))
    known_products(context, (*path, "products"), row.products or ())
    when = context.expression((*path, "when"), row.when, "bool", "The guard", context.input_scope)
    products = in_order(row.products or (), context.product_keys)
    return PrecisionInfo(tuple(roles), products, when, text(row.doc), tuple(_settings(context, path, row.settings)))


def _settings(context: Context, path: Path, settings: Mapping[str, Expression]) -> Iterator[tuple[str, Node]]:
    """The settings of a row, each a string or an int."""
    for name, value in settings.items():
        place = (*path, "settings", name)
        node = context.parse(place, value)
        if node is not None and context.check(node, ("string", "int"), "A setting", context.input_scope):
            yield name, node


def _tolerances(context: Context) -> tuple[ToleranceInfo, ...]:
    table = context.spec.compute.tolerance
    known_outputs(context, "tolerance", tuple(table), ("compute",))
    roles = {role: "dtype" for row in context.spec.compute.precision for role in row.roles}
    found = []
    for param in context.spec.params:
        if param.direction == "in" or type_of(param).predicate not in ("tensor", "tensors"):
            continue
        entry = table.get(param.name)
        if entry is None:
            text_ = f"An output ({param.name}) has no tolerance; expected its terms and unit."
            context.report(("compute", "tolerance"), "missing-tolerance", text_, key=True)
            continue
        path: Path = ("compute", "tolerance", param.name)
        terms = context.expression((*path, "terms"), entry.terms, "int", "The number of terms")
        unit = context.expression((*path, "unit"), entry.unit, "dtype", "The unit", roles | context.scope)
        if terms is not None and unit is not None:
            found.append(ToleranceInfo(param.name, terms, unit, float(entry.factor)))
    return tuple(found)
