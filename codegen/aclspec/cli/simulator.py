"""``aclspec simulator``: build a CANN root that needs no NPU, show its environment, run a program in it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from aclspec.cli import operators, output
from aclspec.cli.errors import GOOD, UsageError
from aclspec.codegen.simulator.compile import LIBRARIES
from aclspec.codegen.simulator.root import build_root, environment, is_root
from aclspec.codegen.simulator.toolchain import ToolError

LIBRARY_PATH = "LD_LIBRARY_PATH"
SIGNALLED = 128


def build(out: Path, as_json: bool) -> int:
    """Build the simulator of all known operators."""
    infos = [operators.find(name).info for name in operators.names()]
    try:
        with output.progress("building") as tell:
            said = build_root(infos, out.resolve(), tell, operators.registered)
    except ToolError as error:
        raise UsageError(str(error)) from error
    libraries = [f"lib{library.name}.so" for library in LIBRARIES]
    if as_json:
        names = [info.name for info in infos]
        output.show_json({"root": str(out.resolve()), "operators": names, "libraries": libraries, "warnings": said})
        return GOOD
    for text in said:
        print(text, file=sys.stderr)
    print(f"{out.resolve()}: {output.count(len(infos), 'operator')}, {len(libraries)} libraries")
    print(f"source {shlex.quote(str(out.resolve() / 'set_env.sh'))}")
    return GOOD


def env(root: Path, as_json: bool) -> int:
    """Show the variables with which programs are compiled and run with a simulator, as a shell takes them."""
    variables = _variables(root)
    if as_json:
        output.show_json(variables)
        return GOOD
    for name, value in variables.items():
        print(f"export {name}={shlex.quote(value)}")
    return GOOD


def run(root: Path, command: list[str]) -> int:
    """Run a program with the variables of the simulator set; its exit status, of a signal as a shell tells it."""
    variables = os.environ | _variables(root)
    try:
        status = subprocess.run(command, env=variables, check=False).returncode
        return status if status >= 0 else SIGNALLED - status
    except OSError as error:
        raise UsageError(f"The program ({command[0]}) cannot be run ({(error.strerror or '').lower()}).") from error


def _variables(root: Path) -> dict[str, str]:
    if not is_root(root):
        raise UsageError(f"The folder ({root}) is not a simulator; build it with: aclspec simulator build --out {root}")
    before = os.environ.get(LIBRARY_PATH)
    library = str(root.resolve() / "lib64")
    return environment(root) | {LIBRARY_PATH: f"{library}:{before}" if before else library}
