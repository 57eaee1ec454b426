"""Generate: from a folder of specs to the files that follow from them, on the disk."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from aclspec.codegen.folders import LOCK, PRODUCT_TABLE, find_specs, operator_files, table_files
from aclspec.codegen.garbage import collecting_seldom
from aclspec.codegen.ledger import Ledger, Spec, content, inputs_of
from aclspec.codegen.render.target import OWN_PACKAGE
from aclspec.codegen.texts import Texts
from aclspec.codegen.write import Difference, apply, compare

if TYPE_CHECKING:
    from aclspec.codegen.building import Building

Progress = Callable[[str, str], None]
"""Called with a step ("load", "render", "write") and what it is about, before or while it is done."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a run found: how many operators and files there are, and which files were not as they are generated.

    After a run that writes, the disk is as generated; after one that checks, nothing was touched.
    """

    operators: int
    files: int
    differences: tuple[Difference, ...]

    def paths(self, kind: str) -> tuple[Path, ...]:
        """The files that are "missing", "orphaned" or "stale"."""
        return tuple(difference.path for difference in self.differences if difference.kind == kind)

    @property
    def missing(self) -> tuple[Path, ...]:
        """The files that were not there."""
        return self.paths("missing")

    @property
    def orphaned(self) -> tuple[Path, ...]:
        """The files that nothing generates any more."""
        return self.paths("orphaned")

    @property
    def stale(self) -> tuple[Path, ...]:
        """The files with another text."""
        return self.paths("stale")

    @property
    def clean(self) -> bool:
        """Whether every file was as it is generated."""
        return not self.differences


def generate(
    specs_dir: Path | str | None = None,
    out_dir: Path | str | None = None,
    package: str = OWN_PACKAGE,
    check: bool = False,
    progress: Progress | None = None,
    acknowledge: Collection[str] = (),
    processes: bool = False,
) -> Result:
    """Generate the package, tests and manual of the specs in a folder; with ``check`` only compare.

    With ``processes`` specs are built on all cores, by processes that import the main module of this one.

    Without ``specs_dir`` the project's own specs are meant; without ``out_dir`` the folder ``generated`` beside the
    specs. Raises `SpecErrors` for specs that are not right, a rule whose locked meaning changed without being
    acknowledged among them, and ValueError for a package that has no Python name. Nothing is written unless all can be.
    """
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in package.split(".")):
        raise ValueError(f"The package ({package}) is not a dotted Python name.")
    root = find_specs(specs_dir)
    out = Path(out_dir) if out_dir is not None else root.parent / "generated"
    with collecting_seldom():
        run = _Run(root, out, package, tuple(acknowledge), progress or (lambda step, what: None))
        return run.perform(check, processes)


class _Run:
    """One run over a directory of specs: what an earlier one left as it should be is not looked into."""

    def __init__(self, root: Path, out: Path, package: str, acknowledge: tuple[str, ...], tell: Progress) -> None:
        self.root, self.out, self.package, self.acknowledge, self.tell = root, out, package, acknowledge, tell
        tell("load", "specs")
        self.files = {path.relative_to(root).as_posix(): path for path in operator_files(root) if root.is_dir()}
        if not self.files:
            _refuse(root)
        self.ledger = Ledger(out, root)
        self.record = self.ledger.record(inputs_of(table_files(root), (package, str(out))))
        self.texts: Texts = {}
        self.shares: dict[str, bytes] = {}

    def perform(self, check: bool, processes: bool) -> Result:
        """Build what has changed, compare, and write."""
        as_left = self.record.as_left()
        contents = {name: content(path) for name, path in self.files.items()}
        known = {
            name: spec
            for name, spec in self.record.specs.items()
            if contents.get(name) == spec.content and as_left.issuperset(spec.files)
        }
        stands = known.keys() == self.files.keys() == self.record.specs.keys()
        stands = stands and as_left.issuperset(self.record.shared)
        if not stands or self._lock() != self.record.lock:
            self._build(known, contents, as_left, processes)
        paths = {path for spec in self.record.specs.values() for path in spec.files} | {*self.record.shared}
        folders, ours = _folders(self.root, self.out, self.package)
        complete = self.record.has_all_folders() and paths == self.record.seen.keys()
        differences = tuple(compare(self.texts, *(() if complete else folders, () if complete else ours), paths))
        if not check:
            apply(self.texts, differences, lambda path: self.tell("write", str(path)))
        if (self.texts or self.record.is_doubted or not complete) and (not check or not differences):
            self.record.lock = content(self.root / LOCK)
            if self.shares:
                self.ledger.keep_shares(self.shares)
            self.ledger.keep(self.record, paths, self.texts, (*folders, *ours))
        return Result(len(self.files), len(paths), differences)

    @cached_property
    def _building(self) -> Building:
        """It brings all that loads and renders, for which a run that builds nothing would wait."""
        from aclspec.codegen.building import Building

        return Building(self.root, self.package, self.texts, self.out)

    def _lock(self) -> bytes:
        """The lock, and the changes of it that are acknowledged now."""
        return content(self.root / LOCK) + " ".join(self.acknowledge).encode()

    def _build(self, known: dict[str, Spec], contents: dict[str, bytes], as_left: set[str], processes: bool) -> None:
        """Build the specs that are not known, and the files of all operators where those may differ."""
        from aclspec.codegen.pool import build_all  # which a run that builds nothing need not wait for

        before = self.ledger.shares()
        changed = {name: path for name, path in self.files.items() if name not in known or name not in before}
        parts = build_all(
            lambda: self._building.builder,
            self.root,
            self.package,
            list(changed.values()),
            processes,
            lambda name: self.tell("render", name),
        )
        building = self._building
        built = building.specs(changed, parts)
        for name, one in built.items():
            known[name] = Spec(contents[name], one.files)
        shares = {name: built[name].share if name in built else before[name] for name in self.files}
        stands = self.record.shared and as_left.issuperset(self.record.shared) and self._lock() == self.record.lock
        if not stands or self.record.specs.keys() != shares.keys() or not building.same(before, shares, changed):
            checkout = _is_checkout(self.root, self.out, self.package)
            self.record.shared = building.shared(shares.values(), checkout, self.acknowledge)
        self.record.specs, self.shares = known, shares


def _is_checkout(root: Path, out: Path, package: str) -> bool:
    """Whether this is the project's own tree, whose runtime has a table of products."""
    own = package == OWN_PACKAGE and out.resolve() == (root.parent / "generated").resolve()
    return own and (root.parent / PRODUCT_TABLE).parent.is_dir()


def _folders(root: Path, out: Path, package: str) -> tuple[list[Path], list[Path]]:
    """Where to look for orphans: folders in which only files that say so are ours, and folders that are all ours."""
    if _is_checkout(root, out, package):
        return [], [out]
    return [out.joinpath(*package.split(".")), out / "docs", out / "include", out / "samples", out / "tests"], []


def _refuse(root: Path) -> None:
    """Raise what is wrong with a directory that has no specs."""
    from aclspec.codegen.load import load_project

    load_project(root)
