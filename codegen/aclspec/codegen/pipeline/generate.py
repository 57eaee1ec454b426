"""The pipeline: load, compile, analyse, read the derived calls, emit, render and write, in this order."""

from __future__ import annotations

import gc
import keyword
import multiprocessing
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import TypeVar

from aclspec.codegen.pipeline.cache import Cache, Entry, digest, input_digest, tables_digest
from aclspec.codegen.pipeline.lock import LockedRule, updated_lock
from aclspec.codegen.pipeline.write import Difference, compare, write
from aclspec.codegen.source.findings import Finding, SpecErrors, display_path
from aclspec.codegen.source.folders import (
    CALLS,
    LACKS,
    LOCK,
    PRODUCT_TABLE,
    RUNTIME_TABLES,
    Lack,
    family_texts,
    find_specs,
    operator_files,
    signature_texts,
    spec_texts,
)
from aclspec.runtime.language.nodes import Position

OWN_PACKAGE = "aclspec.ops"
_ALLOCATIONS = 100_000
"""New objects between two garbage collections: what a search or a proof remembers is no garbage."""
Progress = Callable[[str, str], None]
"""Receives a step ("load", "render", "write") and its subject."""


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a run: the number of operators and files, the files that differed, and rules not decided."""

    operators: int
    files: int
    differences: tuple[Difference, ...]
    warnings: tuple[Finding, ...] = ()

    def paths(self, kind: str) -> tuple[Path, ...]:
        """The files that are "missing", "orphaned" or "stale"."""
        return tuple(difference.path for difference in self.differences if difference.kind == kind)

    @property
    def clean(self) -> bool:
        """Whether every file was as generated."""
        return not self.differences


def generate(
    specs_dir: Path | str | None = None,
    out_dir: Path | str | None = None,
    package: str = OWN_PACKAGE,
    check: bool = False,
    progress: Progress | None = None,
    acknowledge: Collection[str] = (),
    processes: bool = False,
    derive: Collection[Lack] = LACKS,
) -> Result:
    """Generate the package, tests and manual of a folder of specs; with ``check`` only compare.

    ``specs_dir`` defaults to the project's own specs, ``out_dir`` to the folder ``generated`` beside them.
    ``processes`` builds operators on all cores; workers import the caller's main module. ``derive`` says which calls to
    derive here: those that are "missing", those that are "stale". Raises `SpecErrors` for incorrect specs, a changed
    meaning that is not acknowledged and other lacks of calls included, and ValueError for a package that is no Python
    name. Writes everything or nothing.
    """
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in package.split(".")):
        raise ValueError(f"The package ({package}) is not a dotted Python name.")
    report = progress or (lambda step, what: None)
    root = find_specs(specs_dir)
    out = Path(out_dir) if out_dir is not None else root.parent / "generated"
    checkout = _is_checkout(root, out, package)
    report("load", "specs")
    inputs = input_digest(root, package)
    builder = Builder(root, package, out, frozenset(derive))
    operators = _operators(builder, inputs, report, processes)
    common = (_declared(root, package, inputs, operators), _shared(root, package, checkout, operators))
    texts = {path: text for entry in (*operators.values(), *common) for path, text in entry.files.items()}
    outside = set(map(str, RUNTIME_TABLES))
    files = {(root.parent if path in outside else out) / path: text for path, text in texts.items()}
    rules = [LockedRule(*rule) for entry in operators.values() for rule in entry.contribution["rules"]]
    files[root / LOCK] = updated_lock(root, rules, acknowledge)
    orphanable = [out] if checkout else _marked_folders(out, package)
    differences = tuple(compare(files, orphanable, marked_only=not checkout))
    if not check:
        write(files, differences, lambda path: report("write", str(path)))
    return Result(len(operators), len(files), differences, tuple(_warnings(root, operators.values(), rules)))


@dataclass(frozen=True, slots=True)
class Builder:
    """What is built from which specs, the folder of the corpora, and which of them are derived on the way."""

    root: Path
    package: str
    out: Path
    derive: frozenset[Lack]


def build_operator(builder: Builder, file: Path) -> Entry:
    """Load, compile, analyse, emit and render one operator; raise `SpecErrors` for mistakes in its spec."""
    from aclspec.codegen.pipeline import stages
    from aclspec.codegen.pipeline.corpora import read_or_derive
    from aclspec.codegen.render.build import OperatorBuild

    tables = stages.tables_of(builder.root, tables_digest(builder.root))
    operator = stages.operator_of(builder.root, file, tables)
    calls = read_or_derive(operator, builder.out, builder.derive)
    functions = stages.emit(operator, tables)
    entry = stages.render(OperatorBuild(operator, functions, calls.cases), tables, builder.package)
    return Entry({**entry.files, **calls.files}, entry.contribution)


def _operators(builder: Builder, inputs: str, report: Progress, processes: bool) -> dict[str, Entry]:
    """The generated files of each operator by cache key, in the order of the spec files."""
    root = builder.root
    files = operator_files(root) if root.is_dir() else []
    if not files:
        _raise_findings(root)
    names = {file: file.relative_to(root).with_suffix("").as_posix() for file in files}
    families = family_texts(root)
    keys = {file: _key(root, inputs, names[file], file, families) for file in files}
    cached = {file: Cache(names[file]).get(keys[file]) for file in files}
    found = {file: entry for file, entry in cached.items() if entry is not None and _has_its_calls(entry, builder.out)}
    for entry in found.values():
        report("render", entry.contribution["name"])
    stale = [file for file in files if file not in found]
    try:
        for file, entry in parallel_map(partial(build_operator, builder), stale, processes):
            found[file] = entry
            if _key(root, inputs, names[file], file, family_texts(root)) == keys[file]:  # else it changed meanwhile
                Cache(names[file]).put(keys[file], entry)
            report("render", entry.contribution["name"])
    except SpecErrors:
        _raise_findings(root)  # those of all specs
        raise
    if len({entry.contribution["snake"] for entry in found.values()}) < len(found):
        _raise_findings(root)
    return {keys[file]: found[file] for file in files}


def _has_its_calls(entry: Entry, out: Path) -> bool:
    """Whether the calls that an entry was made with are those on the disk, or none are there."""
    calls = (path for path in entry.files if path.startswith(f"{CALLS}/"))
    return all(not (out / path).is_file() or (out / path).read_text("utf-8") == entry.files[path] for path in calls)


def _key(root: Path, inputs: str, name: str, file: Path, families: Iterable[tuple[bytes, bytes]]) -> str:
    """The cache key of one operator; a change of a family whose name its spec does not have is none of it."""
    texts = spec_texts(root, file)
    used = (text for family, text in families if any(family in one for one in texts))
    return digest(inputs, name, *texts, *used)


def _warnings(root: Path, operators: Iterable[Entry], rules: Iterable[LockedRule]) -> Iterator[Finding]:
    """The rules that no derived test decides, each at its place."""
    places = {rule.id: rule for rule in rules}
    for rule_id, text in (one for entry in operators for one in entry.contribution["report"]["undecided"]):
        rule = places[rule_id]
        at = Position(rule.line, rule.column)
        yield Finding(display_path(root / rule.file), at, "derivation", text, "warning")


def _declared(root: Path, package: str, inputs: str, operators: Mapping[str, Entry]) -> Entry:
    """The table of the operators whose signature alone is known."""
    names = sorted(entry.contribution["name"] for entry in operators.values())

    def build() -> Entry:
        from aclspec.codegen.pipeline import stages

        return stages.render_declared(stages.tables_of(root, tables_digest(root)), names, package)

    return _cached("declared", digest(inputs, *names, *signature_texts(root)), build)


def _shared(root: Path, package: str, checkout: bool, operators: Mapping[str, Entry]) -> Entry:
    """The files of all operators together, from their contributions."""

    def build() -> Entry:
        from aclspec.codegen.pipeline import stages

        tables = stages.tables_of(root, tables_digest(root))
        return stages.render_common(operators.values(), tables, package, with_runtime=checkout)

    return _cached("shared", digest(package, str(checkout), *operators), build)


def _cached(name: str, key: str, build: Callable[[], Entry]) -> Entry:
    """The entry of a key, built where the cache has none."""
    cache = Cache(name)
    entry = cache.get(key)
    if entry is None:
        entry = build()
        cache.put(key, entry)
    return entry


def _is_checkout(root: Path, out: Path, package: str) -> bool:
    """Whether this is the project's own tree, whose runtime has a table of products."""
    own = package == OWN_PACKAGE and out.resolve() == (root.parent / "generated").resolve()
    return own and (root.parent / PRODUCT_TABLE).parent.is_dir()


