"""Events: points in the work of a stream that others wait for, and between which time is measured."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from aclspec.runtime.npu.resource import Resource
from aclspec.runtime.npu.session import session

if TYPE_CHECKING:
    from aclspec.runtime.npu.stream import Stream


class Event(Resource):
    """A point in the work of a stream; freed by `close`, or when nothing refers to it any more."""

    __slots__ = ()
    destroyer = "aclrtDestroyEvent"
    noun = "event"

    def __init__(self) -> None:
        """A new event, not yet recorded."""
        owner = session()
        handle = ctypes.c_void_p()
        owner.check("aclrtCreateEvent", owner.libraries.aclrtCreateEvent(ctypes.byref(handle)))
        super().__init__(owner, handle.value or 0)

    def record(self, stream: Stream) -> None:
        """Put it behind everything that was sent to a stream so far."""
        code = stream.within(self.session.libraries.aclrtRecordEvent, self.handle, stream.handle)
        self.session.check("aclrtRecordEvent", code)

    def hold_up(self, stream: Stream) -> None:
        """Let what is sent to a stream from now on wait for it."""
        code = stream.within(self.session.libraries.aclrtStreamWaitEvent, stream.handle, self.handle)
        self.session.check("aclrtStreamWaitEvent", code)
        stream.launched()

    def synchronize(self) -> None:
        """Wait until it has happened."""
        self.session.check("aclrtSynchronizeEvent", self.session.libraries.aclrtSynchronizeEvent(self.handle))

    def milliseconds_since(self, earlier: Event) -> float:
        """The time between an earlier event and this one, both of which have happened."""
        time = ctypes.c_float()
        code = self.session.libraries.aclrtEventElapsedTime(ctypes.byref(time), earlier.handle, self.handle)
        self.session.check("aclrtEventElapsedTime", code)
        return time.value
