"""The compiled spec of one operator, written out as the constructors that make it, with predicates as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, get_args
from unicodedata import east_asian_width

from aclspec.codegen.emit.printer import plain_literal, quoted
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.render.build import header_line
from aclspec.codegen.render.environment import WIDTH, template
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.rules.nodes import Node

_NODES = get_args(Node)


def render_info(operator: Operator) -> str:
    """The text of the module ``_info/<op>.py``."""
    info = operator.info
    lines = [line for item in fields(info) for line in _field(item, getattr(info, item.name))]
    return template("info.py.j2").render(
        header=header_line(info.spec),
        name=info.name,
        imports=sorted(_classes(info)),
        lines=lines,
        is_wide=any(_columns(line) > WIDTH for line in lines),
    )


def _field(item: Field[Any], value: Any) -> Iterator[str]:
    """The lines of a field of the operator; each part of a table begins a line."""
    if value == item.default:
        return
    if isinstance(value, tuple) and value and is_dataclass(value[0]):
        yield f"    {item.name}=("
        for part in value:
            yield from _filled(_tokens(part, "", ","), 8)
        yield "    ),"
    else:
        yield from _filled(_tokens(value, f"{item.name}=", ","), 4)


def _tokens(value: Any, before: str, after: str) -> Iterator[str]:
    """The pieces of a literal, between which a line may end."""
    if isinstance(value, _NODES):
        yield f"{before}{quoted(unparse(value))}{after}"
    elif is_dataclass(value) or (isinstance(value, tuple) and value):
        parts = list(_parts(value))
        opening, closing = (f"{type(value).__name__}(", ")") if is_dataclass(value) else ("(", ")")
        comma = "," if isinstance(value, tuple) and len(parts) == 1 else ""
        for place, (name, part) in enumerate(parts):
            first, last = place == 0, place == len(parts) - 1
            lead = f"{before}{opening}" if first else ""
            yield from _tokens(part, f"{lead}{name}", f"{comma}{closing}{after}" if last else ",")
    else:
        yield f"{before}{plain_literal(value)}{after}"


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The items of a tuple, or the fields of a dataclass that do not have their default, with what names them."""
    if isinstance(value, tuple):
        yield from (("", item) for item in value)
        return
    for item in fields(value):
        part = getattr(value, item.name)
        if item.default is MISSING or part != item.default:
            yield f"{item.name}=", part


def _filled(tokens: Iterable[str], indent: int) -> Iterator[str]:
    """Tokens in as few lines as the width allows, the later ones indented."""
    line = " " * indent
    for place, token in enumerate(tokens):
        if place and len(line) + 1 + len(token) > WIDTH:
            yield line
            line = " " * (indent + 4) + token
        else:
            line += (" " if place else "") + token
    yield line


def _columns(line: str) -> int:
    """The width of a line, in which a Chinese character has two columns."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in line)


def _classes(value: Any) -> set[str]:
    """The names of the dataclasses that a value is made of."""
    if isinstance(value, tuple):
        return set().union(*map(_classes, value))
    if not is_dataclass(value) or isinstance(value, _NODES):
        return set()
    parts = (_classes(part) for _, part in _parts(value))
    return {type(value).__name__}.union(*parts)
