"""``aclspec simulator device``: the device of programs in a terminal, where a debugger stops in a kernel."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from aclspec.cli import output
from aclspec.cli.errors import UsageError


def device(
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Compute in this terminal; without it each program starts its own.")
    ] = False,
    programs: Annotated[int | None, typer.Option(min=1, help="End after so many programs; else by Ctrl-C.")] = None,
) -> None:
    """Compute for programs in this terminal, so that breakpoint() in a kernel stops here.

    It prints a variable, with which programs in other terminals find it, one after the other. The traceback of a kernel
    that fails is printed. It runs on Linux only.

    Example: aclspec simulator device --foreground
    """
    if not foreground:
        raise UsageError("A program starts its device itself; to have it in this terminal, say --foreground.")
    if sys.platform != "linux":
        raise UsageError("The simulator runs on Linux only.")
    from aclspec.runtime.simulator.foreground import attend

    with TemporaryDirectory(prefix="aclspec-device-") as folder:
        try:
            attend(Path(folder, "socket"), output.write, programs)
        except KeyboardInterrupt:
            output.write("No program finds this device any more.")
