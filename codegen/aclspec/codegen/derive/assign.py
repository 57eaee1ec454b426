"""Moves that give an expression of a predicate a wanted value, read off the shape of its tree."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from aclspec.codegen.derive import inverses, shapes
from aclspec.codegen.derive.call import Call as Arguments
from aclspec.codegen.derive.call import ScalarMeta, TensorMeta, Value
from aclspec.codegen.derive.oracle import Oracle
from aclspec.codegen.derive.space import Ref
from aclspec.codegen.derive.wishes import substitute
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.nodes import (
    Arith,
    Call,
    Each,
    IfElse,
    Index,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Quantifier,
    children,
)
from aclspec.runtime.predicate.values import UNDEFINED
from aclspec.runtime.testing.suite import Cell

_TRIALS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 10, 12, 16, -1)
_EXTREMES = ("min", "max")
MAX_INT = 2**63 - 1


class Assign(ABC):
    """Assignments to expressions in the calls of one operator, on one product in one mode."""

    def __init__(self, oracle: Oracle, cell: Cell) -> None:
        """Ask this oracle for the values of expressions."""
        self.oracle = oracle
        self.space = oracle.space
        self.cell = cell

    def value(self, node: Node, call: Arguments) -> Any:
        """The value of an expression in a call."""
        return self.oracle.value(node, call, self.cell)

    @abstractmethod
    def truth(self, node: Node, want: bool, call: Arguments) -> Iterator[Arguments]:
        """Calls in which a predicate may have the wanted value."""

    def assign(self, node: Node, wanted: Any, call: Arguments) -> Iterator[Arguments]:
        """Calls like this one in which the expression may have the wanted value."""
        match node:
            case Name(id=name) if name in self.space.lets:
                yield from self.assign(self.space.lets[name], wanted, call)
            case Name(id=name) if name in self.space.index:
                yield from self._parameter(self.space.index[name], wanted, call)
            case Index(base=base, index=index):
                yield from self._element(base, self.value(index, call), wanted, call)
            case ListOf(items=items):
                if isinstance(wanted, tuple) and len(wanted) == len(items):
                    yield from self.chain(list(zip(items, wanted, strict=True)), call)
            case Each() if isinstance(wanted, tuple):
                yield from self._each(node, wanted, call)
            case Arith():
                yield from self._arithmetic(node, wanted, call)
            case Negate(operand=operand):
                yield from self.assign(operand, -wanted, call)
            case IfElse(cond=cond, then=then, orelse=orelse):
                chosen = self.value(cond, call)
                if chosen is not UNDEFINED:
                    yield from self.assign(then if chosen else orelse, wanted, call)
                for flipped in self.truth(cond, chosen is not True, call):
                    yield flipped
                    yield from self.assign(orelse if chosen is True else then, wanted, flipped)
            case Call(func=func, args=args):
                yield from self._function(func, args, wanted, call)
            case _ if isinstance(wanted, bool):
                yield from self.truth(node, wanted, call)

    def chain(self, pairs: list[tuple[Node, Any]], call: Arguments) -> Iterator[Arguments]:
        """The call after several assignments, each by its first move."""
        for node, wanted in pairs:
            if self.value(node, call) == wanted:
                continue
            moved = next(self.assign(node, wanted, call), None)
            if moved is None:
                return
            call = moved
        yield call

    def tensor(self, node: Node, call: Arguments) -> Ref | None:
        """The place of the tensor or scalar that an expression names."""
        match node:
            case Name(id=name) if name in self.space.lets:
                return self.tensor(self.space.lets[name], call)
            case Name(id=name) if name in self.space.index:
                return Ref(self.space.index[name])
            case Index(base=Name(id=name), index=index) if name in self.space.index:
                at = self.value(index, call)
                return None if at is UNDEFINED else Ref(self.space.index[name], at)
            case IfElse(cond=cond, then=then, orelse=orelse):
                chosen = self.value(cond, call)
                return None if chosen is UNDEFINED else self.tensor(then if chosen else orelse, call)
            case _:
                return None

    def set_dtype(self, place: int, dtype: str, call: Arguments) -> Arguments:
        """The call with another dtype of a parameter; of every element, where it is a list."""
        return self.space.replaced(call, place, with_dtype(call[place], dtype))

    def set_shape(self, ref: Ref | None, shape: tuple[int, ...], call: Arguments) -> Iterator[Arguments]:
        """The call with another shape of a tensor, its format following, and once more with its format kept."""
        tensor = None if ref is None else self.space.get(call, ref)
        if ref is None or not isinstance(tensor, TensorMeta) or len(shape) > shapes.MAX_RANK:
            return
        if any(not -MAX_INT <= size <= MAX_INT for size in shape):
            return
        moved = self.space.with_shape(call, ref, shape)
        yield moved
        kept = self.space.put(call, ref, tensor.reshaped(shape))
        if kept != moved:
            yield kept

    def _parameter(self, place: int, wanted: Any, call: Arguments) -> Iterator[Arguments]:
        kind = self.space.kinds[place]
        param = PARAM_TYPES[self.space.info.params[place].type]
        if param.is_integer and not (isinstance(wanted, int) and param.low <= wanted <= param.high):
            return
        if kind in ("ints", "bools", "floats"):
            if isinstance(wanted, tuple) and not (kind == "ints" and any(abs(item) > MAX_INT for item in wanted)):
                yield self.space.replaced(call, place, wanted)
        elif kind in ("bool", "int", "float", "string", "dtype"):
            yield self.space.replaced(call, place, wanted)

    def _element(self, base: Node, at: Any, wanted: Any, call: Arguments) -> Iterator[Arguments]:
        values = self.value(base, call)
        if values is not UNDEFINED and at is not UNDEFINED and 0 <= at < len(values):
            yield from self.assign(base, (*values[:at], wanted, *values[at + 1 :]), call)

    def _arithmetic(self, node: Arith, wanted: Any, call: Arguments) -> Iterator[Arguments]:
        left, right = self.value(node.left, call), self.value(node.right, call)
        if left is not UNDEFINED and right is not UNDEFINED:
            if isinstance(wanted, tuple):
                cut = len(left)
                yield from self.chain([(node.left, wanted[:cut]), (node.right, wanted[cut:])], call)
                yield from self.assign(node.right, wanted[cut:], call)
                return
            moved = False
            for side, value in inverses.of_arithmetic(node, wanted, left, right):
                for found in self.assign(side, value, call):
                    moved = True
                    yield found
            if moved:
                return
        yield from self._by_trial(node, wanted, call)

    def _each(self, node: Each, wanted: tuple[Any, ...], call: Arguments) -> Iterator[Arguments]:
        """So many elements, and of each the body."""
        values = self.value(node.over, call)
        if values is UNDEFINED:
            return
        resized = call if len(values) == len(wanted) else next(self.resize(node.over, len(wanted), call), None)
        if resized is not None:
            yield from self.chain([(_body_at(node, place), item) for place, item in enumerate(wanted)], resized)

    def _by_trial(self, node: Node, wanted: Any, call: Arguments) -> Iterator[Arguments]:
        """Small values of each thing inside the expression that can be set, tried one by one."""
        for leaf in dict.fromkeys(self._leaves(node)):
            current = self.value(leaf, call)
            if isinstance(current, bool) or not isinstance(current, int):
                continue
            for trial in (current + 1, current - 1, *_TRIALS, 2 * current):
                moved = next(self.assign(leaf, trial, call), None)
                if moved is not None and self.value(node, moved) == wanted:
                    yield moved

    def _leaves(self, node: Node) -> Iterator[Node]:
        match node:
            case Name(id=name) if name in self.space.lets:
                yield from self._leaves(self.space.lets[name])
            case Name() | Index() | Call(func="dim" | "rank" | "numel" | "len"):
                yield node
            case Quantifier() | Each():
                yield from self._leaves(node.over)
                yield from self._leaves(_body_at(node, 0))
            case _:
                for child in children(node):
                    yield from self._leaves(child)

    def _function(self, func: str, args: tuple[Node, ...], wanted: Any, call: Arguments) -> Iterator[Arguments]:
        if isinstance(wanted, bool):
            yield from self.truth(Call(func, args), wanted, call)
        elif func in ("rank", "numel", "dim", "shape"):
            yield from self._shape_fact(func, args, wanted, call)
        elif func in ("dtype", "format"):
            yield from self._label(func, self.tensor(args[0], call), wanted, call)
        elif func == "len":
            yield from self.resize(args[0], wanted, call)
        elif func in ("broadcast", "promote") or (func in _EXTREMES and len(args) > 1):
            for arg in args:
                yield from self.assign(arg, wanted, call)
        elif func in ("sum", "prod", *_EXTREMES):
            yield from self._fold(func, args[0], wanted, call)
        elif func == "slice":
            values, start, stop = (self.value(arg, call) for arg in args)
            if values is not UNDEFINED and start is not UNDEFINED and stop is not UNDEFINED:
                yield from self.assign(args[0], (*values[:start], *wanted, *values[stop:]), call)
        elif func in inverses.WINDOWS:
            yield from self._window(func, args, wanted, call)
        else:
            yield from self._by_trial(Call(func, args), wanted, call)

    def _window(self, func: str, args: tuple[Node, ...], wanted: Any, call: Arguments) -> Iterator[Arguments]:
        """Another size, kernel, stride or padding."""
        values = [self.value(arg, call) for arg in args]
        if UNDEFINED in values or not isinstance(wanted, int):
            return
        for place, value in inverses.of_window(func, values, wanted):
            if value != values[place]:
                yield from self.assign(args[place], value, call)

    def _shape_fact(self, func: str, args: tuple[Node, ...], wanted: Any, call: Arguments) -> Iterator[Arguments]:
        ref = self.tensor(args[0], call)
        tensor = None if ref is None else self.space.get(call, ref)
        if not isinstance(tensor, TensorMeta):
            return
        if func == "shape":
            yield from self.set_shape(ref, wanted, call)
        elif func == "dim":
            axis = self.value(args[1], call)
            if axis is not UNDEFINED and 0 <= axis < len(tensor.shape):
                yield from self.set_shape(ref, shapes.with_size(tensor.shape, axis, wanted), call)
        else:
            for shape in (shapes.of_rank if func == "rank" else shapes.of_numel)(tensor.shape, wanted):
                yield from self.set_shape(ref, shape, call)

    def _label(self, func: str, ref: Ref | None, wanted: Any, call: Arguments) -> Iterator[Arguments]:
        value = None if ref is None else self.space.get(call, ref)
        if ref is not None and func == "dtype" and isinstance(value, TensorMeta | ScalarMeta):
            yield self.space.put(call, ref, with_dtype(value, wanted))
        elif ref is not None and isinstance(value, TensorMeta):
            yield self.space.put(call, ref, replace(value, format=wanted))

    def resize(self, node: Node, length: Any, call: Arguments) -> Iterator[Arguments]:
        """The call with another length of a list: cut, or the last element repeated."""
        values = self.value(node, call)
        if values is UNDEFINED or not 0 <= length <= shapes.MAX_RANK:
            return
        if isinstance(node, Name) and node.id in self.space.index:
            place = self.space.index[node.id]
            whole = call[place]
            filler = self.space.default(place)
            assert isinstance(whole, tuple)
            assert isinstance(filler, tuple)
            last = whole[-1:] or filler[:1]
            yield self.space.replaced(call, place, (*whole[:length], *last * (length - len(whole))))
        elif all(isinstance(item, int) for item in values):
            yield from self.assign(node, (*values[:length], *(1,) * (length - len(values))), call)

    def _fold(self, func: str, node: Node, wanted: Any, call: Arguments) -> Iterator[Arguments]:
        """One element changed so that the list has this sum, product or extreme."""
        values = self.value(node, call)
        if values is UNDEFINED:
            return
        for place, value in enumerate(values):
            if func == "sum":
                changed = value + wanted - sum(values)
            elif func == "prod":
                rest = math.prod(shapes.with_size(values, place, 1))
                if not rest or wanted % rest:
                    continue
                changed = wanted // rest
            else:
                changed = wanted
            yield from self.assign(node, shapes.with_size(values, place, changed), call)
        if func in _EXTREMES:
            yield from self.assign(node, (wanted,) * len(values), call)


def _body_at(node: Quantifier | Each, place: int) -> Node:
    """What is said of one element."""
    return substitute(node.body, node.var, Index(node.over, Int(place)))


def with_dtype(value: Value, dtype: str) -> Value:
    """The value with another dtype; every element of a list."""
    if isinstance(value, TensorMeta | ScalarMeta):
        return value if value.dtype == dtype else replace(value, dtype=dtype)
    if isinstance(value, tuple):
        return tuple(with_dtype(item, dtype) for item in value)  # type: ignore[return-value]
    return dtype if isinstance(value, str) else value
