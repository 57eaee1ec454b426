"""Something of the library's that has to be given back: once, on every path, by hand or by the garbage collector."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Self

from aclspec.runtime.errors import AclnnError

if TYPE_CHECKING:
    from aclspec.runtime.npu.session import Session


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
        """Free it where nobody can be told of a failure."""
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
        """Free what nobody freed, in whatever thread the garbage collector runs."""
        if getattr(self, "_handle", None) is None or not self.session.is_open:
            return
        try:
            self.session.enter()
        except AclnnError:
            return
        self.abandon()
