"""The plan of a phase one on the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aclspec.runtime.errors import AclnnError
from aclspec.runtime.messages import record
from aclspec.runtime.npu.executor import DeviceExecutor
from aclspec.runtime.npu.plan import ApartThere, Filling, Kept
from aclspec.runtime.npu.session import joined
from aclspec.runtime.npu.stream import default_stream
from aclspec.runtime.plans import UNPLANNED
from aclspec.runtime.status import Status

if TYPE_CHECKING:
    from aclspec.runtime.executor import Checked

_SUCCESS = Status.ACLNN_SUCCESS


class PhasePlan:
    """A phase one that passed our checks and the library's, for the calls like it."""

    __slots__ = ("_call", "_fill", "_kept", "are_apart")

    def __init__(self, call: Checked, kept: Kept, given: Sequence[Any], values: Sequence[Any]) -> None:
        """The plan of a call that was ``given`` these values and uses ``values``."""
        self._call, self._kept = call, kept
        self._fill = Filling(values, given, range(len(values)))
        written = [at for at, param in enumerate(call.operator.params) if param.is_output and values[at] is not None]
        self.are_apart = ApartThere(given, written, written)

    def __call__(self, given: Sequence[Any]) -> Any:
        """What phase one answers; `UNPLANNED` where the long way has to look, or no executor is free."""
        owner = joined()
        values = self._fill(given)
        if owner is None or values is None:
            return UNPLANNED
        call, kept = self._call, self._kept
        try:
            stream = default_stream(owner)
            launch = kept.take(owner, stream)
        except AclnnError as error:
            record(f"{call.operator.name}GetWorkspaceSize", str(error))
            return error.status, 0, None
        if launch is None:
            return UNPLANNED
        return _SUCCESS, call.workspace_size, DeviceExecutor(call, (), values, launch, stream, kept)
