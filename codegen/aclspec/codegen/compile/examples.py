"""Examples: calls with expected outputs."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from aclspec.codegen.compile.context import Context, Path, beyond, in_order, texts, type_of
from aclspec.codegen.compile.rows import DTYPES
from aclspec.codegen.compile.status import known_products
from aclspec.codegen.findings import did_you_mean, one_of
from aclspec.codegen.spec import operator as model
from aclspec.runtime.formats import Format
from aclspec.runtime.info import ExampleInfo, ExampleValue, TensorValue

_PYTHON: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "string": (str,),
    "dtype": (str,),
    "scalar": (bool, int, float),
}
_ELEMENTS: dict[str, tuple[type, ...]] = {"ints": (int,), "bools": (bool,), "floats": (int, float)}


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
        (name, _tensor(context, (*path, "outputs", name), example.outputs[name]))
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
    if value is not None and not _fits(kind.predicate, value):
        context.report(
            path, "example-type", f"An input ({name}) of type {kind.key} is given another value ({value!r})."
        )
    for item in beyond(kind, value):
        text = f"An input ({name}) of type {kind.key} is given an integer ({item}) that its C type cannot hold."
        context.report(path, "example-type", text)
    return value


def _fits(predicate: str, value: object) -> bool:
    if predicate in _ELEMENTS:
        return isinstance(value, tuple) and all(_is(item, _ELEMENTS[predicate]) for item in value)
    return predicate in _PYTHON and _is(value, _PYTHON[predicate])


def _is(value: object, types: tuple[type, ...]) -> bool:
    """Whether the value is of one of the types, a bool being no int."""
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _tensor(context: Context, path: Path, value: model.TensorValue) -> TensorValue:
    if value.dtype not in DTYPES:
        expected = f"expected one of {one_of(DTYPES)}{did_you_mean(value.dtype, DTYPES)}"
        context.report((*path, "dtype"), "unknown-dtype", f"A dtype ({value.dtype}) is unknown; {expected}")
    if value.format is not None and value.format not in Format.__members__:
        formats = [format_.name for format_ in Format]
        expected = f"expected one of {one_of(formats)}{did_you_mean(value.format, formats)}"
        context.report((*path, "format"), "unknown-format", f"A format ({value.format}) is unknown; {expected}")
    count, values = prod(value.shape), value.values
    if value.rest is not None:
        values += (value.rest,) * (count - len(values))
    if len(values) != count and (len(values) != 1 or value.rest is not None):
        shape = list(value.shape)
        text = f"A tensor of shape ({shape}) has {count} elements; the example gives {len(value.values)} values."
        context.report((*path, "values"), "value-count", text)
    return TensorValue(value.dtype, value.shape, values, value.format)
