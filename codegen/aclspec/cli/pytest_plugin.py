"""``pytest --aclspec``: in which tests calls were refused, and why. It needs the layer in front of CANN.

Without an option: whether checks of generated tests were skipped for want of PyTorch.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from aclspec.runtime.replay.findings import Finding
    from aclspec.runtime.rules.sentences import Lang

FUNCTION = "aclspec_layer_refused"
MARK = "aclspec_refused"
PROPERTY = "aclspec_refused"
"""Of a report, and so of a JUnit file: the rule of each finding."""
GET_TORCH = "pip install torch"
"""What the reason of a check ends with that is skipped without PyTorch."""
CHECK = "The independent check of aclnn"
"""What it contains, other than the reasons of anybody else's tests."""
_OFF = ctypes.c_size_t(-1).value


def pytest_addoption(parser: pytest.Parser) -> None:
    """The two options."""
    group = parser.getgroup("aclspec", "refused calls of aclnn operators")
    group.addoption(
        "--aclspec",
        action="store_true",
        help="say of each test which of its calls were refused, and why; run it by: aclspec layer run -- pytest",
    )
    group.addoption("--aclspec-fail", action="store_true", help="the same, and a test with a refused call fails")


def pytest_configure(config: pytest.Config) -> None:
    """Nothing without an option; UsageError where the layer is not there."""
    config.addinivalue_line("markers", f"{MARK}: the test expects refused calls, and --aclspec-fail lets it pass")
    is_failing = config.getoption("--aclspec-fail")
    if is_failing or config.getoption("--aclspec"):
        config.pluginmanager.register(RefusedCalls(_taker(), is_failing), MARK)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line where checks were skipped for want of PyTorch: that a test passed says less then."""
    places = [report.longrepr for report in terminalreporter.stats.get("skipped", ())]
    reasons = [str(place[-1]) for place in places if isinstance(place, tuple)]
    if skipped := sum(reason.endswith(GET_TORCH) and CHECK in reason for reason in reasons):
        noun = "operator is" if skipped == 1 else "operators are"
        terminalreporter.write_line(f"{skipped} {noun} not compared with an independent reference: {GET_TORCH}")


def _taker() -> Callable[[], bytes]:
    """Takes the lines of the calls that this process made since the last time, and that were refused."""
    ask = getattr(ctypes.CDLL(None), FUNCTION, None)
    if ask is None:
        raise pytest.UsageError("--aclspec needs the layer in this process; run: aclspec layer run -- pytest --aclspec")
    ask.argtypes, ask.restype = (ctypes.c_char_p, ctypes.c_size_t), ctypes.c_size_t
    if ask(None, 0) == _OFF:
        raise pytest.UsageError("--aclspec needs the layer, which is off (ACLSPEC_LAYER).")

    def take() -> bytes:
        size = ask(None, 0)
        while size:
            room = ctypes.create_string_buffer(size)
            found = ask(room, size)
            if found <= size:
                return room.raw[:found]
            size = found  # another thread made a call meanwhile
        return b""

    return take


class RefusedCalls:
    """Adds the refused calls of each phase of a test to its report, and lists the tests at the end."""

    def __init__(self, take: Callable[[], bytes], is_failing: bool) -> None:
        """Calls are taken by ``take``."""
        self._take = take
        self._is_failing = is_failing

    def _findings(self, program: str) -> tuple[list[Finding], list[str]]:
        """Those of the calls since the last time, and notes of calls that cannot be read."""
        lines = self._take()
        if not lines:
            return [], []
        from aclspec.cli.catalog import find
        from aclspec.runtime.replay.findings import findings_of, muted
        from aclspec.runtime.replay.judging import Judge
        from aclspec.runtime.replay.recording import read_lines

        lang: Lang = "zh" if os.environ.get("ACLSPEC_LANG") == "zh" else "en"
        recording = read_lines(lines, lang)
        return findings_of(recording, Judge(find, lang), program, muted()), recording.notes

    def pytest_collection_finish(self) -> None:
        """Calls of modules that are imported are of no test."""
        self._take()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add a section, and fail a test that passed."""
        report = yield
        found, notes = self._findings(item.location[0])
        if found or notes:
            text = "\n".join([*map(_text, found), *notes])
            report.sections.append((f"Refused aclnn calls {report.when}", text))
            for properties in (item.user_properties, report.user_properties):  # that of the item goes to later reports
                properties.extend((PROPERTY, one.rule) for one in found)
            if self._is_failing and report.passed and item.get_closest_marker(MARK) is None:
                report.outcome, report.longrepr = "failed", text
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Each test with refused calls, by rule."""
        found: dict[tuple[str, str], None] = {}
        for reports in terminalreporter.stats.values():
            for report in reports:
                for name, rule in getattr(report, "user_properties", ()):
                    if name == PROPERTY:
                        found[report.nodeid, str(rule)] = None
        if found:
            terminalreporter.section("refused aclnn calls")
        for node, rule in found:
            terminalreporter.write_line(f"{node}: {rule}")


def _text(one: Finding) -> str:
    times = f" ({one.count} times)" if one.count > 1 else ""
    where = f"\n  called from {one.where} in {one.function}" if one.line is not None else ""
    return f"{one.rule}: {one.message}\n  {one.call} failed with {one.status} on {one.product}{times}{where}"
