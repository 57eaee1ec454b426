"""Building many specs, each by itself, in this process or in several: no more than a few are in memory at a time.

What builds a spec takes half a second to import. It comes here only where it is wanted: other processes bring it for
themselves, and this one brings it while they start.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING

from aclspec.codegen.garbage import Rounds, collect_seldom
from aclspec.codegen.ledger import content
from aclspec.codegen.part import Part
from aclspec.codegen.partstore import PartStore

if TYPE_CHECKING:
    from aclspec.codegen.parts import Builder


def build_all(
    builder: Callable[[], Builder],
    root: Path,
    package: str,
    files: Sequence[Path],
    processes: bool,
    tell: Callable[[str], None],
) -> dict[Path, Part]:
    """The parts of some specs, by their files; with ``processes`` on all cores, where several are not kept.

    ``builder`` gives that of this process, which is imported when it is asked for.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    found = _kept(PartStore(root, package), files, tell)
    left = [file for file in files if file not in found]
    if processes and min(cores, len(left)) > 1:
        found |= _in_processes(min(cores, len(left)), builder, root, package, left, tell)
    for file in files:
        if any(part.findings for part in found.values()):
            break
        if file not in found:
            found[file] = builder().build(file)
            tell(found[file].name)
    return found


def _kept(store: PartStore, files: Sequence[Path], tell: Callable[[str], None]) -> dict[Path, Part]:
    """The parts that were built before."""
    found: dict[Path, Part] = {}
    for file in files:
        part = store.recall(file, content(file))
        if part is not None:
            found[file] = part
            tell(part.name)
    return found


def _in_processes(
    count: int,
    builder: Callable[[], Builder],
    root: Path,
    package: str,
    files: Sequence[Path],
    tell: Callable[[str], None],
) -> dict[Path, Part]:
    """The same in so many processes; what no process could be had for is left out."""
    found: dict[Path, Part] = {}
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of a progress bar
    try:
        pool = ProcessPoolExecutor(count, context, _start, (root, package))
    except OSError:  # not even its locks could be had
        return found
    waiting: dict[Future[Part], Path] = {}
    try:
        waiting |= {pool.submit(_build, file): file for file in files}
        builder()  # while they start
        for done in as_completed(waiting):
            part = found[waiting.pop(done)] = done.result()
            tell(part.name)
            if part.findings:
                break
    except (BrokenProcessPool, OSError):  # a file that cannot be read is met again in this process
        pass
    finally:
        pool.shutdown(wait=bool(waiting), cancel_futures=True)  # those that are done take a while to end
    return found


_BUILDERS: list[tuple[Builder, Rounds]] = []


def _start(root: Path, package: str) -> None:
    from aclspec.codegen.parts import Builder

    collect_seldom()
    _BUILDERS.append((Builder(root, package), Rounds()))


def _build(file: Path) -> Part:
    from aclspec.codegen.derive.cases import forget

    builder, rounds = _BUILDERS[-1]
    try:
        return builder.build(file)
    finally:
        forget()
        rounds.ended()
