"""Moves that let the outputs of a call follow from its inputs."""

from __future__ import annotations

from typing import Any, TypeAlias

from aclspec.codegen.derive import lists
from aclspec.codegen.derive.call import Call, TensorMeta
from aclspec.codegen.derive.setters import Setters
from aclspec.codegen.derive.space import Ref
from aclspec.runtime.predicate.values import UNDEFINED

_Fact: TypeAlias = tuple[Ref, Any, Any]
"""An output, its shape and its dtype, of a list one for each tensor; None for what stays."""


class Inference:
    """The outputs of one operator as they are inferred, on one product in one mode."""

    def __init__(self, setters: Setters) -> None:
        """Watch what the outputs follow from."""
        self.setters = setters
        self.oracle = setters.oracle
        self._infer = [
            (Ref(setters.space.index[item.param]), self.oracle.watch(item.shape), self.oracle.watch(item.dtype))
            for item in setters.space.info.infer
        ]
        # A search tries the same calls for one goal after the other.
        self._together: dict[Call, tuple[Call, ...]] = {}
        self._alone: dict[Call, tuple[Call, ...]] = {}

    def inferred(self, call: Call) -> tuple[Call, ...]:
        """The call with all its outputs as inferred: their shapes alone, then their dtypes with them."""
        found = self._together.get(call)
        if found is None:
            facts = self._inferred_facts(call)
            shaped = self._as_inferred(call, [(ref, shape, None) for ref, shape, _ in facts])
            full = self._as_inferred(shaped, facts)
            found = (*(() if shaped is call else (shaped,)), *(() if full is shaped else (full,)))
            self._together[call] = found
        return found

    def one_inferred(self, call: Call) -> tuple[Call, ...]:
        """The call with one output at a time as inferred, its shape or its dtype."""
        found = self._alone.get(call)
        if found is None:
            facts = self._inferred_facts(call)
            single = (fact for ref, shape, dtype in facts for fact in ((ref, shape, None), (ref, None, dtype)))
            moved = (self._as_inferred(call, [fact]) for fact in single)
            found = self._alone[call] = tuple(one for one in moved if one is not call)
        return found

    def _inferred_facts(self, call: Call) -> list[_Fact]:
        """Shape and dtype of each output that is given and that something follows for."""
        facts: list[_Fact] = []
        for ref, shape_of, dtype_of in self._infer:
            if isinstance(call[ref.param], TensorMeta | tuple):
                shape = self.oracle.remembered(shape_of, call, self.setters.cell)
                dtype = self.oracle.remembered(dtype_of, call, self.setters.cell)
                if shape is not UNDEFINED:
                    facts.append((ref, shape, None if dtype is UNDEFINED else dtype))
        return facts

    def _as_inferred(self, call: Call, facts: list[_Fact]) -> Call:
        """The call with these facts; the very same call when they are facts already."""
        for ref, shape, dtype in facts:
            tensor = call[ref.param]
            if isinstance(tensor, tuple):
                moved = lists.as_inferred(tensor, self.setters.space.default(ref.param), shape, dtype)
                call = call if moved == tensor else self.setters.space.replaced(call, ref.param, moved)
                continue
            assert isinstance(tensor, TensorMeta)
            if shape is not None and tensor.shape != shape:
                call = next(self.setters.set_shape(ref, shape, call), call)
            if dtype is not None and tensor.dtype != dtype:
                call = self.setters.set_dtype(ref.param, dtype, call)
        return call
