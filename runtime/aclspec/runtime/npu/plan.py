"""Plans of phase one on the device: a call like an earlier one takes that one's executor and looks at no rule."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from marshal import dumps
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from aclspec.runtime.dtypes import BY_NUMPY
from aclspec.runtime.environment import watch
from aclspec.runtime.modes import CONFORMANCE
from aclspec.runtime.npu.arrays import DeviceArray
from aclspec.runtime.npu.settings import CHECKS, soc_of
from aclspec.runtime.npu.slots import flattened
from aclspec.runtime.plan_key import Keys, may_plan
from aclspec.runtime.products import ENVIRONMENT as PRODUCT
from aclspec.runtime.tensor import Tensor, wrap

if TYPE_CHECKING:
    from aclspec.runtime.executor import Checked
    from aclspec.runtime.npu.session import Session
    from aclspec.runtime.operator import Operator

Key: TypeAlias = tuple[Any, ...]
MOST = 256
"""Plans that are kept; the oldest one goes first."""
_ndarray = np.ndarray
_environment = watch(PRODUCT, CONFORMANCE, CHECKS)
_plans: dict[Key, PhasePlan] = {}


class Kind(tuple[Any, ...]):
    """What decides about an executor, with its hash at hand."""

    def __new__(cls, parts: Sequence[Any]) -> Kind:
        """The kind of these parts."""
        made = super().__new__(cls, parts)
        made._hash = tuple.__hash__(made)
        return made

    _hash: int

    def __hash__(self) -> int:
        """That of the parts."""
        return self._hash


class PhasePlan:
    """A phase one that passed our checks and the library's, for the calls like it."""

    __slots__ = ("_device", "_host", "_pairs", "_values", "call", "kind")

    def __init__(self, call: Checked, kind: Kind, given: Sequence[Any], values: Sequence[Any]) -> None:
        """The plan of a call that was ``given`` these values and uses ``values``; ``kind`` is that of its executor."""
        self.call, self.kind = call, kind
        starts = [0]
        for value in values:
            starts.append(starts[-1] + (len(value) if type(value) is tuple else 1))
        used = [at for at, value in enumerate(values) if isinstance(value, Tensor)]
        self._values = [None if isinstance(value, Tensor) else value for value in flattened(values)]
        self._device = [(at, starts[at]) for at in used if isinstance(given[at], DeviceArray)]
        self._host = [(at, starts[at], BY_NUMPY[given[at].dtype]) for at in used if isinstance(given[at], _ndarray)]
        written = [at for at in used if call.operator.params[at].is_output]
        self._pairs = list(combinations(written, 2))

    def values_of(self, given: Sequence[Any]) -> list[Any] | None:
        """The values of such a call for its executor; None where the long way has to look at them.

        That is where an array is freed, and where two outputs may have an element in common.
        """
        values = [*self._values]
        for at, place in self._device:
            array = values[place] = given[at]
            memory = array._memory
            if memory is not None and not memory.is_alive:
                return None
        for at, place, dtype in self._host:
            array = given[at]
            values[place] = wrap(array.shape, dtype, None, array)
        for one, other in self._pairs:
            if _may_overlap(given[one], given[other]):
                return None
        return values


def _may_overlap(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if type(one) is DeviceArray:
        return one._memory is other._memory and one._memory is not None
    return np.may_share_memory(one, other)


def key_of(
    owner: Session, operator: Operator, given: Sequence[Any], product: object, conformance: object
) -> Key | None:
    """All that a phase one depends on but the data of its tensors; None for a call without a plan."""
    parts: list[Any] = [operator, product, conformance, *_environment(), soc_of(owner)]
    plain = []
    for value in given:
        if type(value) is DeviceArray:
            parts.append(value.kind)
        elif type(value) is _ndarray:
            parts += (value.flags.num, value.shape, value.dtype)
        else:
            parts.append(None)
            plain.append(value)
    try:
        parts.append(dumps(plain, 2))
    except ValueError:  # a torch tensor, a Tensor, something of NumPy's
        return None
    return tuple(parts)


def find(key: Key | None) -> PhasePlan | None:
    """The plan that is kept for a key."""
    try:
        return None if key is None else _plans.get(key)
    except TypeError:  # something in it cannot be a key
        return None


def keep(key: Key | None, call: Checked, kind: Kind, given: Sequence[Any], values: Sequence[Any]) -> None:
    """Keep the plan of a call, where what it was given is of the kinds that a key tells apart."""
    params = call.operator.params
    there = [None if isinstance(value, DeviceArray) else value for value in given]
    if key is None or not may_plan(params) or not Keys(params).may_keep(there):
        return
    _plans[key] = PhasePlan(call, kind, given, values)
    while len(_plans) > MOST:
        try:
            _plans.pop(next(iter(_plans)), None)
        except (StopIteration, RuntimeError):  # another thread is at it
            return
