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
        *("__weakref__", "_buffered", "_handles", "_resident", "executor", "held", "is_repeatable"),
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
        self.held = 0
        """The bytes on the device that it keeps."""
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
                self.held += 0 if slot.memory is None else slot.memory.size
            argument = self._handles.argument(param, value, [None if slot is None else slot.address for slot in group])
            for slot in filter(None, group):
                slot.handle = argument
            arguments.append(argument)
        return arguments

    @property
    def is_resident(self) -> bool:
        """Whether all of its tensors live on the device, so that no value is on its way from or to the host."""
        return not self._buffered

    def make_repeatable(self) -> int:
        """Let phase two follow more than once: the status, which is not 0 for a call that the library cannot repeat."""
        code: int = self.session.libraries.aclSetAclOpExecutorRepeatable(self.executor)
        self.is_repeatable = not code
        return code

    def place(self, values: Sequence[Any], stream: Stream | None = None) -> None:
        """Tell the executor where the tensors on the device are; a stream waits for the work of others on them."""
        for slot in self._resident:
            array = values[slot.at]
            if array is None:
                continue
            memory = array._memory
            if memory is None or memory._handle != slot.address:
                slot.move(self.executor, array)
            busy = None if memory is None else memory.stream
            if busy is not None and busy is not stream and stream is not None:
                stream.wait_for(busy)

    def load(self, values: Sequence[Any], outputs: bool) -> None:
        """Bring the values of the host's inputs to the device, and of its outputs if ``outputs`` or if partial."""
        for slot in self._buffered:
            tensor = values[slot.at]
            if tensor is not None and (outputs or slot.param.is_input or slot.param.partial):
                slot.load(tensor)

    def fetch(self, values: Sequence[Any]) -> None:
        """Bring the outputs of the host's back."""
        for slot in self._buffered:
            if slot.param.is_output and values[slot.at] is not None:
                slot.fetch(values[slot.at])

    def run(self, values: Sequence[Any], stream: Stream, may_go_on: bool, outputs: bool, fetches: bool = True) -> None:
        """As `go`, with a workspace of its own; nobody waits for it where it ``may_go_on`` and can."""
        goes_on = may_go_on and self.is_repeatable and self.is_resident
        self.go(values, stream, self.scratch(self.size), self.size, goes_on, outputs, fetches)

    def go(
        self,
        values: Sequence[Any],
        stream: Stream,
        workspace: int | None,
        size: int,
        goes_on: bool,
        outputs: bool,
        fetches: bool = True,
    ) -> None:
        """Phase two, with the values of the host's tensors there and back; AclnnError where the library refuses it.

        ``goes_on``: nobody waits for it. ``outputs``: those of the host go there too, for what stays unwritten.
        """
        self.place(values, stream)
        if self._buffered:
            self.load(values, outputs)
        executor = self.executor
        if not self.is_repeatable:
            self.executor = None  # spent, whether it succeeds or fails
        code = stream.within(self.phases.execute, workspace, size, executor, stream.handle)
        if code:
            raise failed(self.session.libraries, self.operator.name, code, self.operator.name)
        stream.launched()
        if goes_on:
            self._go_on(values, stream)
            return
        stream.synchronize()
        if fetches and self._buffered:
            self.fetch(values)

    def _go_on(self, values: Sequence[Any], stream: Stream) -> None:
        """Note that the work on the arrays of the device may still be going on, and where."""
        for slot in self._resident:
            memory = values[slot.at] and values[slot.at].memory
            if memory is not None:
                memory.stream = stream

    def scratch(self, size: int) -> int | None:
        """A workspace of its own of so many bytes."""
        mine = self.workspace
        if size and (mine is None or mine.size < size):
            made = Memory.allocate(self.session, size)
            self.held += made.size - (0 if mine is None else mine.size)
            mine = self.workspace = made
        return None if mine is None else mine.handle

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
