"""``aclspec doctor``."""

from __future__ import annotations

import platform
from collections.abc import Iterator

from aclspec.cli import operators, output
from aclspec.cli.errors import FINDING, GOOD
from aclspec.runtime.npu.doctor import Finding, chosen_backend, examine, loader_path
from aclspec.runtime.products import ENVIRONMENT, resolve_product
from aclspec.runtime.version import __version__

STYLES = {"found": "green", "missing": "bold red", "note": ""}


def perform(as_json: bool) -> int:
    """Say what a call would use; a finding when something that is asked for is missing."""
    found = list(_examined())
    if as_json:
        output.show_json({"findings": [one._asdict() for one in found]})
    else:
        for one in found:
            output.show(output.plain(f"{one.state:<8}", STYLES[one.state]) + output.plain(one.sentence))
    return FINDING if any(one.state == "missing" for one in found) else GOOD


def _examined() -> Iterator[Finding]:
    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield Finding("aclspec", "note", f"This is aclspec {__version__}, with {python}.")
    yield _product()
    yield chosen_backend()
    yield _native()
    misplaced = loader_path()
    if misplaced is not None:
        yield misplaced
    yield from examine(operators.find(name).name for name in operators.names())


def _product() -> Finding:
    try:
        product = resolve_product()
    except ValueError as error:
        return Finding("product", "missing", str(error))
    source = f" ({ENVIRONMENT})" if ENVIRONMENT.read() else ""
    return Finding("product", "note", f"A call that names no product means {product}{source}.")


def _native() -> Finding:
    from aclspec.runtime.native.library import is_on, library

    if not is_on():
        return Finding("native", "note", "The compiled kernels are turned off by ACLSPEC_NATIVE=0.")
    if library() is None:
        return Finding("native", "note", "The compiled kernels are not built; `aclspec native build` builds them.")
    return Finding("native", "found", "The compiled kernels are built and used by the backend numpy.")
