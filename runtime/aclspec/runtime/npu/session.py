"""The one session of this process with the NPU: libraries, device and context, from the first use to the end.

The runtime is initialised and the device set once; every other thread joins the same context. A program that has
initialised the runtime itself, such as that of a framework, keeps it: what we did not start we do not end.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self

from aclspec.runtime.abi.environment import Variable
from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.abi.status import REPEAT_INITIALIZE
from aclspec.runtime.npu.libraries import open_libraries, unavailable

DEVICE = Variable("ACLSPEC_DEVICE")


class Closeable(Protocol):
    """What the end of a session frees, those of the lowest rank first."""

    rank: ClassVar[int]

    def close(self) -> None:
        """Free it."""


class ContextHandle(Protocol):
    """A context that a thread can be in."""

    @property
    def handle(self) -> int:
        """The library's handle."""


class _Thread(threading.local):
    """The session that a thread has joined, and its context unless that is the session's."""

    session: Session | None = None
    context: ContextHandle | None = None


_thread = _Thread()
_guard = threading.RLock()
_current: Session | None = None
_forked = False


class Session:
    """The initialised runtime with its device."""

    def __init__(self) -> None:
        """Load the libraries, initialise the runtime and set the device; AclnnError where any of it fails."""
        self.libraries = open_libraries()
        self.device = _device_number()
        self.is_open = False
        self.resources: weakref.WeakSet[Closeable] = weakref.WeakSet()
        self.contexts: set[ContextHandle] = set()
        self.leftovers: list[Any] = []
        self._end = ExitStack()
        with ExitStack() as undo:
            self._initialise(undo)
            self.check("aclrtSetDevice", self.libraries.aclrtSetDevice(self.device))
            undo.callback(self._undo, "aclrtResetDevice", self.device)
            context = ctypes.c_void_p()
            self.check("aclrtGetCurrentContext", self.libraries.aclrtGetCurrentContext(ctypes.byref(context)))
            self.context = context.value
            self._end = undo.pop_all()
        self.is_open = True

    def _initialise(self, undo: ExitStack) -> None:
        code = self.libraries.aclInit(None)
        if code != REPEAT_INITIALIZE:
            self.check("aclInit", code)
            undo.callback(self._undo, "aclFinalize")
        else:
            self.libraries.aclGetRecentErrMsg()  # this failure is none; no later one may show it

    def _undo(self, function: str, *arguments: int) -> None:
        """Take a step of the beginning back, with a second try; AclnnError for the failure of the first."""
        undo = getattr(self.libraries, function)
        code = undo(*arguments)
        if code:
            error = self.libraries.failed(function, code)
            undo(*arguments)
            raise error

    def check(self, function: str, code: int, context: str | None = None) -> None:
        """Raise the error of a C function that did not return 0."""
        if code:
            raise self.libraries.failed(function, code, context)

    @property
    def current(self) -> ContextHandle | None:
        """The context that this thread is in; None: the session's own."""
        return _thread.context if _thread.session is self else None

    def switch(self, context: ContextHandle | None) -> ContextHandle | None:
        """Put this thread into a context, None: the session's own; the answer is the one from before."""
        self.enter()
        before = _thread.context
        if context is not before:
            self._put_into(context)
        return before

    def return_to_context(self) -> None:
        """Restore this thread's context in the library."""
        self._put_into(self.current)

    def _put_into(self, context: ContextHandle | None) -> None:
        handle = self.context if context is None else context.handle
        self.check("aclrtSetCurrentContext", self.libraries.aclrtSetCurrentContext(handle))
        _thread.context = context

    def enter(self) -> None:
        """Make the session's context that of this thread, unless the thread has joined it."""
        if _thread.session is not self:
            self.check("aclrtSetCurrentContext", self.libraries.aclrtSetCurrentContext(self.context))
            _thread.session, _thread.context = self, None

    def settle(self) -> None:
        """Try once more to free what could not be freed."""
        while self.leftovers:
            function, handle = self.leftovers.pop()
            function(handle)

    def close(self) -> None:
        """Free everything that is alive, reset the device and finalise the runtime, as far as we set it up.

        AclnnError where the library refuses, when all the rest is done.
        """
        if not self.is_open:
            return
        resources = sorted(self.resources, key=lambda one: one.rank)
        each((self._leave, *(resource.close for resource in resources), self._over, self._end.close))

    def _leave(self) -> None:
        """Leave the context that this thread is in: its block ends with the session."""
        self.switch(None)

    def _over(self) -> None:
        self.is_open = False
        self.settle()


