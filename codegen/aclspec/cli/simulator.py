"""``aclspec simulator``: build a CANN root that needs no NPU, show its environment, run a program in it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aclspec.cli import operators, output
from aclspec.cli.device import device
from aclspec.cli.errors import FINDING, UsageError
from aclspec.cli.layer import make_recording
from aclspec.cli.layer_findings import diagnosis, say_stops
from aclspec.cli.output import AsJson

if TYPE_CHECKING:
    from aclspec.cli.dry import Dry

SIGNALLED = 128
SHOWN = ("absent", "refused", "unknown")
"""Answers whose functions the doctor lists."""
DEFAULT_ROOT = Path("aclspec-simulator")
simulator = typer.Typer(
    name="simulator",
    help="Compile and run C and C++ programs that call aclnn where there is no NPU.",
    rich_markup_mode="rich",
    no_args_is_help=True,
)
simulator.command()(device)
Root = Annotated[Path, typer.Option("--root", help="Folder of the simulator, as built.")]


@simulator.command()
def build(
    out: Annotated[Path, typer.Option("--out", help="Folder to write, which becomes a CANN root.")] = DEFAULT_ROOT,
    as_json: AsJson = False,
) -> None:
    """Build a CANN root with the headers and libraries of all operators; it needs a C compiler, or a wheel for Linux.

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
    root: Annotated[
        Path | None, typer.Option("--root", help="Folder of a simulator; else one is built and kept.")
    ] = None,
    product: Annotated[
        str | None, typer.Option(help="Product or SoC name of the device; of several, with --dry, the first, or all.")
    ] = None,
    devices: Annotated[int | None, typer.Option(min=1, max=16, help="How many devices there are.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Report what hardware corrupts silently.")] = False,
    missing: Annotated[
        str | None,
        typer.Option(help="An operator without a kernel: refuse it, or cpu: let PyTorch compute it and list it."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say of each refused call why; see aclspec layer.")
    ] = False,
    record: Annotated[str | None, typer.Option(help="File for every call, a line each; %p is the process.")] = None,
    dry: Annotated[
        bool, typer.Option("--dry", help="Compute nothing, take no memory, and say which calls each product refuses.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option(help="File for what --dry says: .html, .json or .txt; else standard error.")
    ] = None,
    each: Annotated[
        bool, typer.Option("--each", help="With --dry, run the program once on each product, each with its report.")
    ] = False,
) -> None:
    """Run a program on simulated devices; its exit status is the command's.

    The simulator is built first where that is needed, with a C compiler or from a wheel for Linux, and is kept in the
    cache.

    Example: aclspec simulator run -- printenv ASCEND_HOME_PATH
    """
    from aclspec.cli.dry import dries_of

    operators.one_of(missing, ("refuse", "cpu"), "answer to a missing operator")
    if dry and missing is not None:
        raise UsageError("The dry device computes no operator: --missing has no meaning with --dry.")
    if report is not None and not dry:
        raise UsageError("The option --report needs --dry.")
    if each and (not dry or record is not None):
        raise UsageError("The option --each needs --dry, and has no meaning with --record.")
    runs = dries_of(product, report, each) if dry else ((None, product),)
    chosen: dict[str, str | None] = {
        "ACLSPEC_DEVICES": None if devices is None else str(devices),
        "ACLSPEC_STRICT": "1" if strict else None,
        "ACLSPEC_MISSING": None if missing is None else "refuse",
        "ACLSPEC_RECORD": None if record is None else os.path.abspath(record),
    }
    before = dict(os.environ)
    if missing == "cpu":
        chosen |= _fallback(before.get("PYTHONPATH"))
    if record is not None:
        make_recording(record)
    if explain or record is not None or dry:
        chosen |= _layer(before, report=explain)
    found = _cached_root() if root is None else _existing(root)
    statuses = [_run(program, found, chosen | _device(one), before, explain, dried, record) for dried, one in runs]
    if status := next(filter(None, statuses), 0):
        raise typer.Exit(status if status > 0 else SIGNALLED - status)


def _run(
    program: Sequence[str],
    root: Path,
    chosen: Mapping[str, str | None],
    before: Mapping[str, str],
    explain: bool,
    dried: Dry | None,
    record: str | None,
) -> int:
    """The status of one run of a program; a variable that is chosen as an empty text is taken away."""
    from aclspec.codegen.simulator.launch import launch_environment
    from aclspec.codegen.toolchain.compiler import ToolError

    given = {name: value for name, value in chosen.items() if value is not None}
    try:
        variables = launch_environment(root, given, before)
    except ToolError as error:
        raise UsageError(str(error)) from error
    for name in (name for name, value in chosen.items() if value == ""):
        del variables[name]
    with ExitStack() as stack:
        asking, folder = stack.enter_context(diagnosis())
        drying = {} if dried is None else stack.enter_context(dried.run(record))
        try:
            status = subprocess.run(program, env=variables | asking | drying, check=False).returncode
        except OSError as error:
            raise UsageError(f"The program ({program[0]}) cannot be run ({(error.strerror or '').lower()}).") from error
        if not explain:  # else the layer's own report says it
            say_stops(folder)
    return status


@simulator.command()
def doctor(
    program: Annotated[Path, typer.Argument(help="A program, a library, a wheel, or a folder of them.")],
    as_json: AsJson = False,
) -> None:
    """Say what a program links or looks up of CANN, and what it meets in the simulator; nothing is run.

    The exit status is 1 where a binary cannot be loaded, for want of a function or a library.

    Example: aclspec simulator doctor ./program
    """
    from aclspec.codegen.simulator.interface import read_runtime
    from aclspec.codegen.toolchain.compiler import ToolError

    try:
        from aclspec.codegen.simulator.doctor import examine
    except ImportError as error:
        raise UsageError("pyelftools is not installed; pip install 'aclspec[cli]'") from error
    infos = [operators.find(name).info for name in operators.names(declared=True)]
    levels = {info.name: info.level for info in infos}
    try:
        with output.progress("reading"):
            found = examine(program, read_runtime(), levels)
    except ToolError as error:
        raise UsageError(str(error)) from error
    if as_json:
        output.show_json(asdict(found))
    else:
        output.write(f"{output.count(found.binaries, 'binary file')}")
        _say("libraries", {name: "present" if there else "missing" for name, there in found.libraries.items()})
        _say("linked functions", found.linked)
        _say("functions that it names", found.looked_up)
        _say("operators that it names", found.operators)
        output.write(f"cannot be loaded: {len(found.missing)}")
        for name, lacking in found.missing.items():
            output.write(f"  {name}: {' '.join(lacking)}")
    if found.missing:
        raise typer.Exit(FINDING)


def _say(title: str, answers: Mapping[str, str]) -> None:
    """The names by answer: how many, and which where they are what a reader asks for."""
    output.write(f"{title}: {len(answers)}")
    for answer in dict.fromkeys(answers.values()):
        names = [name for name, one in answers.items() if one == answer]
        shown = ": " + " ".join(names) if answer in SHOWN else ""
        output.write(f"  {len(names):4d} {answer}{shown}")


def _device(product: str | None) -> dict[str, str | None]:
    """The variables by which the device is a product, or one of its SoCs; the other one is emptied."""
    if product is None:
        return {}
    key = operators.product(product)
    if product.startswith("Ascend"):
        return {"ACLSPEC_SOC": product, "ACLSPEC_PRODUCT": key}
    return {"ACLSPEC_PRODUCT": key, "ACLSPEC_SOC": ""}


def _fallback(path: str | None) -> dict[str, str]:
    """The variables by which Python finds what computes on the CPU, and the module behind which it starts."""
    from aclspec.codegen.simulator.launch import read_launch
    from aclspec.runtime import simulator as sources

    folder = str(Path(sources.__file__).parent / "missing")
    spec = read_launch().fallback
    return {"PYTHONPATH": f"{folder}{os.pathsep}{path}" if path else folder, spec.variable: spec.module}


def _layer(before: Mapping[str, str], report: bool) -> dict[str, str | None]:
    """The variables that put the layer in front; without a report it records alone."""
    from aclspec.codegen.layer.build import build_layer, environment
    from aclspec.codegen.render.c.files import write_checks

    infos = [operators.find(name).info for name in operators.names(declared=True)]
    found = _cached("layer", lambda out, tell: build_layer(infos, partial(write_checks, infos), out, tell))
    own = environment(found, before.get("ASCEND_CUSTOM_OPP_PATH"))
    return {**own, "ACLSPEC_LAYER": "explain", "ACLSPEC_LAYER_LOG": None if report else os.devnull}


def _cached_root() -> Path:
    from aclspec.codegen.simulator.root import build_root

    infos = [operators.find(name).info for name in operators.names(declared=True)]
    return _cached("simulator", lambda out, tell: build_root(infos, out, tell, operators.registered))


def _cached(kind: str, build: Callable[[Path, Callable[[str], None]], Sequence[str]]) -> Path:
    from aclspec.codegen.simulator.launch import cached
    from aclspec.codegen.toolchain.compiler import ToolError

    try:
        with output.progress(f"building the {kind}") as tell:
            return cached(kind, lambda out: build(out, tell), operators.registered)
    except ToolError as error:
        raise UsageError(str(error)) from error


def _existing(root: Path) -> Path:
    from aclspec.codegen.simulator.root import is_root

    if not is_root(root):
        raise UsageError(f"The folder ({root}) is not a simulator; build it with: aclspec simulator build --out {root}")
    return root


def home(root: Path) -> Path:
    """The folder of CANN in a simulator; UsageError for a folder that is none."""
    from aclspec.codegen.simulator.root import home_of

    return home_of(_existing(root))


def _variables(root: Path) -> dict[str, str]:
    from aclspec.codegen.simulator.launch import paths
    from aclspec.codegen.toolchain.compiler import ToolError

    try:
        return paths(_existing(root), os.environ)
    except ToolError as error:
        raise UsageError(str(error)) from error
