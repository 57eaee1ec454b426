"""What the layer writes harms no program: no signal, no waiting, no line in the program's files, no link of others."""

from __future__ import annotations

import fcntl
import os
import resource
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from aclspec.codegen.layer.build import SOURCES
from tests.layer.conftest import Stub
from tests.layer.test_record import lines
from tests.support.simulators import NOTHING

CALLS = 100
"""Of the program: each is refused for a reason of its own."""


def left(pending: int = 0) -> str:
    """What the program says where nothing of its own has changed."""
    return (
        f"errno is kept by {CALLS} calls\n"
        "flags are kept: 1\n"
        f"pending: pipe {pending}, size {pending}\n"
        f"blocked: pipe {pending}, size {pending}\n"
        "the program's own action: 1\n"
    )


def run(
    stub: Stub, *arguments: str, stderr: int, size: int | None = None, variables: Mapping[str, str] = NOTHING
) -> str:
    """What the program prints, with this descriptor as standard error and at most this number of bytes in a file."""
    words, environment = stub.command("signals", *arguments, variables=variables)

    def limit() -> None:
        if size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    done = subprocess.run(
        words,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=limit,
    )
    assert done.returncode == 0, done
    return done.stdout


@pytest.mark.parametrize("words", [(), ("pending",)])
def test_a_pipe_that_nobody_reads_any_more(native_stub: Stub, words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    assert run(native_stub, *words, stderr=writing) == left(pending=len(words))
    os.close(writing)


def test_a_pipe_that_is_full(native_stub: Stub) -> None:
    """The reports that do not fit are dropped and counted; what fits once there is room is whole lines."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    while True:
        try:
            os.write(writing, b"x" * 4096)
        except BlockingIOError:
            break
    os.set_blocking(writing, True)
    room = 3 * 4096
    assert len(os.read(reading, room)) == room
    assert run(native_stub, stderr=writing) == left()
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        said = file.read().lstrip(b"x")
    assert b"self must not be null" in said
    assert said.count(b"returned") < CALLS


@pytest.mark.parametrize("words", [(), ("pending",)])
def test_a_limit_of_the_size_of_files(native_stub: Stub, tmp_path: Path, words: tuple[str, ...]) -> None:
    with open(tmp_path / "errors", "wb") as errors:
        variables = {"ACLSPEC_RECORD": str(tmp_path / "calls")}
        said = run(native_stub, *words, stderr=errors.fileno(), size=3000, variables=variables)
        assert said == left(pending=len(words))
        log = {"ACLSPEC_LAYER_LOG": str(tmp_path / "log")}
        said = run(native_stub, *words, stderr=errors.fileno(), size=3000, variables=variables | log)
        assert said == left(pending=len(words))
    assert {(tmp_path / name).stat().st_size for name in ("errors", "calls", "log")} == {3000}


def test_no_handler_of_a_signal_is_set() -> None:
    for path in SOURCES.glob("*.c"):
        text = path.read_text("utf-8")
        assert "sigaction(" not in text
        assert " signal(" not in text
        assert "F_SETFL" not in text


@pytest.mark.parametrize("logged", [False, True])
def test_a_program_that_closes_all_descriptors(native_stub: Stub, tmp_path: Path, logged: bool) -> None:
    """Its own files, which get the numbers, hold what it wrote; the layer opens its files again."""
    folder, log, calls = tmp_path / "own", tmp_path / "log", tmp_path / "calls"
    folder.mkdir()
    variables = {"ACLSPEC_LAYER_LOG": str(log)} if logged else {}
    done = native_stub.run("descriptors", str(folder), variables=variables | {"ACLSPEC_RECORD": str(calls)})
    assert done.status == 0, done
    assert [path.name for path in folder.iterdir() if path.stat().st_size] == []
    assert [line["status"] for line in lines(calls)] == [161001, 0] * 19
    assert not logged or log.read_text("utf-8").count("self must not be null") == 19


def test_a_program_without_descriptors(native_stub: Stub, tmp_path: Path) -> None:
    """No file of the layer gets the number of a standard one."""
    words, environment = native_stub.command("ends", "3", variables={"ACLSPEC_RECORD": str(tmp_path / "calls")})
    script = 'exec 0<&- 1>&- 2>&-; exec "$@"'
    assert subprocess.run(["sh", "-c", script, "sh", *words], env=environment, check=False).returncode == 3
    assert len(lines(tmp_path / "calls")) == 3


def test_a_fifo_without_a_reader(native_stub: Stub, tmp_path: Path) -> None:
    for name in ("calls", "log"):
        os.mkfifo(tmp_path / name)
    variables = {"ACLSPEC_RECORD": str(tmp_path / "calls"), "ACLSPEC_LAYER_LOG": str(tmp_path / "log")}
    done = native_stub.run("signals", variables=variables)
    assert (done.status, done.out) == (0, left())
    assert done.err.count("The recording stops: No such device or address.") == 1
    assert done.err.count("ACLSPEC_LAYER_LOG cannot be opened") == 1


def test_a_fifo_that_nobody_empties(native_stub: Stub, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "calls")
    reading = os.open(tmp_path / "calls", os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, 4096)
    done = native_stub.run("signals", variables={"ACLSPEC_RECORD": str(tmp_path / "calls")})
    assert (done.status, done.out) == (0, left())
    assert done.err.count("The recording stops: Resource temporarily unavailable.") == 1
    os.close(reading)


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775, 0o755])
def test_links_in_a_folder_that_others_may_write_to(native_stub: Stub, tmp_path: Path, mode: int) -> None:
    """A link in a folder of one's own is followed."""
    folder, precious = tmp_path / "shared", tmp_path / "precious"
    folder.mkdir()
    (precious / "data").mkdir(parents=True)
    for name in ("calls", "log", "doctor"):
        (precious / name).write_text("", "utf-8")
        (folder / name).symlink_to(precious / name)
    (folder / "calls.data").symlink_to(precious / "data")
    folder.chmod(mode)
    variables = {
        "ACLSPEC_RECORD": str(folder / "calls"),
        "ACLSPEC_LAYER_LOG": str(folder / "log"),
        "ACLSPEC_LAYER_DOCTOR": str(folder / "doctor"),
    }
    done = native_stub.run("signals", variables=variables)
    (folder / "calls").unlink()  # and a recording whose data alone is elsewhere
    recorded = native_stub.run("data", variables={"ACLSPEC_RECORD": str(folder / "calls"), "ACLSPEC_RECORD_DATA": "1"})
    assert (done.status, recorded.status) == (0, 0)
    shared = mode != 0o755
    assert [(precious / name).stat().st_size > 0 for name in ("calls", "log", "doctor")] == [not shared] * 3
    assert any((precious / "data").iterdir()) == (not shared)
    assert done.err.count("is a link, in a folder that others may write to") == shared
    missing = [line["data"]["inputs"]["self"] == {"missing": "failed"} for line in lines(folder / "calls")]
    assert missing == [shared] * 3
