"""``aclspec new OP``."""

from __future__ import annotations

from pathlib import Path

from aclspec.cli import output
from aclspec.cli.errors import GOOD, UsageError
from aclspec.codegen.scaffold import Place, scaffold

CHECKOUT = Path("specs/common/products.yaml"), Path("runtime/aclspec/runtime/kernels")


def perform(operator: str, specs: Path | None, kernels: str | None, category: str, as_json: bool) -> int:
    """Write the files of a new operator; nothing that exists is written over."""
    if specs is None and kernels is None and all(path.exists() for path in CHECKOUT):
        place = Place.of_checkout(Path())
    else:
        place = Place.outside(specs or Path("specs"), kernels or "kernels")
    try:
        files = scaffold(operator, category, place)
    except ValueError as error:
        raise UsageError(str(error)) from error
    for path in files:
        if path.exists():
            raise UsageError(f"The file {path} exists already; remove it first, or choose another name")
        others = sorted(place.specs.rglob(path.name)) if path.suffix == ".yaml" else []
        if others:
            raise UsageError(f"The operator {operator} has a spec already, {others[0].as_posix()}")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if as_json:
        output.show_json({"written": [path.as_posix() for path in files]})
    else:
        for path in files:
            output.show(output.plain(f"wrote {path.as_posix()}"))
    return GOOD
