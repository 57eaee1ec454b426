"""What a test run tells at its end: the time of each folder, the dearest operators, and why tests were skipped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

import pytest

GENERATED = PurePosixPath("generated/tests")
_DEAREST = 10


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each folder, for the dearest operators, and for each reason of a skip."""
    folders: dict[str, list[float]] = defaultdict(list)
    operators: dict[str, list[float]] = defaultdict(list)
    for report in _reports(terminalreporter):
        path = PurePosixPath(report.nodeid.partition("::")[0])
        folders["/".join(path.parent.parts[:2])].append(report.duration)
        if path.parent == GENERATED:
            operators[path.stem.removeprefix("test_")].append(report.duration)
    _table(terminalreporter, "seconds by folder, fixtures included", folders, len(folders))
    _table(terminalreporter, f"seconds of the {_DEAREST} dearest operators", operators, _DEAREST)
    skipped = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", ()))
    if skipped:
        terminalreporter.section("skipped")
        for reason, count in skipped.most_common():
            terminalreporter.write_line(f"{count:6}  {reason}")


def _reports(terminalreporter: pytest.TerminalReporter) -> Iterator[pytest.TestReport]:
    for reports in terminalreporter.stats.values():
        yield from (report for report in reports if isinstance(report, pytest.TestReport))


def _reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")


def _table(terminalreporter: pytest.TerminalReporter, title: str, found: Mapping[str, list[float]], count: int) -> None:
    if found:
        terminalreporter.section(title)
        for name, seconds in sorted(found.items(), key=lambda one: -sum(one[1]))[:count]:
            terminalreporter.write_line(f"{sum(seconds):8.1f}  {name}")
