"""What aclGetRecentErrMsg would say: the messages of this thread's failures, newest first, gone once read."""

from __future__ import annotations

import threading
from collections import deque

KEPT = 16


class _Messages(threading.local):
    def __init__(self) -> None:
        self.queue: deque[str] = deque(maxlen=KEPT)


_messages = _Messages()


def record(identity: str, reason: str) -> None:
    """Keep a failure: the id of the rule (or the name of the function) and the reason."""
    _messages.queue.appendleft(f"{identity}: {reason}")


def last_error() -> str | None:
    """The failures of this thread since the last look, newest first; None when there was none."""
    queue = _messages.queue
    if not queue:
        return None
    text = "\n".join(queue)
    queue.clear()
    return text
