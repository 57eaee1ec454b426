"""Streams, events and contexts: queues of work on the device, points in them, and where they live."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, cast

from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.npu.session import Closeable, Resource, Session, each, session

MAX_PENDING = 64
"""Launches of a stream whose handles and workspaces wait for it, before a call waits for them."""


class Event(Resource):
    """A point in the work of a stream; freed by `close`, or when nothing refers to it any more."""

    __slots__ = ()
    destroyer = "aclrtDestroyEvent"
    noun = "event"

    def __init__(self) -> None:
        """A new event, not yet recorded."""
        owner = session()
        super().__init__(owner, self.create(owner, "aclrtCreateEvent"))

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

    __slots__ = ("_done", "_events", "_launched", "_pending", "context", "lock")
    destroyer = "aclrtDestroyStream"
    noun = "stream"
    rank = 0

    def __init__(self, owner: Session | None = None) -> None:
        """A new stream on the device, in the context that this thread is in."""
        owner = owner or session()
        super().__init__(owner, self.create(owner, "aclrtCreateStream"))
        self.context = cast("Context | None", owner.current)
        if self.context is not None:
            self.context.streams.add(self)
        self._pending: list[Closeable] = []
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
        seen, owner, over = self._launched, self.session, list(self._pending)
        owner.check("aclrtSynchronizeStream", self.within(owner.libraries.aclrtSynchronizeStream, self.handle))
        self._done = max(seen, self._done)
        self._events.clear()
        self._close(over)

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

    def close_later(self, launch: Closeable) -> None:
        """Free a launch when its work is done."""
        self._pending.append(launch)
        if len(self._pending) > MAX_PENDING:
            self.synchronize()

    def _close(self, launches: list[Closeable]) -> None:
        mine = []
        for one in launches:
            with suppress(ValueError):  # another thread closes it
                self._pending.remove(one)
                mine.append(one)
        each(one.close for one in mine)

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
            each((self.settle, self.settle_again, self._close_pending, self._events.clear, super().close))

    def settle_again(self) -> None:
        """After a wait that failed: nothing may be freed under work that goes on."""
        with suppress(AclnnError):
            self.settle()

    def _close_pending(self) -> None:
        self._close(list(self._pending))

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
        super().__init__(owner, self.create(owner, "aclrtCreateContext", owner.device))
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


def enter_block(stream: Stream | None, context: Context | None) -> None:
    """Be in a context, and send calls to a stream in it or, with None, to the default one."""
    owner = stream.session if stream is not None else context.session if context is not None else session()
    _thread.blocks.append((stream, cast("Context | None", owner.switch(context))))


def leave_block(owner: Session) -> None:
    """Go back to where this thread was before the block."""
    _, before = _thread.blocks.pop()
    if owner.is_open:
        owner.switch(before)


def default_stream(owner: Session) -> Stream:
    """The default stream of this thread in the context it is in."""
    context = cast("Context | None", owner.current)
    mine = _thread if context is None else context.own
    found = mine.default
    if found is None or not found.is_alive or found.session is not owner:
        found = mine.default = Stream(owner)
    return found


def current_stream(owner: Session) -> tuple[Stream, bool]:
    """The stream that calls of this thread go to, and whether they may return without waiting for it."""
    entered = _thread.blocks[-1][0] if _thread.blocks else None
    return (entered, True) if entered is not None else (default_stream(owner), False)
