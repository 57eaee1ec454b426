"""``aclspec watch``: check, generate and test an operator after each save."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from aclspec.cli import output
from aclspec.cli.errors import UsageError
from aclspec.cli.specs import Specs, existing, require_checkout, show_findings
from aclspec.codegen.source.folders import find_specs, operator_files, table_files

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
        """Remember the folders and the package, the project's own for None."""
        self.root, self.out, self.package = root, out, package

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
        tables = tuple(_changed(path) for path in table_files(self.root))
        return {file: (*map(_changed, (file, *_kernels(file))), *tables) for file in files}

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
        from aclspec.codegen.source.naming import Name
        from aclspec.codegen.source.yaml_tree import Scalar, find, read

        node = find(tree, ("op",)) if (tree := read(file).tree) is not None else None
        name = Name(str(node.value)).snake if isinstance(node, Scalar) else file.stem
        path = os.pathsep.join([str(self.out.resolve()), str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
        words = [sys.executable, "-m", "pytest", "-q", "--tb=short", str(self.out / "tests" / f"test_{name}.py")]
        done = subprocess.run(words, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
        lines = (done.stdout or done.stderr).strip().splitlines()
        output.write("\n".join(lines[-1:] if done.returncode == 0 else lines[-40:]))


def _changed(path: Path) -> int:
    """When a file was last written; 0 for one that is not there, as in the middle of a save."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _kernels(file: Path) -> Iterator[Path]:
    """The source of the kernel that a spec names, where it is found."""
    from aclspec.codegen.pipeline.scaffold import KERNELS

    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    for line in lines:
        key, _, value = line.strip().partition(":")
        if key == "kernel":
            module = value.strip().strip("'\"").partition(":")[0]
            try:
                found = find_spec(module if "." in module else f"{KERNELS}.{module}")
            except (ImportError, ValueError):
                found = None
            if found is not None and found.origin is not None:
                yield Path(found.origin)
