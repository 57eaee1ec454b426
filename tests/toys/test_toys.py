"""The derived tests of operators with uncommon features pass."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aclspec.codegen.derive import derive_cases
from aclspec.codegen.pipeline.generate import generate
from aclspec.codegen.pipeline.load import load_project
from aclspec.runtime.testing.expected import arguments

SPECS = Path(__file__).parent / "specs"
TOYS = {"head": "a rule of undefined outcome", "copy_narrow": "dtypes narrower than a byte"}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("toys")
    shutil.copytree(SPECS, root / "specs")
    generate(root / "specs", root / "out", "toys.ops")
    return root / "out"


@pytest.mark.parametrize("name", TOYS)
def test_the_derived_tests_pass(name: str, out: Path, repository: Path) -> None:
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "--rootdir", str(repository), "-c", "pyproject.toml"]
    path = os.pathsep.join([str(out), str(repository), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(out / "tests" / f"test_{name}.py")],
        cwd=repository,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert " passed" in done.stdout


def test_a_valid_case_has_a_defined_result() -> None:
    """The first elements of a tensor that has fewer are undefined, and not computed."""
    (info,) = (one.info for one in load_project(SPECS).operators if one.info.name == "aclnnHead")
    suite = derive_cases(info).suite
    calls = [arguments(info, suite.call(case)) for case in suite.valid]
    assert all(call["count"] <= call["self"].numel for call in calls)
    assert {call["mode"] for call in calls} == {0, 1, 2}
