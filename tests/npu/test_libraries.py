"""Where CANN is looked for, and which of its libraries an operator comes from."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.runtime import AclnnError, Status, last_error
from aclspec.runtime.npu import libraries, shutdown
from aclspec.runtime.npu import libraries as roots
from tests.npu.echoing import OPERATOR, compile_library, make_root
from tests.npu.test_arguments import VALUES

RUNTIME = "libacl_rt.so"
pytestmark = pytest.mark.usefixtures("nothing_else")


@pytest.fixture
def nothing_else(monkeypatch: pytest.MonkeyPatch, program: Callable[[str], str]) -> None:
    """No CANN but what a test makes."""
    program("gcc")
    for name in (*roots.VARIABLES, roots.OPERATORS, roots.CUSTOM_OPERATORS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(roots, "USUAL", ())


def answer() -> str:
    """The library that answers phase one, or why none does."""
    shutdown()
    last_error()
    status, _, _ = OPERATOR.get_workspace_size(*VALUES.values(), backend="npu")
    message = str(last_error())
    shutdown()
    if status == Status.ACLNN_ERR_PARAM_INVALID:
        return message.partition("says: ")[2].partition(" ")[0]
    assert status == Status.ACLNN_ERR_RUNTIME_ERROR
    return message


def test_the_newest_family_is_taken_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("libopapi_nn.so", "libopapi.so", "libaclnn_math.so")
    root = make_root(tmp_path, *names, runtime=RUNTIME)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(root))
    for name in names:
        assert answer() == name
        (root / "lib64" / name).unlink()
    assert "has no library of operators: none of libopapi_math.so" in answer()
    make_root(tmp_path, "libopapi.so", runtime=RUNTIME)
    compile_library(root / "lib64", "libopapi_cv.so", links=[root / "lib64" / RUNTIME])
    assert "The operator aclnnHandmade is in none of the libraries of operators" in answer()
    assert "libopapi.so" not in answer(), "A newer family that lacks the operator is not mixed with an older one."


def test_operators_of_vendors_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_root(tmp_path / "root", "libopapi.so", runtime=RUNTIME)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(root))
    link = [root / "lib64" / RUNTIME]
    vendors = tmp_path / "opp" / "vendors"
    for vendor in ("apple", "pear"):
        folder = vendors / vendor / "op_api" / "lib"
        compile_library(folder, "libcust_opapi.so", "OPERATORS", links=link, label=vendor)
    assert answer() == "libopapi.so"
    monkeypatch.setenv("ASCEND_OPP_PATH", str(tmp_path / "opp"))
    assert answer() == "apple"
    (vendors / "config.ini").write_text("load_priority=missing,pear\n")
    assert answer() == "pear"
    folder = tmp_path / "mine" / "op_api" / "lib"
    compile_library(folder, "libcust_opapi.so", "OPERATORS", links=link, label="mine")
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", f"{tmp_path / 'nowhere'}:{tmp_path / 'mine'}")
    assert answer() == "mine"


def test_the_runtime_of_newer_versions_is_preferred(tmp_path: Path) -> None:
    lib = tmp_path / "lib64"
    lib.mkdir()
    root = roots.Root(tmp_path, "a test")
    (lib / "libascendcl.so").touch()
    assert root.is_complete
    with pytest.raises(AclnnError, match=r"libascendcl\.so cannot be loaded"):
        libraries.load_runtime(root)
    (lib / RUNTIME).touch()
    with pytest.raises(AclnnError, match=r"libacl_rt\.so cannot be loaded"):
        libraries.load_runtime(root)


def test_the_order_of_the_roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "USUAL", (str(tmp_path / "usual"),))
    (tmp_path / "usual" / "cann").mkdir(parents=True)
    for variable in reversed(roots.VARIABLES):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    found = list(roots.candidates())
    assert [root.source for root in found] == [*roots.VARIABLES, "the usual place"]
    assert roots.find_root() is None
    for root in reversed(found):
        (root.path / "lib64").mkdir(parents=True)
        (root.path / "lib64" / "libascendcl.so").touch()
        assert roots.find_root() == root


def test_without_cann_a_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "CANN is not found: no place has libacl_rt.so or libascendcl.so." in answer()
    monkeypatch.setenv("ASCEND_HOME_PATH", "/nonexistent")
    told = answer()
    assert "looked at /nonexistent (ASCEND_HOME_PATH)" in told
    assert "set ASCEND_HOME_PATH or ASCEND_TOOLKIT_HOME to its folder" in told


def test_a_root_without_the_base_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_library(tmp_path / "lib64", RUNTIME, "RUNTIME")
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))
    assert "has no library of operators" in answer()
    compile_library(tmp_path / "lib64", "libopapi.so", "OPERATORS", links=[tmp_path / "lib64" / RUNTIME])
    assert "has no libnnopbase.so" in answer()


def test_a_device_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCEND_HOME_PATH", str(make_root(tmp_path, "libopapi.so")))
    inputs = [VALUES[param.name] for param in OPERATOR.inputs]
    monkeypatch.setenv("ACLSPEC_DEVICE", "7")
    with pytest.raises(AclnnError, match="aclrtSetDevice fails with ACL_ERROR_RT_INVALID_DEVICEID") as caught:
        OPERATOR.call(inputs, backend="npu")
    assert int(caught.value.status) == 107001
    assert caught.value.status.name == "ACL_ERROR_RT_INVALID_DEVICEID"
    monkeypatch.setenv("ACLSPEC_DEVICE", "first")
    with pytest.raises(ValueError, match=r"ACLSPEC_DEVICE \(first\) is not the number of a device"):
        OPERATOR.call(inputs, backend="npu")


def test_importing_and_computing_on_numpy_load_nothing() -> None:
    code = (
        "import sys, numpy as np\n"
        "from aclspec import ops\n"
        "import aclspec.runtime.npu\n"
        "one = np.ones(2, np.float32)\n"
        "ops.prelu(one, one[:1], product='atlas_a2')\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert 'libascendcl' not in maps and 'libacl_rt' not in maps and 'libnnopbase' not in maps\n"
        "assert aclspec.runtime.npu.session._current is None\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