def session() -> Session:
    """The session of this process, begun by the first call, with this thread in it."""
    found = _thread.session
    if found is not None and found.is_open:
        return found
    with _guard:
        found = _current if _current is not None and _current.is_open else _begin()
    found.enter()
    return found


def each(steps: Iterable[Callable[[], None]]) -> None:
    """Take every step, whatever becomes of the others; AclnnError for the first that failed, when all are taken."""
    first: AclnnError | None = None
    for step in steps:
        try:
            step()
        except AclnnError as error:
            first = first or error
    if first is not None:
        raise first


def _begin() -> Session:
    global _current
    if _forked:
        raise unavailable(
            "The NPU was in use when this process was forked, and a forked process cannot use it; "
            'start processes with the method "spawn".'
        )
    _current = Session()
    return _current


def shutdown() -> None:
    """End the session: free what is alive on the device, and finalise the runtime. The next use begins a new one.

    AclnnError where the library refuses some of it, when all the rest is done.
    """
    global _current
    with _guard:
        ending, _current = _current, None
        if ending is not None:
            ending.close()


def _at_exit() -> None:
    with suppress(AclnnError):  # there is nobody to report to
        shutdown()


def _after_fork() -> None:
    """A child has the numbers of its parent's handles, and not the device behind them."""
    global _current, _forked, _guard
    _guard = threading.RLock()
    if _current is not None:
        _current.is_open = False
        _current, _forked = None, True


def _device_number() -> int:
    text = DEVICE.read()
    if text is None:
        return 0
    if not text.isdecimal():
        raise ValueError(f"The value of {DEVICE} ({text}) is not the number of a device.")
    return int(text)


atexit.register(_at_exit)
os.register_at_fork(after_in_child=_after_fork)


class Resource:
    """A handle or an address with the function that frees it; also a context manager."""

    __slots__ = ("__weakref__", "_handle", "session")
    _handle: int | None
    session: Session

    destroyer: ClassVar[str]
    """The C function that takes the handle back."""
    noun: ClassVar[str]
    """What a message calls it."""
    rank: ClassVar[int] = 2
    """What is freed first when the session ends."""

    def __init__(self, session: Session, handle: int) -> None:
        """Take care of a handle from now on."""
        self.session = session
        self._handle = handle
        session.resources.add(self)

    @staticmethod
    def create(session: Session, function: str, *arguments: Any) -> int:
        """The handle that a C function answers through its first argument; AclnnError where it refuses."""
        handle = ctypes.c_void_p()
        session.check(function, getattr(session.libraries, function)(ctypes.byref(handle), *arguments))
        return handle.value or 0

    @property
    def handle(self) -> int:
        """The library's handle; ValueError once it is freed."""
        if self._handle is None or not self.session.is_open:
            raise ValueError(f"The {self.noun} is freed.")
        return self._handle

    @property
    def is_alive(self) -> bool:
        """Whether it can still be used."""
        return self._handle is not None and self.session.is_open

    def close(self) -> None:
        """Free it; a second time does nothing. AclnnError where the library refuses: it is then freed at the end."""
        handle, self._handle = self._handle, None
        if handle is None or not self.session.is_open:
            return
        self.session.resources.discard(self)
        libraries = self.session.libraries
        function = getattr(libraries, self.destroyer)
        code = function(handle)
        if code:
            self.session.leftovers.append((function, handle))
            self.session.check(self.destroyer, code)

    def abandon(self) -> None:
        """Free it; a failure cannot be reported."""
        with suppress(AclnnError):  # it is then among the leftovers of the session
            self.close()

    def __enter__(self) -> Self:
        """The resource itself, freed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Free it; an error on the way out of an error does not hide that one."""
        if error is None:
            self.close()
        else:
            self.abandon()

    def __del__(self) -> None:
        """Free what is left, in the thread of the garbage collector."""
        if getattr(self, "_handle", None) is None or not self.session.is_open:
            return
        try:
            self.session.enter()
        except AclnnError:
            return
        self.abandon()
