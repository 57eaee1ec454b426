"""A device in a terminal, for a debugger in kernels: programs connect to it instead of starting their own.

It computes as `device_process` does, in a process with a terminal, so that ``breakpoint()`` in a kernel stops there.
"""

from __future__ import annotations

import faulthandler
import os
import socket
import struct
import traceback
from collections.abc import Callable
from pathlib import Path

from aclspec.runtime.simulator.device_process import serve

VARIABLE = "ACLSPEC_DEVICE_SOCKET"
"""Where a program finds the device: the path of its socket."""
_LONGEST = 1 << 16
_PEER = struct.Struct("3i")


def attend(path: Path, say: Callable[[str], object], programs: int | None = None) -> None:
    """Serve programs one after the other, so many or without end; ``say`` is told of each."""
    faulthandler.enable()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen()
        say(f"export {VARIABLE}={path}")
        while programs is None or programs > 0:
            program, _ = listening.accept()
            with program:
                _attend_one(program, say)
            programs = None if programs is None else programs - 1


def _attend_one(program: socket.socket, say: Callable[[str], object]) -> None:
    packages, files, _, _ = socket.recv_fds(program, _LONGEST, 1)
    if not files:  # it has ended before it said anything
        return
    process, _, _ = _PEER.unpack(program.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    say(f"The program (process {process}) has begun.")
    try:
        serve(program, files[0], packages.partition(b"\0")[0].decode(), traceback.print_exc)
    except ConnectionError:  # it was killed before it had its answer
        pass
    finally:
        os.close(files[0])
    say("It has ended.")
