"""What ``aclspec layer run`` does with the refused calls of a program: findings as files, and an exit status."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from aclspec.cli import operators, output
from aclspec.cli.catalog import find
from aclspec.cli.errors import FINDING, GOOD, UsageError, one_line
from aclspec.codegen.source.atomic import atomic_write

if TYPE_CHECKING:
    from aclspec.runtime.replay.findings import Identity
    from aclspec.runtime.rules.sentences import Lang

RECORD = "ACLSPEC_RECORD"
DOCTOR = "ACLSPEC_LAYER_DOCTOR"
STOPPED = ".stopped"
"""Ends the name of a file that the layer writes beside that of the doctor."""


def muted_rules(rules: list[str]) -> frozenset[str]:
    """The rules of the option and of the variable; UsageError for one of the option that no operator has."""
    from aclspec.runtime.replay.findings import muted

    for rule in rules:
        name, _, own = rule.partition(".")
        if own not in {one.id for one in operators.find(name).info.checks}:
            raise UsageError(f"The rule ({rule}) is none of {name}; aclspec show {name} lists them.")
    return frozenset(rules) | muted()


@contextmanager
def diagnosis() -> Iterator[tuple[dict[str, str], Path]]:
    """A variable by which each process says at its end that it had the layer, and the folder where it says so."""
    with TemporaryDirectory(prefix="aclspec-layer-") as folder:
        yield {DOCTOR: str(Path(folder, "%p.json"))}, Path(folder)


def processes(folder: Path) -> list[dict[str, Any]]:
    """What the processes said there; of one that had no room to say it, that alone."""
    return [_process(path) for path in sorted(folder.glob("*.json"))]


def _process(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except ValueError:
        found = {"process": int(path.stem), "preloaded": None, "functions": {}, "lost_reports": 0}
    return found


def say_lost_reports(folder: Path) -> None:
    """Say how many reports of which process could not be written."""
    for process in processes(folder):
        if count := process["lost_reports"]:
            reports = output.count(count, "report")
            text = f"{reports} of process {process['process']} could not be written; --log names a file for them."
            output.write(f"aclspec: {text}", error=True)


def say_stops(folder: Path) -> bool:
    """Say which recordings stopped while their processes ran, and why; whether there is one."""
    stopped = sorted(folder.glob(f"*{STOPPED}"))
    for path in stopped:
        process, why = path.name.partition(".")[0], path.read_text("utf-8", "replace") or "no room for the reason"
        text = one_line(f"The recording of process {process} stopped ({why}), so that calls may be missing.")
        output.write(f"aclspec: {text}", error=True)
    return bool(stopped)


@dataclass(frozen=True)
class Gate:
    """Where the findings of a run go, and which of them fail it."""

    fail_on: str | None = None
    baseline: Path | None = None
    write_baseline: bool = False
    findings: Path | None = None
    sarif: Path | None = None
    muted: frozenset[str] = field(default_factory=frozenset)
    lang: Lang = "en"

    def check(self) -> bool:
        """Whether anything of this was asked for; UsageError where the options do not fit together."""
        operators.one_of(self.fail_on, ("refused",), "value of --fail-on")
        if self.write_baseline and self.baseline is None:
            raise UsageError("The option --write-baseline needs --baseline, the file to write.")
        if self.baseline is not None and not self.write_baseline and self.fail_on is None:
            raise UsageError("The option --baseline needs --fail-on or --write-baseline.")
        for path in filter(None, (self.findings, self.sarif, self.baseline if self.write_baseline else None)):
            if not path.absolute().parent.is_dir():
                raise UsageError(f"The folder of the file ({path}) does not exist.")
        paths = [path.resolve() for path in (self.baseline, self.findings, self.sarif) if path is not None]
        if len(set(paths)) < len(paths):
            raise UsageError("The options --baseline, --findings and --sarif need files of their own.")
        return any((self.fail_on, self.baseline, self.findings, self.sarif))

    @contextmanager
    def recording(self, variables: Mapping[str, str]) -> Iterator[tuple[dict[str, str], Recordings]]:
        """Variables of a run whose recordings are read after it: those of the user, or of refused calls alone."""
        with TemporaryDirectory(prefix="aclspec-layer-") as folder:
            pattern = variables.get(RECORD) or os.environ.get(RECORD)
            if pattern is None:
                pattern = str(Path(folder, "%p.jsonl"))
                variables = {**variables, "ACLSPEC_RECORD_CALLS": "refused"}
            yield {**variables, RECORD: pattern}, Recordings(pattern)

    def known(self) -> set[Identity]:
        """What the baseline has, before the run; UsageError for a broken one."""
        from aclspec.runtime.replay.findings import BaselineError, read_baseline

        if self.baseline is None or self.write_baseline:
            return set()
        try:
            return read_baseline(self.baseline)
        except BaselineError as error:
            raise UsageError(str(error)) from error

    def judge(self, recordings: Recordings, program: str, known: set[Identity]) -> int:
        """Write what was asked for, and print what fails; the exit status."""
        from aclspec.runtime.replay.findings import findings_of, json_lines, sarif
        from aclspec.runtime.replay.judging import Judge
        from aclspec.runtime.replay.recording import RecordingError, read

        try:
            starts = recordings.written()
            recording = read(starts, lang=self.lang, starts=starts)
        except RecordingError as error:
            raise UsageError(str(error)) from error
        found = findings_of(recording, Judge(find, self.lang), program, self.muted)
        written = self.baseline if self.write_baseline else None
        for path, render in ((self.findings, json_lines), (self.sarif, sarif), (written, json_lines)):
            if path is not None:
                with atomic_write(path) as beside:
                    beside.write_text(render(found), encoding="utf-8")
        for note in recording.notes:
            output.write(one_line(f"aclspec: {note}"), error=True)
        if self.fail_on is None or self.write_baseline:
            return GOOD
        new = [one for one in found if one.identity not in known]
        if new:
            ending = f", {len(found) - len(new)} more in the baseline" if len(new) < len(found) else ""
            output.write(f"aclspec: {output.count(len(new), 'finding')} of refused calls{ending}", error=True)
        for one in new:
            output.write(one_line(f"  {one.where}: {one.rule}: {one.message}"), error=True)
        return FINDING if new or recording.notes else GOOD


class Recordings:
    """The files that a run writes by the pattern of ACLSPEC_RECORD, in which %p and %r are numbers."""

    def __init__(self, pattern: str) -> None:
        """Before the run: what is there already is not of the run."""
        self._pattern = glob.escape(pattern).replace("%p", "*").replace("%r", "*")
        name = re.escape(pattern).replace("%p", r"\d+").replace("%r", "[^/]*")
        self._name = re.compile(rf"{name}(\.\d+)?")
        path = Path(pattern)
        if path.exists() and not path.is_file():
            raise UsageError(f"The recording ({path}) is no file, so that its refused calls cannot be read.")
        self._before = self._states()

    def written(self) -> dict[Path, int]:
        """After the run: the files that it wrote, and how many bytes of each were there before."""
        states = self._states()
        return {path: self._start(path, state) for path, state in states.items() if state != self._before.get(path)}

    def _start(self, path: Path, state: _State) -> int:
        before = self._before.get(path)
        is_same = before is not None and before.inode == state.inode and before.size <= state.size
        return before.size if before is not None and is_same else 0

    def _states(self) -> dict[Path, _State]:
        names = sorted({*glob.glob(self._pattern), *glob.glob(self._pattern + ".*")})
        stats = {Path(name): os.stat(name) for name in names if self._name.fullmatch(name) and os.path.isfile(name)}
        return {path: _State(stat.st_mtime_ns, stat.st_size, stat.st_ino) for path, stat in stats.items()}


class _State(NamedTuple):
    """Of a file: whether a run wrote it, and from where on."""

    time: int
    size: int
    inode: int
