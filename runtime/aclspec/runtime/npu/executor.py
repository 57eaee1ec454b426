"""The executor that the library makes between the two C functions of an operator, and its second phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.errors import AclnnError, type_error
from aclspec.runtime.executor import Checked, Executor, held_bytes, workspace_fault
from aclspec.runtime.messages import record
from aclspec.runtime.npu.arrays import DeviceArray
from aclspec.runtime.npu.calling import require
from aclspec.runtime.npu.failure import failed
from aclspec.runtime.npu.launch import Launch
from aclspec.runtime.npu.memory import Memory
from aclspec.runtime.npu.settings import checks_first
from aclspec.runtime.npu.stream import Stream, default_stream
from aclspec.runtime.status import Status

if TYPE_CHECKING:
    from aclspec.runtime.npu.plan import Kept
    from aclspec.runtime.operator import Operator

_SUCCESS = Status.ACLNN_SUCCESS
_ndarray = np.ndarray


class DeviceExecutor(Executor):
    """The library's executor of a call that it accepted, with the buffers of the host's tensors."""

    __slots__ = ("_home", "_kept", "flat", "launch")

    def __init__(
        self,
        call: Checked,
        values: Sequence[Any],
        flat: Sequence[Any],
        launch: Launch,
        home: Stream | None,
        kept: Kept | None,
    ) -> None:
        """The executor behind ``launch``; ``values`` are None for outputs that are switched off.

        There are none where all of them are known to have data; ``flat`` are the same with the elements of lists in
        their places. ``home`` is the stream that keeps the launch for the next such call, ``kept`` as what.
        """
        super().__init__(call, values)
        self.flat = flat
        self.launch = launch
        self._home = home
        self._kept = kept

    @property
    def is_alive(self) -> bool:
        """Whether a second phase may still take it, which the end of the session rules out."""
        return self._alive and self.launch.session.is_open

    def plan(self, given: Sequence[Any]) -> Any:
        """What answers phase one to calls like this one, which was ``given`` these values; None: each goes its way."""
        from aclspec.runtime.npu.phase_plan import PhasePlan

        if self._kept is None or any(
            (one is None) is not (other is None) for one, other in zip(given, self.values, strict=True)
        ):
            return None
        return PhasePlan(self.call, self._kept, given, self.values)

    def at_once(self, operator: Operator, workspace: object, size: object, stream: object) -> Status | None:
        """The second phase of a call that has a plan and is given enough of NumPy's memory; None: not such a call."""
        if (
            self.values
            or type(size) is not int
            or not self.is_enough(operator, workspace, size)
            or (stream is not None and type(stream) is not Stream)
            or not self.launch.session.is_open
        ):
            return None
        try:
            self.launch.session.enter()
            self.perform(workspace, size, stream)
        except AclnnError as error:
            record(operator.name, str(error))
            return error.status
        finally:
            self.spend()
        return _SUCCESS

    def perform(self, workspace: object, size: int, stream: Stream | None) -> None:
        """Phase two, and the values of the host's tensors there and back; AclnnError where the library refuses it."""
        launch = self.launch
        queue = default_stream(launch.session) if stream is None else stream
        with queue.lock:
            try:
                address = _address(launch, workspace, size)
                goes_on = stream is not None and launch.workspace is None and launch.is_resident
                outputs = self._kept is None or self.call.effect is not None  # some may stay as they are
                launch.go(self.flat, queue, address, size, goes_on, outputs)
            except BaseException:
                self._home = None  # nothing of it is kept
                queue.settle_again()  # nothing is freed under work that goes on
                raise

    def set_repeatable(self) -> Status:
        """As aclSetAclOpExecutorRepeatable, which refuses some calls."""
        status = super().set_repeatable()
        if status is Status.ACLNN_SUCCESS and not self.launch.is_repeatable:
            code = self.launch.make_repeatable()
            if code:
                self._repeatable = False
                name = "aclSetAclOpExecutorRepeatable"
                record(name, str(failed(self.launch.session.libraries, name, code)))
            return Status(code)
        return status

    def destroy(self) -> Status:
        """As aclDestroyAclOpExecutor."""
        try:
            return super().destroy()
        except AclnnError as error:
            record("aclDestroyAclOpExecutor", str(error))
            return error.status

    def spend(self) -> None:
        """What the second phase does to it, whatever comes of that phase."""
        if self._repeatable:
            return
        try:
            self._release()
        except AclnnError as error:
            record(self.operator.name, str(error))

    def _release(self) -> None:
        self._alive = False
        self.values = self.flat = ()  # the caller's arrays are his alone again
        stream, launch = self._home, self.launch
        if stream is None or self._kept is None or not stream.is_alive or launch.executor is None:
            launch.close()
            return
        with stream.lock:
            stream.keep(self._kept.kind, launch)


def execute_on_device(executor: Executor, workspace: object, size: int, stream: object) -> None:
    """Phase two of any call, whatever it is given; AclnnError where we or the library refuse it."""
    assert isinstance(executor, DeviceExecutor)  # the one kind of executor of this backend
    launch = executor.launch
    operator = launch.operator
    launch.session.enter()
    if checks_first() and (fault := workspace_fault(executor, workspace, size)) is not None:
        raise AclnnError(f"{fault[1]}\n - while calling {operator.name}", fault[0])
    if stream is not None and not isinstance(stream, Stream):
        raise type_error(
            f"The value of stream (of type {type(stream).__name__}) is neither a Stream nor None.", None, operator.name
        )
    if executor.call.effect is None and executor.values:
        require(operator, executor.values, operator.params)
    executor.perform(workspace, size, stream)


def _address(launch: Launch, workspace: object, size: int) -> int | None:
    """Where the workspace is on the device; memory of the host only says how many bytes there are to be."""
    if type(workspace) is _ndarray:
        return launch.scratch(size)
    if workspace is None or isinstance(workspace, int):
        return workspace
    if isinstance(workspace, DeviceArray):
        return workspace.address
    if isinstance(workspace, Memory):
        return workspace.handle
    held_bytes(workspace)
    return launch.scratch(size)
