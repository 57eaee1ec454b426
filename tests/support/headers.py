"""The headers of CANN's runtime, as a simulator has them, for tests that compile without one."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from aclspec.codegen.simulator.compile import INCLUDE
from aclspec.codegen.simulator.declarations import write_headers
from aclspec.codegen.simulator.interface import read_runtime

_folders: list[TemporaryDirectory[str]] = []  # removed with the process


@cache
def include_folder() -> Path:
    """A folder with all of them, written once."""
    _folders.append(TemporaryDirectory(prefix="aclspec-headers-"))
    folder = Path(_folders[-1].name)
    write_headers(read_runtime(), INCLUDE, folder)
    return folder