def _marked_folders(out: Path, package: str) -> list[Path]:
    """The folders shared with other projects: only files that say they are generated may be orphans."""
    return [out.joinpath(*package.split(".")), *(out / name for name in (CALLS, "docs", "include", "samples", "tests"))]


def _raise_findings(root: Path) -> None:
    """Raise the findings of the whole folder, if any is an error."""
    from aclspec.codegen.pipeline.load import load_project

    load_project(root)


T = TypeVar("T")
R = TypeVar("R")


def _start_worker() -> None:
    """End this process as soon as the one that started it ends, even where that is killed."""
    gc.set_threshold(_ALLOCATIONS)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def parallel_map(function: Callable[[T], R], items: Sequence[T], processes: bool) -> Iterator[tuple[T, R]]:
    """Each item with its result, as it is ready; falls back to this process where no other can be started."""
    gc.set_threshold(_ALLOCATIONS)
    left = list(items)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = min(cores, len(left)) if processes else 1
    if workers > 1:
        context = multiprocessing.get_context("spawn")  # a fork would copy the threads of a progress bar
        with suppress(BrokenProcessPool, OSError), ExitStack() as stack:
            pool = ProcessPoolExecutor(workers, context, _start_worker)
            stack.callback(pool.shutdown, cancel_futures=True)
            submitted = {pool.submit(function, item): item for item in items}
            for done in as_completed(submitted):
                result = done.result()
                left.remove(submitted[done])
                yield submitted[done], result
    yield from ((item, function(item)) for item in left)
