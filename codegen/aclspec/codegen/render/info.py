"""The compiled spec of one operator, written out as the constructors that make it."""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import cache
from typing import Any, get_args

from aclspec.codegen.emit.pretty import Group, Literal, lay_out, quoted, tuple_literal
from aclspec.codegen.emit.printer import fits
from aclspec.codegen.load import Operator
from aclspec.codegen.render.environment import template
from aclspec.codegen.render.names import import_lines
from aclspec.codegen.render.target import Target
from aclspec.codegen.same import remembered
from aclspec.runtime.info import LetInfo, ParamInfo, RuleInfo
from aclspec.runtime.predicate.nodes import Node


def render_info(operator: Operator, target: Target) -> str:
    """The text of the module ``_info/<op>.py``."""
    classes: set[type[Any]] = set()
    lines = tuple(lay_out("INFO = ", _literal(operator.info, classes)))
    modules: dict[str, list[str]] = {}
    for kind in classes:
        modules.setdefault(kind.__module__, []).append(kind.__name__)
    imports = [line for module in sorted(modules) for line in import_lines(module, modules[module])]
    return template("info.py.j2").render(
        header=target.header(operator.info.spec),
        name=operator.info.name,
        imports=imports,
        lines=lines,
        long=not all(map(fits, lines)),
    )


def _literal(value: Any, classes: set[type[Any]]) -> Literal:
    """A value as Python text, nodes by position, as one reads a tree, all else by name; its classes are noted."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, tuple):
        return tuple_literal([_literal(item, classes) for item in value])
    if isinstance(value, RuleInfo | ParamInfo | LetInfo):
        literal, used = _shared_literal(value)
        classes |= used
        return literal
    if not hasattr(value, "__dataclass_fields__"):
        return repr(value)
    return _constructor(value, classes)


@remembered
def _shared_literal(value: RuleInfo | ParamInfo | LetInfo) -> tuple[Literal, frozenset[type[Any]]]:
    """The same of a part that many operators have, and the classes in it."""
    classes: set[type[Any]] = set()
    return _constructor(value, classes), frozenset(classes)


def _constructor(value: Any, classes: set[type[Any]]) -> Literal:
    kind: Any = type(value)
    classes.add(kind)
    parts = []
    for name, label, default in _fields(kind):
        part = getattr(value, name)
        if default is MISSING or part != default:
            parts.append((label, _literal(part, classes)))
    return Group(f"{kind.__name__}(", tuple(parts), ")")


@cache
def _fields(kind: type[Any]) -> tuple[tuple[str, str, Any], ...]:
    """The fields of a class that are written: the name of each, what stands before its value, and its default."""
    by_name = not issubclass(kind, get_args(Node))
    return tuple((f.name, f"{f.name}=" if by_name else "", f.default) for f in fields(kind) if f.name != "at")
