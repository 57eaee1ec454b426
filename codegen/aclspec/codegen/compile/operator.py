"""The whole operator, step by step: inference, precision, tolerance and examples among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import cast

from aclspec.codegen.compile.calls import compile_calls
from aclspec.codegen.compile.caveats import compile_caveats
from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.context import Context, Path, beyond, fits, in_order, known_products, text, texts, type_of
from aclspec.codegen.compile.levels import check_level, severity_of_gap
from aclspec.codegen.compile.numbers import MAX_ELEMENTS, holds
from aclspec.codegen.compile.params import ATTRIBUTE_DTYPES, DTYPES, compile_lets, compile_params, compile_rows
from aclspec.codegen.compile.reference import compile_reference
from aclspec.codegen.source.findings import did_you_mean
from aclspec.codegen.source.naming import Name
from aclspec.codegen.spec import operator as model
from aclspec.codegen.spec.base import Expression
from aclspec.codegen.spec.operator import Inference
from aclspec.codegen.wording.rules import with_sentences
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.language.functions import ELEMENTS
from aclspec.runtime.language.nodes import Each, Node
from aclspec.runtime.language.types import Checker
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.levels import LEVELS
from aclspec.runtime.rules.operator_info import (
    ComputeInfo,
    ExampleInfo,
    ExampleValue,
    InferInfo,
    OperatorInfo,
    PrecisionInfo,
    TensorValue,
    ToleranceInfo,
)


def compile_operator(context: Context, spec_path: str) -> tuple[OperatorInfo, ChecksCompiler]:
    """Compile a spec; the result means something only when the context has no errors."""
    spec = context.spec
    check_level(context)
    lets = compile_lets(context)
    params = compile_params(context)
    has_rules = LEVELS[spec.level].has_rules
    rows = compile_rows(context) if has_rules else ()
    checks = ChecksCompiler(context, params, rows)
    rules = checks.compile() if has_rules else ()
    info = OperatorInfo(
        name=spec.op,
        snake=Name(spec.op).snake,
        header=spec.header,
        category=spec.category,
        summary=texts(spec.summary),
        spec=spec_path,
        products=tuple((entry.product, entry.listed_by) for entry in spec.products),
        params=params,
        rows=rows,
        lets=lets,
        rules=rules,
        infer=compile_infer(context) if has_rules else (),
        compute=compile_compute(context),
        examples=compile_examples(context) if has_rules else (),
        level=spec.level,
        caveats=compile_caveats(context) if has_rules else (),
        torch=spec.torch,
    )
    compile_calls(context)
    is_sound = not any(finding.severity == "error" for finding in context.findings)
    return with_sentences(info) if is_sound else info, checks


def compile_infer(context: Context) -> tuple[InferInfo, ...]:
    """The inference of each output, in C order."""
    known_outputs(context, "infer", tuple(context.spec.infer))
    found = []
    for param in context.spec.params:
        entry = context.spec.infer.get(param.name)
        if entry is None:
            if param.direction == "out":
                text_ = f"An output ({param.name}) has no inference; expected its shape and dtype under infer."
                context.report(("infer",), "missing-infer", text_, key=True, severity=severity_of_gap(context.spec))
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
    if compute is None:
        return ComputeInfo("", (), ())
    rows = enumerate(compute.precision)
    precision = tuple(_precision(context, index, row) for index, row in rows)
    reference = compile_reference(context)
    return ComputeInfo(compute.kernel, precision, _tolerances(context, compute), compute.deterministic, reference)


def _precision(context: Context, index: int, row: model.Precision) -> PrecisionInfo:
    path: Path = ("compute", "precision", index)
    roles = []
    for role, value in row.roles.items():
        node = context.expression((*path, "roles", role), value, "dtype", "The dtype of a role", context.scope)
        if node is not None:
            roles.append((role, node))
    known_products(context, (*path, "products"), row.products or ())
    when = context.expression((*path, "when"), row.when, "bool", "The guard", context.scope)
    products = in_order(row.products or (), context.product_keys)
    return PrecisionInfo(tuple(roles), products, when, text(row.doc), tuple(_settings(context, path, row.settings)))


def _settings(context: Context, path: Path, settings: Mapping[str, Expression]) -> Iterator[tuple[str, Node]]:
    """The settings of a row, each a string or an int."""
    for name, value in settings.items():
        place = (*path, "settings", name)
        node = context.parse(place, value)
        if node is not None and context.check(node, ("string", "int"), "A setting", context.scope):
            yield name, node


def _tolerances(context: Context, compute: model.Compute) -> tuple[ToleranceInfo, ...]:
    table = compute.tolerance
    known_outputs(context, "tolerance", tuple(table), ("compute",))
    roles = {role: "dtype" for row in compute.precision for role in row.roles}
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


def compile_examples(context: Context) -> tuple[ExampleInfo, ...]:
    """All examples."""
    seen: set[str] = set()
    found = []
    for index, example in enumerate(context.spec.examples):
        if example.id in seen:
            text = f"An example ({example.id}) is declared twice."
            context.report(("examples", index, "id"), "duplicate-id", text)
        seen.add(example.id)
        found.append(_example(context, index, example))
    return tuple(found)


def _example(context: Context, index: int, example: model.Example) -> ExampleInfo:
    path: Path = ("examples", index)
    known_products(context, (*path, "products"), example.products or ())
    inputs = [p.name for p in context.spec.params if p.direction != "out"]
    outputs = [p.name for p in context.spec.params if p.direction != "in"]
    _known(context, (*path, "inputs"), example.inputs, inputs, "an input")
    _known(context, (*path, "outputs"), example.outputs, outputs, "an output")
    for name in inputs:
        if name not in example.inputs and not context.params[name].optional and not context.params[name].has_default:
            text = f"An example ({example.id}) gives no value for an input ({name})."
            context.report((*path, "inputs"), "missing-input", text, key=True)
    values = {name: example.inputs.get(name, context.params[name].default) for name in inputs}
    given = ((name, _value(context, (*path, "inputs", name), name, value)) for name, value in values.items())
    expected = tuple(
        (name, _expected(context, (*path, "outputs", name), name, example.outputs[name]))
        for name in outputs
        if name in example.outputs
    )
    return ExampleInfo(
        id=example.id,
        title=texts(example.title),
        inputs=tuple(given),
        outputs=expected,
        products=in_order(example.products or (), context.product_keys),
        clauses=example.clauses,
    )


def _known(context: Context, path: Path, given: Iterable[str], names: list[str], what: str) -> None:
    for name in given:
        if name not in names:
            why = "does not exist" if name not in context.params else f"is not {what}"
            text = f"An example names a parameter ({name}) that {why}{did_you_mean(name, names)}"
            context.report((*path, name), "unknown-param", text, key=True)


def _value(context: Context, path: Path, name: str, value: model.ExampleValue) -> ExampleValue:
    """The value of an input, its type checked against the parameter."""
    kind = type_of(context.params[name])
    if isinstance(value, model.TensorValue):
        if kind.predicate != "tensor":
            context.report(path, "example-type", f"An input ({name}) of type {kind.key} is given a tensor.")
        return _tensor(context, path, value)
    if isinstance(value, tuple) and value and isinstance(value[0], model.TensorValue):
        if kind.predicate != "tensors":
            context.report(path, "example-type", f"An input ({name}) of type {kind.key} is given a list of tensors.")
        return tuple(_tensor(context, (*path, at), one) for at, one in enumerate(value))
    plain = cast("bool | int | float | str | tuple[int | bool | float, ...] | None", value)
    if plain is not None and not fits(kind.predicate, plain):
        context.report(
            path, "example-type", f"An input ({name}) of type {kind.key} is given another value ({plain!r})."
        )
    for item in beyond(kind, plain):
        noun = "an integer" if isinstance(item, int) else "a number"
        text = f"An input ({name}) of type {kind.key} is given {noun} ({item}) that its C type cannot hold."
        context.report(path, "example-type", text)
    if kind.predicate == "dtype" and isinstance(plain, str):
        context.is_known(path, "dtype", plain, ATTRIBUTE_DTYPES)
    return plain


def _expected(
    context: Context, path: Path, name: str, value: model.TensorValue | tuple[model.TensorValue, ...]
) -> TensorValue | tuple[TensorValue, ...]:
    """The value of an output: a tensor, or a list of them where the output is one."""
    wants_list = name in context.params and type_of(context.params[name]).predicate == "tensors"
    if isinstance(value, tuple) != wants_list:
        given, wanted = ("a tensor", "a list of tensors") if wants_list else ("a list of tensors", "a tensor")
        context.report(path, "example-type", f"An output ({name}) is given {given}; expected {wanted}.")
    if isinstance(value, tuple):
        return tuple(_tensor(context, (*path, at), one) for at, one in enumerate(value))
    return _tensor(context, path, value)


def _tensor(context: Context, path: Path, value: model.TensorValue) -> TensorValue:
    known = context.is_known((*path, "dtype"), "dtype", value.dtype, DTYPES)
    if value.format is not None:
        context.is_known((*path, "format"), "format", value.format, [format_.name for format_ in Format])
    count, values, shape = prod(value.shape), value.values, list(value.shape)
    if count > MAX_ELEMENTS:
        text = f"A tensor of shape ({shape}) has {count} elements; an example has at most {MAX_ELEMENTS}."
        context.report((*path, "shape"), "value-count", text)
        return TensorValue(value.dtype, value.shape, values, value.format)
    if known:
        _check_numbers(context, path, value)
    if value.rest is not None:
        values += (value.rest,) * (count - len(values))
    if len(values) != count and (len(values) != 1 or value.rest is not None):
        text = f"A tensor of shape ({shape}) has {count} elements; the example gives {len(value.values)} values."
        context.report((*path, "values"), "value-count", text)
    return TensorValue(value.dtype, value.shape, values, value.format)


def _check_numbers(context: Context, path: Path, value: model.TensorValue) -> None:
    """Every number is one that the dtype holds, rounded where it is a floating-point dtype."""
    dtype = DType[value.dtype]
    if dtype.numpy is None:
        text = f"A tensor of an example has a dtype ({dtype.name}) that NumPy does not hold; expected another one."
        context.report((*path, "dtype"), "example-type", text)
        return
    places: list[Path] = [(*path, "values", index) for index in range(len(value.values))]
    for place, number in (*zip(places, value.values, strict=True), ((*path, "rest"), value.rest)):
        if number is not None and not holds(dtype, number):
            context.report(place, "value", f"A tensor of {dtype.name} does not hold a value ({number}) of an example.")
