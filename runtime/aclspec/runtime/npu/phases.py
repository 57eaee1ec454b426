"""The two C functions of an operator on the device, with the executor that the library makes between them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from aclspec.runtime.backends import NPU
from aclspec.runtime.errors import AclnnError, type_error
from aclspec.runtime.executor import Checked, Executor, held_bytes, workspace_fault
from aclspec.runtime.messages import record
from aclspec.runtime.modes import resolve_conformance
from aclspec.runtime.npu import plan as plans
from aclspec.runtime.npu.arrays import DeviceArray
from aclspec.runtime.npu.calling import kind_of, planned, refuse_exact, require
from aclspec.runtime.npu.failure import failed
from aclspec.runtime.npu.launch import Launch
from aclspec.runtime.npu.memory import Memory
from aclspec.runtime.npu.outputs import check_apart_there
from aclspec.runtime.npu.session import Session, session
from aclspec.runtime.npu.settings import checks_first, product_of_device
from aclspec.runtime.npu.slots import flattened
from aclspec.runtime.npu.stream import Stream, default_stream
from aclspec.runtime.status import Status
from aclspec.runtime.two_phase import checked, converted, wanted

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator


class DeviceExecutor(Executor):
    """The library's executor of a call that it accepted, with the buffers of the host's tensors."""

    __slots__ = ("_key", "_stream", "flat", "launch")

    def __init__(
        self,
        call: Checked,
        values: Sequence[Any],
        flat: Sequence[Any],
        launch: Launch,
        home: tuple[Stream, Hashable] | None,
    ) -> None:
        """The executor behind ``launch``; ``values`` are None for outputs that are switched off.

        There are none where all of them are known to have data; ``flat`` are the same with the elements of lists in
        their places. ``home`` is the stream that keeps the launch for the next such call, and under which key.
        """
        super().__init__(call, values)
        self.flat = flat
        self.launch = launch
        self._stream: Stream | None = None if home is None else home[0]
        self._key: Hashable = None if home is None else home[1]

    @property
    def is_alive(self) -> bool:
        """Whether a second phase may still take it, which the end of the session rules out."""
        return self._alive and self.launch.session.is_open

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
        try:
            super().spend()
        except AclnnError as error:
            record(self.operator.name, str(error))

    def _release(self) -> None:
        super()._release()
        self.flat = ()
        stream, launch = self._stream, self.launch
        if stream is None or not stream.is_alive or launch.executor is None:
            launch.close()
            return
        with stream.lock:
            stream.keep(self._key, launch)

    def discard(self) -> None:
        """Keep nothing of it: its second phase failed."""
        self._stream = None


def begin(
    operator: Operator, given: Sequence[Any], product: str | None, conformance: str | None, compute: str | None
) -> DeviceExecutor:
    """Phase one: our checks, then the library's; AclnnError where either refuses the call.

    A call like an earlier one takes that one's executor.
    """
    owner = session()
    refuse_exact(compute)
    planned_key = plans.key_of(owner, operator, given, product, conformance)
    again = _again(owner, plans.find(planned_key), given)
    if again is not None:
        return again
    key, mode = product_of_device(owner, product), resolve_conformance(conformance)
    values = converted(operator, given)
    switched = wanted(operator, values)
    check_apart_there(operator, switched)
    if not checks_first():  # the library is to answer every call itself
        launch = Launch(owner, operator, values)
        return DeviceExecutor(_call(operator, key, None, launch), switched, list(flattened(switched)), launch, None)
    effect = checked(operator, values, key, mode, f"{operator.name}GetWorkspaceSize")
    stream = default_stream(owner)
    kind = plans.Kind((operator.name, key, mode, *map(kind_of, values)))
    with stream.lock:
        launch = stream.plans.take(kind) or planned(owner, operator, values)
    try:
        launch.move(list(flattened(values)))
    except BaseException:
        launch.abandon()
        raise
    call = _call(operator, key, effect, launch)
    home = (stream, kind) if launch.is_repeatable else None
    if home is not None and all((one is None) is (other is None) for one, other in zip(given, switched, strict=True)):
        plans.keep(planned_key, call, kind, given, switched)
    return DeviceExecutor(call, switched, list(flattened(switched)), launch, home)


def _call(operator: Operator, product: str, effect: str | None, launch: Launch) -> Checked:
    return Checked(operator, product, effect, NPU, False, launch.size)


def _again(owner: Session, plan: plans.PhasePlan | None, given: Sequence[Any]) -> DeviceExecutor | None:
    """The executor of a call like an earlier one; None where the long way has to look, or no executor is free."""
    values = None if plan is None else plan.values_of(given)
    if plan is None or values is None:
        return None
    stream = default_stream(owner)
    with stream.lock:
        launch = stream.plans.take(plan.kind)
    return None if launch is None else DeviceExecutor(plan.call, (), values, launch, (stream, plan.kind))


def execute_on_device(executor: Executor, workspace: object, size: int, stream: object) -> None:
    """Phase two, and the values of the host's tensors there and back; AclnnError where the library refuses it."""
    assert isinstance(executor, DeviceExecutor)  # the one kind of executor of this backend
    launch = executor.launch
    operator, owner = launch.operator, launch.session
    owner.enter()
    if checks_first() and (fault := workspace_fault(executor, workspace, size)) is not None:
        raise AclnnError(f"{fault[1]}\n - while calling {operator.name}", fault[0])
    queue = _stream_of(stream, default_stream(owner), operator.name)
    values = executor.flat
    if executor.call.effect is None and executor.values:
        require(operator, executor.values, operator.params)
    with queue.lock:
        try:
            _through(launch, values, workspace, size, queue, goes_on=stream is not None)
        except BaseException:
            executor.discard()
            queue.settle_again()  # nothing is freed under work that goes on
            raise


def _through(launch: Launch, values: Sequence[Any], workspace: object, size: int, queue: Stream, goes_on: bool) -> None:
    launch.begin(values, queue)
    launch.move(values)
    launch.load(values, lambda slot: values[slot.at] is not None)
    code = launch.execute(_address(launch, workspace, size), size, queue)
    if code:
        raise failed(launch.session.libraries, launch.operator.name, code, launch.operator.name)
    queue.launched()
    if goes_on and launch.workspace is None and launch.is_resident:
        launch.go_on(values, queue)
        return
    queue.synchronize()
    launch.fetch(values)


def _address(launch: Launch, workspace: object, size: int) -> int | None:
    """Where the workspace is on the device; memory of the host only says how many bytes there are to be."""
    if workspace is None:
        return None
    if isinstance(workspace, int):
        return workspace
    if isinstance(workspace, DeviceArray):
        return workspace.address
    if isinstance(workspace, Memory):
        return workspace.handle
    held_bytes(workspace)
    if size and (launch.workspace is None or launch.workspace.size < size):
        launch.workspace = Memory.allocate(launch.session, size)
    return launch.workspace.handle if launch.workspace is not None else None


def _stream_of(stream: object, default: Stream, operator: str) -> Stream:
    if stream is None:
        return default
    if isinstance(stream, Stream):
        return stream
    raise type_error(
        f"The value of stream (of type {type(stream).__name__}) is neither a Stream nor None.", None, operator
    )
