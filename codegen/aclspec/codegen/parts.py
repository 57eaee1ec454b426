"""What single specs come to: the files that each alone decides, and its share of the files of all.

Each spec is loaded, derived and rendered by itself, in this process or in several, so that no more than a few are in
memory at a time.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from aclspec.codegen.derive.cases import forget
from aclspec.codegen.findings import Finding, SpecErrors
from aclspec.codegen.garbage import Rounds, collect_seldom
from aclspec.codegen.ledger import content
from aclspec.codegen.load import Project, load_operator, load_tables
from aclspec.codegen.part import Part
from aclspec.codegen.partstore import PartStore
from aclspec.codegen.render.project import render_files, target_of
from aclspec.codegen.render.share import share_of
from aclspec.codegen.texts import Deflated


class Builder:
    """Builds the parts of the specs of one directory, for one package."""

    def __init__(self, root: Path, package: str) -> None:
        """Read the tables that all operators share."""
        findings: list[Finding] = []
        self.tables = load_tables(root, findings)
        self.findings = tuple(finding for finding in findings if finding.severity == "error")
        tables = self.tables
        self.project = Project(root, (), tables.products, tables.statuses, tables.clauses)
        self.target = target_of(self.project, package)
        self._store = PartStore(root, package)

    def kept(self, file: Path) -> Part | None:
        """The part of one spec, where it was built before."""
        return self._store.recall(file, content(file))

    def build(self, file: Path) -> Part:
        """The part of one spec, which is kept unless it has mistakes."""
        before = content(file)
        part = self._built(file)
        if not part.findings and content(file) == before:  # else the text was changed meanwhile
            self._store.store(file, before, part)
        return part

    def _built(self, file: Path) -> Part:
        operator, findings = load_operator(self.project.root, file, self.tables)
        errors = tuple(finding for finding in findings if finding.severity == "error")
        if operator is None or errors or self.findings:
            return Part(file.stem, findings=(*self.findings, *errors))
        try:
            texts = render_files(self.project, operator, self.target)
        except SpecErrors as wrong:
            return Part(operator.info.name, findings=wrong.findings)
        files = {path.as_posix(): Deflated.of(text) for path, text in texts.items()}
        return Part(operator.info.name, pickle.dumps(share_of(operator)), files)


def build_all(
    builder: Builder, package: str, files: Sequence[Path], processes: bool, tell: Callable[[str], None]
) -> dict[Path, Part]:
    """The parts of some specs, by their files; with ``processes`` on all cores, where several are not kept."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    found = _kept(builder, files, tell)
    left = [file for file in files if file not in found]
    if processes and min(cores, len(left)) > 1:
        found |= _in_processes(min(cores, len(left)), builder.project.root, package, left, tell)
    for file in files:
        if any(part.findings for part in found.values()):
            break
        if file not in found:
            found[file] = builder.build(file)
            tell(found[file].name)
    return found


def _kept(builder: Builder, files: Sequence[Path], tell: Callable[[str], None]) -> dict[Path, Part]:
    """The parts that were built before."""
    found: dict[Path, Part] = {}
    for file in files:
        part = builder.kept(file)
        if part is not None:
            found[file] = part
            tell(part.name)
    return found


def _in_processes(
    count: int, root: Path, package: str, files: Sequence[Path], tell: Callable[[str], None]
) -> dict[Path, Part]:
    """The same in so many processes; what no process could be had for is left out."""
    found: dict[Path, Part] = {}
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of a progress bar
    pool = ProcessPoolExecutor(count, context, _start, (root, package))
    waiting: dict[Future[Part], Path] = {}
    try:
        waiting |= {pool.submit(_build, file): file for file in files}
        for done in as_completed(waiting):
            part = found[waiting.pop(done)] = done.result()
            tell(part.name)
            if part.findings:
                break
    except BrokenProcessPool:
        pass
    finally:
        pool.shutdown(wait=bool(waiting), cancel_futures=True)  # those that are done take a while to end
    return found


_BUILDERS: list[tuple[Builder, Rounds]] = []


def _start(root: Path, package: str) -> None:
    collect_seldom()
    _BUILDERS.append((Builder(root, package), Rounds()))


def _build(file: Path) -> Part:
    builder, rounds = _BUILDERS[-1]
    try:
        return builder.build(file)
    finally:
        forget()
        rounds.ended()
