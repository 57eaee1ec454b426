"""Contexts: each has streams of its own; the session has one, in which everything is that is in no block of another."""

from __future__ import annotations

import ctypes
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Self

from aclspec.runtime.npu.failure import each
from aclspec.runtime.npu.resource import Resource
from aclspec.runtime.npu.session import session
from aclspec.runtime.npu.stream import ThreadsOwn, enter_block, leave_block

if TYPE_CHECKING:
    from aclspec.runtime.npu.stream import Stream


class Context(Resource):
    """A context of the device.

    In the block ``with context:`` a thread is in it: streams and events that are made there are its own, and calls go
    to a default stream of the thread in it. Memory is the device's, so that arrays are at home in every context. It is
    freed, with its streams, by `close` or at the end of the session.
    """

    __slots__ = ("own", "streams")
    destroyer = "aclrtDestroyContext"
    noun = "context"
    rank = 3

    def __init__(self) -> None:
        """A new context of the session's device; the thread stays in the one in which it is."""
        owner = session()
        handle = ctypes.c_void_p()
        owner.check("aclrtCreateContext", owner.libraries.aclrtCreateContext(ctypes.byref(handle), owner.device))
        super().__init__(owner, handle.value or 0)
        self.streams: weakref.WeakSet[Stream] = weakref.WeakSet()
        self.own = ThreadsOwn()
        owner.contexts.add(self)
        owner.return_to_context()  # the library has put the thread into the new one

    @property
    def device(self) -> int:
        """The number of its device."""
        return self.session.device

    def synchronize(self) -> None:
        """Wait for everything that was sent to its streams; AclnnError where some of it failed."""
        each(stream.synchronize for stream in list(self.streams) if stream.is_alive)

    def close(self) -> None:
        """Free it and its streams, when the work on them is done."""
        self.session.contexts.discard(self)
        if self.is_alive:
            each((*(stream.close for stream in list(self.streams)), super().close))

    def __enter__(self) -> Self:
        """Be in it until the end of the block."""
        enter_block(None, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Go back to the context from before; this one stays."""
        leave_block(self.session)
