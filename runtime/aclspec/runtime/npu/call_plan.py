"""The plan of a call in one step on the device."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from aclspec.runtime.errors import AclnnError
from aclspec.runtime.messages import record
from aclspec.runtime.npu.arrays import DeviceArray
from aclspec.runtime.npu.plan import ApartThere, Filling, Kept
from aclspec.runtime.npu.session import joined
from aclspec.runtime.npu.stream import current_stream
from aclspec.runtime.plan import LARGEST
from aclspec.runtime.plans import UNPLANNED
from aclspec.runtime.tensor import Tensor, wrap

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator

_new_tuple = tuple.__new__


class New(NamedTuple):
    """An output that each call makes."""

    at: int
    """Its place among the values of the executor."""
    like: Tensor
    on_device: bool
    zeroed: bool

    def make(self) -> Tensor:
        """A new one."""
        like = self.like
        if not self.on_device:
            array = (np.zeros if self.zeroed else np.empty)(like.shape, like.dtype.numpy)
            return wrap(like.shape, like.dtype, like.format, array)
        made = DeviceArray.like(like)
        if self.zeroed and made.memory is not None:
            made.memory.zero()
        return made


class CallPlan:
    """A call that passed our checks and the library's, for the calls like it."""

    __slots__ = ("_fill", "_kept", "_new", "_operator", "_results", "are_apart")

    def __init__(
        self,
        operator: Operator,
        kept: Kept,
        fill: Filling,
        new: Sequence[New],
        results: Sequence[tuple[bool, int]],
        are_apart: ApartThere,
    ) -> None:
        """The parts of a call.

        ``new`` are the outputs that each call makes. ``results`` says of each output whether the caller gives it, and
        its place among what he gives or among the values of the executor; -1: it is switched off.
        """
        self._operator, self._kept, self._fill = operator, kept, fill
        self._new, self._results, self.are_apart = new, results, are_apart

    def __call__(self, inputs: Sequence[Any], out: Sequence[Any]) -> Any:
        """The result; `UNPLANNED` where the long way has to look, or no executor is free."""
        owner = joined()
        given = (*inputs, *out)
        values = self._fill(given)
        if owner is None or values is None:
            return UNPLANNED
        try:
            stream, may_go_on = current_stream(owner)
            with stream.lock:
                launch = self._kept.take(owner, stream)
                if launch is None:
                    return UNPLANNED
                try:
                    for output in self._new:
                        values[output.at] = output.make()
                    launch.run(values, stream, may_go_on, outputs=False)
                except BaseException:
                    stream.settle_again()  # nothing is freed under work that goes on
                    launch.abandon()
                    raise
                stream.keep(self._kept.kind, launch)
        except AclnnError as error:
            record(error.rule or self._operator.name, str(error))
            raise
        return _new_tuple(
            self._operator.result,
            [given[at] if is_given else None if at < 0 else _as_result(values[at]) for is_given, at in self._results],
        )


def _as_result(tensor: Tensor) -> Any:
    return tensor if type(tensor) is DeviceArray else tensor.array


def plan_of(
    operator: Operator,
    kept: Kept,
    inputs: Sequence[Any],
    values: Sequence[Any],
    sources: Sequence[int],
    out: Sequence[Any],
) -> CallPlan | None:
    """The plan of a call that has just run, from its tensors and attributes in C order; None: there is none.

    ``out`` are the arrays that the caller gave to write, ``sources`` the places of the outputs among them, -1 for a
    new one.
    """
    given = (*inputs, *out)
    reads, writes = iter(range(len(inputs))), iter(sources)
    places: list[int] = []
    new: list[New] = []
    results: list[tuple[bool, int]] = []
    for param, value in zip(operator.params, values, strict=True):
        at = sum(len(before) if type(before) is tuple else 1 for before in values[: len(places)])
        if param.is_input:
            places.append(next(reads))
            continue
        source = next(writes)
        places.append(source if source < 0 else len(inputs) + source)
        if value is None:
            results.append((False, -1))
        elif source < 0:
            like = wrap(value.shape, value.dtype, value.format)
            new.append(New(at, like, isinstance(value, DeviceArray), param.partial))
            results.append((False, at))
        else:
            results.append((True, places[-1]))
    are_apart = ApartThere(given, range(len(inputs), len(given)), range(len(given)))
    if sum(prod(one.like.shape) for one in new) > LARGEST or not are_apart(given):  # else it was computed in a copy
        return None
    return CallPlan(operator, kept, Filling(values, given, places), new, results, are_apart)
