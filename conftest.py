"""Which operators are tested, and what a run tells at its end: seconds of folders and operators, reasons of skips."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from aclspec import ops
from tests.support.operators import some

GENERATED = PurePosixPath("generated/tests")
_SAMPLE = 90
"""As many operators are tested in `make test`, so that its time does not grow with their number."""
_SLOWEST = 10


@cache
def _tested() -> frozenset[str]:
    """The generated tests of this amount by their file names."""
    return frozenset(f"test_{name}.py" for name in some(len(ops.names()), small=_SAMPLE))


def pytest_collection_finish() -> None:
    """Spare the items and modules, which stay, every later look of the garbage collector."""
    gc.collect()
    gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tests of operators that are not in the sample, unless they are named by a path of their own."""
    if collection_path.parent != config.rootpath / GENERATED or collection_path.suffix != ".py":
        return None
    named = {(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args}
    return None if collection_path.name in _tested() or collection_path in named else True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each folder, for the slowest operators, and for each reason of a skip."""
    folders: dict[str, list[float]] = defaultdict(list)
    operators: dict[str, list[float]] = defaultdict(list)
    for report in _reports(terminalreporter):
        path = PurePosixPath(report.nodeid.partition("::")[0])
        folders["/".join(path.parent.parts[:2])].append(report.duration)
        if path.parent == GENERATED:
            operators[path.stem.removeprefix("test_")].append(report.duration)
    _table(terminalreporter, "seconds by folder, fixtures included", folders, len(folders))
    _table(terminalreporter, f"seconds of the {_SLOWEST} slowest operators", operators, _SLOWEST)
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
