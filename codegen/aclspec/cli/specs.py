"""The commands about spec files: ``lint``, ``derive``, ``generate``, ``new`` and ``trace``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from aclspec.cli import operators, output
from aclspec.cli.errors import FINDING, UsageError
from aclspec.cli.output import AsJson
from aclspec.codegen.source.folders import Lack, find_specs

if TYPE_CHECKING:
    from aclspec.codegen.pipeline.generate import Result
    from aclspec.codegen.source.findings import Finding
    from aclspec.runtime.rules.levels import Level

_SHOWN_WARNINGS = 10
CHECKOUT = Path("specs/common/products.yaml"), Path("runtime/aclspec/runtime/kernels")
Specs = Annotated[Path | None, typer.Option("--specs", help="Folder of spec files.", show_default="the project's own")]


def lint(
    paths: Annotated[list[Path] | None, typer.Argument(help="Spec files or folders.", show_default="the specs")] = None,
    level: Annotated[
        str | None,
        typer.Option("--level", metavar="LEVEL", help="Say what specs below this level want: checked or computed."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check spec files and report everything that is wrong with them, each with its file, line and column.

    Example: aclspec lint my_specs
    """
    operators.one_of(level, ("checked", "computed"), "level")
    from aclspec.codegen.pipeline.load import lint

    local = [Path("specs")] if Path("specs").is_dir() and not _is_checkout() else []
    with output.progress("reading specs"):
        found = lint([existing(path) for path in paths or local], cast("Level | None", level))
    errors = sum(one.severity == "error" for one in found)
    if as_json:
        output.show_json({"findings": [_finding(one) for one in found]})
    else:
        show_findings(found)
        counts = f"{output.count(errors, 'error')}, {output.count(len(found) - errors, 'warning')}"
        output.show(output.plain(counts if found else "nothing wrong"))
    if errors:
        raise typer.Exit(FINDING)


