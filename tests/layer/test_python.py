"""The Python frame that a call comes from, where the thread holds the GIL anyway; else why it is not known."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.layer.conftest import Stub

SCRIPT = """import ctypes
import sys

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


def run(stub: Stub, folder: Path, way: str, **variables: str) -> tuple[str, str]:
    """What the script prints, and what the layer says; it finds the layer by dlopen."""
    script = folder / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, str(script), str(stub.layer), way]
    environment = {"LD_LIBRARY_PATH": str(stub.folder), **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "161001\n"
    return str(script), done.stderr


@pytest.mark.parametrize(("lang", "line"), [("en", "called from {}:9 in forward"), ("zh", "调用处 {}:9，forward")])
def test_the_frame(native_stub: Stub, tmp_path: Path, lang: str, line: str) -> None:
    script, said = run(native_stub, tmp_path, "PyDLL", ACLSPEC_LANG=lang)
    assert f" - {line.format(script)}\n" in said


def test_a_thread_without_the_gil(native_stub: Stub, tmp_path: Path) -> None:
    """ctypes releases the GIL for a call of CDLL, and the layer does not acquire it."""
    _, said = run(native_stub, tmp_path, "CDLL")
    assert "the Python frame is not known: this thread does not hold the GIL\n" in said
    assert "called from" not in said


def test_a_program_without_python(stub: Stub) -> None:
    assert "Python" not in stub.run("hostile", "100").err
