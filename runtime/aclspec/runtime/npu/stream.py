"""Streams: each thread has a default one, on which every call waits; in the block of another one nothing waits."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Hashable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from aclspec.runtime.errors import AclnnError
from aclspec.runtime.npu.cache import Plans
from aclspec.runtime.npu.event import Event
from aclspec.runtime.npu.failure import each
from aclspec.runtime.npu.resource import Resource
from aclspec.runtime.npu.session import Session, session

if TYPE_CHECKING:
    from aclspec.runtime.npu.context import Context
    from aclspec.runtime.npu.launch import Launch


class ThreadsOwn(threading.local):
    """The default stream that each thread has in a context."""

    default: Stream | None = None


class _Thread(ThreadsOwn):
    """A thread in the session's own context, and the blocks it is in: of a stream, or of a context."""

    def __init__(self) -> None:
        self.blocks: list[tuple[Stream | None, Context | None]] = []


_thread = _Thread()


class Stream(Resource):
    """A queue of work on the device.

    ``with stream:`` sends the calls of the block to it. A call whose tensors are all `DeviceArray` then returns without
    waiting; `synchronize` waits, and so does whatever needs the values on the host. Freed by `close`, or when nothing
    refers to it any more.
    """

    __slots__ = ("_done", "_events", "_launched", "context", "lock", "plans")
    destroyer = "aclrtDestroyStream"
    noun = "stream"
    rank = 0

    def __init__(self, owner: Session | None = None) -> None:
        """A new stream on the device, in the context that this thread is in."""
        owner = owner or session()
        handle = ctypes.c_void_p()
        owner.check("aclrtCreateStream", owner.libraries.aclrtCreateStream(ctypes.byref(handle)))
        super().__init__(owner, handle.value or 0)
        self.context = owner.current
        if self.context is not None:
            self.context.streams.add(self)
        self.plans = Plans()
        self.lock = threading.RLock()
        self._launched = self._done = 0
        self._events: list[Event] = []

    @property
    def is_idle(self) -> bool:
        """Whether all that was sent to it is known to be done."""
        return self._launched <= self._done

    def launched(self) -> None:
        """Note that something was sent to it."""
        self._launched += 1

    def synchronize(self) -> None:
        """Wait until everything sent to it is done; AclnnError where some of it failed."""
        seen, owner = self._launched, self.session
        code = self.within(owner.libraries.aclrtSynchronizeStream, self.handle)
        if code:
            owner.check("aclrtSynchronizeStream", code)
        if seen > self._done:
            self._done = seen
        if self._events:
            self._events.clear()

    def within(self, function: Callable[..., int], *arguments: Any) -> int:
        """Call a function of the library in the context of the stream."""
        owner, context = self.session, self.context
        owner.enter()
        if owner.current is context:
            return function(*arguments)
        before = owner.switch(context)
        try:
            return function(*arguments)
        finally:
            owner.switch(before)

    def settle(self) -> None:
        """Wait unless it is idle."""
        if not self.is_idle:
            self.session.enter()
            self.synchronize()

    def keep(self, key: Hashable, plan: Launch) -> None:
        """Keep the executor of a call for the next such call, where the library lets it run again."""
        surplus = self.plans.keep(key, plan) if plan.is_repeatable else [plan]
        if surplus:
            self.settle()
        for one in surplus:
            one.close()

    def wait_for(self, other: Stream) -> None:
        """Let what is sent to this stream from now on wait for all that was sent to another one, and not the host."""
        if other is self or other.is_idle:
            return
        event = Event()
        event.record(other)
        event.hold_up(self)
        self._events.append(event)  # until it is over

    def close(self) -> None:
        """Free it and the executors it keeps, when the work on it is done."""
        if self.is_alive:
            each((self.settle, self.settle_again, self.plans.clear, self._events.clear, super().close))

    def settle_again(self) -> None:
        """After a wait that failed: nothing may be freed under work that goes on."""
        with suppress(AclnnError):
            self.settle()

    def __enter__(self) -> Self:
        """Send the calls of this thread here until the end of the block."""
        _ = self.handle
        enter_block(self, self.context)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Go back to the stream from before; what was sent here goes on."""
        leave_block(self.session)


def enter_block(stream: Stream | None, context: Context | None) -> None:
    """Be in a context, and send calls to a stream in it or, with None, to the default one."""
    owner = stream.session if stream is not None else context.session if context is not None else session()
    _thread.blocks.append((stream, owner.switch(context)))


def leave_block(owner: Session) -> None:
    """Go back to where this thread was before the block."""
    _, before = _thread.blocks.pop()
    if owner.is_open:
        owner.switch(before)


def default_stream(owner: Session) -> Stream:
    """The default stream of this thread in the context it is in."""
    context = owner.current
    mine = _thread if context is None else context.own
    found = mine.default
    if found is None or not found.is_alive or found.session is not owner:
        found = mine.default = Stream(owner)
    return found


def current_stream(owner: Session) -> tuple[Stream, bool]:
    """The stream that calls of this thread go to, and whether they may return without waiting for it."""
    entered = _thread.blocks[-1][0] if _thread.blocks else None
    return (entered, True) if entered is not None else (default_stream(owner), False)
