"""What the generated tests of each operator cost, told at the end of a run."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import PurePosixPath

import pytest

FOLDER = PurePosixPath("generated/tests")
CPU = "cpu"
_STARTED = pytest.StashKey[float]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Remember when a test begins, by the time of its process."""
    item.stash[_STARTED] = time.process_time()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note on the last report of a test what it took, fixtures included; xdist carries it to the main process."""
    report = yield
    if report.when == "teardown":
        report.user_properties.append((CPU, time.process_time() - item.stash[_STARTED]))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each operator whose generated tests ran, the dearest first."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for reports in terminalreporter.stats.values():
        for report in reports:
            path = PurePosixPath(getattr(report, "nodeid", "").partition("::")[0])
            if path.parent == FOLDER and getattr(report, "when", None) == "teardown":
                seconds[path.stem.removeprefix("test_")] += [
                    value for name, value in report.user_properties if name == CPU
                ]
    if seconds:
        terminalreporter.section("generated tests by operator")
        for name, taken in sorted(seconds.items(), key=lambda one: -sum(one[1])):
            terminalreporter.write_line(f"{name:40} {len(taken):6} tests {sum(taken):8.1f} s of CPU")
        everything = [value for taken in seconds.values() for value in taken]
        terminalreporter.write_line(f"{'together':40} {len(everything):6} tests {sum(everything):8.1f} s of CPU")
