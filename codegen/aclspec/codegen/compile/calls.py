"""The calls that a spec adds to the tests: examples with other arguments, as the literals of a test file."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple, cast

from aclspec.codegen.compile.context import Context, Path, beyond, fits, type_of
from aclspec.codegen.compile.numbers import holds
from aclspec.codegen.source.findings import did_you_mean
from aclspec.codegen.spec.operator import CallSpec, CallValue
from aclspec.runtime.search.call import Literal, elements
from aclspec.runtime.search.changes import MAX_RANK
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from aclspec.runtime.testing.expected import argument

_MOST = 4096
"""The most elements of a list."""
_LISTS = {"tensors": "tensor", "scalars": "scalar"}


class WrittenCall(NamedTuple):
    """A call of a spec: its id, the example that it is like, and its own arguments as literals."""

    id: str
    like: str
    arguments: tuple[tuple[str, Literal], ...]


def compile_calls(context: Context) -> tuple[WrittenCall, ...]:
    """All calls of a spec; a finding for an example or a parameter that does not exist, and for a bad literal."""
    examples = [example.id for example in context.spec.examples]
    seen: set[str] = set()
    found = []
    for index, call in enumerate(context.spec.calls):
        path: Path = ("calls", index)
        if call.id in seen:
            context.report((*path, "id"), "duplicate-id", f"A call ({call.id}) is declared twice.")
        seen.add(call.id)
        if call.like not in examples:
            text = f"A call is like an example ({call.like}) that does not exist{did_you_mean(call.like, examples)}"
            context.report((*path, "like"), "unknown-example", text)
        found.append(_call(context, (*path, "call"), call))
    return tuple(found)


def _call(context: Context, path: Path, call: CallSpec) -> WrittenCall:
    arguments = []
    for name, value in call.call.items():
        if name not in context.params:
            text = f"A call names a parameter ({name}) that does not exist{did_you_mean(name, context.params)}"
            context.report((*path, name), "unknown-param", text, key=True)
        else:
            arguments.append((name, _value(context, (*path, name), name, value)))
    return WrittenCall(call.id, call.like, tuple(arguments))


def _value(context: Context, path: Path, name: str, value: CallValue) -> Literal:
    """The literal of an argument, checked against the type of its parameter."""
    kind = type_of(context.params[name])
    if value is None and kind.pointer:
        return None
    if kind.predicate in _LISTS:
        given = list(islice(elements(value if isinstance(value, tuple) else (value,)), _MOST + 1))
        if len(given) > _MOST:
            context.report(path, "call-type", f"A list ({name}) of a call has more than {_MOST} elements.")
        return tuple(_literal(context, path, _LISTS[kind.predicate], item) for item in given)
    if kind.predicate in _LISTS.values():
        return _literal(context, path, kind.predicate, value)
    if value is None or not fits(kind.predicate, value) or list(beyond(kind, value)):
        text = f"A parameter ({name}) of type {kind.key} is given another value ({value!r})."
        context.report(path, "call-type", text)
    return value


def _literal(context: Context, path: Path, kind: str, value: Literal) -> Literal:
    """The literal of a tensor or a scalar, or null."""
    try:
        given = argument(value, kind) if value is None or isinstance(value, str) else None
    except ValueError as error:
        context.report(path, "call-type", str(error))
        return None
    if given is None and value is not None:
        context.report(path, "call-type", f"A {kind} of a call is given another value ({value!r}).")
    elif isinstance(given, Tensor) and (given.rank > MAX_RANK or not given.dtype.is_stored):
        text = f"A tensor of a call ({value}) has more than {MAX_RANK} axes, or a dtype that no tensor has."
        context.report(path, "call-type", text)
    elif isinstance(given, Scalar) and not _is_held(given):
        context.report(path, "call-type", f"A scalar of a call ({value}) has a value that its dtype does not hold.")
    return value


def _is_held(scalar: Scalar) -> bool:
    """Whether C can be given a scalar: its dtype holds its value."""
    return scalar.dtype.numpy is not None and holds(scalar.dtype, cast("int | float", scalar.value))
