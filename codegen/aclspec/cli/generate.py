"""``aclspec generate``."""

from __future__ import annotations

import sys
from pathlib import Path

from aclspec.cli import findings, output
from aclspec.cli.checkout import existing, require_checkout
from aclspec.cli.errors import FINDING, GOOD, UsageError
from aclspec.codegen.findings import SpecErrors
from aclspec.codegen.generate import Result, generate
from aclspec.codegen.render.target import OWN_PACKAGE


def perform(
    check: bool, specs: Path | None, out: Path | None, package: str | None, acknowledge: list[str], as_json: bool
) -> int:
    """Write what follows from the specs, or compare; a finding when specs are wrong or, on a check, files differ."""
    _refuse_halves(specs, out, package)
    try:
        with output.progress("generating") as tell:
            result = generate(
                specs_dir=None if specs is None else existing(specs),
                out_dir=out,
                package=package or OWN_PACKAGE,
                check=check,
                progress=lambda step, what: tell(f"{step} {what}"),
                acknowledge=acknowledge,
                processes=True,
            )
    except SpecErrors as errors:
        findings.show(errors.findings, sys.stderr)
        return FINDING
    except ValueError as error:
        raise UsageError(str(error)) from error
    if as_json:
        output.show_json(_document(result, check))
    else:
        _show(result, check)
    return FINDING if check and not result.clean else GOOD


def _refuse_halves(specs: Path | None, out: Path | None, package: str | None) -> None:
    """Specs of one's own go to a package of one's own; without any of the three, a checkout is meant."""
    given = [specs is not None, out is not None, package is not None]
    if any(given) and not all(given):
        raise UsageError("The options --specs, --out and --package are given together, or none of them")
    if not any(given):
        require_checkout("whose files could be generated", "--specs, --out, --package")


def _show(result: Result, check: bool) -> None:
    for difference in result.differences:
        if check:
            print(difference.message)
            print(difference.diff, end="")
        else:
            verb = "removed" if difference.kind == "orphaned" else "wrote"
            print(f"{verb} {difference.path}")
    total = f"{output.count(result.operators, 'operator')}, {output.count(result.files, 'file')}"
    changed = len(result.differences)
    if not changed:
        print(f"{total}: as generated")
    elif check:
        kinds = (("missing", result.missing), ("orphaned", result.orphaned), ("stale", result.stale))
        print(f"{total}: {', '.join(f'{len(paths)} {kind}' for kind, paths in kinds if paths)}")
    else:
        print(f"{total}: {changed} changed")


def _document(result: Result, check: bool) -> dict[str, object]:
    return {
        "operators": result.operators,
        "files": result.files,
        "clean": result.clean,
        "written": not check,
        "differences": [
            {"kind": one.kind, "path": one.path.as_posix(), "message": one.message, "diff": one.diff}
            for one in result.differences
        ],
    }
