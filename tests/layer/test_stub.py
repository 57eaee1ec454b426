"""The layer before a stub of CANN that does nothing: hostile calls, sanitizers, early symbols, compilers, aarch64."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.codegen.layer import build
from aclspec.codegen.layer.render import write_sources
from aclspec.codegen.render.c.files import write_checks
from aclspec.runtime.testing.amount import amount
from tests.layer.conftest import PROGRAMS, Stub, compile_stub, infos, layer_of_few

QUIET = {"ACLSPEC_LAYER_LOG": "/dev/null", "ACLSPEC_RECORD": "/dev/null"}


@pytest.mark.parametrize("mode", ["explain", "portability", "enforce"])
def test_hostile_calls(stub: Stub, mode: str) -> None:
    hostile(stub, mode, 5_000)


@pytest.mark.whole
@pytest.mark.parametrize("mode", ["explain", "portability", "enforce"])
def test_a_million_hostile_calls(native_stub: Stub, mode: str) -> None:
    hostile(native_stub, mode, 500_000)


def hostile(stub: Stub, mode: str, calls: int) -> None:
    """The calls in each of two threads, and the process lives."""
    done = stub.run("hostile", str(calls), "2", variables=QUIET | {"ACLSPEC_LAYER": mode})
    assert (done.status, done.out) == (0, f"{calls} calls of 2 threads\n"), done


def test_hostile_calls_whose_data_is_recorded(stub: Stub, tmp_path: Path) -> None:
    data = {"ACLSPEC_RECORD": str(tmp_path / "calls"), "ACLSPEC_RECORD_DATA": "1"}
    assert stub.run("hostile", "500", "2", variables=QUIET | data).status == 0


def test_the_table_of_findings_is_bounded(stub: Stub, tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert stub.run("hostile", "20000", "1", variables={"ACLSPEC_LAYER_LOG": str(log)}).status == 0
    text = log.read_text("utf-8", errors="replace")
    assert "were not told apart" in text
    assert text.count("returned") < 4096


def sanitized(program: Callable[[str], str], folder: Path, monkeypatch: pytest.MonkeyPatch, *flags: str) -> Stub:
    """The layer, the stub and the drivers, all instrumented, and linked so that the layer comes first."""
    monkeypatch.setattr(build, "LINK", tuple(flag for flag in build.LINK if "no-undefined" not in flag))
    library = layer_of_few(folder, f"{program('cc')} {' '.join(flags)}")
    compile_stub(folder, program("cc"), *flags, before=(str(library),))
    return Stub(folder, library, program("cc"))


@pytest.mark.all
@pytest.mark.parametrize("kind", ["address,undefined", "thread"])
def test_sanitizers(program: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    flags = (f"-fsanitize={kind}", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
    stub = sanitized(program, tmp_path, monkeypatch, *flags)
    for variables in ({}, {"ACLSPEC_LAYER": "portability", "ACLSPEC_LAYER_BACKTRACE": "1"}):
        done = stub.run("hostile", amount("3000", "3000", "20000"), "4", variables=QUIET | variables, layered=False)
        assert done.status == 0, done.err
        assert "anitizer" not in done.err
    data = {"ACLSPEC_RECORD": str(tmp_path / "calls"), "ACLSPEC_RECORD_DATA": "1"}
    for name, arguments in (("data", ["20"]), ("cached", []), ("repeated", ["all"]), ("hostile", ["300", "4"])):
        done = stub.run(name, *arguments, variables=QUIET | data, layered=False)
        assert done.status == 0, done.err
        assert "anitizer" not in done.err


def test_a_library_that_wants_its_symbols_at_once(stub: Stub) -> None:
    """The loader asks for them before the layer is relocated, and the call goes to the real function all the same."""
    main = stub.folder / "main.c"
    main.write_text("int eager(void); int main(void) { return eager() == 161001 ? 0 : 1; }\n", "utf-8")
    eager = [
        "-shared",
        "-fPIC",
        "-Wl,-z,now",
        "-Wl,-soname,libeager.so",
        "-o",
        "libeager.so",
        str(PROGRAMS / "eager.c"),
    ]
    for words in (eager, ["-Wl,-z,now", str(main), "-o", "eager", "-L.", "-leager"]):
        command = [stub.compiler, *words, "-L.", "-lopapi"]
        done = subprocess.run(command, cwd=stub.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert stub.run("eager", layered=False).status == 0
    layered = stub.run("eager")
    assert layered.status == 0, layered
    assert "self=null" not in layered.out


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_no_compiler_warns(program: Callable[[str], str], tmp_path: Path, compiler: str) -> None:
    """The layer's own sources, and the rendered functions; the generated checks have a test of their own."""
    write_checks(infos(), tmp_path)
    rendered = [tmp_path / name for name in write_sources(infos(), tmp_path)]
    for path in [*sorted(build.SOURCES.glob("*.c")), *rendered]:
        command = [
            program(compiler),
            *build.FLAGS,
            "-Werror",
            f"-I{build.SOURCES}",
            f"-I{tmp_path}",
            "-c",
            str(path),
            "-o",
            "x.o",
        ]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_valgrind(native_stub: Stub, program: Callable[[str], str]) -> None:
    checker = [program("valgrind"), "-q", "--error-exitcode=77", "--leak-check=full"]
    words, environment = native_stub.command("hostile", "300", "2", variables=QUIET)
    done = subprocess.run([*checker, *words], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
