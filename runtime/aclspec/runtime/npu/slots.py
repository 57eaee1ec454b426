"""The tensors of a call as the device sees them: where their bytes are, and how an executor hears of another place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from aclspec.runtime.npu.arrays import DeviceArray
from aclspec.runtime.npu.memory import Memory, storage_bytes

if TYPE_CHECKING:
    from aclspec.runtime.npu.session import Session
    from aclspec.runtime.operator import Operator
    from aclspec.runtime.parameters import Param
    from aclspec.runtime.tensor import Tensor


def flattened(values: Sequence[Any]) -> Iterator[Any]:
    """The values of a call, with the elements of its lists in their places."""
    for value in values:
        if type(value) is tuple:
            yield from value
        else:
            yield value


class Slot:
    """A tensor of a call that is not null.

    ``at`` is its place among the flattened values, ``index`` that of its parameter among those with tensors (the inputs
    before the outputs), and ``relative`` its place in a list. ``memory`` is the buffer of a tensor of the host's,
    ``address`` where its storage is on the device, and ``handle`` the aclTensor or the list that it is in.
    """

    __slots__ = ("address", "at", "handle", "index", "memory", "param", "relative", "session")

    def __init__(self, session: Session, param: Param, at: int, index: int, relative: int | None) -> None:
        """A tensor that is nowhere yet."""
        self.session = session
        self.param = param
        self.at, self.index, self.relative = at, index, relative
        self.memory: Memory | None = None
        self.address: int | None = None
        self.handle = 0

    def place(self, tensor: Tensor) -> None:
        """Find room for the storage of a tensor; one without data or without elements needs none."""
        if isinstance(tensor, DeviceArray):
            self.address = tensor.address
        elif tensor.has_data and (size := storage_bytes(tensor)):
            self.memory = Memory.allocate(self.session, size)
            self.address = self.memory.handle

    def load(self, tensor: Tensor) -> None:
        """Bring the values of a tensor of the host's to its buffer."""
        if self.memory is not None:
            self.memory.load(tensor)

    def fetch(self, tensor: Tensor) -> None:
        """Bring the elements of an output of the host's back from its buffer."""
        if self.memory is not None:
            self.memory.fetch(tensor)

    def move(self, executor: int | None, array: DeviceArray | None) -> None:
        """Tell the executor where an array that lives on the device is in this call; None: it is not asked for."""
        if array is None or (address := array.address) == self.address:
            return
        libraries = self.session.libraries
        if self.relative is None:
            name, code = "aclSetTensorAddr", libraries.aclSetTensorAddr(executor, self.index, self.handle, address)
        else:
            name = "aclSetDynamicTensorAddr"
            code = libraries.aclSetDynamicTensorAddr(executor, self.index, self.relative, self.handle, address)
        if code:
            self.session.check(name, code)
        self.address = address


def slots_of(session: Session, operator: Operator, values: Sequence[Any]) -> list[list[Slot | None]]:
    """The slots of each parameter, None for a null tensor; no slot of a parameter that is no tensor."""
    index = {param: at for at, param in enumerate(_tensors_in_order(operator))}
    found: list[list[Slot | None]] = []
    at = 0
    for param, value in zip(operator.params, values, strict=True):
        elements = value if type(value) is tuple else (value,)
        places = [None] * len(elements) if param.type == "tensor" else range(len(elements))
        if param in index:
            slots = [
                None if one is None else Slot(session, param, at + n, index[param], relative)
                for n, (one, relative) in enumerate(zip(elements, places, strict=True))
            ]
        else:
            slots = []
        found.append(slots)
        at += len(elements)
    return found


def _tensors_in_order(operator: Operator) -> list[Param]:
    """The parameters with tensors as an executor counts them: those it reads, then those it only writes."""
    tensors = [param for param in operator.params if param.type.startswith("tensor")]
    return sorted(tensors, key=lambda param: not param.is_input)
