"""Predicates compiled to closures: the interpreter's semantics, several times faster.

Every case that leaves derivation is confirmed by the interpreter, which shares only functions and operators with this.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain, islice, repeat, zip_longest
from typing import Any, TypeAlias

from aclspec.runtime.rules.interpreter import ARITHMETIC, COMPARISONS
from aclspec.runtime.rules.library import IMPLEMENTATIONS
from aclspec.runtime.rules.nodes import (
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
    children,
)
from aclspec.runtime.rules.operator_info import NULL, names_null
from aclspec.runtime.rules.values import UNDEFINED
from aclspec.runtime.search.call import Call as Arguments
from aclspec.runtime.search.call import TensorMeta
from aclspec.runtime.search.space import Space
from aclspec.runtime.tensors.tensor import Tensor

Rows: TypeAlias = Sequence[dict[str, frozenset[str]]]


class Frame:
    """One call with the dtype rows of its cell, memoised lets and bound variables."""

    __slots__ = ("call", "lets", "rows", "variables")

    def __init__(self, call: Arguments, rows: Rows = ()) -> None:
        """Start outside of every quantifier."""
        self.call = call
        self.rows = rows
        self.lets: dict[str, Any] = {}
        self.variables: dict[str, Any] = {}


@lru_cache(maxsize=10_000)
def described(tensor: TensorMeta) -> Tensor:
    """The tensor as a call gives it."""
    return Tensor(tensor.shape, tensor.dtype, tensor.format, tensor.strides, tensor.offset)


Code: TypeAlias = Callable[[Frame], Any]
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {**COMPARISONS, **ARITHMETIC}
_TENSOR: dict[str, Callable[..., Any]] = {
    "shape": lambda tensor: tensor.shape,
    "rank": lambda tensor: len(tensor.shape),
    "format": lambda tensor: tensor.format,
    "dtype": lambda value: getattr(value, "dtype", UNDEFINED),
    "dim": lambda tensor, axis: tensor.shape[axis] if 0 <= axis < len(tensor.shape) else UNDEFINED,
    "strides": lambda tensor: described(tensor).strides,
    "storage_shape": lambda tensor: described(tensor).storage_shape,
    "is_transposed": lambda tensor: IMPLEMENTATIONS["is_transposed"](described(tensor)),
}


_FEW = 4
"""So many indices are looked at one by one."""


def _indexed(var: str, node: Node) -> list[Name] | None:
    """The lists that a variable indexes; None where an expression uses it in any other way."""
    match node:
        case Index(base=Name(id=name), index=Name(id=index)) if name != var == index:
            return [Name(name)]
        case Name(id=name) if name == var:
            return None
    found: list[Name] = []
    for child in children(node):
        inside = _indexed(var, child)
        if inside is None:
            return None
        found += inside
    return list(dict.fromkeys(found))


def _item(values: tuple[Any, ...], index: int) -> Any:
    value = values[index] if 0 <= index < len(values) else None
    return UNDEFINED if value is None else value


class Compiler:
    """Compiles the predicates of one operator, each once."""

    def __init__(self, space: Space) -> None:
        """Start with no code."""
        self.space = space
        self._codes: dict[Node, Code] = {}

    def code(self, node: Node) -> Code:
        """The closure of a node."""
        found = self._codes.get(node)
        if found is None:
            found = self._codes[node] = self._compiled(node)
        return found

    def _compiled(self, node: Node) -> Code:
        match node:
            case Int(value=value) | Float(value=value) | Bool(value=value) | Str(value=value) | Symbol(name=value):
                return lambda frame: value
            case Name(id=name):
                return self._name(name)
            case Not(operand=operand):
                return _strict(operator.not_, [self.code(operand)])
            case Negate(operand=operand):
                return _strict(operator.neg, [self.code(operand)])
            case Compare(op=op, left=left, right=Int(value=size)) | Arith(op=op, left=left, right=Int(value=size)):
                function, code = OPERATORS[op], self.code(left)
                return lambda frame: UNDEFINED if (found := code(frame)) is UNDEFINED else function(found, size)
            case Compare(op=op, left=left, right=right) | Arith(op=op, left=left, right=right):
                return _strict(OPERATORS[op], [self.code(left), self.code(right)])
            case Index(base=base, index=index):
                return _strict(_item, [self.code(base), self.code(index)])
            case And(items=items):
                return _junction(False, [self.code(item) for item in items])
            case Or(items=items):
                return _junction(True, [self.code(item) for item in items])
            case ListOf(items=items):
                return _strict(lambda *values: values, [self.code(item) for item in items])
            case IfElse(cond=cond, then=then, orelse=orelse):
                return _choice(self.code(cond), self.code(then), self.code(orelse))
            case Quantifier(kind=kind, var=var, over=over, body=body):
                return _quantified(kind == "any", var, self._distinct(var, over, body), self.code(body))
            case Each(var=var, over=over, body=body):
                return _each(var, self.code(over), self.code(body))
            case Call(func="is_null", args=(argument,)):
                raw = self._raw(argument.id) if isinstance(argument, Name) else self.code(argument)
                return lambda frame: UNDEFINED if (found := raw(frame)) is UNDEFINED else found is None
            case Call(func=func, args=args):
                return _strict(_TENSOR.get(func) or IMPLEMENTATIONS[func], [self.code(arg) for arg in args])
            case InRows(params=params):
                return self._in_rows(params)

    def _name(self, name: str) -> Code:
        """The value of a name, undefined for a null parameter."""
        place = self.space.index.get(name)
        if place is None or name in self.space.lets:
            raw = self._raw(name)
            return lambda frame: UNDEFINED if (found := raw(frame)) is None else found
        return lambda frame: UNDEFINED if (found := frame.call[place]) is None else found

    def _raw(self, name: str) -> Code:
        """The value of a name; None for a null parameter."""
        if name in self.space.lets:
            return _let(name, self.code(self.space.lets[name]))
        place = self.space.index.get(name)
        if place is None:
            return lambda frame: frame.variables.get(name, UNDEFINED)
        return lambda frame: frame.call[place]

    def _distinct(self, var: str, over: Node, body: Node) -> Code:
        """The elements that a quantifier goes over, each once; of indices of the same elements of all lists, one."""
        elements, lists = self.code(over), _indexed(var, body)
        if not isinstance(over, Call) or over.func != "range":
            return lambda frame: UNDEFINED if (found := elements(frame)) is UNDEFINED else tuple(dict.fromkeys(found))
        if lists is None or over.args[0] != Int(0):
            return elements
        codes = [self.code(one) for one in lists]

        def distinct(frame: Frame) -> Any:
            indices = elements(frame)
            if indices is UNDEFINED or len(indices) < _FEW:
                return indices
            columns = [() if (found := code(frame)) is UNDEFINED else found for code in codes]
            longest = islice(zip_longest(*columns), len(indices))
            return tuple(dict(zip(chain(longest, repeat(None)), indices, strict=False)).values())

        return distinct

    def _in_rows(self, params: tuple[str, ...]) -> Code:
        """Whether one row holds the dtypes of all checked parameters; undefined while one is illegal by itself."""
        checked = [self.space.info.param(name).checked for name in params]
        asked = [
            (self._raw(name), None if guard is None else self.code(guard))
            for name, guard in zip(params, checked, strict=True)
        ]
        # It keeps the rows, so that no others take their id.
        memo: dict[tuple[int, tuple[Any, ...]], tuple[Rows, Any]] = {}

        def in_rows(frame: Frame) -> Any:
            dtypes = tuple([_dtypes_asked(raw(frame), guard, frame) for raw, guard in asked])
            found = memo.get((id(frame.rows), dtypes))
            if found is None:
                found = memo[id(frame.rows), dtypes] = frame.rows, _fitting(params, dtypes, frame.rows)
            return found[1]

        return in_rows


def _dtypes_asked(value: Any, guard: Code | None, frame: Frame) -> Any:
    """The dtypes of a value, each once, none of an empty list; NULL of a null, None where they are not checked."""
    if value is None:
        return NULL
    if guard is not None and guard(frame) is not True:
        return None
    if isinstance(value, str):
        return (value,)
    items = value if isinstance(value, tuple) else (value,)
    found = tuple(dict.fromkeys(getattr(item, "dtype", None) for item in items))
    return UNDEFINED if None in found else found


def _fitting(params: tuple[str, ...], dtypes: tuple[Any, ...], rows: Rows) -> Any:
    """Whether one row holds all dtypes; where several parameters are asked, a row may name that one is null."""
    if UNDEFINED in dtypes:
        return UNDEFINED
    joint = len(params) > 1
    found = []
    for name, one in zip(params, dtypes, strict=True):
        if one == NULL:
            found += [(name, (NULL,))] if joint and names_null(name, rows) else []
        elif one is not None:
            found.append((name, one))
    if not rows or not found:
        return UNDEFINED
    fits = [[name not in row or row[name].issuperset(one) for name, one in found] for row in rows]
    if joint and not all(map(any, zip(*fits, strict=True))):
        return UNDEFINED
    return any(map(all, fits))


def _strict(function: Callable[..., Any], codes: list[Code]) -> Code:
    """A function of its operands; undefined where one is."""
    if len(codes) == 1:
        (operand,) = codes
        return lambda frame: UNDEFINED if (value := operand(frame)) is UNDEFINED else function(value)
    if len(codes) == 2:
        left, right = codes

        def of_two(frame: Frame) -> Any:
            one = left(frame)
            if one is UNDEFINED:
                return UNDEFINED
            other = right(frame)
            return UNDEFINED if other is UNDEFINED else function(one, other)

        return of_two

    def of_many(frame: Frame) -> Any:
        values = [code(frame) for code in codes]
        return UNDEFINED if UNDEFINED in values else function(*values)

    return of_many


def _junction(deciding: bool, codes: list[Code]) -> Code:
    """`and` (decided by False) or `or` (decided by True), in Kleene's logic."""

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


