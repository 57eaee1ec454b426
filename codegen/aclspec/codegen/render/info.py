"""The compiled spec of one operator, written out as the constructors that make it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any

from aclspec.codegen.emit.pretty import Group, Literal, lay_out, quoted, tuple_literal
from aclspec.codegen.emit.printer import WIDTH, width
from aclspec.codegen.load import Operator
from aclspec.codegen.render.environment import template
from aclspec.codegen.render.names import import_lines
from aclspec.codegen.render.target import Target
from aclspec.runtime.predicate.nodes import Node


def render_info(operator: Operator, target: Target) -> str:
    """The text of the module ``_info/<op>.py``."""
    lines = tuple(lay_out("INFO = ", literal(operator.info)))
    classes = set(_classes(operator.info))
    modules = sorted({module for module, _ in classes})
    imports = [line for module in modules for line in import_lines(module, _of(classes, module))]
    return template("info.py.j2").render(
        header=target.header(operator.info.spec),
        name=operator.info.name,
        imports=imports,
        lines=lines,
        long=any(width(line) > WIDTH for line in lines),
    )


def literal(value: Any) -> Literal:
    """A value as Python text: nodes by position, as one reads a tree, everything else by name."""
    if isinstance(value, tuple):
        return tuple_literal(literal(item) for item in value)
    if isinstance(value, str):
        return quoted(value)
    if not hasattr(value, "__dataclass_fields__"):
        return repr(value)
    parts = tuple(
        ("" if isinstance(value, Node) else f"{item.name}=", literal(getattr(value, item.name)))
        for item in fields(value)
        if item.name != "at" and (item.default is MISSING or getattr(value, item.name) != item.default)
    )
    return Group(f"{type(value).__name__}(", parts, ")")


def _classes(value: Any) -> Iterator[tuple[str, str]]:
    """The module and the name of every class in a value."""
    if isinstance(value, tuple):
        for item in value:
            yield from _classes(item)
    elif hasattr(value, "__dataclass_fields__"):
        yield type(value).__module__, type(value).__name__
        for item in fields(value):
            if item.name != "at":
                yield from _classes(getattr(value, item.name))


def _of(classes: set[tuple[str, str]], module: str) -> list[str]:
    return [name for home, name in classes if home == module]
