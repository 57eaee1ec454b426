"""The commands about this machine: ``doctor`` and ``native``."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aclspec.cli import operators, output
from aclspec.cli.errors import FINDING, UsageError
from aclspec.cli.output import AsJson
from aclspec.runtime.version import __version__

if TYPE_CHECKING:
    from aclspec.runtime.npu.doctor import Finding

STYLES = {"found": "green", "missing": "bold red", "note": ""}
native = typer.Typer(
    name="native",
    help="The compiled kernels, which are used by themselves once they are built; ACLSPEC_NATIVE=0 turns them off.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


def doctor(
    bundle: Annotated[
        Path | None, typer.Option("--bundle", metavar="ZIP", help="Also write all that a maintainer needs to a file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Report the CANN and NPU found on this machine, what calls would use, and what is missing.

    The exit status is 1 where something that is asked for is missing. A bundle holds versions, these findings and
    recent warnings and errors of CANN; no data, and of the environment nothing that may be secret.

    Example: aclspec doctor --json
    """
    found = list(_examined())
    if bundle is not None:
        from aclspec.codegen.conform.bundle import write_bundle

        names = write_bundle(bundle, [one._asdict() for one in found])
        print(f"{bundle}: {', '.join(names)}", file=sys.stderr)
    if as_json:
        output.show_json({"findings": [one._asdict() for one in found]})
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
    yield _native()
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
        return Finding("product", "missing", str(error))
    source = f" ({ENVIRONMENT})" if ENVIRONMENT.read() else ""
    return Finding("product", "note", f"A call that names no product means {product}{source}.")


def _native() -> Finding:
    from aclspec.runtime.native.library import is_on, library
    from aclspec.runtime.npu.doctor import Finding

    if not is_on():
        return Finding("native", "note", "The compiled kernels are turned off by ACLSPEC_NATIVE=0.")
    if library() is None:
        return Finding("native", "note", "The compiled kernels are not built; `aclspec native build` builds them.")
    return Finding("native", "found", "The compiled kernels are built and used by the backend numpy.")


@native.command("build")
def native_build(
    force: Annotated[bool, typer.Option("--force", help="Build them again where they are built already.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compile the kernels with this machine's C compiler; needs cffi (pip install 'aclspec[native]').

    Example: aclspec native build
    """
    from aclspec.runtime.native.build import BuildError, build, library_path
    from aclspec.runtime.native.library import forget, is_on, library

    begin = time.perf_counter()
    was_built = library_path().exists() and not force
    try:
        with output.progress("compiling the kernels"):
            path = build(force)
    except BuildError as error:
        raise UsageError(str(error)) from error
    forget()
    loaded = library() if is_on() else None
    if is_on() and loaded is None:
        raise UsageError(
            f"The compiled kernels ({path}) cannot be loaded; 'aclspec native build --force' builds them anew"
        )
    uses = loaded.ffi.string(loaded.lib.aclspec_instruction_set()).decode() if loaded else None
    if as_json:
        output.show_json({"path": str(path), "built": not was_built, "instruction_set": uses, "on": is_on()})
        return
    took = "were built before" if was_built else f"were built in {time.perf_counter() - begin:.1f} s"
    state = f"and use the instruction set {uses}" if uses else "and are turned off by ACLSPEC_NATIVE=0"
    output.show(output.plain(f"The compiled kernels {took}, {state}: {path}"))
