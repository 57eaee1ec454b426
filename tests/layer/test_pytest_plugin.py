"""``pytest --aclspec``: refused calls stand in the report of the test that made them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.layer.conftest import Layer, Stub
from tests.layer.test_commands import run
from tests.support.simulators import Done

TESTS = """import ctypes

import pytest

library = ctypes.PyDLL(None)


def call():
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    return library.aclnnAbsGetWorkspaceSize(None, None, ctypes.byref(size), ctypes.byref(executor))


call()


@pytest.fixture
def early():
    call()


def test_refused():
    assert call() == call() == 161001


def test_nothing():
    pass


def test_early(early):
    pass


@pytest.mark.aclspec_refused
def test_expected():
    call()


def test_wrong():
    call()
    raise ValueError
"""
REFUSED = ("early", "expected", "refused", "wrong")
PLUGIN = ("-p", "no:aclspec", "-p", "aclspec.cli.pytest_plugin")
"""By its module, whether or not this installation has the entry point."""


def under_layer(layer: Layer, stub: Stub, folder: Path, *options: str, **variables: str) -> Done:
    """pytest over the file, under the layer."""
    file = folder / "test_calls.py"
    file.write_text(TESTS, "utf-8")
    words = ("-m", "pytest", "--rootdir", str(folder), "-p", "no:cacheprovider", *PLUGIN, *options, str(file))
    given = {"LD_PRELOAD": str(stub.folder / "libopapi.so"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | variables
    return run(layer, "run", "--root", str(layer.root), "--", sys.executable, *words, **given)


def outcome(done: Done) -> str:
    return done.out.splitlines()[-1].strip("= ").partition(" in ")[0]


@pytest.mark.parametrize("options", [(), pytest.param(("-p", "xdist.plugin", "-n", "2"), marks=pytest.mark.all)])
def test_the_report_of_each_test(layer: Layer, native_stub: Stub, tmp_path: Path, options: tuple[str, ...]) -> None:
    junit = tmp_path / "junit.xml"
    done = under_layer(layer, native_stub, tmp_path, "--aclspec", "--junitxml", str(junit), *options)
    assert outcome(done) == "1 failed, 4 passed"
    section = done.out.partition("Refused aclnn calls call")[2]
    assert "aclnnAbs.null-self: self is null. out is null.\n" in section
    assert f"called from {tmp_path / 'test_calls.py'}:10 in call\n" in section
    listed = done.out.partition("refused aclnn calls ")[2].splitlines()[1:5]
    assert sorted(listed) == [f"test_calls.py::test_{name}: aclnnAbs.null-self" for name in REFUSED]
    assert junit.read_text("utf-8").count('name="aclspec_refused" value="aclnnAbs.null-self"') == 4


def test_a_test_with_a_refused_call_fails(layer: Layer, native_stub: Stub, tmp_path: Path) -> None:
    """But for one that expects it. A recording of earlier runs changes nothing."""
    record = {"ACLSPEC_RECORD": str(tmp_path / "calls")}
    under_layer(layer, native_stub, tmp_path, "--aclspec", **record)
    done = under_layer(layer, native_stub, tmp_path, "--aclspec-fail", **record)
    assert outcome(done) == "2 failed, 2 passed, 1 error"  # the call of the fixture is an error
    muted = under_layer(layer, native_stub, tmp_path, "--aclspec-fail", ACLSPEC_LAYER_MUTE="aclnnAbs.null-self")
    assert outcome(muted) == "1 failed, 4 passed"
    assert "aclnnAbs" not in muted.out.partition("short test summary")[2]


@pytest.mark.all
def test_without_the_option_nothing_changes(layer: Layer, native_stub: Stub, tmp_path: Path) -> None:
    done = under_layer(layer, native_stub, tmp_path)
    assert outcome(done) == "1 failed, 4 passed"
    assert "efused aclnn calls" not in done.out


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [({}, "run: aclspec layer run -- pytest --aclspec"), ({"ACLSPEC_LAYER": "off"}, "which is off (ACLSPEC_LAYER)")],
)
def test_without_the_layer(layer: Layer, tmp_path: Path, variables: dict[str, str], sentence: str) -> None:
    command = [sys.executable, "-m", "pytest", *PLUGIN, "--aclspec", str(tmp_path)]
    given = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | variables | (layer.preload if variables else {})
    done = subprocess.run(command, env=given, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert sentence in done.stderr
