"""The one session of this process with the NPU: libraries, device and context, from the first use to the end.

The runtime is initialised and the device set once; every other thread joins the same context. A program that has
initialised the runtime itself, such as one that uses torch_npu, keeps it: what we did not start we do not end.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import weakref
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from aclspec.runtime.codes import REPEAT_INITIALIZE
from aclspec.runtime.environment import Variable
from aclspec.runtime.errors import AclnnError
from aclspec.runtime.npu.failure import each, failed, unavailable
from aclspec.runtime.npu.libraries import open_libraries

if TYPE_CHECKING:
    from aclspec.runtime.npu.context import Context
    from aclspec.runtime.npu.launch import Launch
    from aclspec.runtime.npu.resource import Resource

DEVICE = Variable("ACLSPEC_DEVICE")


class _Thread(threading.local):
    """What a thread has joined, and the context it is in where that is not the session's own."""

    session: Session | None = None
    context: Context | None = None


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
        self.resources: weakref.WeakSet[Resource | Launch] = weakref.WeakSet()
        self.contexts: set[Context] = set()
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
            error = failed(self.libraries, function, code)
            undo(*arguments)
            raise error

    def check(self, function: str, code: int, context: str | None = None) -> None:
        """Raise the error of a C function that did not return 0."""
        if code:
            raise failed(self.libraries, function, code, context)

    def join(self) -> None:
        """Make the session's context that of this thread."""
        self.check("aclrtSetCurrentContext", self.libraries.aclrtSetCurrentContext(self.context))
        _thread.session, _thread.context = self, None

    @property
    def current(self) -> Context | None:
        """The context that this thread is in; None: the session's own."""
        return _thread.context if _thread.session is self else None

    def switch(self, context: Context | None) -> Context | None:
        """Put this thread into a context, None: the session's own; the answer is the one from before."""
        self.enter()
        before = _thread.context
        if context is not before:
            self._put_into(context)
        return before

    def return_to_context(self) -> None:
        """Tell the library again which context this thread is in."""
        self._put_into(self.current)

    def _put_into(self, context: Context | None) -> None:
        handle = self.context if context is None else context.handle
        self.check("aclrtSetCurrentContext", self.libraries.aclrtSetCurrentContext(handle))
        _thread.context = context

    def enter(self) -> None:
        """Join, unless this thread has."""
        if _thread.session is not self:
            self.join()

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
        """Out of whatever context this thread is in: nobody leaves its block any more."""
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


def joined() -> Session | None:
    """The session that this thread has joined; None where there is none, or it has ended."""
    found = _thread.session
    return found if found is not None and found.is_open else None


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
    with suppress(AclnnError):  # nobody is left to be told
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
