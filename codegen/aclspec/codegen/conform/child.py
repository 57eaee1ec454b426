"""The process that makes calls, and may die of one: pieces come in through a pipe, answers go out through another.

``python -m aclspec.codegen.conform.child IN OUT`` takes the numbers of two files that it inherits. Of each piece it
sends the planned calls first, so that the other side knows which call it was that ended the process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection

from aclspec.codegen.conform.calls import Piece, Settings
from aclspec.codegen.conform.judge import Answer, Judge, Planned

LEAK = 16 << 20
"""Bytes that a process may grow by in one call before the call is made again to see whether it grows each time."""
_AGAIN = 3
_PAGE = os.sysconf("SC_PAGE_SIZE")
DONE = "done"
_STATE = os.open("/proc/self/statm", os.O_RDONLY) if os.path.exists("/proc/self/statm") else None


def main(read: int, write: int) -> None:
    """Answer pieces until the other side closes the pipe."""
    settings_in, out = Connection(read, writable=False), Connection(write, readable=False)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    settings: Settings = settings_in.recv()
    judge = Judge(settings)
    out.send(DONE)
    while True:
        try:
            piece: Piece = settings_in.recv()
        except EOFError:
            return
        planned = judge.planned(piece)
        out.send(planned)
        for one in planned:
            out.send(_watched(judge, piece, one))
        out.send(DONE)


def _watched(judge: Judge, piece: Piece, planned: Planned) -> Answer:
    """The answer of a call, or that it leaks: memory that grows in each of several calls is lost."""
    before = resident()
    found = _timed(judge, piece, planned)
    if resident() - before < LEAK:
        return found
    gc.collect()
    grown = []
    for _ in range(_AGAIN):
        start = resident()
        _timed(judge, piece, planned)
        gc.collect()
        grown.append(resident() - start)
    if min(grown) < LEAK // 2:
        return found
    return Answer("leak", found.actual, f"Each call leaves {min(grown) >> 20} MiB behind.", seconds=found.seconds)


def _timed(judge: Judge, piece: Piece, planned: Planned) -> Answer:
    """The answer of a call; a signal ends the process of one that hangs, whatever it is stuck in."""
    signal.setitimer(signal.ITIMER_REAL, judge.settings.timeout)
    found = judge.answer(piece, planned)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return found


def resident() -> int:
    """The bytes of this process that are in memory; 0 where the system does not say."""
    return 0 if _STATE is None else int(os.pread(_STATE, 64, 0).split()[1]) * _PAGE


def _end_with(parent: int) -> None:
    """End this process where its parent is gone, whatever it is doing."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
