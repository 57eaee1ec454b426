"""Inference, precision and tolerance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aclspec.codegen.compile.context import Context, Path, in_order, text, type_of
from aclspec.codegen.compile.status import known_products
from aclspec.codegen.findings import did_you_mean
from aclspec.codegen.spec.base import Expression
from aclspec.runtime.info import ComputeInfo, InferInfo, PrecisionInfo, ToleranceInfo
from aclspec.runtime.predicate.nodes import Node


def compile_infer(context: Context) -> tuple[InferInfo, ...]:
    """The inference of each output, in C order."""
    known_outputs(context, "infer", tuple(context.spec.infer))
    found = []
    for param in context.spec.params:
        entry = context.spec.infer.get(param.name)
        if entry is None:
            if param.direction == "out" and type_of(param).predicate == "tensor":
                text_ = f"An output ({param.name}) has no inference; expected its shape and dtype under infer."
                context.report(("infer",), "missing-infer", text_, key=True)
            continue
        path: Path = ("infer", param.name)
        scope = context.input_scope
        shape = context.expression((*path, "shape"), entry.shape, "ints", "The shape", scope)
        dtype = context.expression((*path, "dtype"), entry.dtype, "dtype", "The dtype", scope)
        format_ = context.expression((*path, "format"), entry.format, "format", "The format", scope)
        if shape is not None and dtype is not None:
            found.append(InferInfo(param.name, shape, dtype, format_))
    return tuple(found)


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
