"""The same results whatever the number of workers, and whoever kills them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from dask import config

from aclspec.cli.main import main
from aclspec.codegen.conform.calls import Settings
from aclspec.codegen.conform.fleet import Fleet, fleet
from aclspec.codegen.conform.results import pieces_of, rows_of
from aclspec.codegen.conform.run import conform
from aclspec.codegen.conform.tls import Tls
from aclspec.runtime.testing.amount import amount
from tests.conform import conftest

NUMPY = Settings("numpy")
WORKERS, KILLS = amount((2, 4), (2, 4), (4, 20))
pytestmark = pytest.mark.filterwarnings("default")  # those of Dask are its own


class Killer(threading.Thread):
    """Kills workers at random moments."""

    def __init__(self, kills: int) -> None:
        super().__init__(daemon=True)
        self.left, self.random, self.over = kills, random.Random(0), threading.Event()

    def run(self) -> None:
        while self.left and not self.over.wait(self.random.uniform(0.1, 0.6)):
            children = [child for child in psutil.Process().children() if child.is_running()]
            alive = [one.pid for one in children if "spawn_main" in " ".join(one.cmdline())]
            if alive:
                os.kill(self.random.choice(alive), signal.SIGKILL)
                self.left -= 1


@pytest.mark.all
def test_workers_that_are_killed_lose_nothing_and_count_nothing_twice(tmp_path: Path) -> None:
    names = ["abs", "erf", "tanh", "log", "prelu"] + (["add"] if WORKERS == 4 else [])
    pieces = conftest.pieces_of(names, random=2000 if WORKERS == 4 else 600)
    alone = conftest.run(pieces, NUMPY, tmp_path / "alone.parquet")
    out = tmp_path / "killed.parquet"
    with fleet(None, WORKERS) as found:
        killer = Killer(KILLS)
        killer.start()
        summary = conform(pieces, NUMPY, out, slow(found))
        killer.over.set()
        killer.join()
    assert killer.left == 0
    assert summary.lost == []
    assert sorted(pieces_of(out)) == sorted(piece.id(NUMPY) for piece in pieces)
    assert conftest.timeless(list(rows_of(out))) == conftest.timeless(alone)


def listening() -> set[str]:
    """The addresses on which this process and its children listen."""
    own = psutil.Process()
    processes = [own, *own.children(recursive=True)]
    found = [one for process in processes for one in process.net_connections("inet")]
    return {one.laddr.ip for one in found if one.status == psutil.CONN_LISTEN}


@pytest.mark.parametrize("devices", [pytest.param(False, marks=pytest.mark.all), True])
def test_workers_of_this_machine_listen_on_its_loopback_alone(devices: bool) -> None:
    """Scheduler and workers, their dashboards and pages included, whether or not each has a device."""
    before = listening()
    with fleet(None, 1, devices) as found:
        found.client.wait_for_workers(1, timeout=60)
        assert listening() - before == {"127.0.0.1"}


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory, program: Callable[[str], str]) -> Callable[[str], Tls]:
    """Certificates, each authority with one that it signed."""

    def made(authority: str) -> Tls:
        folder = tmp_path_factory.mktemp(authority)
        found = Tls(folder / "ca.pem", folder / "cert.pem", folder / "key.pem")
        new = [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
        ca = [*new, "-subj", f"/CN={authority}", "-keyout", folder / "ca-key.pem", "-out", found.ca_file]
        signed = ["-CA", found.ca_file, "-CAkey", folder / "ca-key.pem", "-keyout", found.key, "-out", found.cert]
        for command in (ca, [*new, "-subj", "/CN=member", *signed]):
            subprocess.run(list(map(str, command)), check=True, capture_output=True)
        return found

    return made


def test_certificates_keep_others_out(tls: Callable[[str], Tls], tmp_path: Path) -> None:
    """A piece is done over TLS; who has no certificate, or one of another authority, does not get in."""
    piece = conftest.pieces_of(["abs"])[0]
    own, other = tls("own"), tls("other")
    with fleet(None, 1, tls=own) as found:
        address = found.client.scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        ((_, rows),) = found.execute(NUMPY, [piece])
        assert isinstance(rows, list)
        assert {row["outcome"] for row in rows} <= {"agree", "skipped"}
        assert [worker for worker in found.client.nthreads() if not worker.startswith("tls://127.0.0.1:")] == []
        with config.set({"distributed.comm.timeouts.connect": "2s"}):
            for words in ((), ("--tls-ca-file", other.ca_file, "--tls-cert", other.cert, "--tls-key", other.key)):
                given = ["conform", "abs", "--backend", "numpy", "--out", tmp_path / "r", "--scheduler", address]
                assert main(list(map(str, [*given, *words]))) == 2


def test_tls_options_are_given_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.pem"
    file.touch()
    all_of_them = ["--tls-ca-file", str(file), "--tls-cert", str(file), "--tls-key", str(file)]
    for words, sentence in (
        (all_of_them[:4], "are given together or not at all"),
        ([*all_of_them[:5], str(tmp_path / "b.pem")], "b.pem) does not exist"),
        ([*all_of_them, "--scheduler", "tcp://127.0.0.1:1"], "does not encrypt"),
        (["--scheduler", "tls://127.0.0.1:1"], "certificates are missing"),
    ):
        assert main(["conform", "abs", "--backend", "numpy", *words]) == 2
        assert sentence in capsys.readouterr().err


def slow(found: Fleet) -> conftest.Any:
    """The pieces as they come back, none before the workers have had the time to be killed."""

    def execute(settings: Settings, pieces: conftest.Any) -> conftest.Any:
        for done in found.execute(settings, pieces):
            time.sleep(0.15)
            yield done

    return execute
