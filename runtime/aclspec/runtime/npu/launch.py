"""A call that the library has accepted: its C arguments, its executor and its buffers on the device."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from aclspec.runtime.abi.errors import AclnnError, ParamError
from aclspec.runtime.execution.compute import Lengths
from aclspec.runtime.npu.arrays import DeviceArray, Memory, storage_bytes
from aclspec.runtime.npu.session import Session, each
from aclspec.runtime.npu.streams import Stream
from aclspec.runtime.tensors.tensor import Tensor

if TYPE_CHECKING:
    from aclspec.runtime.abi.parameters import Param
    from aclspec.runtime.npu.session import Session
    from aclspec.runtime.rules.operator_table import OperatorTable
    from aclspec.runtime.tensors.tensor import Scalar, Tensor


class Handles:
    """The tensors, scalars, arrays and lists of one call."""

    __slots__ = ("_held", "_operator", "_session", "_texts")

    def __init__(self, session: Session, operator: str) -> None:
        """No handle yet, for a call of this operator."""
        self._session = session
        self._operator = operator
        self._held: list[tuple[str, int]] = []
        self._texts: list[Any] = []

    def argument(self, param: Param, value: Any, addresses: Sequence[int | None]) -> Any:
        """The C argument of a value; ``addresses`` are those of its tensors on the device."""
        if value is None:
            return None
        maker = _MAKERS.get(param.type)
        if maker is not None:
            return maker(self, param, value)
        if param.type == "tensor":
            return self.tensor(value, addresses[0])
        if param.type == "tensor_list":
            pairs = zip(value, addresses, strict=True)
            elements = [None if one is None else self.tensor(one, address) for one, address in pairs]
            return self._list("TensorList", elements)
        return value  # a number by value, which the prototype converts

    def tensor(self, tensor: Tensor, address: int | None) -> int:
        """An aclTensor over the memory at an address; without one it is only a description."""
        rank, shape = len(tensor.shape), tensor.shape
        dims = (ctypes.c_int64 * rank)(*shape)
        if tensor._layout is None and tensor.is_contiguous:
            strides, offset, storage, storage_rank = None, 0, dims, rank
        else:
            strides, offset = (ctypes.c_int64 * rank)(*tensor.strides), tensor.offset
            storage_rank = len(tensor.storage_shape)
            storage = (ctypes.c_int64 * storage_rank)(*tensor.storage_shape)
        form = -1 if tensor.format is None else int(tensor.format)
        parts = (dims, rank, int(tensor.dtype), strides, offset, form, storage, storage_rank, address)
        return self._made("Tensor", self._session.libraries.aclCreateTensor(*parts))

    def _scalar(self, param: Param, value: Scalar) -> int:
        kind = value.dtype.numpy
        if kind is None:
            sentence = f"The dtype of {param.name} ({value.dtype.name}) has no NumPy type to give its value in."
            raise ParamError(sentence, param.name, self._operator)
        number = np.array(value.value).astype(kind)
        address = number.__array_interface__["data"][0]
        return self._made("Scalar", self._session.libraries.aclCreateScalar(address, int(value.dtype)))

    def _scalars(self, param: Param, values: Sequence[Scalar | None]) -> int:
        return self._list("ScalarList", [None if one is None else self._scalar(param, one) for one in values])

    def _ints(self, _param: Param, values: Sequence[int]) -> int:
        return self._array("IntArray", (ctypes.c_int64 * len(values))(*values), len(values))

    def _floats(self, _param: Param, values: Sequence[float]) -> int:
        return self._array("FloatArray", (ctypes.c_float * len(values))(*values), len(values))

    def _bools(self, _param: Param, values: Sequence[bool]) -> int:
        return self._array("BoolArray", (ctypes.c_bool * len(values))(*values), len(values))

    def _string(self, param: Param, value: str) -> bytes:
        if "\0" in value:
            raise ParamError(f"The value of {param.name} ({value!r}) holds a NUL.", param.name, self._operator)
        text = value.encode()
        self._texts.append(text)  # phase one may not copy it
        return text

    def _array(self, noun: str, values: Any, count: int) -> int:
        return self._made(noun, getattr(self._session.libraries, f"aclCreate{noun}")(values, count))

    def _list(self, noun: str, elements: Sequence[int | None]) -> int:
        """A list of handles, which destroys its elements with itself."""
        count = len(elements)
        made = self._array(noun, (ctypes.c_void_p * count)(*elements), count)
        owned = set(elements)
        self._held = [held for held in self._held if held[1] not in owned]
        return made

    def _made(self, noun: str, handle: int | None) -> int:
        if handle is None:
            raise self._session.libraries.null(f"aclCreate{noun}", self._operator)
        self._held.append((f"aclDestroy{noun}", handle))
        return handle

    def close(self) -> None:
        """Give all of them back; AclnnError where the library refuses one, which is then given back at the end."""
        session, refused = self._session, None
        if not session.is_open:
            self._held.clear()
        while self._held:
            name, handle = self._held.pop()
            function = getattr(session.libraries, name)
            code = function(handle)
            if code:
                session.leftovers.append((function, handle))
                refused = refused or (name, code)
        if refused is not None:
            session.check(*refused, self._operator)


_MAKERS: dict[str, Callable[[Handles, Param, Any], Any]] = {
    "scalar": Handles._scalar,
    "scalar_list": Handles._scalars,
    "int_array": Handles._ints,
    "float_array": Handles._floats,
    "bool_array": Handles._bools,
    "string": Handles._string,
}


def flattened(values: Sequence[Any]) -> Iterator[Any]:
    """The values of a call, with the elements of its lists in their places."""
    for value in values:
        if type(value) is tuple:
            yield from value
        else:
            yield value


def _length(session: Session, handle: int, axis: int) -> int:
    """The length of the first axis (0) or of the last (-1) that an aclTensor has now."""
    dims, rank = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_uint64()
    code = session.libraries.aclGetViewShape(handle, ctypes.byref(dims), ctypes.byref(rank))
    session.check("aclGetViewShape", code)
    length = int(dims[axis % rank.value])
    session.libraries.delete_array(dims)
    return length


class Buffer(NamedTuple):
    """The device memory of a host tensor."""

    param: Param
    tensor: Tensor
    memory: Memory


class Launch:
    """Phase one of a call, done; phase two can follow, more than once after `make_repeatable`.

    It owns all that it makes and frees it in `close`; nothing is left where making it fails.
    """

    __slots__ = (
        *("__weakref__", "_arrays", "_buffers", "_dependent", "_handles", "executor", "is_repeatable", "is_resident"),
        *("operator", "phases", "session", "size", "workspace"),
    )
    rank: ClassVar[int] = 1

    def __init__(
        self, session: Session, operator: OperatorTable, values: Sequence[Any], used: Sequence[Any] | None = None
    ) -> None:
        """Ask the library for an executor of these values, all parameters in C order; AclnnError where it refuses.

        ``used`` has None for each output that is switched off, which is neither read nor written.
        """
        self.session = session
        self.operator = operator
        self.executor: int | None = None
        self.is_repeatable = False
        self.is_resident = True
        """Whether no value is on its way from or to the host."""
        self.workspace: Memory | None = None
        self.size = 0
        self._arrays: list[DeviceArray] = []
        self._buffers: list[Buffer] = []
        self._dependent: list[tuple[int, int] | None] = []
        self._handles = Handles(session, operator.name)
        self.phases = session.libraries.phases(operator)
        with ExitStack() as undo:
            undo.callback(self.abandon)
            parts = zip(operator.params, values, used or values, strict=True)
            arguments = [self._argument(param, value, use is not None) for param, value, use in parts]
            size, executor = ctypes.c_uint64(), ctypes.c_void_p()
            code = self.phases.get_workspace_size(*arguments, ctypes.byref(size), ctypes.byref(executor))
            if code:
                raise session.libraries.failed(f"{operator.name}GetWorkspaceSize", code, operator.name)
            self.size, self.executor = size.value, executor.value
            undo.pop_all()
        session.resources.add(self)

    def _argument(self, param: Param, value: Any, is_used: bool) -> Any:
        """The C argument of a value; its tensors get their place on the device."""
        tensors = () if not param.type.startswith("tensor") else value if type(value) is tuple else (value,)
        made = self._handles.argument(param, value, [one and self._place(param, one, is_used) for one in tensors])
        if param.data_dependent:
            self._dependent.append((made, param.dependent_axis) if is_used else None)
        return made

    def _place(self, param: Param, tensor: Tensor, is_used: bool) -> int | None:
        """The address of a tensor's storage; None for one without data or without elements."""
        if isinstance(tensor, DeviceArray):
            if is_used:
                self._arrays.append(tensor)
            return tensor.address
        self.is_resident = False
        if not (tensor.has_data and (size := storage_bytes(tensor))):
            return None
        memory = Memory.allocate(self.session, size)
        self._buffers.append(Buffer(param, tensor, memory))
        return memory.handle

    def make_repeatable(self) -> int:
        """Let phase two follow more than once: the status, which is not 0 for a call that the library cannot repeat."""
        code: int = self.session.libraries.aclSetAclOpExecutorRepeatable(self.executor)
        self.is_repeatable = not code
        return code

    def run(
        self,
        stream: Stream,
        workspace: int | None,
        size: int,
        goes_on: bool = False,
        loads_outputs: bool = True,
        fetches: bool = True,
    ) -> None:
        """Phase two, with the values of the host's tensors there and back; AclnnError where the library refuses it.

        ``goes_on``: return without waiting. ``loads_outputs``: load host outputs too, as some may stay unwritten.
        """
        for array in self._arrays:
            _ = array.address  # ValueError where it is freed
            busy = None if array.memory is None else array.memory.stream
            if busy is not None and busy is not stream:
                stream.wait_for(busy)
        for param, tensor, memory in self._buffers:
            if loads_outputs or param.is_input or param.partial:
                memory.load(tensor)
        executor = self.executor
        if not self.is_repeatable:
            self.executor = None  # spent, whether it succeeds or fails
        code = stream.within(self.phases.execute, workspace, size, executor, stream.handle)
        if code:
            raise self.session.libraries.failed(self.operator.name, code, self.operator.name)
        stream.launched()
        if goes_on:
            for array in self._arrays:
                if array.memory is not None:
                    array.memory.stream = stream
            return
        stream.synchronize()
        for param, tensor, memory in self._buffers if fetches else ():
            if param.is_output:
                memory.fetch(tensor)

    def lengths(self) -> Lengths:
        """The length of each output that the data decides; phase two is over by now."""
        if not self._dependent:
            return None
        return tuple(None if one is None else _length(self.session, *one) for one in self._dependent)

    def scratch(self, size: int) -> int | None:
        """A workspace of its own, of ``size`` bytes."""
        if size and (self.workspace is None or self.workspace.size < size):
            self.workspace = Memory.allocate(self.session, size)
        return None if self.workspace is None else self.workspace.handle

    def close(self) -> None:
        """Free everything; AclnnError where the library refuses something, which is then freed at the end."""
        steps: list[Callable[[], None]] = []
        executor, self.executor = self.executor, None
        if executor is not None and self.session.is_open:
            steps.append(partial(self._destroy, executor))
        steps.append(self._handles.close)
        steps += [buffer.memory.close for buffer in self._buffers]
        self._buffers, self._arrays = [], []
        if self.workspace is not None:
            steps.append(self.workspace.close)
        each(steps)

    def _destroy(self, executor: int) -> None:
        function = self.session.libraries.aclDestroyAclOpExecutor
        code = function(executor)
        if code:
            self.session.leftovers.append((function, executor))
            self.session.check("aclDestroyAclOpExecutor", code)

    def abandon(self) -> None:
        """Free everything where another failure is on its way to the caller."""
        with suppress(AclnnError):  # what could not be freed is among the leftovers of the session
            self.close()

    def __del__(self) -> None:
        """Free what is left, in the thread of the garbage collector."""
        if self.session.is_open and (self.executor is not None or self._buffers or self._arrays):
            with suppress(AclnnError):
                self.session.enter()
                self.close()
