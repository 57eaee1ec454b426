"""``aclspec watch``: check, generate and test an operator after each save."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aclspec.cli import output
from aclspec.cli.errors import UsageError
from aclspec.cli.specs import Specs, existing, require_checkout, show_findings
from aclspec.codegen.source.folders import find_specs, operator_files, table_files

if TYPE_CHECKING:
    from aclspec.codegen.spec.families import Families

PAUSE = 0.3
"""Seconds between two looks at the files."""


def watch(
    operator: Annotated[
        str | None, typer.Argument(metavar="OP", help="Operator, by its spec's file name.", show_default="all of them")
    ] = None,
    specs: Specs = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder to write.", show_default="generated")] = None,
    package: Annotated[
        str | None, typer.Option("--package", metavar="NAME", help="Name of the package to generate, for --specs.")
    ] = None,
) -> None:
    """Check, generate and test an operator after each save of its spec or its kernel, until Ctrl-C.

    Without OP, that of the file that was saved. The options are those of generate.

    Example: aclspec watch scaled_add --specs my_specs --out . --package my_ops
    """
    options = [specs is not None, out is not None, package is not None]
    if any(options) and not all(options):
        raise UsageError("The options --specs, --out and --package are given together, or none of them")
    if specs is None:
        require_checkout("whose operators could be watched", "--specs, --out, --package")
    root = existing(find_specs(specs))
    chosen = [file for file in operator_files(root) if operator is None or operator == file.stem]
    if not chosen:
        raise UsageError(f"The folder {root} has no spec {operator or ''}.yaml")
    watching = Watch(root, out or root.parent / "generated", package)
    output.show(output.plain(f"watching {output.count(len(chosen), 'spec')} in {root}; Ctrl-C ends"))
    try:
        watching.run(chosen, at_once=operator is not None)
    except KeyboardInterrupt:
        output.show(output.plain("ended"))


class Watch:
    """What is generated from where."""

    def __init__(self, root: Path, out: Path, package: str | None) -> None:
        """Remember the folders and the package, the project's own for None; kernels are looked for as tests do."""
        self.root, self.out, self.package = root, out, package
        self.related: dict[Path, tuple[Path, ...]] = {}
        self.stamps: dict[Path, tuple[int, ...]] = {}
        self.families: Families | None = None
        self.tables: tuple[int, ...] = ()
        sys.path += [str(out.resolve()), str(Path.cwd())]

    def run(self, files: list[Path], at_once: bool) -> None:
        """Work on each file when it or its kernel changes, and on all of them when a shared table does; for ever."""
        before = {} if at_once else self._seen(files)
        while True:
            now = self._seen(files)
            for file in [file for file in files if before.get(file) != now[file]]:
                self.work(file)
            before = now
            time.sleep(PAUSE)

    def _seen(self, files: Iterable[Path]) -> dict[Path, tuple[int, ...]]:
        """When each file was changed, and what it is made from, which is looked up anew after each change."""
        from aclspec.codegen.pipeline.load import load_tables

        tables = tuple(map(_changed, table_files(self.root)))
        if self.families is None or tables != self.tables:
            self.families, self.tables = load_tables(self.root)[0].families, tables
        for file in files:
            if self._stamp(file) != self.stamps.get(file) or 0 in self.stamps[file]:
                self.related[file] = tuple(_related(self.root, file, self.families)) if file.is_file() else ()
                self.stamps[file] = self._stamp(file)
        return dict(self.stamps)

    def _stamp(self, file: Path) -> tuple[int, ...]:
        return (*map(_changed, (file, *self.related.get(file, ()))), *self.tables)

    def work(self, file: Path) -> None:
        """Check, generate and test one operator; the first that fails is the last."""
        from aclspec.codegen.pipeline.generate import OWN_PACKAGE, generate
        from aclspec.codegen.pipeline.load import lint
        from aclspec.codegen.source.findings import SpecErrors

        output.show(output.plain(f"{time.strftime('%H:%M:%S')} {file.name}", "bold"))
        findings = lint([file])
        show_findings(findings)
        if any(one.severity == "error" for one in findings):
            return
        try:
            result = generate(self.root, self.out, self.package or OWN_PACKAGE)
        except SpecErrors as errors:
            show_findings(errors.findings)
            return
        output.show(output.plain(f"generated, {output.count(len(result.differences), 'file')} changed"))
        self._test(file)

    def _test(self, file: Path) -> None:
        """Run the derived tests, with the last lines of what pytest says."""
        from aclspec.cli.pytest_plugin import GET_TORCH
        from aclspec.codegen.source.naming import Name
        from aclspec.codegen.source.yaml_tree import Scalar, find, read

        node = find(tree, ("op",)) if (tree := read(file).tree) is not None else None
        name = Name(str(node.value)).snake if isinstance(node, Scalar) else file.stem
        path = os.pathsep.join([str(self.out.resolve()), str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
        words = [sys.executable, "-m", "pytest", "-q", "--tb=short", str(self.out / "tests" / f"test_{name}.py")]
        done = subprocess.run(words, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
        lines = (done.stdout or done.stderr).strip().splitlines()
        told = [*(line for line in lines[:-1] if line.endswith(GET_TORCH)), *lines[-1:]]
        output.write("\n".join(told if done.returncode == 0 else lines[-40:]))


def _changed(path: Path) -> int:
    """When a file was last written; 0 for one that is not there, as in the middle of a save."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _related(root: Path, file: Path, families: Families) -> Iterator[Path]:
    """The spec that a spec is a variant of, and the source of its kernel, whichever file and form states it.

    A path that does not exist stands for a kernel that is not found yet.
    """
    from aclspec.codegen.pipeline.scaffold import KERNELS
    from aclspec.codegen.source.yaml_tree import Scalar, find, read
    from aclspec.codegen.spec.families import use_families
    from aclspec.codegen.spec.variants import take_base

    source = read(file)
    if source.tree is not None and isinstance(base := find(source.tree, ("variant_of",)), Scalar):
        yield root / str(base.value)
    take_base(source, root, families)
    use_families(source, families)
    kernel = find(source.tree, ("compute", "kernel")) if source.tree is not None else None
    if isinstance(kernel, Scalar):
        module = str(kernel.value).partition(":")[0]
        found = None
        with suppress(ImportError, ValueError):
            found = find_spec(module if "." in module else f"{KERNELS}.{module}")
        yield Path(found.origin if found is not None and found.origin is not None else module)
