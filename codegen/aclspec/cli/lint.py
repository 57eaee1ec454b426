"""``aclspec lint``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aclspec.cli import findings, output
from aclspec.cli.errors import FINDING, GOOD, UsageError
from aclspec.codegen.lint import lint
from aclspec.codegen.load import find_specs


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
    return [local] if local.is_dir() and not _is_checkout() else []


def _is_checkout() -> bool:
    return (find_specs().parent / "generated").is_dir()


def require_checkout(what: str, give: str) -> None:
    """A usage error where the specs are those of an installed package, with nothing beside them to work on."""
    if not _is_checkout():
        raise UsageError(f"This aclspec is not a checkout, {what}; give {give}")


def existing(path: Path) -> Path:
    """A path that is there; a usage error for one that is not."""
    if not path.exists():
        raise UsageError(f"The path ({path}) does not exist")
    return path
