"""Where the time of a 4x4 add goes between a C++ program and its result.

``python -m tests.benchmarks.device_profile [ROOT]``: ROOT is a simulator; without it one is built. A program calls the
device of this process, which keeps its last message and then times each part of the answer to it, alone and often. The
rows add up to what the program measures; its own C in phase two is what the other rows leave.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from timeit import repeat
from typing import Any
from unittest import mock

from aclspec.runtime.execution.backends import DEFAULT, resolve_backend
from aclspec.runtime.execution.compute import kernel_value
from aclspec.runtime.simulator import asked, calls, device_process, foreground, mapping
from aclspec.runtime.simulator.wire import WORD, Answer, Head
from tests.support.simulated import build_once

PROGRAM = Path(__file__).with_name("add_calls.cpp")
HEAD = len(Head._fields)
ROUNDS, TIMES = 1500, 20  # few calls at a time: a short batch is the likelier one that nothing disturbs


def called(folder: Path, root: Path) -> tuple[dict[str, float], bytes, int]:
    """What the program measures, the last message that it sent, and a file with its memory."""
    program, path = folder / "calls", folder / "socket"
    places = f"-I{root}/include", f"-L{root}/lib64"
    words = ["g++", "-std=c++17", "-O2", str(PROGRAM), *places, "-lascendcl", "-lnnopbase", "-lopapi"]
    subprocess.run([*words, "-o", str(program)], check=True)
    last = [b"", b""]
    held: list[int] = []

    def kept(message: memoryview, tell: Callable[[], object]) -> bytes:
        last[0] = bytes(message)
        return asked.answer(message, tell)

    def use(file: int) -> None:
        held.append(os.dup(file))
        mapping.use(held[0])

    variables = {**os.environ, "LD_LIBRARY_PATH": f"{root}/lib64", foreground.VARIABLE: str(path)}
    started: list[subprocess.Popen[str]] = []

    def say(line: str) -> None:
        if line.startswith("export"):
            started.append(subprocess.Popen([program], env=variables, stdout=subprocess.PIPE, text=True))

    with mock.patch.object(device_process, "answer", kept), mock.patch.object(device_process, "mapping") as patched:
        patched.use = use
        foreground.attend(path, say, 1)
    out, _ = started[0].communicate()
    return json.loads(out), last[0], held[0]


def best(one: Callable[[], object]) -> float:
    """The least seconds of a call."""
    return min(repeat(one, number=TIMES, repeat=ROUNDS)) / TIMES


def round_trip(there: int, back: int) -> float:
    """The least seconds of a message of so many bytes to another process and of an answer."""
    mine, other = socket.socketpair()
    if os.fork() == 0:
        mine.close()
        room = bytearray(there)
        while other.recv_into(room):
            other.sendall(bytes(back))
        os._exit(0)
    other.close()
    message, room = bytes(there), bytearray(back)

    def once() -> None:
        mine.sendall(message)
        mine.recv_into(room)

    took = best(once)
    mine.close()
    os.wait()
    return took


def parts(message: bytes) -> Iterator[tuple[str, float]]:
    """The parts of the answer to a message, each with its seconds."""
    view = memoryview(message)
    words = view.cast("q")
    end = WORD * HEAD + Head(*words[:HEAD]).described
    call, (_, _, checked, _) = asked._accepted(message[WORD * HEAD : end])
    places = words[end // WORD :].tolist()
    memories = asked.read_memories(call, places)
    operator, product, effect, given = checked
    values = calls.with_memory(operator, given, memories, effect)
    backend: Any = resolve_backend(DEFAULT)
    kernel, precision = backend.kernel(operator), operator.precision(product, *values)
    arrays = [kernel_value(value) for value in values]
    yield "decode: find the call, which came before", best(lambda: asked._accepted(message[WORD * HEAD : end]))
    yield "decode: where the memory is", best(lambda: asked.read_memories(call, places))
    yield "views: arrays over the memory", best(lambda: calls.with_memory(operator, given, memories, effect))
    alone = best(lambda: kernel(*arrays, precision))
    yield (
        "kernel: its choice, its precision, overlaps",
        best(lambda: backend.execute(operator, product, effect, False, values)) - alone,
    )
    yield "kernel: itself", alone
    yield "answer: its bytes", best(lambda: asked.packed((0, 0, None, None)))
    yield "all of the device's", best(lambda: asked.answer(view, device_process._quiet))


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(sys.argv[1], "cann") if len(sys.argv) > 1 else build_once(Path(folder))
        phases, message, _ = called(Path(folder), root)
        rows = dict(parts(message))
        rows_of_c = {"C: phase one": phases["one"]}
        trip = round_trip(len(message), WORD * len(Answer._fields))
        whole = rows.pop("all of the device's")
        rows["the rest of the device's"] = whole - sum(rows.values())
        rows_of_c |= {"socket: a message and its answer": trip, "C: phase two": phases["two"] - trip - whole}
    print("| part | us |\n| --- | ---: |")
    for name, took in (rows_of_c | rows | {"both phases": sum(phases.values())}).items():
        print(f"| {name} | {took * 1e6:.1f} |")


if __name__ == "__main__":
    main()
