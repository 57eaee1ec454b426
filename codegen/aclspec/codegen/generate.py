"""Generate: from a folder of specs to the files that follow from them, on the disk."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from aclspec.codegen import unchanged
from aclspec.codegen.derive.parallel import derive_ahead
from aclspec.codegen.load import Project, find_specs, load_project
from aclspec.codegen.lock import LOCK, updated_lock
from aclspec.codegen.render.products import PRODUCT_TABLE, render_product_table
from aclspec.codegen.render.project import render_project, target_of
from aclspec.codegen.render.target import OWN_PACKAGE
from aclspec.codegen.write import Difference, apply, compare

Progress = Callable[[str, str], None]
"""Called with a step ("load", "derive", "render", "write") and what it is about, before or while it is done."""


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

    With ``processes`` operators are derived on all cores, by processes that import the main module of this one.

    Without ``specs_dir`` the project's own specs are meant; without ``out_dir`` the folder ``generated`` beside the
    specs. Raises `SpecErrors` for specs that are not right, a rule whose locked meaning changed without being
    acknowledged among them, and ValueError for a package that has no Python name. Nothing is written unless all can be.
    """
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in package.split(".")):
        raise ValueError(f"The package ({package}) is not a dotted Python name.")
    tell = progress or (lambda step, what: None)
    tell("load", "specs")
    root = find_specs(specs_dir)
    out = Path(out_dir) if out_dir is not None else root.parent / "generated"
    inputs = unchanged.inputs_of(root, (package, str(out), *acknowledge)) if root.is_dir() else b""
    record = unchanged.believed(out, root, inputs)
    if record is not None:
        return Result(record.operators, len(record.files), ())
    project = load_project(root)
    if processes:
        tell("derive", f"{len(project.operators)} operators")
        derive_ahead(operator.info for operator in project.operators)
    files = {
        out / path: text for path, text in render_project(project, package, lambda name: tell("render", name)).items()
    }
    files |= _outside(project, out, package)
    files[root / LOCK] = updated_lock(project, acknowledge)
    folders, ours = _folders(root, out, package)
    differences = tuple(compare(files, folders, ours))
    if not check:
        apply(files, differences, lambda path: tell("write", str(path)))
        # The lock is among the specs, and may have been written just now.
        inputs = unchanged.inputs_of(root, (package, str(out), *acknowledge))
    if not check or not differences:
        unchanged.keep(out, root, inputs, len(project.operators), files, (*folders, *ours))
    return Result(len(project.operators), len(files), differences)


def _is_checkout(root: Path, out: Path, package: str) -> bool:
    """Whether this is the project's own tree, whose runtime has a table of products."""
    own = package == OWN_PACKAGE and out.resolve() == (root.parent / "generated").resolve()
    return own and (root.parent / PRODUCT_TABLE).parent.is_dir()


def _outside(project: Project, out: Path, package: str) -> dict[Path, str]:
    """The generated files outside of the generated folder."""
    if not _is_checkout(project.root, out, package):
        return {}
    return {project.root.parent / PRODUCT_TABLE: render_product_table(project, target_of(project))}


def _folders(root: Path, out: Path, package: str) -> tuple[list[Path], list[Path]]:
    """Where to look for orphans: folders in which only files that say so are ours, and folders that are all ours."""
    if _is_checkout(root, out, package):
        return [], [out]
    return [out.joinpath(*package.split(".")), out / "docs", out / "include", out / "samples", out / "tests"], []
