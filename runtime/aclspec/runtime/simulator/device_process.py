"""The device of a program: a process beside it, which computes what the messages on a socket ask for.

``python -I -m aclspec.runtime.simulator.device_process PACKAGES`` is started by the simulator's C code, with the files
of `Files` open. It ends with the program, whatever it is doing.
"""

from __future__ import annotations

import faulthandler
import fcntl
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable
from enum import IntEnum

from aclspec.runtime.simulator import calls, mapping
from aclspec.runtime.simulator.asked import answer
from aclspec.runtime.simulator.wire import WORD, Answer

_ROOM = 1 << 16


class Files(IntEnum):
    """The numbers of the files that the process inherits; the program reads its standard error when it dies."""

    SOCKET = 3
    MEMORY = 4
    """The file that holds the memory of devices."""
    LIFE = 5
    """A pipe that nothing is written to: it closes when the program ends."""


def main(packages: str) -> None:
    """Answer the program until it closes the socket."""
    faulthandler.enable()
    _end_with_program()
    with socket.socket(fileno=Files.SOCKET) as program:
        serve(program, Files.MEMORY, packages)


def _end_with_program() -> None:
    """Let the kernel end this process when the pipe closes, in the middle of a computation too."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(Files.LIFE, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(Files.LIFE, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    if select.select([Files.LIFE], [], [], 0)[0]:  # it closed before
        sys.exit()


def _quiet() -> None:
    """Say nothing of what nobody foresaw but what the program is answered."""


def serve(program: socket.socket, memory: int, packages: str, tell: Callable[[], object] = _quiet) -> None:
    """Answer each message of a program, whose memory is in the file of this number, until it closes the socket."""
    calls.register(packages)
    mapping.use(memory)
    program.sendall(struct.pack(f"{len(Answer._fields)}q", WORD * len(Answer._fields), 0, 0, 0, 0, 0))
    room = memoryview(bytearray(_ROOM))
    while (message := _received(program, room)) is not None:
        program.sendall(answer(message, tell))


def _received(program: socket.socket, room: memoryview) -> memoryview | None:
    """The next message, in ``room`` where that is large enough; None where the other side has closed."""
    held, length = 0, WORD
    while held < length:
        more = program.recv_into(room[held:])
        if not more:
            return None
        held += more
        if length == WORD and held >= WORD:
            length = int.from_bytes(room[:WORD], sys.byteorder)
            if length > len(room):
                longer = memoryview(bytearray(length))
                longer[:held] = room[:held]
                room = longer
    return room[:length]


if __name__ == "__main__":
    main(sys.argv[1])
