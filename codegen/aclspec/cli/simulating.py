"""The commands below ``aclspec simulator``; what each does stands in `aclspec.cli.simulator`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Any

import typer

DEFAULT_ROOT = Path("aclspec-simulator")
simulator = typer.Typer(
    name="simulator",
    help="Compile and run C and C++ programs that call aclnn where there is no NPU.",
    rich_markup_mode="rich",
    no_args_is_help=True,
)
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Root = Annotated[Path, typer.Option("--root", help="Folder of the simulator, as built.")]


def _perform(command: str, *arguments: Any, **options: Any) -> None:
    status = getattr(importlib.import_module("aclspec.cli.simulator"), command)(*arguments, **options)
    if status:
        raise typer.Exit(status)


@simulator.command()
def build(
    out: Annotated[Path, typer.Option("--out", help="Folder to write, which becomes a CANN root.")] = DEFAULT_ROOT,
    as_json: AsJson = False,
) -> None:
    """Build a CANN root with the headers and the libraries of all operators; it needs a C compiler.

    Example: aclspec simulator build --out simulator
    """
    _perform("build", out, as_json=as_json)


@simulator.command()
def env(root: Root = DEFAULT_ROOT, as_json: AsJson = False) -> None:
    """Show the environment of a simulator, as a shell takes it.

    Example: aclspec simulator env --root simulator
    """
    _perform("env", root, as_json=as_json)


@simulator.command(context_settings={"ignore_unknown_options": True})
def run(
    program: Annotated[list[str], typer.Argument(metavar="PROG...", help="The program and its arguments, after --.")],
    root: Root = DEFAULT_ROOT,
) -> None:
    """Run a program in the environment of a simulator; its exit status is the command's.

    Example: aclspec simulator run --root simulator -- printenv ASCEND_HOME_PATH
    """
    _perform("run", root, program)
