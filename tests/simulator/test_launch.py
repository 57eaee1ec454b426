"""The launcher: the environment of a program, the simulator in the cache, the doctor, and missing operators."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aclspec.cli.main import main
from aclspec.codegen.simulator.interface import read_runtime
from aclspec.codegen.simulator.launch import cached, launch_environment, read_launch
from aclspec.codegen.simulator.root import HOME, MARKER
from tests.support.simulators import Simulator

PRINT = "import json, os; print(json.dumps(dict(os.environ)))"


def environment(simulator: Simulator, capfd: pytest.CaptureFixture[str], *options: str) -> dict[str, str]:
    words = ["simulator", "run", "--root", str(simulator.root.parent), *options, "--", sys.executable, "-c", PRINT]
    assert main(words) == 0
    found: dict[str, str] = json.loads(capfd.readouterr().out)
    return found


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("ACLSPEC_", "ASCEND_"))]:
        if name != "ACLSPEC_REQUIRE_PROGRAMS":
            monkeypatch.delenv(name)


def test_the_environment(
    simulator: Simulator, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = environment(simulator, capfd)
    home = str(simulator.root)
    assert (found["ASCEND_HOME_PATH"], found["ASCEND_OPP_PATH"]) == (home, f"{home}/opp")
    assert found["LD_LIBRARY_PATH"].split(":")[0] == f"{home}/lib64"
    assert found["PATH"].split(":")[0] == f"{home}/bin"
    assert {name: found[name] for name in read_launch().variables} == {
        name: variable.value for name, variable in read_launch().variables.items()
    }
    monkeypatch.setenv("ACLSPEC_CONFORMANCE", "document")
    assert environment(simulator, capfd)["ACLSPEC_CONFORMANCE"] == "document"


def test_the_options(simulator: Simulator, capfd: pytest.CaptureFixture[str]) -> None:
    found = environment(simulator, capfd, "--product", "310P", "--devices", "3", "--strict")
    assert (found["ACLSPEC_PRODUCT"], found["ACLSPEC_DEVICES"], found["ACLSPEC_STRICT"]) == (
        "atlas_inference",
        "3",
        "1",
    )
    found = environment(simulator, capfd, "--product", "Ascend910B4")
    assert (found["ACLSPEC_SOC"], found["ACLSPEC_PRODUCT"]) == ("Ascend910B4", "atlas_a2")
    assert "missing" in environment(simulator, capfd, "--missing", "cpu")["PYTHONPATH"]
    assert main(["simulator", "run", "--root", str(simulator.root.parent), "--missing", "gpu", "--", "true"]) == 2
    assert "(gpu) is neither refuse nor cpu" in capfd.readouterr().err


@pytest.mark.parametrize(("name", "noun"), [("a:b", "a colon"), ("a;b", "a semicolon"), ("$LIB", "a dollar sign")])
def test_a_path_that_the_loader_would_split(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, noun: str
) -> None:
    """It is refused before the program runs, which would find other libraries or none; nothing is built there."""
    folder, ran = tmp_path / name, tmp_path / "ran"
    assert main(["simulator", "build", "--out", str(folder)]) == 2
    sentence = f"The path of the simulator ({folder}) has {noun}, which LD_LIBRARY_PATH cannot hold;"
    assert sentence in capsys.readouterr().err
    assert not folder.exists()
    (folder / HOME).mkdir(parents=True)
    (folder / MARKER).touch()
    for words in (("env",), ("run", "--", "touch", str(ran))):
        assert main(["simulator", words[0], "--root", str(folder), *words[1:]]) == 2
        assert f"has {noun}, which LD_LIBRARY_PATH cannot hold; give another folder." in capsys.readouterr().err
    assert not ran.exists()


def test_another_soc_of_the_environment_gives_way(simulator: Simulator, capfd: pytest.CaptureFixture[str]) -> None:
    os.environ["ACLSPEC_SOC"] = "Ascend910B2"
    try:
        found = environment(simulator, capfd, "--product", "atlas_a3")
    finally:
        del os.environ["ACLSPEC_SOC"]
    assert found["ACLSPEC_PRODUCT"] == "atlas_a3"
    assert not found.get("ACLSPEC_SOC")


def test_the_caller_s_variables_stay(simulator: Simulator) -> None:
    before = {"TASK_QUEUE_ENABLE": "1", "PATH": "/bin"}
    found = launch_environment(simulator.root.parent, {"ACLSPEC_STRICT": "1"}, before)
    assert found["TASK_QUEUE_ENABLE"] == "1"
    assert found["PATH"] == f"{simulator.root}/bin:/bin"
    assert found["ACLSPEC_STRICT"] == "1"


def test_a_folder_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLSPEC_CACHE", str(tmp_path))
    built: list[Path] = []

    def build(out: Path) -> list[str]:
        built.append(out)
        out.mkdir()
        return []

    first = cached("simulator", build, {})
    assert cached("simulator", build, {}) == first
    assert built == [first]
    package = tmp_path / "package"
    package.mkdir()
    (package / "more.py").write_text("")
    assert cached("simulator", build, {"more": package}) != first
    assert len(built) == 2


def test_the_doctor(simulator: Simulator, capfd: pytest.CaptureFixture[str]) -> None:
    program = simulator.compile(Path(__file__).parents[2] / "generated" / "samples" / "prelu.cpp")
    assert main(["simulator", "doctor", str(program), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["linked"]["aclrtMalloc"] == "computed"
    assert found["linked"]["aclnnPrelu"] == "computed"
    assert found["libraries"]["libascendcl.so"] is True
    assert found["missing"] == {}


def test_the_doctor_tells_what_is_missing(
    simulator: Simulator, capfd: pytest.CaptureFixture[str], program: Callable[[str], str], tmp_path: Path
) -> None:
    source = tmp_path / "other.c"
    source.write_text(
        'int aclmdlUnheardOf(void); int rtKernelLaunch(void); const char *name = "aclrtSetDevice";\n'
        "int own(void) { return aclmdlUnheardOf() + rtKernelLaunch(); }\n"
    )
    library = tmp_path / "other.so"
    words = [program("cc"), "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(words, check=True)
    assert main(["simulator", "doctor", str(library)]) == 1
    printed = capfd.readouterr().out
    assert "other.so: aclmdlUnheardOf" in printed
    assert "1 refused: rtKernelLaunch" in printed
    assert main(["simulator", "doctor", str(source)]) == 2
    assert "There is no binary (ELF)" in capfd.readouterr().err


def test_every_library_of_a_simulator_can_be_loaded(simulator: Simulator, capfd: pytest.CaptureFixture[str]) -> None:
    """The doctor finds nothing missing in the simulator itself."""
    assert main(["simulator", "doctor", str(simulator.root / "lib64"), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["missing"] == {}


def test_no_function_is_stated_twice() -> None:
    runtime = read_runtime()
    names = [function.name for one in runtime.interfaces.values() for function in one.functions]
    assert sorted(names) == sorted(set(names))


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_what_is_missing_is_computed_on_the_cpu() -> None:
    import torch

    from aclspec.runtime.simulator.missing import cpu

    error = RuntimeError("NPU function error: call aclnnOutline failed, error code is 561003")
    assert cpu.missing(error) == "aclnnOutline"
    assert cpu.missing(RuntimeError("call aclnnOutline failed, error code is 161002")) is None
    x = torch.tensor([1.0, 2.0])
    negated: Any = torch.ops.aten.neg_.default

    class Lacking:
        """A function that the device refuses once."""

        _schema = negated._schema
        refused = False

        def __call__(self, *given: Any) -> Any:
            if not self.refused:
                self.refused = True
                raise error
            return negated(*given)

        def __str__(self) -> str:
            return "aten.neg_.default"

    cpu.counts.clear()
    assert cpu.dispatch(None, Lacking(), (), (x,)).tolist() == [-1.0, -2.0]
    assert x.tolist() == [-1.0, -2.0]
    assert dict(cpu.counts) == {("aclnnOutline", "aten.neg_.default"): 1}
    cpu.counts.clear()
