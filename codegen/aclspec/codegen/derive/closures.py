"""The functions that compiled predicates are made of: one for each kind of node, over the functions of its parts.

Every function takes a `Frame` and gives the node's value, `UNDEFINED` where it has none.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from aclspec.codegen.derive.call import Call as Arguments
from aclspec.runtime.predicate.values import INFERRED, UNDEFINED

Rows: TypeAlias = Sequence[dict[str, frozenset[str]]]


class Frame:
    """One call in one cell: its arguments, its dtype rows, its lets so far, and the variables in scope."""

    __slots__ = ("call", "lets", "rows", "variables")

    def __init__(self, call: Arguments, rows: Rows) -> None:
        """No let asked yet, and outside of every quantifier."""
        self.call = call
        self.rows = rows
        self.lets: dict[str, Any] = {}
        self.variables: dict[str, Any] = {}


Code: TypeAlias = Callable[[Frame], Any]
COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}
ARITH: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": lambda left, right: UNDEFINED if right == 0 else left // right,
    "%": lambda left, right: UNDEFINED if right == 0 else left % right,
}
TENSOR: Final[dict[str, Callable[[Any], Any]]] = {
    "shape": lambda tensor: tensor.shape,
    "rank": lambda tensor: len(tensor.shape),
    "format": lambda tensor: tensor.format,
    "dtype": lambda value: getattr(value, "dtype", UNDEFINED),
}


def fitting(given: list[tuple[str, tuple[str, ...]]], rows: Rows, joint: bool) -> Any:
    """Whether one row holds all these dtypes; undefined without rows or dtypes, or where a dtype fits no row at all."""
    if not rows or not given:
        return UNDEFINED
    fits = [[name not in row or row[name].issuperset(dtypes) for name, dtypes in given] for row in rows]
    if joint and not all(map(any, zip(*fits, strict=True))):
        return UNDEFINED
    return any(map(all, fits))


def constant(value: Any) -> Code:
    """Always this value."""
    return lambda frame: value


def defined(raw: Code) -> Code:
    """A name's value; undefined for a null and for what is left to infer."""

    def value_of(frame: Frame) -> Any:
        value = raw(frame)
        return UNDEFINED if value is None or value is INFERRED else value

    return value_of


def let(name: str, code: Callable[[], Code]) -> Code:
    """The value of a let, computed once a call and never under a quantifier's variables."""

    def value_of(frame: Frame) -> Any:
        lets = frame.lets
        if name not in lets:
            outside, frame.variables = frame.variables, {}
            lets[name] = code()(frame)
            frame.variables = outside
        return lets[name]

    return value_of


def unary(function: Callable[[Any], Any], operand: Code) -> Code:
    """A function of one part; undefined where the part is."""

    def value_of(frame: Frame) -> Any:
        value = operand(frame)
        return UNDEFINED if value is UNDEFINED else function(value)

    return value_of


def binary(function: Callable[[Any, Any], Any], left: Code, right: Code) -> Code:
    """A function of two parts; undefined where either is."""

    def value_of(frame: Frame) -> Any:
        one = left(frame)
        if one is UNDEFINED:
            return UNDEFINED
        other = right(frame)
        return UNDEFINED if other is UNDEFINED else function(one, other)

    return value_of


def strict(function: Callable[..., Any], codes: list[Code]) -> Code:
    """A function of several parts; undefined where any is."""

    def value_of(frame: Frame) -> Any:
        values = []
        for code in codes:
            value = code(frame)
            if value is UNDEFINED:
                return UNDEFINED
            values.append(value)
        return function(*values)

    return value_of


def junction(deciding: bool, codes: list[Code]) -> Code:
    """`and` (decided by False) or `or` (decided by True): a deciding part prevails over an undefined one."""

    def value_of(frame: Frame) -> Any:
        undefined = False
        for code in codes:
            value = code(frame)
            if value is UNDEFINED:
                undefined = True
            elif value == deciding:
                return deciding
        return UNDEFINED if undefined else not deciding

    return value_of


def choice(cond: Code, then: Code, orelse: Code) -> Code:
    """The part that the condition chooses."""

    def value_of(frame: Frame) -> Any:
        chosen = cond(frame)
        return UNDEFINED if chosen is UNDEFINED else (then if chosen else orelse)(frame)

    return value_of


def quantified(deciding: bool, var: str, over: Code, body: Code) -> Code:
    """`all` (decided by False) or `any` (decided by True) over elements, each of them the variable in turn."""

    def value_of(frame: Frame) -> Any:
        elements = over(frame)
        if elements is UNDEFINED:
            return UNDEFINED
        outside, found, undefined = frame.variables, not deciding, False
        for element in elements:
            frame.variables = {**outside, var: element}
            value = body(frame)
            if value is UNDEFINED:
                undefined = True
            elif value == deciding:
                found = deciding
                break
        frame.variables = outside
        return UNDEFINED if undefined and found != deciding else found

    return value_of


def each(var: str, over: Code, body: Code) -> Code:
    """The list of one value for each element."""

    def value_of(frame: Frame) -> Any:
        elements = over(frame)
        if elements is UNDEFINED:
            return UNDEFINED
        outside, values = frame.variables, []
        for element in elements:
            frame.variables = {**outside, var: element}
            values.append(body(frame))
        frame.variables = outside
        return UNDEFINED if UNDEFINED in values else tuple(values)

    return value_of


def is_null(raw: Code) -> Code:
    """Whether a parameter is null."""

    def value_of(frame: Frame) -> Any:
        value = raw(frame)
        return UNDEFINED if value is UNDEFINED else value is None

    return value_of


def item(values: tuple[Any, ...], index: int) -> Any:
    """The element at an index from 0; undefined beyond the ends and for a null element."""
    value = values[index] if 0 <= index < len(values) else None
    return UNDEFINED if value is None else value


def dim(tensor: Any, axis: int) -> Any:
    """The size of an axis; undefined beyond the rank."""
    shape = tensor.shape
    return shape[axis] if 0 <= axis < len(shape) else UNDEFINED
