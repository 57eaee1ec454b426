"""``aclspec derive``: search the calls of operators anew, and write the corpus of each as it is ready."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from aclspec.codegen.pipeline import stages
from aclspec.codegen.pipeline.cache import tables_digest
from aclspec.codegen.pipeline.corpora import anew_or_old
from aclspec.codegen.pipeline.generate import Progress, Result, parallel_map
from aclspec.codegen.pipeline.write import compare, write
from aclspec.codegen.source.folders import CALLS, find_specs, operator_files
from aclspec.codegen.source.naming import Name


def derive(
    names: Sequence[str] = (),
    specs_dir: Path | str | None = None,
    out_dir: Path | str | None = None,
    check: bool = False,
    anew: bool = True,
    progress: Progress | None = None,
    processes: bool = False,
) -> Result:
    """Derive the calls of some operators, or of all, and write each as it is ready; with ``check`` only compare.

    Names are those of spec files, of operators in C or in Python. Without ``anew`` calls that fit their operator stay
    as they are. Raises `SpecErrors` for incorrect specs and ValueError for a name that no spec has.
    """
    root = find_specs(specs_dir)
    out = Path(out_dir) if out_dir is not None else root.parent / "generated"
    files = sorted(_chosen(operator_files(root), names), key=partial(_size, out), reverse=True)
    found: dict[Path, str] = {}
    differences = []
    report: Callable[[str, str], None] = progress or (lambda step, what: None)
    for file, made in parallel_map(partial(_derived_file, root, out, anew), files, processes):
        if made is not None:
            path, text = out / made[0], made[1]
            found[path] = text
            new = compare({path: text}, ())
            if not check:
                write({path: text}, new)
            differences += new
        report("derive", file.stem)
    return Result(len(files), len(found), tuple(sorted(differences, key=lambda one: one.path)))


def _size(out: Path, file: Path) -> int:
    """The size of a corpus; the largest is derived first, so that no core has nothing to do at the end."""
    path = out / CALLS / f"{file.stem}.txt"
    return path.stat().st_size if path.is_file() else 0


def _chosen(files: Sequence[Path], names: Sequence[str]) -> list[Path]:
    """The specs of these names; of all operators where none is given."""
    by_name = {file.stem: file for file in files}
    chosen = {name: by_name.get(name) or by_name.get(Name(name).snake) for name in names}
    unknown = [name for name, file in chosen.items() if file is None]
    if unknown:
        raise ValueError(f"No spec is of an operator of this name ({unknown[0]}).")
    return [file for file in files if not names or file in chosen.values()]


def _derived_file(root: Path, out: Path, anew: bool, file: Path) -> tuple[str, str] | None:
    """The path and the text of the corpus of a spec; None of an operator without rules."""
    operator = stages.operator_of(root, file, stages.tables_of(root, tables_digest(root)))
    return anew_or_old(operator, out, anew) if operator.info.facts.has_rules else None
