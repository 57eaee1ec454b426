"""What the tests of MindSpore share: processes, each of which has one device, and what came out of them."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

HERE = Path(__file__).parent
TIMEOUT = 300
SOCS = ("Ascend910B2", "Ascend310P3")
"""The chips that the tests simulate."""
_MISSING = re.compile(r"\b(aclnn\w+?)(?:GetWorkspaceSize)?\b.*?(?:only declares|no kernel|does not compute)", re.DOTALL)

Results: TypeAlias = dict[str, Any]


def execute(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script beside this file in a process of its own."""
    environment = {"PYTHONPATH": "", **os.environ, "GLOG_v": "3", **variables}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True, timeout=TIMEOUT)


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Results]:
    """The results of a module of cases on a chip, or on the CPU; each is run once."""
    found: dict[tuple[str, str], Results] = {}

    def of(module: str, chip: str) -> Results:
        if (module, chip) not in found:
            file = tmp_path_factory.mktemp("cases") / "results"
            device = "CPU" if chip == "CPU" else "Ascend"
            done = execute("child.py", device, module, str(file), ACLSPEC_SOC="" if chip == "CPU" else chip)
            assert file.is_file(), done.stdout + done.stderr
            found[module, chip] = pickle.loads(file.read_bytes())
        return found[module, chip]

    return of


def compare(found: Any, expected: Any, rounded: bool = False) -> None:
    """Results of a device and of the CPU; a test is skipped that needs an operator which the simulator lacks."""
    assert not isinstance(expected, str), f"on the CPU: {expected}"
    if isinstance(found, str):
        missing = _MISSING.search(found)
        if missing:
            pytest.skip(f"the simulator does not compute {missing[1].removesuffix('GetWorkspaceSize')}")
    assert not isinstance(found, str), found
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, *((5e-3, 5e-3) if rounded else (2e-4, 2e-5)))
