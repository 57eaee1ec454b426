"""What all tests share: skips for missing programs, which continuous integration turns into failures."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from aclspec.runtime.testing.amount import amount
from tests.support.project import share_project
from tests.support.simulated import shared_folder

NEEDS_PROGRAM = "needs the program "

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as under nohup, which the programs of tests would inherit
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def program() -> Callable[[str], str]:
    """The path of a program; the test is skipped, with the program's name, where it is not installed."""

    def find(name: str) -> str:
        path = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
        if path is None:
            pytest.skip(NEEDS_PROGRAM + name)
        return path

    return find


@pytest.fixture(scope="session", autouse=True)
def _one_reading(tmp_path_factory: pytest.TempPathFactory) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        share_project(shared_folder(tmp_path_factory))


@pytest.fixture(scope="session")
def repository() -> Path:
    """The top of the checkout."""
    return Path(__file__).parent.parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what belongs to a greater amount of tests."""
    greater: tuple[str, ...] = amount(("all", "whole"), ("whole",), ())
    long = [item for item in items if any(item.get_closest_marker(name) for name in greater)]
    config.hook.pytest_deselected(items=long)
    left_out = set(map(id, long))
    items[:] = [item for item in items if id(item) not in left_out]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that was skipped for a missing program where ACLSPEC_REQUIRE_PROGRAMS is set."""
    report = yield
    if report.skipped and os.environ.get("ACLSPEC_REQUIRE_PROGRAMS") and NEEDS_PROGRAM in str(report.longrepr):
        report.outcome = "failed"
    return report
