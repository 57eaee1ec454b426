"""``aclspec doctor``: what is there, what is missing, in sentences and for programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aclspec import ops
from tests.npu.echoing import compile_library
from tests.support.simulated import TOP, build_once, environment, shared_folder

NOWHERE = Path("/nonexistent/cann")


def doctor(root: Path, **variables: str) -> tuple[int, dict[str, list[dict[str, Any]]]]:
    """The exit status and the findings by topic."""
    command = [sys.executable, "-m", "aclspec.cli", "doctor", "--json"]
    extra = {"PYTHONPATH": str(TOP), **variables}
    env = {name: value for name, value in environment(root, **extra).items() if value}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    found: dict[str, list[dict[str, Any]]] = {}
    for finding in json.loads(done.stdout)["findings"]:
        assert finding["sentence"].endswith(".")
        found.setdefault(finding["topic"], []).append(finding)
    return done.returncode, found


@pytest.fixture
def root(tmp_path_factory: pytest.TempPathFactory, program: Callable[[str], str]) -> Path:
    program("g++")
    return build_once(shared_folder(tmp_path_factory))


@pytest.mark.skipif(os.path.exists("/usr/local/Ascend"), reason="this machine has CANN")
def test_a_machine_without_cann() -> None:
    status, found = doctor(NOWHERE, ASCEND_HOME_PATH="")
    assert status == 0
    assert found["cann"][0]["state"] == "note"
    assert found["product"][0]["sentence"] == "A call that names no product means atlas_a2."
    status, found = doctor(NOWHERE, ASCEND_HOME_PATH="", ACLSPEC_BACKEND="npu")
    assert (status, found["cann"][0]["state"]) == (1, "missing")


def test_the_simulator(root: Path) -> None:
    status, found = doctor(root, ACLSPEC_SOC="Ascend310P3")
    assert status == 0
    assert found["cann"][0]["sentence"] == f"The simulator, version 9.0.0, is at {root} (ASCEND_HOME_PATH)."
    assert found["device"][0]["sentence"].endswith("is Ascend310P3, of the product atlas_inference.")
    assert found["version"][0]["sentence"] == "The interface of the runtime is of version 1.17.0."
    assert found["product"][0]["sentence"] == "A call that names no product means atlas_inference."
    assert f"All {len(ops.names())} operators" in found["operators"][-1]["sentence"]


def test_a_runtime_that_does_not_tell_its_version(root: Path) -> None:
    status, found = doctor(root, ACLSPEC_FAULT="aclrtGetVersion:1")
    assert status == 0
    assert "version" not in found


def test_what_is_missing(root: Path, tmp_path: Path) -> None:
    status, found = doctor(root, ASCEND_CUSTOM_PATH=str(NOWHERE))
    assert status == 1
    assert found["environment"][0]["sentence"].startswith(f"ASCEND_CUSTOM_PATH names {NOWHERE}, which has neither")
    assert found["cann"][0]["state"] == "found"
    lib = tmp_path / "lib64"
    lib.mkdir()
    needed = ("libruntime.so", "libascend_hal.so", "libprofapi.so", "libmsprofiler.so")
    for name in ("libacl_rt.so", "libaclspec_simulator.so", *needed):
        (lib / name).symlink_to(root / "lib64" / name)
    (tmp_path / "aclspec_python.txt").symlink_to(root / "aclspec_python.txt")
    (tmp_path / "version.cfg").write_text("# of the package\nversion=9.0.1\n")
    status, found = doctor(tmp_path)
    assert status == 1
    assert found["cann"][0]["sentence"] == f"CANN, version 9.0.1, is at {tmp_path} (ASCEND_HOME_PATH)."
    assert (found["base"][0]["state"], found["operators"][0]["state"]) == ("missing", "missing")
    (lib / "libnnopbase.so").symlink_to(root / "lib64" / "libnnopbase.so")
    compile_library(lib, "libopapi.so")  # without operators
    status, found = doctor(tmp_path)
    assert f"{len(ops.names())} of {len(ops.names())} operators are not in these libraries" in str(found["operators"])


def test_a_device_that_fails(root: Path) -> None:
    status, found = doctor(root, ACLSPEC_FAULT="aclrtSetDevice:1")
    assert status == 1
    assert found["device"][0]["state"] == "missing"
    assert "aclrtSetDevice fails with ACL_ERROR_RT_INVALID_DEVICEID (107001)" in found["device"][0]["sentence"]


def test_for_people(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aclspec.cli", "doctor"],
        env=environment(root),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "found   Operators come from libopapi_math.so, libopapi_nn.so" in done.stdout
    assert "note    Calls compute with NumPy unless they say otherwise" in done.stdout
