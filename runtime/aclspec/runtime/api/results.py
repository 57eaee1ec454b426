"""What notebooks show: the outputs of a call as a table, with the values where they are few, and an operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import prod
from typing import Any, Final

from aclspec.runtime.rules.operator_info import OperatorInfo

_FEW: Final = 16
_HEADS: Final = ("output", "shape", "dtype", "values")


def repr_html(result: Any) -> str:
    """A row for each output and for each tensor of a list; an output that is switched off says None."""
    rows = [row for name, value in zip(result._fields, result, strict=True) for row in _rows(name, value)]
    head = "".join(f"<th>{name}</th>" for name in _HEADS)
    body = "".join(f"<tr><th>{escape(name)}</th>{_cells(facts)}</tr>" for name, *facts in rows)
    caption = escape(type(result).__name__)
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def operator_html(info: OperatorInfo) -> str:
    """The name of an operator, what it does, where it is, and a row for each parameter."""
    products = ", ".join(key for key, _ in info.products) or "?"
    head = f"<b>{escape(info.name)}</b> ({escape(info.level)}; {escape(products)})<br>{escape(info.summary.en)}"
    rows = "".join(
        f"<tr><th>{escape(param.name)}</th>{_cells((param.direction, param.type, param.doc.en))}</tr>"
        for param in info.params
    )
    return f"<table><caption style='text-align: left'>{head}</caption><tbody>{rows}</tbody></table>"


def _cells(facts: Sequence[str]) -> str:
    return "".join(f"<td style='text-align: left'>{escape(fact)}</td>" for fact in facts)


def _rows(name: str, value: Any) -> Iterator[tuple[str, str, str, str]]:
    if isinstance(value, tuple | list):
        for at, one in enumerate(value):
            yield from _rows(f"{name}[{at}]", one)
    elif value is None:
        yield name, "None", "", ""
    else:
        shape = tuple(value.shape)
        yield name, str(shape), str(value.dtype), _values(value) if prod(shape) <= _FEW else "..."


def _values(value: Any) -> str:
    """The elements as nested lists; nothing for an array that does not give them."""
    elements = getattr(value, "tolist", None)
    return "" if elements is None else str(elements())
