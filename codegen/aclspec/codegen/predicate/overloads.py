"""Which overload of a function a call means, or what is wrong with the call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aclspec.codegen.findings import one_of
from aclspec.codegen.predicate.kinds import a, fits
from aclspec.codegen.predicate.unparse import unparse
from aclspec.runtime.predicate.functions import FUNCTIONS
from aclspec.runtime.predicate.nodes import Call, Position
from aclspec.runtime.predicate.signatures import Overload


@dataclass(slots=True)
class Problem:
    """A mistake in a tree."""

    at: Position | None
    kind: str
    message: str


def resolve(node: Call, types: Sequence[str | None]) -> str | Problem | None:
    """The result type of a call; None when an argument has a mistake of its own."""
    overloads = FUNCTIONS[node.func].overloads
    fitting = [overload for overload in overloads if overload.accepts_count(len(types))]
    if not fitting:
        counts = one_of(dict.fromkeys(_count(overload) for overload in overloads))
        given = f"{len(types)} argument{'s' * (len(types) != 1)}"
        text = f"A call of {node.func} has {given} ({unparse(node)}); expected {counts}."
        return Problem(node.at, "arity", text)
    found = [kind for kind in types if kind]
    if len(found) < len(types):
        return None
    for overload in fitting:
        if all(fits(kind, wanted) for kind, wanted in zip(found, _wanted(overload, len(found)), strict=True)):
            return overload.result
    return _bad_argument(node, found, fitting)


def _bad_argument(node: Call, found: list[str], overloads: list[Overload]) -> Problem:
    """The first argument that no overload takes; the last when each is taken by some."""
    wanted = [
        dict.fromkeys(_wanted(overload, len(found))[index] for overload in overloads) for index in range(len(found))
    ]
    refused = (i for i, kind in enumerate(found) if not any(fits(kind, want) for want in wanted[i]))
    index = next(refused, len(found) - 1)
    text = f"Argument {index + 1} of {node.func} ({unparse(node.args[index])}) is {a(found[index])}"
    return Problem(node.args[index].at, "type", f"{text}; expected {one_of([a(want) for want in wanted[index]])}.")


def _wanted(overload: Overload, count: int) -> tuple[str, ...]:
    """The argument types of an overload for so many arguments."""
    return overload.args + overload.args[-1:] * (count - len(overload.args))


def _count(overload: Overload) -> str:
    number = len(overload.args)
    return f"{number} or more" if overload.variadic else str(number)
