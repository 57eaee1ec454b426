"""Plans of the simulator's calls: a phase one like an earlier one asks no rule, and a phase two in memory that was used
before only computes.

C names a call by a key of all that its checks depend on but where its tensors are, and those places by another: the
address of each tensor, the bytes from there on, and the allocation that they are in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from struct import unpack
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.apart import Apart
from aclspec.runtime.compute import kernel_value
from aclspec.runtime.environment import watch
from aclspec.runtime.executor import Executor
from aclspec.runtime.native.library import SWITCH, THREADS
from aclspec.runtime.plan import Run, prepared
from aclspec.runtime.plan_key import is_orderly
from aclspec.runtime.simulator.values import mold_of
from aclspec.runtime.tensor import Tensor
from aclspec.runtime.two_phase import compute

if TYPE_CHECKING:
    from aclspec.runtime.executor import Checked

MOST = 256
"""Plans that are kept; the oldest one goes first."""
PLACE = 3
"""Numbers that C says of each place, the address first."""
_environment = watch(SWITCH, THREADS)
_plans: dict[bytes, Plan] = {}


class Plan:
    """A call that passed phase one; it serves every executor of such a call.

    ``values`` are tensors without memory, and attributes; None is an output that is switched off.
    """

    __slots__ = ("_arrays", "_last", "_molds", "_run", "_written", "call", "values")

    def __init__(self, call: Checked, given: Sequence[Any], values: Sequence[Any]) -> None:
        """The plan of a call that was ``given`` these values, of which ``values`` are used."""
        self.call = call
        self.values = values
        self._written = list(_reaches(call, given, values))
        self._arrays = [at for at, value in enumerate(values) if isinstance(value, Tensor)]
        self._molds = [(at, mold_of(values[at])) for at in self._arrays]
        self._run: tuple[tuple[object, ...], Run, Apart, Sequence[Any]] | None = None
        self._last: tuple[bytes, tuple[object, ...], Run, Sequence[Any]] | None = None

    def is_apart(self, places: bytes) -> bool:
        """Whether no two outputs have an element in common; in doubt they have."""
        if len(self._written) < 2:
            return True
        where = unpack(f"{len(places) // 8}Q", places)
        ends = sorted((where[PLACE * at] + low, where[PLACE * at] + high) for at, low, high in self._written)
        return all(one[1] <= other[0] for one, other in pairwise(ends))

    def again(self, places: bytes) -> bool:
        """Compute in the memory of the last time; False where it is another."""
        last = self._last
        if last is None or last[0] != places or last[1] != _environment():
            return False
        last[2](last[3])
        return True

    def elsewhere(self, memories: Sequence[Any], places: bytes) -> bool:
        """Compute in other memory than the last time; False where the long way has to look at it."""
        known, now = self._run, _environment()
        if known is None or known[0] != now:
            return False
        arrays = [*known[3]]
        for at, mold in self._molds:
            array = arrays[at] = None if mold is None else mold.filled(memories[at])
            if array is None or not is_orderly(array, written=False):
                return False
        if not known[2](arrays):
            return False
        known[1](arrays)
        self._last = places, now, known[1], arrays
        return True

    def compute(self, values: Sequence[Any], places: bytes) -> None:
        """Compute in these values, which are those of the plan in their memory; AclnnError where they cannot be."""
        arrays = [kernel_value(value) for value in values]
        now = _environment()
        run = self._runs(arrays, now)
        if run is None:
            compute(self.call.operator, Executor(self.call, values), values)
            return
        run(arrays)
        self._last = places, now, run, arrays

    def _runs(self, arrays: Sequence[Any], now: tuple[object, ...]) -> Run | None:
        """What computes in these arrays; None where they overlap, are out of order, or in lists."""
        if self.call.effect is not None or not all(map(_is_plain, arrays)):
            return None
        known = self._run
        if known is None or known[0] != now:
            operator = self.call.operator
            precision = operator.precision(self.call.product, *self.values)
            run = prepared(operator.kernel_for(self.call.backend), arrays, precision)
            written = [at for at, param in enumerate(operator.params) if param.is_output]
            plain = [None if isinstance(value, np.ndarray) else value for value in arrays]
            known = self._run = now, run, Apart(arrays, written), plain
        return known[1] if known[2](arrays) else None


def find(key: bytes, places: bytes) -> Plan | None:
    """The plan of a call like an earlier one, whose outputs are apart."""
    plan = _plans.get(key)
    return plan if plan is not None and plan.is_apart(places) else None


def keep(key: bytes, plan: Plan) -> None:
    """Keep a plan for the calls like it."""
    _plans[key] = plan
    while len(_plans) > MOST:
        try:
            _plans.pop(next(iter(_plans)), None)
        except (StopIteration, RuntimeError):  # another thread is at it
            return


def _is_plain(value: Any) -> bool:
    """Whether a value of a kernel is an array in order, or no array; tensors in lists go the long way."""
    if type(value) is tuple:
        return not any(isinstance(one, np.ndarray) for one in value)
    return not isinstance(value, np.ndarray) or is_orderly(value, written=False)


def _reaches(call: Checked, given: Sequence[Any], values: Sequence[Any]) -> Iterator[tuple[int, int, int]]:
    """Of each tensor that is written: its number among all tensors, and the bytes that it reaches from its place."""
    number = 0
    for param, mine, used in zip(call.operator.params, given, values, strict=True):
        tensors = () if not param.type.startswith("tensor") else mine if type(mine) is tuple else (mine,)
        if param.type == "tensor_list" and mine is None:
            tensors = ()
        for tensor in tensors:
            if param.is_output and used is not None and tensor is not None and tensor.numel > 0:
                steps = [(size - 1) * step for size, step in zip(tensor.shape, tensor.strides, strict=True)]
                low, high = (tensor.offset + sum(pick(step, 0) for step in steps) for pick in (min, max))
                yield number, low * tensor.dtype.itemsize, (high + 1) * tensor.dtype.itemsize
            number += 1
