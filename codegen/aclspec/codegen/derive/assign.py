"""Moves that give an expression of a predicate a wanted value, read off the shape of its tree."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import islice
from typing import Any

from aclspec.codegen.derive import inverses, shapes
from aclspec.codegen.derive.attempts import Attempts
from aclspec.codegen.derive.call import Call as Arguments
from aclspec.codegen.derive.oracle import Oracle
from aclspec.codegen.derive.setters import Setters
from aclspec.codegen.derive.wishes import body_at
from aclspec.runtime.predicate.nodes import (
    Arith,
    Call,
    Each,
    IfElse,
    Index,
    ListOf,
    Name,
    Negate,
    Node,
)
from aclspec.runtime.predicate.values import UNDEFINED
from aclspec.runtime.testing.suite import Cell

_EXTREMES = ("min", "max")


class Assign(Setters, ABC):
    """Assignments to expressions in the calls of one operator, on one product in one mode."""

    def __init__(self, oracle: Oracle, cell: Cell) -> None:
        """Nothing attempted yet."""
        super().__init__(oracle, cell)
        self._attempts = Attempts(self)

    @abstractmethod
    def truth(self, node: Node, want: bool, call: Arguments) -> Iterator[Arguments]:
        """Calls in which a predicate may have the wanted value."""

    def assign(self, node: Node, wanted: Any, call: Arguments) -> Iterator[Arguments]:
        """Calls like this one in which the expression may have the wanted value."""
        match node:
            case Name(id=name) if name in self.space.lets:
                yield from self.assign(self.space.lets[name], wanted, call)
            case Name(id=name) if name in self.space.index:
                yield from self.set_parameter(self.space.index[name], wanted, call)
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
            if moved or inverses.is_out_of_reach(node, wanted):
                return
        yield from self._by_trial(node, wanted, call)

    def _each(self, node: Each, wanted: tuple[Any, ...], call: Arguments) -> Iterator[Arguments]:
        """So many elements, and of each the body."""
        values = self.value(node.over, call)
        if values is UNDEFINED:
            return
        resized = call if len(values) == len(wanted) else next(self.resize(node.over, len(wanted), call), None)
        if resized is not None:
            yield from self.chain([(body_at(node, place), item) for place, item in enumerate(wanted)], resized)

    def _by_trial(self, node: Node, wanted: Any, call: Arguments) -> Iterator[Arguments]:
        """Small values of each thing inside the expression that can be set, where the expression comes out right."""
        for leaf, value in self._attempts.that_give(node, wanted, call):
            yield from islice(self.assign(leaf, value, call), 1)

    def _function(self, func: str, args: tuple[Node, ...], wanted: Any, call: Arguments) -> Iterator[Arguments]:
        if isinstance(wanted, bool):
            yield from self.truth(Call(func, args), wanted, call)
        elif func in ("rank", "numel", "dim", "shape"):
            yield from self.set_fact(func, args, wanted, call)
        elif func in ("dtype", "format"):
            yield from self.set_label(func, self.tensor(args[0], call), wanted, call)
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
        elif func == "ceil_div" and (divisor := self.value(args[1], call)) is not UNDEFINED:
            for value in inverses.of_ceil_div(wanted, divisor):
                yield from self.assign(args[0], value, call)
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