def derive(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="OPERATORS", help="Operators.", show_default="none, see --all")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All operators of the specs.")] = False,
    stale: Annotated[bool, typer.Option("--stale", help="Only those whose calls are missing or stale.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 where files differ.")] = False,
    specs: Specs = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder to write, with --specs.", show_default="generated")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Search the calls that show each rule of an operator, and write them to calls/OP.txt, one a line.

    A line that you add stays: let it end in "# keep: " and say why.

    Example: aclspec derive prelu_backward --check
    """
    if bool(names) == every:
        raise UsageError("Give the operators whose calls to derive, or --all")
    if (specs is None) != (out is None):
        raise UsageError("The options --specs and --out are given together, or none of them")
    if specs is None:
        require_checkout("whose calls could be derived", "--specs, --out")
    from aclspec.codegen.pipeline.derive import derive

    with _findings_told(), output.progress("deriving") as update:
        result = derive(
            names or (),
            None if specs is None else existing(specs),
            out,
            check=check,
            anew=not stale,
            progress=lambda step, what: update(f"{step} {what}"),
            processes=True,
        )
    _report_generated(result, check, as_json)


def generate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="OPERATORS", help="Only these operators, for a --target.", show_default="all"),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 where files differ.")] = False,
    specs: Specs = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder to write.", show_default="generated, in the checkout")
    ] = None,
    package: Annotated[
        str | None, typer.Option("--package", metavar="NAME", help="Name of the package of --specs.")
    ] = None,
    acknowledge: Annotated[
        list[str] | None,
        typer.Option("--acknowledge", metavar="RULE", help="Accept that this rule, by its full id, has a new meaning."),
    ] = None,
    target: Annotated[
        str,
        typer.Option("--target", metavar="TARGET", help="What to write: a package in python, or another target, as c."),
    ] = "python",
    as_json: AsJson = False,
) -> None:
    """Write the bindings, checks, tests and pages that follow from the specs, or another target.

    The calls of an operator that has none yet are derived; calls that were derived for other rules are an error, which
    says what to run. Without options, in a checkout: its own specs. Otherwise --specs, --out and --package are given
    together. With --target c: a header and sources in the folder --out, which a C or C++ project compiles in. With
    --target torch: a module in the folder --out, whose import registers operators of the package with torch.library.

    Example: aclspec generate --specs my_specs --out . --package my_ops

    Example: aclspec generate --target c --out checks prelu_backward
    """
    if target != "python":
        _generate_target(target, names or [], check, specs, out, package, acknowledge or [], as_json)
        return
    if names:
        raise UsageError("Operators are named for another --target only; a package has all operators of its specs")
    options = [specs is not None, out is not None, package is not None]
    if any(options) and not all(options):
        raise UsageError("The options --specs, --out and --package are given together, or none of them")
    if not any(options):
        require_checkout("whose files could be generated", "--specs, --out, --package")
    _generate_package(check, specs, out, package, acknowledge or [], as_json)


def _generate_package(
    check: bool, specs: Path | None, out: Path | None, package: str | None, acknowledge: Sequence[str], as_json: bool
) -> None:
    from aclspec.codegen.pipeline.generate import OWN_PACKAGE, generate

    lacks: tuple[Lack, ...] = () if check else ("missing",)
    with _findings_told(), output.progress("generating") as update:
        result = generate(
            specs_dir=None if specs is None else existing(specs),
            out_dir=out,
            package=package or OWN_PACKAGE,
            check=check,
            progress=lambda step, what: update(f"{step} {what}"),
            acknowledge=acknowledge,
            processes=True,
            derive=lacks,
        )
    _report_generated(result, check, as_json)


def _generate_target(
    target: str,
    names: Sequence[str],
    check: bool,
    specs: Path | None,
    out: Path | None,
    package: str | None,
    acknowledge: Sequence[str],
    as_json: bool,
) -> None:
    from aclspec.codegen.pipeline.generate import OWN_PACKAGE
    from aclspec.codegen.pipeline.targets import generate_target
    from aclspec.codegen.render.targets import TARGETS

    operators.one_of(target, ("python", *TARGETS), "target")
    own = "--specs and --package" if TARGETS[target].calls_package else "--specs"
    wrong = (package is None) != (specs is None) if TARGETS[target].calls_package else package is not None
    if out is None or acknowledge or wrong:
        raise UsageError(f"The target {target} takes --out and, for specs of your own, {own}, and no other option")
    with _findings_told(), output.progress("generating") as update:
        root = None if specs is None else existing(specs)
        result = generate_target(
            target, out, root, names, package or OWN_PACKAGE, check, lambda step, what: update(f"{step} {what}")
        )
    _report_generated(result, check, as_json)


def _show_undecided(warnings: Sequence[Finding]) -> None:
    """The rules that no derived call decides: each at its place, or their number where they are many."""
    if len(warnings) <= _SHOWN_WARNINGS:
        show_findings(warnings, error=True)
        return
    specs = len({warning.file for warning in warnings})
    text = f"{len(warnings)} rules of {specs} specs are not decided: no derived call shows whether they can fail first"
    output.write(f"warning: {text}; --json lists them.", error=True)


def _report_generated(result: Result, check: bool, as_json: bool) -> None:
    if as_json:
        output.show_json(_generated(result, check))
    else:
        _show_undecided(result.warnings)
        _show_generated(result, check)
    if check and not result.clean:
        raise typer.Exit(FINDING)


def _show_generated(result: Result, check: bool) -> None:
    for difference in result.differences:
        if check:
            output.write(difference.message)
            output.write(difference.diff, end="")
        else:
            verb = "removed" if difference.kind == "orphaned" else "wrote"
            output.write(f"{verb} {difference.path}")
    total = f"{output.count(result.operators, 'operator')}, {output.count(result.files, 'file')}"
    if result.clean:
        output.write(f"{total}: as generated")
    elif check:
        kinds = ((kind, len(result.paths(kind))) for kind in ("missing", "orphaned", "stale"))
        output.write(f"{total}: {', '.join(f'{count} {kind}' for kind, count in kinds if count)}")
    else:
        output.write(f"{total}: {len(result.differences)} changed")


def _generated(result: Result, check: bool) -> dict[str, object]:
    return {
        "operators": result.operators,
        "files": result.files,
        "clean": result.clean,
        "written": not check,
        "differences": [
            {"kind": one.kind, "path": one.path.as_posix(), "message": one.message, "diff": one.diff}
            for one in result.differences
        ],
        "warnings": [_finding(one) for one in result.warnings],
    }


def new(
    name: Annotated[str, typer.Argument(metavar="OP", help="C name of the operator, such as aclnnScaledAdd.")],
    specs: Annotated[
        Path | None, typer.Option("--specs", help="Folder of the spec file.", show_default="specs")
    ] = None,
    kernels: Annotated[
        str | None,
        typer.Option("--kernels", metavar="PACKAGE", help="Python package of the kernel.", show_default="kernels"),
    ] = None,
    category: Annotated[str, typer.Option("--category", help="Category of the operator, a word.")] = "custom",
    as_json: AsJson = False,
) -> None:
    """Start an operator: a spec that is right as it stands and a kernel, both to be edited.

    In a checkout of aclspec, and with neither --specs nor --kernels, they go where the project has its own.

    Example: aclspec new aclnnScaledAdd --specs my_specs --kernels my_kernels
    """
    from aclspec.codegen.pipeline.scaffold import Place, scaffold

    if specs is None and kernels is None and all(path.exists() for path in CHECKOUT):
        place = Place.of_checkout(Path())
    else:
        place = Place.outside(specs or Path("specs"), kernels or "kernels")
    try:
        files = scaffold(name, category, place)
    except ValueError as error:
        raise UsageError(str(error)) from error
    for path in files:
        if path.exists():
            raise UsageError(f"The file {path} exists already; remove it first, or choose another name")
        others = sorted(place.specs.rglob(path.name)) if path.suffix == ".yaml" else []
        if others:
            raise UsageError(f"The operator {name} has a spec already, {others[0].as_posix()}")
    if operators.has(name):
        note = f"aclspec has the operator {name} already, which stays where a package with it is registered"
        output.write(f"warning: {note}, unless by ops.register(package, replace=True)", error=True)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if as_json:
        output.show_json({"written": [path.as_posix() for path in files]})
        return
    for path in files:
        output.show(output.plain(f"wrote {path.as_posix()}"))


def trace(
    specs: Specs = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder of the generated files.", show_default="generated, beside the specs"),
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="Show every clause and every rule.")] = False,
    as_json: AsJson = False,
) -> None:
    """Follow every clause of the documents to its rule, its tests and its place in the manual.

    Example: aclspec trace --json
    """
    from aclspec.codegen.pipeline.load import load_project
    from aclspec.codegen.trace import report, trace

    if specs is None:
        require_checkout("whose tests and pages could be followed", "--specs")
    root = existing(find_specs(specs)).resolve()
    generated = None if out is None else existing(out).resolve()
    with _findings_told(), output.progress("following the clauses"):
        found = trace(load_project(root), root.parent, generated)
    if as_json:
        output.show_json(found.to_json())
    else:
        output.show(output.table("Clauses by document", report.COUNT_COLUMNS, report.count_cells(found)))
        if rows:
            output.show(output.table("Clauses", report.CLAUSE_COLUMNS, map(report.clause_cells, found.clauses)))
            output.show(output.table("Rules", report.RULE_COLUMNS, map(report.rule_cells, found.rules)))
        for end in found.ends:
            output.write(end)
        output.show(output.plain(report.summary(found)))
    if not found.ok:
        raise typer.Exit(FINDING)


@contextmanager
def _findings_told() -> Iterator[None]:
    """Print what is wrong with specs, and end with its status; another wrong value is a mistake of usage."""
    from aclspec.codegen.source.findings import SpecErrors

    try:
        yield
    except SpecErrors as errors:
        show_findings(errors.findings, error=True)
        raise typer.Exit(FINDING) from errors
    except ValueError as error:
        raise UsageError(str(error)) from error


def _is_checkout() -> bool:
    """Whether the specs are those of a checkout, with generated files beside them."""
    return (find_specs().parent / "generated").is_dir()


def require_checkout(what: str, options: str) -> None:
    """A usage error where the specs are those of an installed package, with nothing beside them to work on."""
    if not _is_checkout():
        raise UsageError(f"This aclspec is not a checkout, {what}; give {options}")


def existing(path: Path) -> Path:
    """A path that exists; a usage error for one that does not."""
    if not path.exists():
        raise UsageError(f"The path ({path}) does not exist")
    return path


def show_findings(findings: Sequence[Finding], error: bool = False) -> None:
    """One finding a line, as ``file:line:column: sentence``, which editors follow; never folded."""
    for finding in findings:
        output.write(finding, error=error)


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "file": finding.file,
        "line": finding.at.line,
        "column": finding.at.column,
        "kind": finding.kind,
        "severity": finding.severity,
        "message": finding.message,
        "context": finding.context,
    }
