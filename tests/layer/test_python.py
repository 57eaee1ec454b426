"""The Python frame that a call comes from, where the thread holds the GIL anyway; else why it is not known."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.layer.conftest import Stub

SCRIPT = """import ctypes
import sys

if "interpreters" in sys.argv:
    import _xxsubinterpreters

    _xxsubinterpreters.create()
library = getattr(ctypes, sys.argv[2])(sys.argv[1])


def forward():
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    return library.aclnnAbsGetWorkspaceSize(None, None, ctypes.byref(size), ctypes.byref(executor))


print(forward())
try:
    raise ValueError("on its way")
except ValueError as error:
    forward()
    assert sys.exc_info()[1] is error
"""


def run(stub: Stub, folder: Path, way: str, *words: str, **variables: str) -> tuple[str, str]:
    """What the script prints, and what the layer says; it finds the layer by dlopen."""
    script = folder / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, str(script), str(stub.layer), way, *words]
    environment = {"LD_LIBRARY_PATH": str(stub.folder), **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "161001\n"
    return str(script), done.stderr


@pytest.mark.parametrize(("lang", "line"), [("en", "called from {}:13 in forward"), ("zh", "调用处 {}:13，forward")])
def test_the_frame(native_stub: Stub, tmp_path: Path, lang: str, line: str) -> None:
    script, said = run(native_stub, tmp_path, "PyDLL", ACLSPEC_LANG=lang)
    assert f" - {line.format(script)}\n" in said


@pytest.mark.parametrize("words", [(), ("interpreters",)])
def test_a_thread_without_the_gil(native_stub: Stub, tmp_path: Path, words: tuple[str, ...]) -> None:
    """ctypes releases the GIL for a call of CDLL, and the layer does not acquire it, whatever PyGILState_Check says."""
    _, said = run(native_stub, tmp_path, "CDLL", *words)
    assert "the Python frame is not known: this thread does not hold the GIL\n" in said
    assert "called from" not in said


def test_a_program_without_python(stub: Stub) -> None:
    assert "Python" not in stub.run("hostile", "100").err


MISUSES = """import ctypes

library = ctypes.PyDLL(None)
library.aclCreateTensor.restype = ctypes.c_void_p
library.aclCreateIntArray.restype = ctypes.c_void_p
size, executor = ctypes.c_uint64(), ctypes.c_void_p()
one = (ctypes.c_int64 * 1)(2)


def tensor():
    return ctypes.c_void_p(library.aclCreateTensor(one, ctypes.c_uint64(1), 0, None, ctypes.c_int64(0), 2, one,
                                                   ctypes.c_uint64(1), None))


def use_after():
    gone, out = tensor(), tensor()
    library.aclDestroyTensor(gone)
    library.aclnnAbsGetWorkspaceSize(gone, out, ctypes.byref(size), ctypes.byref(executor))


def null_workspace():
    library.aclnnAbsGetWorkspaceSize(tensor(), tensor(), ctypes.byref(size), ctypes.byref(executor))
    library.aclnnAbs(None, size, executor, None)


def small_workspace():
    library.aclnnAbsGetWorkspaceSize(tensor(), tensor(), ctypes.byref(size), ctypes.byref(executor))
    library.aclnnAbs(one, ctypes.c_uint64(8), executor, None)


def destroy_twice():
    twice = ctypes.c_void_p(library.aclCreateIntArray(one, ctypes.c_uint64(1)))
    library.aclDestroyIntArray(twice)
    library.aclDestroyIntArray(twice)  # from here on the process is in the C library's hands


for misuse in (use_after, null_workspace, small_workspace, destroy_twice):
    misuse()
"""


def test_the_frame_of_a_misuse(native_stub: Stub, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(MISUSES, encoding="utf-8")
    environment = {"LD_PRELOAD": f"{native_stub.layer}:{native_stub.folder / 'libopapi.so'}"}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    for name, sentence in (
        ("use_after", "was destroyed before; it returned 0."),
        ("null_workspace", "with a null workspace of 64 bytes."),
        ("small_workspace", "with a workspace of 8 bytes, fewer than the 64 that phase one asked for."),
        ("destroy_twice", "a second time."),
    ):
        assert re.search(rf"{re.escape(sentence)}\n   - called from {script}:\d+ in {name}\n", done.stderr), done.stderr
