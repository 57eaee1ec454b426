"""``aclspec conform`` on the command line: what it prints, its exit status, Ctrl-C, workers elsewhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster

from aclspec.cli.main import main
from aclspec.codegen.conform.results import Parts, rows_of
from tests.conform import conftest

COMMAND = (conftest.PYTHON, "-m", "aclspec.cli", "conform")


def command(*words: object, expected: int = 0, **variables: str) -> str:
    """What a command prints; nothing beside it on standard error where it succeeds."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ACLSPEC_", "ASCEND_"))}
    done = subprocess.run(
        [*COMMAND, *map(str, words)], env=kept | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == expected, done.stdout + done.stderr
    if expected != 2:
        assert done.stderr == ""
    return done.stdout or done.stderr


def test_a_run_that_finds_something(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.parquet"
    words = ("erf", "--backend", "simulator", "--root", root, "--product", conftest.PRODUCT, "--out", out)
    fault = {"ACLSPEC_SIMULATOR_FAULT": "status:aclnnErf.null-self=561002"}
    found = json.loads(command(*words, "--json", expected=1, **fault))
    kind = {"operator": "aclnnErf", "product": conftest.PRODUCT, "outcome": "status", "rule": "null-self"}
    assert found["kinds"] == [kind]
    assert found["calls"] == len([row for row in rows_of(out) if row["origin"] != "shrunk"])
    page = tmp_path / "r.html"
    said = command("report", out, "--html", page, "--against", out, "--spec")
    assert said.startswith(f"{page}\n# aclnnErf: null-self answers 561002, not 161001 in ")
    assert "null-self" in page.read_text(encoding="utf-8")
    assert main(["conform", *map(str, words)]) == 2
    assert "exists; give --resume" in capsys.readouterr().err
    assert main(["conform", "report", str(out)]) == 0
    said = capsys.readouterr().out
    assert "null-self" in said
    assert "disagree" in said
    assert main(["conform", "report", str(out), "--lang", "zh"]) == 0
    assert "未调用" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("erf", "--backend", "gpu"), "The backend (gpu) is neither"),
        (("nonsense", "--backend", "numpy"), "The operator (nonsense) is unknown"),
        (("erf", "--backend", "simulator", "--root", "/nonexistent"), "is not a simulator"),
        (("report", "/nonexistent"), "does not exist"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["conform", *words]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.all
def test_ctrl_c_keeps_what_was_done(tmp_path: Path) -> None:
    out = tmp_path / "r.parquet"
    words = [*COMMAND, "abs", "erf", "log", "--backend", "numpy", "--random", "8000", "--out", str(out)]
    words += ["--product", conftest.PRODUCT]
    started = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    limit = time.monotonic() + 60
    while not Parts(out).exist and time.monotonic() < limit and started.poll() is None:
        time.sleep(0.1)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert "--resume goes on" in said
    assert Parts(out).exist
    assert "holds parts of an earlier run" in command(*words[4:], expected=2)
    summary: dict[str, Any] = json.loads(command(*words[4:], "--resume", "--json"))
    assert summary["resumed"] > 0
    ids = [row["id"] for row in rows_of(out)]
    assert len(ids) == len(set(ids)) == summary["calls"]


@pytest.mark.whole
@pytest.mark.filterwarnings("default")
def test_workers_elsewhere(tmp_path: Path) -> None:
    """The smaller sibling is the local cluster of `test_fleet`."""
    out = tmp_path / "r.parquet"
    with LocalCluster(n_workers=0, processes=True, dashboard_address=None, host="127.0.0.1") as cluster:
        address = cluster.scheduler_address
        workers = [subprocess.Popen([*COMMAND, "worker", "--scheduler", address]) for _ in range(2)]
        try:
            words = ("abs", "erf", "--backend", "numpy", "--scheduler", address, "--out", out, "--json")
            found = json.loads(command(*words))
        finally:
            for one in workers:
                one.terminate()
                one.wait(30)
    assert found["disagreements"] == 0
    assert len({row["worker"] for row in rows_of(out)}) == 2
