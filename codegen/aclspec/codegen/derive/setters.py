"""The things of a call that can be set: a parameter, and the shape, the dtype and the format of a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from aclspec.codegen.derive import shapes
from aclspec.codegen.derive.call import Call as Arguments
from aclspec.codegen.derive.call import ScalarMeta, TensorMeta
from aclspec.codegen.derive.oracle import Oracle
from aclspec.codegen.derive.space import Ref
from aclspec.codegen.derive.values import with_dtype
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.nodes import IfElse, Index, Name, Node
from aclspec.runtime.predicate.values import UNDEFINED
from aclspec.runtime.testing.suite import Cell

MAX_INT = 2**63 - 1


class Setters:
    """Changes of single things in the calls of one operator, on one product in one mode."""

    def __init__(self, oracle: Oracle, cell: Cell) -> None:
        """Ask this oracle for the values of expressions."""
        self.oracle = oracle
        self.space = oracle.space
        self.cell = cell

    def value(self, node: Node, call: Arguments) -> Any:
        """The value of an expression in a call."""
        return self.oracle.value(node, call, self.cell)

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
        if shape and (min(shape) < -MAX_INT or max(shape) > MAX_INT):
            return
        moved = self.space.with_shape(call, ref, shape)
        yield moved
        kept = self.space.put(call, ref, tensor.reshaped(shape))
        if kept != moved:
            yield kept

    def set_parameter(self, place: int, wanted: Any, call: Arguments) -> Iterator[Arguments]:
        """The call with another value of a parameter that is no tensor, if its C type can hold it."""
        kind = self.space.kinds[place]
        param = PARAM_TYPES[self.space.info.params[place].type]
        if param.is_integer and not (isinstance(wanted, int) and param.low <= wanted <= param.high):
            return
        if kind in ("ints", "bools", "floats"):
            if isinstance(wanted, tuple) and not (kind == "ints" and any(abs(item) > MAX_INT for item in wanted)):
                yield self.space.replaced(call, place, wanted)
        elif kind in ("bool", "int", "float", "string", "dtype"):
            yield self.space.replaced(call, place, wanted)

    def set_fact(self, func: str, args: tuple[Node, ...], wanted: Any, call: Arguments) -> Iterator[Arguments]:
        """Calls in which ``rank``, ``numel``, ``dim`` or ``shape`` of a tensor may be the wanted one."""
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

    def set_label(self, func: str, ref: Ref | None, wanted: Any, call: Arguments) -> Iterator[Arguments]:
        """The call with another dtype or format of a tensor, or another dtype of a scalar."""
        value = None if ref is None else self.space.get(call, ref)
        if ref is not None and func == "dtype" and isinstance(value, TensorMeta | ScalarMeta):
            yield self.space.put(call, ref, with_dtype(value, wanted))
        elif ref is not None and isinstance(value, TensorMeta):
            yield self.space.put(call, ref, replace(value, format=wanted))
