"""The command about this machine: ``doctor``."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aclspec.cli import operators, output
from aclspec.cli.errors import FINDING
from aclspec.cli.output import AsJson
from aclspec.runtime.version import __version__

if TYPE_CHECKING:
    from aclspec.runtime.npu.doctor import Finding

STYLES = {"found": "green", "missing": "bold red", "note": ""}


def doctor(
    bundle: Annotated[
        Path | None, typer.Option("--bundle", metavar="ZIP", help="Also write all that a maintainer needs to a file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Report the CANN and NPU found on this machine, what calls would use, and what is missing.

    The exit status is 1 where something that is asked for is missing. A bundle holds versions, these findings and
    recent warnings and errors of CANN. It has only fields and words that aclspec knows: no data and no secret.

    Example: aclspec doctor --json
    """
    found = list(_examined())
    if bundle is not None:
        from aclspec.codegen.conform.bundle import write_bundle

        names = write_bundle(bundle, found)
        output.write(f"{bundle}: {', '.join(names)}", error=True)
    if as_json:
        output.show_json({"findings": [one.to_dict() for one in found]})
    else:
        for one in found:
            output.show(output.plain(f"{one.state:<8}", STYLES[one.state]) + output.plain(one.sentence))
    if any(one.state == "missing" for one in found):
        raise typer.Exit(FINDING)


def _examined() -> Iterator[Finding]:
    from aclspec.runtime.npu.doctor import Finding, chosen_backend, examine, loader_path

    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield Finding("aclspec", "note", f"This is aclspec {__version__}, with {python}.")
    yield _product()
    yield chosen_backend()
    yield _kernels()
    misplaced = loader_path()
    if misplaced is not None:
        yield misplaced
    yield from examine(operators.find(name).name for name in operators.names())


def _product() -> Finding:
    from aclspec.runtime.abi.products import ENVIRONMENT, resolve_product
    from aclspec.runtime.api.device import register
    from aclspec.runtime.npu.doctor import Finding

    try:
        register()
        product = resolve_product()
    except ValueError as error:
        return Finding("product", "missing", "{reason}", {"reason": str(error)})
    source = f" ({ENVIRONMENT})" if ENVIRONMENT.read() else ""
    return Finding("product", "note", f"A call that names no product means {product}{source}.")


def _kernels() -> Finding:
    from aclspec.runtime.npu.doctor import Finding
    from aclspec.runtime.torch_kernels.choice import CHOICE, resolve_kernels

    try:
        kernels = resolve_kernels()
    except ValueError as error:
        return Finding("kernels", "missing", "{reason}", {"reason": str(error)})
    if kernels == "torch":
        return Finding("kernels", "found", f"PyTorch computes on the host where it has a kernel ({CHOICE.name}).")
    return Finding("kernels", "note", f"NumPy computes on the host; {CHOICE.name}=torch takes the kernels of PyTorch.")
