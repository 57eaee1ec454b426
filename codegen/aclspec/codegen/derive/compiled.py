"""Predicates as functions of Python: what the interpreter says, several times faster.

The search asks predicates millions of times. Each node is turned into a closure once; names are found, literals folded
and dtype rows turned into sets then. Every case that leaves the sampler is confirmed by the interpreter, which shares
no code with this but the function library.
"""

from __future__ import annotations

import operator
from typing import Any

from aclspec.codegen.derive import closures
from aclspec.codegen.derive.call import Call as Arguments
from aclspec.codegen.derive.call import TensorMeta
from aclspec.codegen.derive.closures import Code, Frame, Rows
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
)
from aclspec.runtime.predicate.values import INFERRED, UNDEFINED, Undefined, dtypes_of
from aclspec.runtime.predicate.walk import names
from aclspec.runtime.testing.suite import Cell


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
                found = closures.constant(value)
            self._codes[key] = found
        return found

    def _compiled(self, node: Node, bound: frozenset[str]) -> Code:
        match node:
            case Int(value=value) | Float(value=value) | Bool(value=value) | Str(value=value) | Symbol(name=value):
                return closures.constant(value)
            case Name(id=name):
                return closures.defined(self._raw(name, bound))
            case Not(operand=operand):
                return closures.unary(operator.not_, self.code(operand, bound))
            case Negate(operand=operand):
                return closures.unary(operator.neg, self.code(operand, bound))
            case Compare(op=op, left=left, right=right):
                return closures.binary(closures.COMPARE[op], self.code(left, bound), self.code(right, bound))
            case Arith(op=op, left=left, right=right):
                return closures.binary(closures.ARITH[op], self.code(left, bound), self.code(right, bound))
            case Index(base=base, index=index):
                return closures.binary(closures.item, self.code(base, bound), self.code(index, bound))
            case And(items=items):
                return closures.junction(False, [self.code(item, bound) for item in items])
            case Or(items=items):
                return closures.junction(True, [self.code(item, bound) for item in items])
            case ListOf(items=items):
                return closures.strict(lambda *values: values, [self.code(item, bound) for item in items])
            case IfElse(cond=cond, then=then, orelse=orelse):
                return closures.choice(self.code(cond, bound), self.code(then, bound), self.code(orelse, bound))
            case Quantifier(kind=kind, var=var, over=over, body=body):
                return closures.quantified(kind == "any", var, self.code(over, bound), self.code(body, bound | {var}))
            case Each(var=var, over=over, body=body):
                return closures.each(var, self.code(over, bound), self.code(body, bound | {var}))
            case Call(func=func, args=args):
                return self._call(func, args, bound)
            case InRows(params=params):
                return self._in_rows(params)

    def _raw(self, name: str, bound: frozenset[str]) -> Code:
        """What a name stands for: None for a null parameter, `INFERRED` for an output that is left out."""
        if name in bound:
            return lambda frame: frame.variables[name]
        if name in self.space.lets:
            return closures.let(name, lambda: self.code(self.space.lets[name]))
        place = self.space.index.get(name)
        return closures.constant(None) if place is None else lambda frame: frame.call[place]

    def _call(self, func: str, args: tuple[Node, ...], bound: frozenset[str]) -> Code:
        if func == "is_null":
            argument = args[0]
            asked = self._raw(argument.id, bound) if isinstance(argument, Name) else self.code(argument, bound)
            return closures.is_null(asked)
        codes = [self.code(arg, bound) for arg in args]
        if func in closures.TENSOR:
            return closures.unary(closures.TENSOR[func], codes[0])
        if func == "dim":
            return closures.binary(closures.dim, *codes)
        if len(codes) == 1:
            return closures.unary(IMPLEMENTATIONS[func], codes[0])
        return closures.strict(IMPLEMENTATIONS[func], codes)

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
            return closures.fitting(given, frame.rows, len(params) > 1)

        return in_rows
