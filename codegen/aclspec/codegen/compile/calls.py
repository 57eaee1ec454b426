"""The calls that a spec adds to the tests: examples with other arguments, as the literals of a test file."""

from __future__ import annotations

import re
from typing import NamedTuple

from aclspec.codegen.compile.context import Context, Path, beyond, fits, type_of
from aclspec.codegen.source.findings import did_you_mean
from aclspec.codegen.spec.operator import Call, CallValue
from aclspec.runtime.search.call import Literal
from aclspec.runtime.testing.expected import argument

_REPEATED = re.compile(r"(\d{1,5}) \* (\S+)")
_MOST = 4096
"""So many elements a list may have."""
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


def _call(context: Context, path: Path, call: Call) -> WrittenCall:
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
    if kind.predicate in _LISTS and value is not None:
        given = [item for one in (value if isinstance(value, tuple) else (value,)) for item in _repeated(one)]
        if len(given) > _MOST:
            text = f"A list ({name}) of a call has {len(given)} elements; expected at most {_MOST}."
            context.report(path, "call-type", text)
        return tuple(_literal(context, path, _LISTS[kind.predicate], item) for item in given)
    if kind.predicate in ("tensor", "scalar"):
        return _literal(context, path, kind.predicate, value)
    if (value is not None and not fits(kind.predicate, value)) or list(beyond(kind, value)):
        text = f"A parameter ({name}) of type {kind.key} is given another value ({value!r})."
        context.report(path, "call-type", text)
    return value


def _repeated(item: Literal) -> tuple[Literal, ...]:
    """``3 * int32[2]`` as three elements."""
    found = _REPEATED.fullmatch(item) if isinstance(item, str) else None
    return (item,) if found is None else (found[2],) * min(int(found[1]), _MOST + 1)


def _literal(context: Context, path: Path, kind: str, value: Literal) -> Literal:
    """The literal of a tensor or a scalar."""
    try:
        if value is not None and not isinstance(value, str):
            raise ValueError(f"The value ({value!r}) is no literal of a {kind}.")
        argument(value, kind)
    except ValueError as error:
        context.report(path, "call-type", str(error))
    return value
