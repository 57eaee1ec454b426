"""A call that the library has accepted: its executor, its handles and its buffers on the device."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from aclspec.runtime.errors import AclnnError
from aclspec.runtime.npu.arrays import DeviceArray
from aclspec.runtime.npu.failure import each, failed
from aclspec.runtime.npu.handles import Handles
from aclspec.runtime.npu.memory import Memory
from aclspec.runtime.npu.slots import Slot, flattened, slots_of

if TYPE_CHECKING:
    from aclspec.runtime.npu.session import Session
    from aclspec.runtime.npu.stream import Stream
    from aclspec.runtime.operator import Operator


class Launch:
    """Phase one of a call, done; phase two can follow, more than once where `repeat` was allowed.

    It owns all that it makes and frees it in `close`; nothing is left where making it fails.
    """

    __slots__ = (
        *("__weakref__", "_buffered", "_handles", "_resident", "executor", "is_repeatable"),
        *("operator", "phases", "session", "size", "workspace"),
    )
    rank = 1

    def __init__(self, session: Session, operator: Operator, values: Sequence[Any]) -> None:
        """Ask the library for an executor of these values, all parameters in C order; AclnnError where it refuses."""
        self.session = session
        self.operator = operator
        self.executor: int | None = None
        self.is_repeatable = False
        self.workspace: Memory | None = None
        self.size = 0
        self._buffered: list[Slot] = []  # tensors of the host, and what is only described
        self._resident: list[Slot] = []
        self._handles = Handles(session, operator.name)
        self.phases = session.libraries.phases(operator)
        with ExitStack() as undo:
            undo.callback(self.abandon)
            arguments = self._arguments(values)
            size, executor = ctypes.c_uint64(), ctypes.c_void_p()
            code = self.phases.get_workspace_size(*arguments, ctypes.byref(size), ctypes.byref(executor))
            if code:
                raise failed(session.libraries, f"{operator.name}GetWorkspaceSize", code, operator.name)
            self.size, self.executor = size.value, executor.value
            undo.pop_all()
        session.resources.add(self)

    def _arguments(self, values: Sequence[Any]) -> list[Any]:
        flat = list(flattened(values))
        arguments = []
        groups = slots_of(self.session, self.operator, values)
        for param, value, group in zip(self.operator.params, values, groups, strict=True):
            for slot in filter(None, group):
                tensor = flat[slot.at]
                (self._resident if isinstance(tensor, DeviceArray) else self._buffered).append(slot)
                slot.place(tensor)
            argument = self._handles.argument(param, value, [None if slot is None else slot.address for slot in group])
            for slot in filter(None, group):
                slot.handle = argument
            arguments.append(argument)
        return arguments

    @property
    def held(self) -> int:
        """The bytes on the device that it keeps."""
        buffers = sum(slot.memory.size for slot in self._buffered if slot.memory is not None)
        return buffers + (self.workspace.size if self.workspace is not None else 0)

    @property
    def is_resident(self) -> bool:
        """Whether all of its tensors live on the device, so that no value is on its way from or to the host."""
        return not self._buffered

    def make_repeatable(self) -> int:
        """Let phase two follow more than once: the status, which is not 0 for a call that the library cannot repeat."""
        code: int = self.session.libraries.aclSetAclOpExecutorRepeatable(self.executor)
        self.is_repeatable = not code
        return code

    def load(self, values: Sequence[Any], also: Callable[[Slot], bool]) -> None:
        """Bring the values of the host's inputs to the device, and of the outputs that ``also`` wants."""
        for slot in self._buffered:
            if slot.param.is_input or also(slot):
                slot.load(values[slot.at])

    def move(self, values: Sequence[Any]) -> None:
        """Tell the executor where the tensors on the device are."""
        for slot in self._resident:
            array = values[slot.at]
            if array is not None and ((memory := array._memory) is None or memory._handle != slot.address):
                slot.move(self.executor, array)

    def fetch(self, values: Sequence[Any]) -> None:
        """Bring the outputs of the host's back."""
        for slot in self._buffered:
            if slot.param.is_output and values[slot.at] is not None:
                slot.fetch(values[slot.at])

    def begin(self, values: Sequence[Any], stream: Stream) -> None:
        """Let what comes wait for the work of other streams on the arrays of the device."""
        for slot in self._resident:
            array = values[slot.at]
            memory = None if array is None else array._memory
            if memory is not None and memory.stream is not None and memory.stream is not stream:
                stream.wait_for(memory.stream)

    def go_on(self, values: Sequence[Any], stream: Stream) -> None:
        """Note that the work on the arrays of the device may still be going on, and where."""
        for slot in self._resident:
            memory = values[slot.at] and values[slot.at].memory
            if memory is not None:
                memory.stream = stream

    def run(self, stream: Stream) -> None:
        """Phase two with a workspace of our own."""
        if self.size and self.workspace is None:
            self.workspace = Memory.allocate(self.session, self.size)
        code = self.execute(self.workspace.handle if self.workspace else None, self.size, stream)
        if code:
            raise failed(self.session.libraries, self.operator.name, code, self.operator.name)
        stream.launched()

    def execute(self, workspace: int | None, size: int, stream: Stream) -> int:
        """Phase two; it spends the executor unless that is repeatable, whether it succeeds or fails."""
        executor = self.executor
        if not self.is_repeatable:
            self.executor = None
        return stream.within(self.phases.execute, workspace, size, executor, stream.handle)

    def close(self) -> None:
        """Free everything; AclnnError where the library refuses something, which is then freed at the end."""
        steps: list[Callable[[], None]] = []
        executor, self.executor = self.executor, None
        if executor is not None and self.session.is_open:
            steps.append(partial(self._destroy, executor))
        steps.append(self._handles.close)
        steps += [slot.memory.close for slot in self._buffered if slot.memory is not None]
        self._buffered, self._resident = [], []
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
        """Free what nobody freed, in whatever thread the garbage collector runs."""
        if self.session.is_open and (self.executor is not None or self._buffered or self._resident):
            with suppress(AclnnError):
                self.session.enter()
                self.close()
