"""What a status other than 0 becomes: an error with the library's own message and ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from aclspec.runtime.errors import AclnnError, while_calling
from aclspec.runtime.status import Status

if TYPE_CHECKING:
    from aclspec.runtime.npu.libraries import Libraries


def failed(libraries: Libraries, function: str, code: int, context: str | None = None) -> AclnnError:
    """The error of a C function that returned this code; ``context`` is the operator that it was called for.

    Reading the library's message clears it, so that no later failure shows it again.
    """
    name = Status(code).name
    lines = [f"The function {function} fails with {name} ({code})."]
    told = recent_message(libraries)
    lines.append(f" - the library says: {told}" if told else " - the library gives no reason")
    return AclnnError(while_calling("\n".join(lines), context), code)


def null(libraries: Libraries, function: str, context: str | None = None) -> AclnnError:
    """The error of a C function that returned a null pointer instead of a handle."""
    told = recent_message(libraries)
    reason = f" - the library says: {told}" if told else " - the library gives no reason"
    sentence = f"The function {function} returns a null pointer.\n{reason}"
    return AclnnError(while_calling(sentence, context), Status.ACLNN_ERR_INNER_NULLPTR)


def unavailable(sentence: str) -> AclnnError:
    """The error of a call that this machine has no NPU software for."""
    return AclnnError(sentence, Status.ACLNN_ERR_RUNTIME_ERROR)


def recent_message(libraries: Libraries) -> str | None:
    """What the library has to say about this thread's failures, once."""
    message = libraries.aclGetRecentErrMsg()
    return str(message, "utf-8", "replace").strip() if message else None


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
