"""``aclspec lint``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aclspec.cli import findings, output
from aclspec.cli.checkout import existing, is_checkout
from aclspec.cli.errors import FINDING, GOOD
from aclspec.codegen.lint import lint


def perform(paths: Sequence[Path], as_json: bool) -> int:
    """Report what is wrong with spec files; a finding when anything is an error."""
    with output.progress("reading specs"):
        found = lint([existing(path) for path in paths or own_specs()])
    errors = sum(one.severity == "error" for one in found)
    if as_json:
        output.show_json({"findings": [findings.document(one) for one in found]})
    else:
        findings.show(found)
        counts = f"{output.count(errors, 'error')}, {output.count(len(found) - errors, 'warning')}"
        output.show(output.plain(counts if found else "nothing wrong"))
    return FINDING if errors else GOOD


def own_specs() -> list[Path]:
    """Where no path is given: the folder ``specs`` here, unless the specs of a checkout are meant."""
    local = Path("specs")
    return [local] if local.is_dir() and not is_checkout() else []
