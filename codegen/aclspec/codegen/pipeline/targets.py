"""From specs to what a target of `aclspec.codegen.render.targets` writes: load, compile, analyse, render and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aclspec.codegen.pipeline.generate import Progress, Result
from aclspec.codegen.pipeline.load import has_errors, load_project, load_specs, load_tables
from aclspec.codegen.pipeline.signatures import read_signatures
from aclspec.codegen.pipeline.write import compare, write
from aclspec.codegen.render.build import OWN_PACKAGE, target_of
from aclspec.codegen.render.environment import format_python
from aclspec.codegen.render.targets import TARGETS
from aclspec.codegen.source.findings import SpecErrors
from aclspec.codegen.source.folders import files_by_operator, find_specs, operator_names
from aclspec.codegen.source.naming import Name
from aclspec.codegen.spec.project import Project
from aclspec.runtime.abi.suggest import did_you_mean
from aclspec.runtime.rules.operator_info import OperatorInfo


def generate_target(
    name: str,
    out_dir: Path,
    specs_dir: Path | None = None,
    names: Sequence[str] = (),
    package: str = OWN_PACKAGE,
    check: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Write a target for a folder of specs, or for some operators in it; with ``check`` only compare.

    ``specs_dir`` defaults to the project's own specs, ``names`` (C or snake_case) to all operators, declared ones too.
    ``package`` is whose operators the texts call, where they call any. Of a target with several files, those that it no
    longer has are removed from ``out_dir``. Raises `SpecErrors` for incorrect specs and ValueError for an unknown name.
    """
    report = progress or (lambda step, what: None)
    report("load", "specs")
    project = _loaded(find_specs(specs_dir), names)
    infos: list[OperatorInfo] = [*(operator.info for operator in project.operators), *project.declared]
    report("render", name)
    texts = format_python(TARGETS[name].render(infos, target_of(project, package)))
    files = {out_dir / path: text for path, text in texts.items()}
    differences = tuple(compare(files, [out_dir] if len(files) > 1 else []))
    if not check:
        write(files, differences, lambda path: report("write", str(path)))
    return Result(len(infos), len(files), differences)


def _loaded(root: Path, names: Sequence[str]) -> Project:
    """A project with these operators, or all; of a few only their files are read."""
    if not names:
        return load_project(root)
    files = {Name(name).snake: file for name, file in files_by_operator(root).items()} if root.is_dir() else {}
    wanted = list(dict.fromkeys(Name(name).snake if name.startswith("aclnn") else name for name in names))
    tables, findings = load_tables(root)
    declared, found = read_signatures(root, tables, operator_names(root))
    findings += found
    known = {**files, **{info.snake: None for info in declared}}
    for name in wanted:
        if name not in known:
            raise ValueError(f"The operator ({name}) is unknown{did_you_mean(name, known)}.")
    operators = []
    for name in wanted:
        if name in files:
            some, found = load_specs(root, only=files[name])
            findings += found
            operators += [] if some is None else [one for one in some.operators if one.info.snake == name]
    if has_errors(findings):
        raise SpecErrors(findings)
    return replace(
        tables, operators=tuple(operators), declared=tuple(info for info in declared if info.snake in wanted)
    )
