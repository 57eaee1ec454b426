"""Where things are: the specs, the tables that they share, their lock, and what is kept between runs."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath

COMMON, CLAUSES = "common", "clauses"
LOCK = "rules.lock"
PRODUCT_TABLE = PurePosixPath("runtime/aclspec/runtime/_product_table.py")
"""The one generated file of the runtime, in a checkout."""
CACHE = "ACLSPEC_CACHE"
"""The environment variable that names the folder of what is kept between runs."""
_OFF = "off"


def find_specs(given: Path | str | None = None) -> Path:
    """The directory of specs: the one given, else the checkout's, else the one installed with the package."""
    if given is not None:
        return Path(given)
    checkout = Path(__file__).resolve().parents[3] / "specs"
    if (checkout / COMMON).is_dir():
        return checkout
    return Path(__file__).resolve().parents[1] / "specs"  # beside this package, in the installed one


def table_files(root: Path) -> list[Path]:
    """The files of the tables that all specs share, those that come with the package among them."""
    commons = [folder for folder in (root / COMMON, find_specs() / COMMON) if folder.is_dir()]
    return [path for folder in (*commons, root / CLAUSES) for path in sorted(folder.glob("*.yaml"))]


def operator_files(root: Path) -> list[Path]:
    """The YAML files of operators below a directory, in a fixed order."""
    files = (file for file in root.rglob("*.yaml") if file.is_file())
    return sorted(file for file in files if file.relative_to(root).parts[0] not in (COMMON, CLAUSES))


def cache_folder(name: str) -> Path | None:
    """The folder of this name among what is kept between runs; None where nothing is to be kept."""
    chosen = os.environ.get(CACHE)
    if chosen == _OFF:
        return None
    if chosen:
        return Path(chosen) / name
    home = os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):
        return (Path(home) if home else Path.home() / ".cache") / "aclspec" / name
    return None
