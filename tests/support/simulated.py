"""The simulator for tests: built once for all workers of a test run, and switched between products as a test likes."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from aclspec.runtime.abi import products
from aclspec.runtime.api import device
from aclspec.runtime.npu import shutdown
from tests.support.once import once

TOP = Path(__file__).parents[2]


def build_once(shared: Path) -> Path:
    """The root of a simulator of all operators below a folder that the workers of a test run share."""

    def make(folder: Path) -> None:
        command = [sys.executable, "-m", "aclspec.cli", "simulator", "build", "--out", str(folder)]
        done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.fail(f"The simulator cannot be built:\n{done.stdout}{done.stderr}")

    return once(shared / "simulator", make) / "cann"


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """A temporary folder that is the same for every worker of pytest-xdist."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def environment(root: Path, **extra: str) -> dict[str, str]:
    """The environment of a new process that finds the simulator and nothing else of CANN."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ACLSPEC_", "ASCEND_"))}
    return {**kept, "ASCEND_HOME_PATH": str(root), **extra}


class Simulator:
    """The simulator as the device of this process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        set_name = ctypes.CDLL(str(root / "lib64" / "libascendcl.so")).aclspecSetSocName
        set_name.argtypes, set_name.restype = [ctypes.c_char_p], ctypes.c_int
        self._set_name = set_name

    def become(self, product: str | None) -> None:
        """Be another product from now on; None: what the environment says."""
        assert self._set_name(None if product is None else product.encode()) == 0


@contextmanager
def as_device(root: Path) -> Iterator[Simulator]:
    """Let this process find the simulator as its NPU, with nothing left of it afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("ACLSPEC_", "ASCEND_")) and name != "ACLSPEC_TESTS":
                patch.delenv(name)
        patch.setenv("ASCEND_HOME_PATH", str(root))
        shutdown()
        _forget()
        simulator = Simulator(root)
        try:
            yield simulator
        finally:
            simulator.become(None)
            shutdown()
    _forget()


def _forget() -> None:
    device.soc_name.cache_clear()
    products._without_name.cache_clear()
