"""Plans of calls on the device: a call like an earlier one takes that one's executor and looks at no rule.

`aclspec.runtime.plans` keeps them, under keys of all that they depend on but the device itself.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.apart import Apart
from aclspec.runtime.dtypes import BY_NUMPY
from aclspec.runtime.npu.arrays import DeviceArray
from aclspec.runtime.npu.settings import soc_of
from aclspec.runtime.npu.slots import flattened
from aclspec.runtime.tensor import Tensor, wrap

if TYPE_CHECKING:
    from aclspec.runtime.npu.launch import Launch
    from aclspec.runtime.npu.session import Session
    from aclspec.runtime.npu.stream import Stream

_ndarray = np.ndarray


class Kind(tuple[Any, ...]):
    """What decides about an executor, with its hash at hand."""

    def __new__(cls, parts: Iterable[Any]) -> Kind:
        """The kind of these parts."""
        made = super().__new__(cls, parts)
        made._hash = tuple.__hash__(made)
        return made

    _hash: int

    def __hash__(self) -> int:
        """That of the parts."""
        return self._hash


class Kept:
    """Where the executors of one kind are found again."""

    __slots__ = ("_soc", "kind")

    def __init__(self, soc: bytes, kind: Kind) -> None:
        """Those that were made on a device of this SoC."""
        self._soc = soc
        self.kind = kind

    def take(self, owner: Session, stream: Stream) -> Launch | None:
        """One that a stream keeps; None where none is free, or the device has become another one."""
        if soc_of(owner) != self._soc:
            return None
        with stream.lock:
            return stream.plans.take(self.kind)


class Filling:
    """Makes the values of an executor from what a call is given: those of an earlier call, with other tensors."""

    __slots__ = ("_device", "_host", "_values")

    def __init__(self, values: Sequence[Any], given: Sequence[Any], sources: Sequence[int]) -> None:
        """The values of that call in C order, what it was ``given``, and for each value its place there."""
        starts = [0]
        for value in values:
            starts.append(starts[-1] + (len(value) if type(value) is tuple else 1))
        used = [(source, at) for at, source in enumerate(sources) if isinstance(values[at], Tensor) and source >= 0]
        self._values = [None if isinstance(value, Tensor) else value for value in flattened(values)]
        self._device = [(source, starts[at]) for source, at in used if isinstance(given[source], DeviceArray)]
        self._host = [
            (source, starts[at], BY_NUMPY[given[source].dtype])
            for source, at in used
            if isinstance(given[source], _ndarray)
        ]

    def __call__(self, given: Sequence[Any]) -> list[Any] | None:
        """The values, those of lists in their places; None where an array is freed, which the long way tells."""
        values = [*self._values]
        for source, at in self._device:
            array = values[at] = given[source]
            memory = array._memory
            if memory is not None and memory._handle is None:
                return None
        for source, at, dtype in self._host:
            array = given[source]
            values[at] = wrap(array.shape, dtype, None, array)
        return values


class ApartThere:
    """Whether what the calls of one plan write shares memory with others of their arrays, on either side."""

    __slots__ = ("_host", "_pairs", "_places")

    def __init__(self, given: Sequence[Any], written: Container[int], among: Container[int]) -> None:
        """What the first call was given, the places of what is written, and of what that is compared with."""
        looked = [value if at in among else None for at, value in enumerate(given)]
        self._places = [at for at, value in enumerate(looked) if isinstance(value, DeviceArray)]
        self._pairs = [pair for pair in combinations(self._places, 2) if pair[0] in written or pair[1] in written]
        on_host = [value if isinstance(value, _ndarray) else None for value in looked]
        self._host = Apart(on_host, written) if sum(value is not None for value in on_host) > 1 else None

    def __call__(self, given: Sequence[Any]) -> bool:
        """Whether they are apart; in doubt they are not."""
        places = self._places
        if self._pairs and len({given[at]._memory for at in places}) < len(places):
            for one, other in self._pairs:
                if given[one]._memory is given[other]._memory is not None:
                    return False
        return self._host is None or self._host(given)