def _choice(cond: Code, then: Code, orelse: Code) -> Code:
    def value_of(frame: Frame) -> Any:
        chosen = cond(frame)
        return UNDEFINED if chosen is UNDEFINED else (then if chosen else orelse)(frame)

    return value_of


def _let(name: str, code: Code) -> Code:
    """The value of a let, computed once a frame and outside of every quantifier."""

    def value_of(frame: Frame) -> Any:
        lets = frame.lets
        if name not in lets:
            outside, frame.variables = frame.variables, {}
            lets[name] = code(frame)
            frame.variables = outside
        return lets[name]

    return value_of


def _quantified(deciding: bool, var: str, over: Code, body: Code) -> Code:
    """`all` (decided by False) or `any` (decided by True), in Kleene's logic."""

    def value_of(frame: Frame) -> Any:
        elements = over(frame)
        if elements is UNDEFINED:
            return UNDEFINED
        outside, result = frame.variables, not deciding
        frame.variables = inside = {**outside}
        for element in elements:
            inside[var] = element
            value = body(frame)
            if value is UNDEFINED:
                result = UNDEFINED
            elif value == deciding:
                result = deciding
                break
        frame.variables = outside
        return result

    return value_of


def _each(var: str, over: Code, body: Code) -> Code:
    def value_of(frame: Frame) -> Any:
        elements = over(frame)
        if elements is UNDEFINED:
            return UNDEFINED
        outside, values = frame.variables, []
        frame.variables = inside = {**outside}
        for element in elements:
            inside[var] = element
            values.append(body(frame))
        frame.variables = outside
        return UNDEFINED if UNDEFINED in values else tuple(values)

    return value_of
