"""Predicates as functions of Python: what the interpreter says, several times faster.

The search asks predicates millions of times. Each node is turned into a closure once; names are found, literals folded
and dtype rows turned into sets then. Every case that leaves the sampler is confirmed by the interpreter, which shares
no code with this but the function library.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from aclspec.codegen.derive.call import Call as Arguments
from aclspec.codegen.derive.call import TensorMeta
from aclspec.codegen.derive.space import Space
from aclspec.runtime.predicate.library import IMPLEMENTATIONS
from aclspec.runtime.predicate.nodes import (
    And,
    Arith,
    Bool,
    Call,
    Compare,
    Each,
    Float,
    IfElse,
    Index,
    InRows,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
    Str,
    Symbol,
    names,
)
from aclspec.runtime.predicate.values import INFERRED, UNDEFINED, Undefined, dtypes_of
from aclspec.runtime.testing.suite import Cell

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
_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}
_ARITH: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": lambda left, right: UNDEFINED if right == 0 else left // right,
    "%": lambda left, right: UNDEFINED if right == 0 else left % right,
}
_TENSOR: Final[dict[str, Callable[[Any], Any]]] = {
    "shape": lambda tensor: tensor.shape,
    "rank": lambda tensor: len(tensor.shape),
    "format": lambda tensor: tensor.format,
    "dtype": lambda value: getattr(value, "dtype", UNDEFINED),
}


class Compiler:
    """The functions of one operator's predicates."""

    def __init__(self, space: Space) -> None:
        """Nothing compiled yet."""
        self.space = space
        self._codes: dict[tuple[Node, frozenset[str]], Code] = {}
        self._rows: dict[Cell, Rows] = {}

    def frame(self, call: Arguments, cell: Cell) -> Frame:
        """A call as the functions take it."""
        if cell not in self._rows:
            rows = self.space.rows(cell)
            self._rows[cell] = [{name: frozenset(dtypes) for name, dtypes in row.cells} for row in rows]
        return Frame(call, self._rows[cell])

    def code(self, node: Node, bound: frozenset[str] = frozenset()) -> Code:
        """The function of a node below these variables."""
        key = (node, bound)
        found = self._codes.get(key)
        if found is None:
            found = self._compiled(node, bound)
            if not names(node) and not isinstance(node, Quantifier | Each):
                value = found(Frame((), ()))
                found = _constant(value)
            self._codes[key] = found
        return found

    def _compiled(self, node: Node, bound: frozenset[str]) -> Code:
        match node:
            case Int(value=value) | Float(value=value) | Bool(value=value) | Str(value=value) | Symbol(name=value):
                return _constant(value)
            case Name(id=name):
                return _defined(self._raw(name, bound))
            case Not(operand=operand):
                return _unary(operator.not_, self.code(operand, bound))
            case Negate(operand=operand):
                return _unary(operator.neg, self.code(operand, bound))
            case Compare(op=op, left=left, right=right):
                return _binary(_COMPARE[op], self.code(left, bound), self.code(right, bound))
            case Arith(op=op, left=left, right=right):
                return _binary(_ARITH[op], self.code(left, bound), self.code(right, bound))
            case Index(base=base, index=index):
                return _binary(_item, self.code(base, bound), self.code(index, bound))
            case And(items=items):
                return _junction(False, [self.code(item, bound) for item in items])
            case Or(items=items):
                return _junction(True, [self.code(item, bound) for item in items])
            case ListOf(items=items):
                return _strict(lambda *values: values, [self.code(item, bound) for item in items])
            case IfElse(cond=cond, then=then, orelse=orelse):
                return _choice(self.code(cond, bound), self.code(then, bound), self.code(orelse, bound))
            case Quantifier(kind=kind, var=var, over=over, body=body):
                return _quantified(kind == "any", var, self.code(over, bound), self.code(body, bound | {var}))
            case Each(var=var, over=over, body=body):
                return _each(var, self.code(over, bound), self.code(body, bound | {var}))
            case Call(func=func, args=args):
                return self._call(func, args, bound)
            case InRows(params=params):
                return self._in_rows(params)

    def _raw(self, name: str, bound: frozenset[str]) -> Code:
        """What a name stands for: None for a null parameter, `INFERRED` for an output that is left out."""
        if name in bound:
            return lambda frame: frame.variables[name]
        if name in self.space.lets:
            return _let(name, lambda: self.code(self.space.lets[name]))
        place = self.space.index.get(name)
        return _constant(None) if place is None else lambda frame: frame.call[place]

    def _call(self, func: str, args: tuple[Node, ...], bound: frozenset[str]) -> Code:
        if func == "is_null":
            argument = args[0]
            asked = self._raw(argument.id, bound) if isinstance(argument, Name) else self.code(argument, bound)
            return _is_null(asked)
        codes = [self.code(arg, bound) for arg in args]
        if func in _TENSOR:
            return _unary(_TENSOR[func], codes[0])
        if func == "dim":
            return _binary(_dim, *codes)
        if len(codes) == 1:
            return _unary(IMPLEMENTATIONS[func], codes[0])
        return _strict(IMPLEMENTATIONS[func], codes)

    def _in_rows(self, params: tuple[str, ...]) -> Code:
        """Whether one row holds the dtypes of all these parameters; undefined while one is illegal by itself."""
        checked = [self.space.info.param(name).checked for name in params]
        asked = [
            (name, self._raw(name, frozenset()), None if guard is None else self.code(guard))
            for name, guard in zip(params, checked, strict=True)
        ]

        def in_rows(frame: Frame) -> Any:
            given: list[tuple[str, tuple[str, ...]]] = []
            for name, raw, guard in asked:
                value = raw(frame)
                if value is None or value is INFERRED or (guard is not None and guard(frame) is not True):
                    continue
                dtypes = (value.dtype,) if isinstance(value, TensorMeta) else dtypes_of(value)
                if isinstance(dtypes, Undefined):
                    return UNDEFINED
                given.append((name, dtypes))
            return _fitting(given, frame.rows, len(params) > 1)

        return in_rows


