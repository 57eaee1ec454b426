"""``aclspec layer``: its environment, its run, its doctor, what it refuses; and the demo."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from aclspec.cli import layer_demo, simulator
from aclspec.cli.main import main
from tests.layer.conftest import SILENT, Layer
from tests.support.simulators import Done


def run(layer: Layer, *words: str, **variables: str) -> Done:
    """``aclspec layer`` with these words, where programs find the simulator."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ACLSPEC", "ASCEND"))}
    given = kept | {"LD_LIBRARY_PATH": str(layer.simulator.root / "lib64")} | SILENT | variables
    command = [sys.executable, "-m", "aclspec.cli", "layer", *words]
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def test_run_puts_it_in_front_by_both_ways(layer: Layer) -> None:
    for program in (layer.program("linked"), layer.program("loader", "-ldl")):
        plain = layer.run(program)
        done = run(layer, "run", "--root", str(layer.root), "--", str(program))
        assert (done.status, done.out) == (plain.status, plain.out)
        assert "aclspec layer: aclnnFlipGetWorkspaceSize returned 161002" in done.err


def test_a_program_without_an_end_had_the_layer(layer: Layer) -> None:
    program = (sys.executable, "-c", "import os; os._exit(0)")
    assert run(layer, "doctor", "--root", str(layer.root), "--", *program).status == 0
    assert run(layer, "run", "--root", str(layer.root), "--fail-on", "refused", "--", *program).status == 0


def test_run_takes_options(layer: Layer, tmp_path: Path) -> None:
    log, record = tmp_path / "log", tmp_path / "calls"
    options = (
        "--lang",
        "zh",
        "--log",
        str(log),
        "--record",
        str(record),
        "--product",
        "atlas_a3",
        "--mode",
        "portability",
    )
    for _ in range(2):  # the second begins the recording anew
        done = run(layer, "run", "--root", str(layer.root), *options, "--", str(layer.program("linked")))
        assert done.status == 0
    assert "（产品 atlas_a3）" in log.read_text("utf-8")
    assert record.read_text("utf-8").count("\n") == 9


def test_a_recording_that_cannot_be_made(layer: Layer, tmp_path: Path) -> None:
    """Nor is it through a link in a folder that others may write to; a name with the process is left to the layer."""
    shared, precious = tmp_path / "shared", tmp_path / "precious"
    shared.mkdir()
    shared.chmod(0o1777)
    precious.write_text("kept", "utf-8")
    (shared / "calls").symlink_to(precious)
    for path, why in ((tmp_path / "none" / "calls", "no such file"), (shared / "calls", "too many levels of symbolic")):
        done = run(layer, "run", "--root", str(layer.root), "--record", str(path), "--", "echo", "hello")
        assert (done.status, done.out) == (2, "")
        assert f"The recording ({path}) cannot be written ({why}" in done.err
    assert precious.read_text("utf-8") == "kept"
    options = ("--record", str(tmp_path / "%p"))
    assert run(layer, "run", "--root", str(layer.root), *options, "--", "echo", "hello").status == 0
    assert not list(tmp_path.glob("*%p*"))


@pytest.mark.parametrize(("words", "status"), [(("sh", "-c", "exit 3"), 3), (("sh", "-c", "kill -9 $$"), 137)])
def test_the_status_is_that_of_the_program(layer: Layer, words: tuple[str, ...], status: int) -> None:
    assert run(layer, "run", "--root", str(layer.root), "--", *words).status == status


def test_env_is_what_a_shell_takes(layer: Layer) -> None:
    lines = run(layer, "env", "--root", str(layer.root)).out
    shown = subprocess.run(
        ["sh", "-c", f'{lines}\necho "$ASCEND_CUSTOM_OPP_PATH $LD_PRELOAD"'],
        env=os.environ | {"ASCEND_CUSTOM_OPP_PATH": "/mine"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == f"{layer.root}:/mine {layer.library}\n"


def test_doctor(layer: Layer) -> None:
    linked = run(layer, "doctor", "--root", str(layer.root), "--", str(layer.program("linked")))
    assert "loaded by LD_PRELOAD." in linked.out
    assert "aclnnFlipGetWorkspaceSize  in " in linked.out
    nothing = run(layer, "doctor", "--root", str(layer.root), "--", "true")
    assert "No function of an operator was asked for" in nothing.out


def test_both_places_are_one_file(layer: Layer) -> None:
    other = layer.root / "vendors/customize/op_api/lib/libcust_opapi.so"
    assert other.stat().st_ino == layer.library.stat().st_ino


def test_a_folder_that_is_no_layer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["layer", "env", "--root", str(tmp_path)]) == 2
    assert "is not a layer; build it with: aclspec layer build" in capsys.readouterr().err
    (tmp_path / "file").touch()
    assert main(["layer", "build", "--out", str(tmp_path)]) == 2
    assert "exists and is not a layer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "noun"), [("a b", "a space"), ("a:b", "a colon"), ("$LIB", "a dollar sign"), ("a\nb", "a line break")]
)
def test_a_path_that_the_loader_would_split(
    layer: Layer, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, noun: str
) -> None:
    """It is refused before the program runs, which would run without the layer; a link to it is good."""
    folder, link, ran = tmp_path / name, tmp_path / "link", tmp_path / "ran"
    folder.symlink_to(layer.root)
    for words in (("env",), ("run", "--", "touch", str(ran)), ("doctor", "--", "touch", str(ran))):
        assert main(["layer", words[0], "--root", str(folder), *words[1:]]) == 2
        assert f"has {noun}, which LD_PRELOAD cannot hold; give another folder" in capsys.readouterr().err
    assert not ran.exists()
    link.symlink_to(folder)
    done = run(layer, "run", "--root", str(link), "--", str(layer.program("linked")))
    assert "aclspec layer: aclnnFlipGetWorkspaceSize returned 161002" in done.err


def test_a_folder_that_the_loader_would_split_is_not_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["layer", "build", "--out", str(tmp_path / "a b")]) == 2
    assert "has a space, which LD_PRELOAD cannot hold" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["layer", "build", "--out", str(tmp_path / "out")]) == 2
    assert "The layer needs a C compiler" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_demo(layer: Layer, capsys: pytest.CaptureFixture[str]) -> None:
    assert layer_demo.main() == 0
    printed = capsys.readouterr().out
    before, after = printed.split("The same with the layer")
    assert "while checking rule" not in before
    assert "while checking rule" in after


@pytest.mark.parametrize("explained", [False, True])
def test_the_simulator_records_calls(
    layer: Layer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], explained: bool
) -> None:
    """With a report or without one."""
    monkeypatch.setattr(
        simulator, "_cached", lambda kind, build: layer.root if kind == "layer" else layer.simulator.root
    )
    file, program = tmp_path / "calls", layer.program("linked")
    options = ["--record", str(file), *(["--explain"] if explained else [])]
    assert main(["simulator", "run", *options, "--", str(program)]) == layer.run(program).status
    assert file.read_text("utf-8").count('"arguments"') == 6
    assert ("aclspec layer: " in capfd.readouterr().err) == explained
