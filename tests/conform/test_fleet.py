"""The same results whatever the number of workers, and whoever kills them."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path

import psutil
import pytest

from aclspec.codegen.conform.calls import Settings
from aclspec.codegen.conform.fleet import Fleet, fleet
from aclspec.codegen.conform.results import pieces_of, rows_of
from aclspec.codegen.conform.run import conform
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


def slow(found: Fleet) -> conftest.Any:
    """The pieces as they come back, none before the workers have had the time to be killed."""

    def execute(settings: Settings, pieces: conftest.Any) -> conftest.Any:
        for done in found.execute(settings, pieces):
            time.sleep(0.15)
            yield done

    return execute
