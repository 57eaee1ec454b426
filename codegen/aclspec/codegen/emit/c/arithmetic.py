"""Integers in C: 128 bits where their intervals fit, and else functions of big integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from aclspec.codegen.emit.c.values import Code, Level, as_big, call, fits, integer, literal
from aclspec.runtime.language.evaluation import COMPARISONS
from aclspec.runtime.language.nodes import FLIPPED


def plus(left: Code, right: Code) -> Code:
    """The sum."""
    if left.text == "0":
        return right
    if right.text == "0":
        return left
    return _arithmetic("+", left, right, left.low + right.low, left.high + right.high)


def minus(left: Code, right: Code) -> Code:
    """The difference."""
    if right.text == "0":
        return left
    return _arithmetic("-", left, right, left.low - right.high, left.high - right.low)


def times(left: Code, right: Code) -> Code:
    """The product."""
    corners = [one * other for one in (left.low, left.high) for other in (right.low, right.high)]
    return _arithmetic("*", left, right, min(corners), max(corners))


def negative(operand: Code) -> Code:
    """The number with the other sign."""
    if operand.kind == "float":
        return Code("float", f"-{operand.within(Level.POSTFIX)}", Level.UNARY)
    if operand.kind == "int" and fits(-operand.high, -operand.low):
        return integer(f"-{operand.within(Level.POSTFIX)}", Level.UNARY, -operand.high, -operand.low)
    return call("big", "aclspec_big_sub", as_big(literal(0)), as_big(operand), low=-operand.high, high=-operand.low)


def quotient(left: Code, right: Code) -> Code:
    """The quotient rounded down."""
    most = max(abs(left.low), abs(left.high)) + 1
    return _divided("aclspec_floor_div", "aclspec_big_floor_div", left, right, -most, most)


def rest(left: Code, right: Code) -> Code:
    """What the quotient rounded down leaves."""
    most = max(abs(right.low), abs(right.high))
    return _divided("aclspec_mod", "aclspec_big_mod", left, right, -most, most)


def ceil_div(left: Code, right: Code) -> Code:
    """The quotient rounded up."""
    return negative(quotient(negative(left), right))


ARITHMETIC: Final[dict[str, Callable[[Code, Code], Code]]] = {
    "+": plus,
    "-": minus,
    "*": times,
    "//": quotient,
    "%": rest,
}
_BIG: Final = {"+": "aclspec_big_add", "-": "aclspec_big_sub", "*": "aclspec_big_mul"}


def clamped(code: Code) -> Code:
    """An index or the end of a range, which guards keep small from above: an ``aclspec_big`` as a ``wide``."""
    if code.kind != "big":
        return code
    return call("int", "aclspec_clamped", code, low=-(2**126), high=2**126)


def _arithmetic(op: str, left: Code, right: Code, low: int, high: int) -> Code:
    level = Level.TERM if op == "*" else Level.SUM
    if left.is_literal and right.is_literal and low == high:
        return literal(low)
    if "float" in (left.kind, right.kind):
        return Code("float", f"{left.within(level)} {op} {right.within(Level(level + 1))}", level)
    if "big" in (left.kind, right.kind) or not fits(low, high):
        return call("big", _BIG[op], as_big(left), as_big(right), low=low, high=high)
    return integer(f"{left.within(level)} {op} {right.within(Level(level + 1))}", level, low, high)


def _divided(name: str, big: str, left: Code, right: Code, low: int, high: int) -> Code:
    if "big" in (left.kind, right.kind) or not fits(low, high):
        return call("big", big, as_big(left), as_big(right), low=low, high=high)
    return call("int", name, left, right, low=low, high=high)


def maximum(items: Sequence[Code]) -> Code:
    """The greatest of some numbers."""
    return _extreme("max", items, max(item.low for item in items), max(item.high for item in items))


def minimum(items: Sequence[Code]) -> Code:
    """The least of some numbers."""
    return _extreme("min", items, min(item.low for item in items), min(item.high for item in items))


def _extreme(word: str, items: Sequence[Code], low: int, high: int) -> Code:
    if any(item.kind not in ("int", "big") for item in items):
        raise ValueError(f"The {word} of {items[0].kind} values has no C.")
    if any(item.kind == "big" for item in items):
        items, word = [as_big(item) for item in items], f"big_{word}"
    first, *others = dict.fromkeys(items)
    if all(item.is_literal for item in items):
        return literal(high if word == "max" else low)
    found = first
    for item in others:
        found = call(item.kind, f"aclspec_{word}", found, item, low=low, high=high)
    return found


def compared(op: str, left: Code, right: Code) -> Code:
    """A comparison of two values."""
    kinds = {left.kind, right.kind}
    if left.is_literal and right.is_literal:
        return Code("bool", "true" if COMPARISONS[op](left.low, right.low) else "false")
    if "string" in kinds:
        text = f"strcmp({left.text}, {right.text}) {op} 0"
    elif kinds == {"big", "int"}:
        if left.kind == "int":
            left, op, right = right, FLIPPED[op], left
        text = f"aclspec_compare({left.text}, {right.text}) {op} 0"
    elif "big" in kinds and kinds & {"float", "number"}:
        raise _inexact(left if left.kind == "big" else right)
    elif "big" in kinds:
        text = f"aclspec_big_compare({as_big(left).text}, {as_big(right).text}) {op} 0"
    else:
        has_float = bool(kinds & {"float", "number"})
        one, other = (
            _exact(side) if has_float and side.kind == "int" else side.within(Level.SUM) for side in (left, right)
        )
        text = f"{one} {op} {other}"
    return Code("bool", text, Level.COMPARE)


def _exact(value: Code) -> str:
    """An integer beside a float, as a type that holds both: of a double, 53 bits; of a long double, 64 at least."""
    most = max(-value.low, value.high)
    if most <= 2**53:
        return value.within(Level.SUM)
    if most > 2**64:
        raise _inexact(value)
    return f"(long double){value.within(Level.UNARY)}"


def _inexact(value: Code) -> ValueError:
    return ValueError(f"The comparison of a float with an integer ({value.text}) may round in C.")
