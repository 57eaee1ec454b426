"""From specs to the checks in C: load, compile, analyse, emit, render and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aclspec.codegen.pipeline.generate import Progress, Result
from aclspec.codegen.pipeline.load import has_errors, load_project, load_specs
from aclspec.codegen.pipeline.write import compare, write
from aclspec.codegen.source.findings import SpecErrors
from aclspec.codegen.source.folders import find_specs, operator_files
from aclspec.codegen.source.naming import Name
from aclspec.codegen.spec.project import Project
from aclspec.runtime.abi.suggest import did_you_mean
from aclspec.runtime.rules.operator_info import OperatorInfo


def generate_c(
    out_dir: Path,
    specs_dir: Path | None = None,
    names: Sequence[str] = (),
    check: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Generate the checks in C of a folder of specs, or of some operators in it; with ``check`` only compare.

    ``specs_dir`` defaults to the project's own specs, ``names`` (C or snake_case) to all operators, declared ones too.
    A file of an operator that is not among them is removed from ``out_dir``. Raises `SpecErrors` for incorrect specs
    and ValueError for an unknown name.
    """
    from aclspec.codegen.render.c.files import render_c

    report = progress or (lambda step, what: None)
    report("load", "specs")
    project = _loaded(find_specs(specs_dir), names)
    infos: list[OperatorInfo] = [*(operator.info for operator in project.operators), *project.declared]
    report("render", "checks")
    texts = render_c(infos, tuple(product.key for product in project.products))
    files = {out_dir / path: text for path, text in texts.items()}
    differences = tuple(compare(files, [out_dir]))
    if not check:
        write(files, differences, lambda path: report("write", str(path)))
    return Result(len(infos), len(files), differences)


def _loaded(root: Path, names: Sequence[str]) -> Project:
    """A project with these operators, or all; of a few only their files are read."""
    files = {file.stem: file for file in operator_files(root)} if root.is_dir() else {}
    wanted = list(dict.fromkeys(Name(name).snake if name.startswith("aclnn") else name for name in names))
    if not wanted or not files.keys() >= set(wanted):
        project = load_project(root)
        if not wanted:
            return project
        known = {info.snake: info for info in (*(one.info for one in project.operators), *project.declared)}
        for name in wanted:
            if name not in known:
                raise ValueError(f"The operator ({name}) is unknown{did_you_mean(name, known)}.")
        operators = tuple(one for one in project.operators if one.info.snake in wanted)
        return replace(
            project, operators=operators, declared=tuple(known[n] for n in wanted if known[n] in project.declared)
        )
    found: dict[str, Project] = {}
    for name in wanted:
        some, findings = load_specs(root, only=files[name])
        if some is None or has_errors(findings):
            raise SpecErrors(findings)
        found[name] = some
    first = next(iter(found.values()))
    return replace(first, operators=tuple(one.operator(name) for name, one in found.items()))
