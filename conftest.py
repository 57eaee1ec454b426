"""What the generated tests of each operator took, told at the end of a run."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePosixPath

import pytest

FOLDER = PurePosixPath("generated/tests")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each operator whose generated tests ran, the dearest first."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for reports in terminalreporter.stats.values():
        for report in reports:
            path = PurePosixPath(getattr(report, "nodeid", "").partition("::")[0])
            if path.parent == FOLDER and getattr(report, "when", None) == "call":
                seconds[path.stem.removeprefix("test_")].append(report.duration)
    if seconds:
        terminalreporter.section("generated tests by operator")
        for name, taken in sorted(seconds.items(), key=lambda one: -sum(one[1])):
            terminalreporter.write_line(f"{name:40} {len(taken):6} tests {sum(taken):8.1f} s")
        everything = [value for taken in seconds.values() for value in taken]
        terminalreporter.write_line(f"{'together':40} {len(everything):6} tests {sum(everything):8.1f} s")
