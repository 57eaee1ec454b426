"""Moves that make a predicate true or false, read off the shape of its tree.

A move proposes a call; whether it helps is for the oracle to say. So a move may be wrong, but the right one must be
among those proposed: both sides of a comparison are changed, each item of a junction, each branch of a choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from aclspec.codegen.derive import shapes
from aclspec.codegen.derive.assign import Assign
from aclspec.codegen.derive.call import Call as Arguments
from aclspec.codegen.derive.call import TensorMeta
from aclspec.codegen.derive.inference import Inference
from aclspec.codegen.derive.oracle import Oracle
from aclspec.codegen.derive.space import DTYPES, FORMATS, Ref
from aclspec.codegen.derive.values import changes, dtypes_in, outside, satisfying
from aclspec.codegen.derive.wishes import opposite, substitute
from aclspec.runtime.formats import Format
from aclspec.runtime.predicate.nodes import (
    And,
    Call,
    Compare,
    IfElse,
    Index,
    InRows,
    Int,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
)
from aclspec.runtime.predicate.relations import FLIPPED
from aclspec.runtime.predicate.values import UNDEFINED
from aclspec.runtime.predicate.walk import names
from aclspec.runtime.testing.suite import Cell

_FEW = 5


class Moves(Assign):
    """Every kind of move, for the calls of one operator on one product in one mode."""

    def __init__(self, oracle: Oracle, cell: Cell) -> None:
        """All moves ask this oracle."""
        super().__init__(oracle, cell)
        inference = Inference(self)
        self.inferred = inference.inferred
        self.one_inferred = inference.one_inferred

    def truth(self, node: Node, want: bool, call: Arguments) -> Iterator[Arguments]:
        """Calls in which a predicate may have the wanted value; first one in which it is defined at all."""
        if not isinstance(node, And | Or | Not) and self.value(node, call) is UNDEFINED:
            yield from self._define(node, call)
        match node:
            case Name(id=name) if name in self.space.lets:
                yield from self.truth(self.space.lets[name], want, call)
            case Name() | Index():
                yield from self.assign(node, want, call)
            case Not(operand=operand):
                yield from self.truth(operand, not want, call)
            case And(items=items):
                yield from self._junction(items, want, want, call)
            case Or(items=items):
                yield from self._junction(items, want, not want, call)
            case IfElse(cond=cond, then=then, orelse=orelse):
                chosen = self.value(cond, call) is True
                yield from self.truth(then if chosen else orelse, want, call)
                yield from self.truth(cond, not chosen, call)
            case Quantifier():
                yield from self._quantified(node, want, call)
            case Compare(op=op, left=left, right=right):
                yield from self._compared(op if want else opposite(op), left, right, call)
            case Call(func=func, args=args):
                yield from self._fact(func, args, want, call)
            case InRows(params=params):
                yield from self._rows(params, want, call)
            case _:
                return

    def _junction(self, items: tuple[Node, ...], want: bool, every: bool, call: Arguments) -> Iterator[Arguments]:
        """Each item that is not as wanted; where every item must be, also the first move of each in one go."""
        wrong = [item for item in items if self.value(item, call) is not want]
        if every and len(wrong) > 1:
            moved = call
            for item in wrong:
                moved = next(self.truth(item, want, moved), moved)
            yield moved
        for item in wrong:
            yield from self.truth(item, want, call)

    def _quantified(self, node: Quantifier, want: bool, call: Arguments) -> Iterator[Arguments]:
        values = self.value(node.over, call)
        if values is UNDEFINED:
            return
        places = range(len(values)) if len(values) <= _FEW else (0, 1, len(values) - 1)
        bodies = tuple(substitute(node.body, node.var, Index(node.over, Int(place))) for place in places)
        every = (node.kind == "all") == want
        yield from self._junction(bodies, want, every, call)
        for length in (0, len(values) - 1) if every else (len(values) + 1,):
            yield from self.assign(Call("len", (node.over,)), length, call)

    def _compared(self, op: str, left: Node, right: Node, call: Arguments) -> Iterator[Arguments]:
        one, other = self.value(left, call), self.value(right, call)
        if one is UNDEFINED or other is UNDEFINED:
            return
        if op in ("in", "not in"):
            for value in other if op == "in" else outside(other):
                yield from self.assign(left, value, call)
            return
        mirrored = FLIPPED.get(op, op)
        for change_left, change_right in zip_longest(satisfying(op, other), satisfying(mirrored, one)):
            if change_left is not None:
                yield from self.assign(left, change_left, call)
            if change_right is not None:
                yield from self.assign(right, change_right, call)

    def _fact(self, func: str, args: tuple[Node, ...], want: bool, call: Arguments) -> Iterator[Arguments]:
        if func == "is_null":
            yield from self._null(args[0], want, call)
        elif func == "is_private":
            private = [name for name in FORMATS if Format[name].is_private is want]
            for name in private[:_FEW]:
                yield from self.assign(args[0], name, call)
        elif func == "broadcastable":
            one, other = (self.value(arg, call) for arg in args)
            for arg, shape in ((args[1], one), (args[0], other)):
                if shape is not UNDEFINED:
                    for wanted in (shape,) if want else shapes.not_broadcast(shape):
                        yield from self.assign(arg, wanted, call)
        elif func == "castable":
            for arg in args:
                for dtype in DTYPES:
                    yield from self._only_if(Call(func, args), want, self.assign(arg, dtype, call))
        elif func in ("is_empty", "is_contiguous"):
            ref = self.tensor(args[0], call)
            tensor = None if ref is None else self.space.get(call, ref)
            if ref is not None and isinstance(tensor, TensorMeta):
                yield from (self._emptied if func == "is_empty" else self._laid_out)(ref, tensor, want, call)

    def _only_if(self, node: Node, want: bool, moved: Iterator[Arguments]) -> Iterator[Arguments]:
        """The calls for which a predicate has the wanted value."""
        yield from (call for call in moved if self.value(node, call) is want)

    def _null(self, node: Node, want: bool, call: Arguments) -> Iterator[Arguments]:
        ref = self.tensor(node, call)
        if ref is None:
            return
        if want:
            yield self.space.put(call, ref, None)
        else:
            default = self.default(ref.param)
            one = default[0] if ref.element is not None and isinstance(default, tuple) else default
            plain = self.space.put(call, ref, one)
            yield plain
            yield from self.inferred(plain)

    def default(self, place: int) -> Any:
        """A plain value of a parameter, with a dtype that the product allows."""
        legal = self.space.legal_dtypes(self.space.names[place], self.cell)
        return self.space.default(place, legal[0] if legal else "FLOAT")

    def _emptied(self, ref: Ref, tensor: TensorMeta, want: bool, call: Arguments) -> Iterator[Arguments]:
        if not want:
            yield from self.set_shape(ref, tuple(size or 2 for size in tensor.shape), call)
            yield from self.set_shape(ref, tuple(size or 1 for size in tensor.shape), call)
            return
        for axis in range(len(tensor.shape)):
            yield from self.set_shape(ref, shapes.with_size(tensor.shape, axis, 0), call)
        if not tensor.shape:
            yield from self.set_shape(ref, (0,), call)

    def _laid_out(self, ref: Ref, tensor: TensorMeta, want: bool, call: Arguments) -> Iterator[Arguments]:
        if want:
            yield self.space.put(call, ref, replace(tensor, strides=None))
            return
        for shape in (tensor.shape, *(shapes.with_size(tensor.shape, axis, 2) for axis in range(len(tensor.shape)))):
            strides = shapes.strided(shape)
            if strides is not None:
                yield self.space.put(call, ref, replace(tensor, shape=shape, strides=strides))

    def _rows(self, params: tuple[str, ...], want: bool, call: Arguments) -> Iterator[Arguments]:
        """Dtypes of a row, with as few changes as possible; or one dtype that is legal, but not in this company."""
        places = [self.space.index[name] for name in params if call[self.space.index[name]] is not None]
        legal = {place: self.space.legal_dtypes(self.space.names[place], self.cell) for place in places}
        if want:
            moved = [self._into_row(dict(row.cells), places, call) for row in self.space.rows(self.cell)]
            yield from sorted(dict.fromkeys(moved), key=lambda other: changes(call, other))
            return
        for place in places:
            beyond = tuple(dtype for dtype in DTYPES if dtype not in legal[place])[-_FEW:]
            for dtype in legal[place] if len(params) > 1 else beyond:
                yield self.set_dtype(place, dtype, call)

    def _into_row(self, row: dict[str, tuple[str, ...]], places: list[int], call: Arguments) -> Arguments:
        for place in places:
            allowed = row.get(self.space.names[place], ())
            if allowed and not dtypes_in(call[place]) <= set(allowed):
                call = self.set_dtype(place, allowed[0], call)
        return call

    def _define(self, node: Node, call: Arguments) -> Iterator[Arguments]:
        """Nulls given a value, ranks raised and arrays lengthened: what makes a predicate undefined, undone."""
        for place in sorted(self._places(node)):
            value = call[place]
            if value is None:
                yield from self._null(Name(self.space.names[place]), False, call)
            elif isinstance(value, TensorMeta):
                for shape in shapes.of_rank(value.shape, len(value.shape) + 1):
                    yield from self.set_shape(Ref(place), shape, call)
            elif isinstance(value, tuple):
                yield from self.resize(Name(self.space.names[place]), len(value) + 1, call)

    def _places(self, node: Node) -> set[int]:
        found: set[int] = set()
        for name in names(node):
            if name in self.space.lets:
                found |= self._places(self.space.lets[name])
            elif name in self.space.index:
                found.add(self.space.index[name])
        return found
