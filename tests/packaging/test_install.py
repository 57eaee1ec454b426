"""The wheel and the sdist, installed into empty environments and used from outside the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from tests.support.fences import blocks

pytestmark = pytest.mark.timeout(900)
SHIPPED = {"codegen/aclspec/": "aclspec/", "generated/aclspec/": "aclspec/", "runtime/aclspec/": "aclspec/"}


@dataclass(frozen=True)
class Environment:
    """A virtual environment and a folder outside the repository to work in."""

    root: Path
    work: Path

    def run(self, *words: str, good: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, seeing nothing of the repository."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ACLSPEC"))}
        done = subprocess.run(
            [str(self.root / "bin" / words[0]), *words[1:]],
            cwd=self.work,
            env=clean,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert not good or done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done


@pytest.fixture(scope="module")
def built(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, and the wheel that is built from it."""
    out = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(repository)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(out.glob("*.tar.gz")), next(out.glob("*.whl"))


def environment(folder: Path, *requirements: str) -> Environment:
    """An empty environment with these installed."""
    venv.create(folder / "venv", with_pip=True)
    (folder / "work").mkdir()
    made = Environment(folder / "venv", folder / "work")
    made.run("python", "-m", "pip", "install", "-q", *requirements)
    return made


@pytest.fixture(scope="module")
def runtime_only(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return environment(tmp_path_factory.mktemp("runtime"), str(built[1]))


@pytest.fixture(scope="module")
def with_cli(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return environment(tmp_path_factory.mktemp("cli"), f"{built[0]}[cli]")


def test_the_wheel_ships_every_tracked_file(
    built: tuple[Path, Path], repository: Path, program: Callable[[str], str]
) -> None:
    listed = subprocess.run([program("git"), "ls-files"], cwd=repository, capture_output=True, text=True, check=True)
    shipped = set(zipfile.ZipFile(built[1]).namelist())
    expected = {
        to + path.removeprefix(start)
        for path in listed.stdout.splitlines()
        for start, to in {**SHIPPED, "specs/": "aclspec/specs/"}.items()
        if path.startswith(start) and (repository / path).is_file()
    }
    assert expected
    assert expected - shipped == set()
    tops = {name.partition("/")[0] for name in shipped}
    assert {name for name in tops if not name.endswith(".dist-info")} == {"aclspec"}
    assert "aclspec/__init__.py" not in shipped


def test_the_sdist_can_be_tested(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "LICENSE", "README.md", "CHANGELOG.md", "tests/conftest.py", "site/mkdocs.yml"} <= names


@pytest.mark.all
def test_the_demo_runs_from_the_wheel_alone(runtime_only: Environment) -> None:
    done = runtime_only.run("python", "-m", "aclspec.cli.demo")
    assert "[7.0, 8.0]" in done.stdout
    assert "[[0.5, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]" in done.stdout


@pytest.mark.all
def test_without_its_extra_the_command_says_so_in_one_sentence(runtime_only: Environment) -> None:
    done = runtime_only.run("aclspec", "list", good=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "aclspec: The command line needs the package typer; install it with: pip install 'aclspec[cli]'."
    ]


@pytest.mark.parametrize("extra", ["docs"])
def test_an_extra_that_a_command_needs_brings_the_command_line(built: tuple[Path, Path], extra: str) -> None:
    with zipfile.ZipFile(built[1]) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        needs = [Requirement(need) for need in message_from_bytes(wheel.read(name)).get_all("Requires-Dist", [])]
    brought = {
        one: {need.name for need in needs if need.marker is not None and need.marker.evaluate({"extra": one})}
        for one in ("cli", extra)
    }
    assert "typer" in brought["cli"]
    assert brought["cli"] < brought[extra]


@pytest.mark.all
def test_the_sdist_installs_with_the_command_line(with_cli: Environment) -> None:
    assert "aclnnPreluBackward" in with_cli.run("aclspec", "list").stdout
    with_cli.run("aclspec", "lint")
    for command in ("generate", "trace"):
        done = with_cli.run("aclspec", command, good=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("aclspec: This aclspec is not a checkout, ")
        assert done.stderr.count("\n") == 1
    with_cli.run("python", "-m", "aclspec.cli.demo")


@pytest.mark.all
def test_an_operator_of_ones_own_from_an_installed_aclspec(with_cli: Environment) -> None:
    with_cli.run("aclspec", "new", "aclnnCopyOfMine", "--specs", "specs_of_mine", "--kernels", "kernels_of_mine")
    with_cli.run("aclspec", "generate", "--specs", "specs_of_mine", "--out", ".", "--package", "ops_of_mine")
    script = (
        "import numpy as np; from aclspec import ops; ops.register('ops_of_mine'); "
        "print(ops.get('aclnnCopyOfMine')(np.arange(3, dtype=np.float32)))"
    )
    assert "0., 1., 2." in with_cli.run("python", "-c", script).stdout


@pytest.mark.all
def test_a_simulator_from_an_installed_aclspec(with_cli: Environment, program: Callable[[str], str]) -> None:
    """With an operator of one's own, whose C++ program is then run from an empty environment."""
    program("cc")
    root, made = with_cli.work / "simulator" / "cann", with_cli.work / "sample"
    with_cli.run("aclspec", "new", "aclnnSampleOfMine", "--specs", "specs_for_c", "--kernels", "kernels_for_c")
    with_cli.run("aclspec", "generate", "--specs", "specs_for_c", "--out", ".", "--package", "ops_for_c")
    with_cli.run("aclspec", "--package", "ops_for_c", "simulator", "build", "--out", str(root.parent))
    with_cli.run("aclspec", "--package", "ops_for_c", "sample", "aclnnSampleOfMine", "--out", "samples")
    words = [program("g++"), "-std=c++17", str(with_cli.work / "samples" / "sample_of_mine.cpp"), "-o", str(made)]
    places = [f"-I{root / 'include'}", f"-L{root / 'lib64'}", "-lascendcl", "-lnnopbase", "-lopapi"]
    subprocess.run([*words, *places], check=True)
    done = from_nowhere(made, root)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("out[0] = ")
    moved = with_cli.root.rename(with_cli.root.with_name("moved"))
    try:
        done = from_nowhere(made, root)
    finally:
        moved.rename(with_cli.root)
    assert done.returncode == 1
    assert "is not there. Build the simulator again with: aclspec simulator build." in done.stderr


@pytest.mark.all
def test_the_recipe_for_ci_works_as_the_guide_has_it(
    with_cli: Environment, repository: Path, program: Callable[[str], str]
) -> None:
    """Every step but the first two, which install what is there already, with a program that makes no mistake."""
    for name in ("cc", "g++", "cmake"):
        program(name)
    work = with_cli.work / "recipe"
    work.mkdir()
    (work / ".venv").symlink_to(with_cli.root)
    page = {block.title or block.language: block.text for block in blocks(repository / "site/docs/en/guides/cpp.md")}
    (work / "CMakeLists.txt").write_text(page["CMakeLists.txt"], encoding="utf-8")
    for name, source in (("wrong.cpp", "prelu.cpp"), ("sample.h", "sample.h")):
        (work / name).write_bytes((repository / "generated/samples" / source).read_bytes())
    steps = [step["run"] for step in yaml.safe_load(page["yaml"])["steps"]]
    assert steps[0].startswith("apt-get install ")
    assert steps[1] == "python3 -m venv .venv && .venv/bin/pip install 'aclspec[cli]'"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ACLSPEC", "ASCEND"))}
    said = ""
    for step in steps[2:]:
        done = subprocess.run([program("bash"), "-c", step], cwd=work, env=clean, capture_output=True, text=True)
        assert done.returncode == 0, f"{step}\n{done.stdout}{done.stderr}"
        said = done.stdout
    assert "100% tests passed" in said


def from_nowhere(made: Path, root: Path) -> subprocess.CompletedProcess[str]:
    """A program's run with nothing but the simulator's libraries in its environment."""
    return subprocess.run(
        [str(made)], cwd="/", env={"LD_LIBRARY_PATH": str(root / "lib64")}, capture_output=True, text=True
    )
