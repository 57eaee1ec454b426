"""The C++ programs that call every function of the interface: plainly, with AddressSanitizer and under valgrind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.simulator.interface import read_runtime
from aclspec.codegen.simulator.root import build_root
from aclspec.runtime.testing.amount import amount
from tests.support.operators import infos
from tests.support.simulators import Done, Simulator

HERE = Path(__file__).parent
PROGRAMS = sorted(path.stem for path in (HERE / "programs").glob("*.cpp") if path.stem != "graphs")
"""That of the graph engine has the string of before GCC 5: `test_graphs` compiles it."""
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
DECLARED = re.compile(r"^ACL_FUNC_VISIBILITY [^;]*?\b([aA]cl\w+)\(", re.MULTILINE)
ENDING = re.compile(r"^(\d+) expectations$", re.MULTILINE)


def source(name: str) -> Path:
    return HERE / "programs" / f"{name}.cpp"


def good(done: Done) -> int:
    """How many expectations a program met, which it says at its end."""
    found = ENDING.search(done.out)
    assert done.status == 0, done
    assert found is not None, done
    return int(found[1])


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(simulator: Simulator, name: str) -> None:
    assert good(simulator.run(simulator.compile(source(name)))) > 50


@pytest.mark.parametrize("name", ["captures", "formats"])
def test_program_in_strict_mode(simulator: Simulator, name: str) -> None:
    """What is launched runs late there, graphs too; nothing is reported."""
    done = simulator.run(simulator.compile(source(name)), variables={"ACLSPEC_STRICT": "1"})
    assert good(done) > 50
    assert "aclspec strict" not in done.err


@pytest.mark.timeout(900)
def test_eight_threads(simulator: Simulator) -> None:
    done = simulator.run(simulator.compile(source("threads")), "8", amount("2", "2", "60"), timeout=600)
    assert good(done) > 100
    assert "calls of 8 threads" in done.out


def test_the_program_that_measures_calls(simulator: Simulator) -> None:
    program = simulator.compile(HERE.parent / "benchmarks" / "simulator_calls.cpp", "-O2")
    found = json.loads(simulator.run(program, "2").out)
    assert found.keys() == {"phase one", "phase two", "both"}
    assert min(found.values()) > 0
    assert found["both"] == pytest.approx(found["phase one"] + found["phase two"], rel=0.01)


def test_every_function_of_the_interface_is_called(simulator: Simulator) -> None:
    headers = [path.read_text(encoding="utf-8") for path in (simulator.root / "include").rglob("*.h")]
    declared = {name for text in headers for name in DECLARED.findall(text)}
    called = "".join(source(name).read_text(encoding="utf-8") for name in PROGRAMS)
    called += "aclAppLog(" if "ACL_APP_LOG(" in called else ""
    assert len(declared) > 90
    computed = {name for name, one in read_runtime().functions.items() if one.answer == "computed"}
    assert {name for name in declared & computed if not re.search(rf"\b{name}\b", called)} == set()


@pytest.fixture(scope="module")
def sanitized(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Simulator:
    """A simulator whose libraries are themselves compiled with AddressSanitizer."""
    folder = tmp_path_factory.mktemp("sanitized")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", f"cc {' '.join(SANITIZED)}")
        assert build_root(infos(), folder / "root") == []
    (folder / "work").mkdir()
    return Simulator(folder / "root" / "cann", simulator.compiler, folder / "work", SANITIZED)


@pytest.mark.all
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_with_address_sanitizer(sanitized: Simulator, name: str) -> None:
    done = sanitized.run(sanitized.compile(source(name)))
    assert good(done) > 50
    assert "Sanitizer" not in done.err


@pytest.mark.all
def test_late_streams_with_address_sanitizer(sanitized: Simulator) -> None:
    late = sanitized.compile(HERE / "strict" / "late.cpp", f"-I{HERE}")
    done = sanitized.run(late, variables={"ACLSPEC_STRICT": "1"})
    assert ENDING.search(done.out) is not None, done
    assert "Sanitizer" not in done.err


@pytest.fixture(scope="module")
def raced(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Simulator:
    """A simulator of some operators whose libraries are compiled with ThreadSanitizer."""
    folder, flags = tmp_path_factory.mktemp("raced"), ("-fsanitize=thread", f"-I{HERE}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", f"cc {flags[0]}")
        assert build_root([ops.get(name).info for name in ("add", "foreach_abs", "prelu")], folder / "root") == []
    (folder / "work").mkdir()
    return Simulator(folder / "root" / "cann", simulator.compiler, folder / "work", flags)


@pytest.mark.all
@pytest.mark.parametrize("name", ["programs/threads", "programs/callbacks", "programs/captures", "device/forks"])
def test_program_with_thread_sanitizer(raced: Simulator, name: str) -> None:
    words = ("8", "2") if name.endswith("threads") else ()
    done = raced.run(raced.compile(HERE / f"{name}.cpp"), *words)
    good(done)
    assert "Sanitizer" not in done.err


@pytest.mark.all
def test_address_sanitizer_would_tell(sanitized: Simulator) -> None:
    """A tensor that nobody destroys is kept by the simulator, an array of a getter that nobody frees is not."""
    text = """
    #include "aclnn/acl_meta.h"
    int main() {
      const int64_t shape[1] = {3};
      aclTensor* tensor = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, nullptr);
      int64_t* dims = nullptr;
      uint64_t count = 0;
      aclGetViewShape(tensor, &dims, &count);
      dims = nullptr;
      return aclDestroyTensor(tensor);
    }
    """
    done = sanitized.run(sanitized.compile(text))
    assert done.status != 0
    assert "operator new[]" in done.err
    assert "array_of" in done.err


VALGRIND = (
    "--leak-check=full",
    "--num-callers=60",
    "--show-leak-kinds=definite,indirect,possible",
    "--errors-for-leak-kinds=definite,indirect,possible",
    "--error-exitcode=77",
    "--quiet",
)


@pytest.mark.whole
def test_late_streams_under_valgrind(simulator: Simulator, program: Callable[[str], str]) -> None:
    late = simulator.compile(HERE / "strict" / "late.cpp", f"-I{HERE}")
    done = simulator.run(program("valgrind"), *VALGRIND, late, timeout=1500, variables={"ACLSPEC_STRICT": "1"})
    assert ENDING.search(done.out) is not None, done
    assert "==" not in done.err  # where valgrind would speak


@pytest.mark.all
@pytest.mark.parametrize("name", amount(["tensors"], ["tensors"], PROGRAMS))
def test_program_under_valgrind(simulator: Simulator, program: Callable[[str], str], name: str) -> None:
    done = simulator.run(program("valgrind"), *VALGRIND, simulator.compile(source(name)), timeout=1500)
    assert good(done) > 50
