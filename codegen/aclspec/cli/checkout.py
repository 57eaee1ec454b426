"""What a command works on: the files of a checkout, or those that it was given."""

from __future__ import annotations

from pathlib import Path

from aclspec.cli.errors import UsageError
from aclspec.codegen.folders import find_specs


def is_checkout() -> bool:
    """Whether the specs are those of a checkout, with generated files beside them."""
    return (find_specs().parent / "generated").is_dir()


def require_checkout(what: str, give: str) -> None:
    """A usage error where the specs are those of an installed package, with nothing beside them to work on."""
    if not is_checkout():
        raise UsageError(f"This aclspec is not a checkout, {what}; give {give}")


def existing(path: Path) -> Path:
    """A path that is there; a usage error for one that is not."""
    if not path.exists():
        raise UsageError(f"The path ({path}) does not exist")
    return path
