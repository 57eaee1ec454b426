"""``aclspec simulator``: build a CANN root that needs no NPU, show its environment, run a program in it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from aclspec.cli import operators, output
from aclspec.cli.errors import UsageError
from aclspec.cli.output import AsJson

LIBRARY_PATH = "LD_LIBRARY_PATH"
SIGNALLED = 128
DEFAULT_ROOT = Path("aclspec-simulator")
simulator = typer.Typer(
    name="simulator",
    help="Compile and run C and C++ programs that call aclnn where there is no NPU.",
    rich_markup_mode="rich",
    no_args_is_help=True,
)
Root = Annotated[Path, typer.Option("--root", help="Folder of the simulator, as built.")]


@simulator.command()
def build(
    out: Annotated[Path, typer.Option("--out", help="Folder to write, which becomes a CANN root.")] = DEFAULT_ROOT,
    as_json: AsJson = False,
) -> None:
    """Build a CANN root with the headers and the libraries of all operators; it needs a C compiler.

    Example: aclspec simulator build --out simulator
    """
    from aclspec.codegen.simulator.interface import read_runtime
    from aclspec.codegen.simulator.root import build_root
    from aclspec.codegen.toolchain.compiler import ToolError

    infos = [operators.find(name).info for name in operators.names(declared=True)]
    try:
        with output.progress("building") as tell:
            warnings = build_root(infos, out.resolve(), tell, operators.registered)
    except ToolError as error:
        raise UsageError(str(error)) from error
    libraries = [f"lib{library}.so" for library in read_runtime().libraries]
    if as_json:
        names = [info.name for info in infos]
        output.show_json({"root": str(out.resolve()), "operators": names, "libraries": libraries, "warnings": warnings})
        return
    for text in warnings:
        print(text, file=sys.stderr)
    print(f"{out.resolve()}: {output.count(len(infos), 'operator')}, {len(libraries)} libraries")
    print(f"source {shlex.quote(str(out.resolve() / 'set_env.sh'))}")


@simulator.command()
def env(root: Root = DEFAULT_ROOT, as_json: AsJson = False) -> None:
    """Show the environment of a simulator, as a shell takes it.

    Example: aclspec simulator env --root simulator
    """
    variables = _variables(root)
    if as_json:
        output.show_json(variables)
        return
    for name, value in variables.items():
        print(f"export {name}={shlex.quote(value)}")


@simulator.command(context_settings={"ignore_unknown_options": True})
def run(
    program: Annotated[list[str], typer.Argument(metavar="PROG...", help="The program and its arguments, after --.")],
    root: Root = DEFAULT_ROOT,
) -> None:
    """Run a program in the environment of a simulator; its exit status is the command's.

    Example: aclspec simulator run --root simulator -- printenv ASCEND_HOME_PATH
    """
    variables = os.environ | _variables(root)
    try:
        status = subprocess.run(program, env=variables, check=False).returncode
    except OSError as error:
        raise UsageError(f"The program ({program[0]}) cannot be run ({(error.strerror or '').lower()}).") from error
    if status:
        raise typer.Exit(status if status > 0 else SIGNALLED - status)


def _variables(root: Path) -> dict[str, str]:
    from aclspec.codegen.simulator.root import environment, is_root

    if not is_root(root):
        raise UsageError(f"The folder ({root}) is not a simulator; build it with: aclspec simulator build --out {root}")
    before = os.environ.get(LIBRARY_PATH)
    library = str(root.resolve() / "lib64")
    return environment(root) | {LIBRARY_PATH: f"{library}:{before}" if before else library}
