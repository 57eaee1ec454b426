"""The outputs of a call on the device: on the host or on the device, as the caller's own tensors are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.compute import allocate, require_data, reserve
from aclspec.runtime.errors import ParamError
from aclspec.runtime.giving import share_memory
from aclspec.runtime.npu.arrays import DeviceArray
from aclspec.runtime.npu.slots import flattened
from aclspec.runtime.outputs import Outputs
from aclspec.runtime.tensor import Tensor, provide

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aclspec.runtime.operator import Operator
    from aclspec.runtime.parameters import Param


class DeviceOutputs(Outputs):
    """The outputs of one call, new ones on the device if any input is there.

    ``moved`` are those that overlap an input: each is computed in a copy, which then replaces it.
    """

    __slots__ = ("moved", "on_device", "resident")

    def __init__(self, operator: Operator, values: Sequence[Any], out: object) -> None:
        """The outputs of a call with these converted inputs."""
        super().__init__(operator, values, out)
        self.resident = [value for value in flattened(values) if isinstance(value, DeviceArray)]
        self.on_device = bool(self.resident)
        self.moved: list[tuple[DeviceArray, DeviceArray]] = []
        if len(self.given) > 1:
            check_apart_there(operator, operator.in_c_order(values, self.given, writing=True))

    def require(self, params: Sequence[Param], written: Iterable[Tensor | None]) -> None:
        """Refuse an output to write that has no data, on the host or on the device."""
        require_data(params, [None if isinstance(one, DeviceArray) else one for one in written], self.operator.name)

    def placed(self, values: Sequence[Any], effect: str | None, blank: bool) -> list[Tensor | None]:
        """The tensors that the library writes, in the order of the outputs.

        ``blank``: what it may leave unwritten is filled with zeros first, as `effect` and partial outputs are.
        """
        if self.given:
            self._check_given(effect)
        if self.operator.in_place:
            read = iter([value for param, value in zip(self.operator.inputs, values, strict=True) if param.is_output])
        chosen: list[Tensor | None] = []
        for at, (param, mine) in enumerate(zip(self.operator.outputs, self.inferred, strict=True)):
            own = self.given[at] if self.given else None
            source = next(read) if param.is_input else None
            if mine is None:
                chosen.append(None)
            elif source is not None:
                chosen.append(self._in_place(source, own))
            elif isinstance(own, DeviceArray):
                chosen.append(self._apart(own))
            elif own is not None and own.has_data:
                chosen.append(own)
            else:
                chosen.append(self._new(mine, blank or effect is not None or param.partial))
        return chosen

    def _new(self, tensor: Tensor, zeroed: bool) -> Tensor:
        reserve([tensor], self.operator.name)
        if self.on_device:
            made = DeviceArray.like(tensor)
            if zeroed and made.memory is not None:
                made.memory.zero()
            return made
        provide(tensor, allocate(tensor, self.operator.name, zeroed))
        return tensor

    def _apart(self, own: DeviceArray) -> DeviceArray:
        """The output itself, or a copy of it where an input lies in its memory."""
        if not any(_overlap(own, one) for one in self.resident):
            return own
        made = own.copy()
        self.moved.append((own, made))
        return made

    def _in_place(self, source: Tensor, own: Tensor | None) -> Tensor:
        """The tensor that is read and written: a copy, unless what the caller gave to write is what it reads."""
        if isinstance(own, DeviceArray) and isinstance(source, DeviceArray) and own.is_same_view(source):
            return own
        if isinstance(own, DeviceArray):
            made = own.copy()
            made.assign(source)
            self.moved.append((own, made))
            return made
        values = source.to_host() if isinstance(source, DeviceArray) else np.array(source.array, order="C")
        host = Tensor(data=values, format=source.format)
        return DeviceArray.from_host(host) if self.on_device and own is None else host

    def finish(self, targets: Sequence[Tensor | None], effect: str | None) -> None:
        """Bring what was computed elsewhere to where the caller wants it."""
        if effect == "unwritten":
            return
        for own, made in self.moved:
            if own.memory is not None and made.memory is not None:
                own.memory.copy_from(made.memory)
        for param, given, target in zip(self.operator.outputs, self.given, targets, strict=True):
            if param.is_input and given is not None and given.has_data and target is not None:
                np.copyto(given.array, target.array)

    def results(self, inputs: Sequence[Any], targets: Sequence[Tensor | None]) -> Any:
        """The outputs in the result class: the caller's own objects, else arrays of the kind that the inputs are."""
        if not self.on_device:
            return super().results(inputs, targets)
        own = self.objects or [None] * len(targets)
        found = [
            target if given is None or target is None else given for given, target in zip(own, targets, strict=True)
        ]
        return self.operator.result._make(found)


def check_apart_there(operator: Operator, values: Sequence[Any]) -> None:
    """Refuse two outputs on the device, among all values in C order, that have an element in common."""
    given = [
        (param, value)
        for param, value in zip(operator.params, values, strict=True)
        if param.is_output and isinstance(value, DeviceArray)
    ]
    for at, (param, own) in enumerate(given):
        for other, before in given[:at]:
            if _overlap(own, before):
                sentence = f"The memory of the output {param.name} overlaps that of the output {other.name}."
                raise ParamError(sentence, param.name, operator.name)


class _Ghost:
    """Stands where an array on the device does, for questions about addresses alone: nothing reads from it."""

    def __init__(self, array: DeviceArray) -> None:
        kind = np.dtype(f"V{max(array.dtype.itemsize, 1)}")
        start = (array.address or 0) + array.offset * kind.itemsize
        self.__array_interface__ = {
            "version": 3,
            "shape": array.shape,
            "typestr": kind.str,
            "data": (start, True),
            "strides": tuple(step * kind.itemsize for step in array.strides),
        }


def _overlap(one: DeviceArray, other: DeviceArray) -> bool:
    """Whether two arrays on the device have an element in common."""
    if one.memory is None or one.memory is not other.memory or not one.numel or not other.numel:
        return False
    ghosts: list[NDArray[Any]] = [np.asarray(_Ghost(array)) for array in (one, other)]
    return share_memory(*ghosts)