def _fitting(given: list[tuple[str, tuple[str, ...]]], rows: Rows, joint: bool) -> Any:
    if not rows or not given:
        return UNDEFINED
    fits = [[name not in row or row[name].issuperset(dtypes) for name, dtypes in given] for row in rows]
    if joint and not all(map(any, zip(*fits, strict=True))):
        return UNDEFINED
    return any(map(all, fits))


def _constant(value: Any) -> Code:
    return lambda frame: value


def _defined(raw: Code) -> Code:
    def defined(frame: Frame) -> Any:
        value = raw(frame)
        return UNDEFINED if value is None or value is INFERRED else value

    return defined


def _let(name: str, code: Callable[[], Code]) -> Code:
    """The value of a let, computed once a call and never under a quantifier's variables."""

    def let(frame: Frame) -> Any:
        lets = frame.lets
        if name not in lets:
            outside, frame.variables = frame.variables, {}
            lets[name] = code()(frame)
            frame.variables = outside
        return lets[name]

    return let


def _unary(function: Callable[[Any], Any], operand: Code) -> Code:
    def unary(frame: Frame) -> Any:
        value = operand(frame)
        return UNDEFINED if value is UNDEFINED else function(value)

    return unary


def _binary(function: Callable[[Any, Any], Any], left: Code, right: Code) -> Code:
    def binary(frame: Frame) -> Any:
        one = left(frame)
        if one is UNDEFINED:
            return UNDEFINED
        other = right(frame)
        return UNDEFINED if other is UNDEFINED else function(one, other)

    return binary


def _strict(function: Callable[..., Any], codes: list[Code]) -> Code:
    def strict(frame: Frame) -> Any:
        values = []
        for code in codes:
            value = code(frame)
            if value is UNDEFINED:
                return UNDEFINED
            values.append(value)
        return function(*values)

    return strict


def _junction(deciding: bool, codes: list[Code]) -> Code:
    def junction(frame: Frame) -> Any:
        undefined = False
        for code in codes:
            value = code(frame)
            if value is UNDEFINED:
                undefined = True
            elif value == deciding:
                return deciding
        return UNDEFINED if undefined else not deciding

    return junction


def _choice(cond: Code, then: Code, orelse: Code) -> Code:
    def choice(frame: Frame) -> Any:
        chosen = cond(frame)
        return UNDEFINED if chosen is UNDEFINED else (then if chosen else orelse)(frame)

    return choice


def _quantified(deciding: bool, var: str, over: Code, body: Code) -> Code:
    def quantified(frame: Frame) -> Any:
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

    return quantified


def _each(var: str, over: Code, body: Code) -> Code:
    def each(frame: Frame) -> Any:
        elements = over(frame)
        if elements is UNDEFINED:
            return UNDEFINED
        outside, values = frame.variables, []
        for element in elements:
            frame.variables = {**outside, var: element}
            values.append(body(frame))
        frame.variables = outside
        return UNDEFINED if UNDEFINED in values else tuple(values)

    return each


def _is_null(raw: Code) -> Code:
    def is_null(frame: Frame) -> Any:
        value = raw(frame)
        return UNDEFINED if value is UNDEFINED else value is None

    return is_null


def _item(values: tuple[Any, ...], index: int) -> Any:
    value = values[index] if 0 <= index < len(values) else None
    return UNDEFINED if value is None else value


def _dim(tensor: Any, axis: int) -> Any:
    shape = tensor.shape
    return shape[axis] if 0 <= axis < len(shape) else UNDEFINED
