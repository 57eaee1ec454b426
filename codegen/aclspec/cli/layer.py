"""``aclspec layer``: build the layer, show its environment, run a program under it, say whether it is in front."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from aclspec.cli import operators, output
from aclspec.cli.errors import FINDING, UsageError
from aclspec.cli.layer_findings import RECORD, Gate, diagnosis, muted_rules, processes, say_lost_reports, say_stops
from aclspec.cli.output import AsJson

SIGNALLED = 128
NOT_LOADED = "The layer was not loaded: is the program of another architecture, static, or setuid?"
CUSTOM, PRELOAD = "ASCEND_CUSTOM_OPP_PATH", "LD_PRELOAD"
DEFAULT_ROOT = Path("aclspec-layer")
layer = typer.Typer(
    name="layer",
    help="Say why a program's aclnn calls fail: a library between the program and CANN, which changes nothing.",
    rich_markup_mode="rich",
    no_args_is_help=True,
)
Root = Annotated[Path, typer.Option("--root", help="Folder of the layer, as built.")]
Program = Annotated[list[str], typer.Argument(metavar="PROG...", help="The program and its arguments, after --.")]


@layer.command()
def build(
    out: Annotated[Path, typer.Option("--out", help="Folder to write, which can be copied elsewhere.")] = DEFAULT_ROOT,
    as_json: AsJson = False,
) -> None:
    """Build the layer for every operator whose signature is known; it needs a C compiler, or a wheel for Linux.

    Example: aclspec layer build --out layer
    """
    from aclspec.codegen.layer.build import LIBRARY, build_layer, exports
    from aclspec.codegen.render.c.files import write_checks
    from aclspec.codegen.toolchain.compiler import ToolError

    infos = [operators.find(name).info for name in operators.names(declared=True)]
    try:
        with output.progress("building") as tell:
            warnings = build_layer(infos, partial(write_checks, infos), out.resolve(), tell)
    except ToolError as error:
        raise UsageError(str(error)) from error
    judged = sum(info.facts.has_rules for info in infos)
    if as_json:
        names = [info.name for info in infos]
        library = str(out.resolve() / LIBRARY)
        output.show_json({"library": library, "operators": names, "judged": judged, "warnings": warnings})
        return
    for text in warnings:
        print(text, file=sys.stderr)
    print(f"{out.resolve() / LIBRARY}: {output.count(len(infos), 'operator')}, {judged} with rules")
    print(exports(out), end="")


@layer.command()
def env(root: Root = DEFAULT_ROOT, as_json: AsJson = False) -> None:
    """Show the variables that put the layer in front of CANN, as a shell takes them.

    Example: aclspec layer env --root layer
    """
    from aclspec.codegen.layer.build import exports

    ways = _ways(root)
    if as_json:
        output.show_json(ways)
        return
    print(exports(root), end="")


@layer.command(context_settings={"ignore_unknown_options": True})
def run(
    program: Program,
    root: Root = DEFAULT_ROOT,
    mode: Annotated[str | None, typer.Option(help="explain, portability, enforce or off.")] = None,
    product: Annotated[str | None, typer.Option(help="Product or SoC name; else that of the device.")] = None,
    lang: Annotated[str | None, typer.Option(help="Language of the report: en or zh.")] = None,
    log: Annotated[Path | None, typer.Option(help="File for the report; else the standard error.")] = None,
    record: Annotated[str | None, typer.Option(help="File for every call, a line each; %p is the process.")] = None,
    record_data: Annotated[
        bool, typer.Option("--record-data", help="Also what tensors hold, as .npy beside it; each call waits for it.")
    ] = False,
    mute: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help="Say nothing of this rule. May be given several times.")
    ] = None,
    fail_on: Annotated[
        str | None, typer.Option(metavar="WHAT", help="refused: exit with 1 where a call was refused.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="File of findings that are known: only others fail the run.")
    ] = None,
    write_baseline: Annotated[
        bool, typer.Option("--write-baseline", help="Write the file of --baseline from this run.")
    ] = False,
    findings: Annotated[Path | None, typer.Option(help="File for the refused calls, a JSON line each.")] = None,
    sarif: Annotated[Path | None, typer.Option(help="File for the same as SARIF 2.1.0.")] = None,
) -> None:
    """Run a program under the layer, whichever way it finds CANN's functions; its exit status is the command's.

    With --fail-on a program that ends with 0 makes it 1 where there are findings, where the layer was not loaded, or
    where the recording of a process stopped.

    Example: aclspec layer run --root layer -- printenv LD_PRELOAD
    """
    operators.one_of(mode, ("explain", "portability", "enforce", "off"), "mode")
    operators.one_of(lang, ("en", "zh"), "language")
    rules = muted_rules(mute or [])
    spoken = operators.language("zh" if (lang or os.environ.get("ACLSPEC_LANG")) == "zh" else "en")
    gate = Gate(fail_on, baseline, write_baseline, findings, sarif, rules, spoken)
    is_gated = gate.check()
    if record_data and record is None:
        raise UsageError("The option --record-data needs --record, beside which the data is written.")
    given = {
        "ACLSPEC_LAYER": mode,
        "ACLSPEC_PRODUCT": None if product is None else operators.product(product),
        "ACLSPEC_LANG": lang,
        "ACLSPEC_LAYER_LOG": None if log is None else str(log.absolute()),
        RECORD: None if record is None else os.path.abspath(record),
        "ACLSPEC_RECORD_DATA": "1" if record_data else None,
        "ACLSPEC_LAYER_MUTE": ",".join(sorted(rules)) or None,
    }
    if record is not None:
        make_recording(record)
    variables = {name: value for name, value in given.items() if value is not None}
    with diagnosis() as (asking, folder):
        variables |= asking
        status = _gated(program, root, variables, gate, folder) if is_gated else _run(program, root, variables)
        say_lost_reports(folder)
    if status:
        raise typer.Exit(status if status > 0 else SIGNALLED - status)


def _gated(program: list[str], root: Path, variables: dict[str, str], gate: Gate, folder: Path) -> int:
    """Run the program, then judge its recordings; the status of the program unless that is 0."""
    with gate.recording(variables) as (recording, recordings):
        known = gate.known()
        status = _run(program, root, recording)
        is_whole = not say_stops(folder)
        if not (processes(folder) or recordings.written()):
            is_whole = False
            if gate.write_baseline or (gate.fail_on is not None and status == 0):
                output.write(f"aclspec: {NOT_LOADED}", error=True)
        if gate.write_baseline and not is_whole:
            return status or FINDING  # an empty baseline would take the place of a good one
        found = gate.judge(recordings, shutil.which(program[0]) or program[0], known)
        return status or (found if is_whole or gate.fail_on is None else FINDING)


@layer.command(context_settings={"ignore_unknown_options": True})
def doctor(program: Program, root: Root = DEFAULT_ROOT) -> None:
    """Run a program under the layer and say whether it was loaded, by which way, and which functions went through it.

    The exit status is 1 where the layer was not loaded.

    Example: aclspec layer doctor --root layer -- printenv LD_PRELOAD
    """
    with diagnosis() as (variables, folder):
        status = _run(program, root, variables)
        say_lost_reports(folder)
        found = processes(folder)
    output.show(f"The program ended with status {status}.")
    if not found:
        output.show(NOT_LOADED)
        raise typer.Exit(FINDING)
    for process in found:
        if process["preloaded"] is None:
            output.show(f"Process {process['process']}: loaded; there was no room to write what it found.")
            continue
        way = "LD_PRELOAD" if process["preloaded"] else f"{CUSTOM} (dlopen)"
        output.show(f"Process {process['process']}: loaded by {way}.")
        functions = process["functions"]
        output.show(f"  {output.count(len(functions), 'function')} of CANN found behind the layer")
        for name, library in functions.items():
            output.show(f"    {name}  in {library}")
    if not any(name.startswith("aclnn") for process in found for name in process["functions"]):
        output.show("No function of an operator was asked for through the layer.")


def _ways(root: Path, before: str | None = None) -> dict[str, str]:
    """The variables that put a built layer in front."""
    from aclspec.codegen.layer.build import environment, is_layer
    from aclspec.codegen.toolchain.compiler import ToolError

    if not is_layer(root):
        raise UsageError(f"The folder ({root}) is not a layer; build it with: aclspec layer build --out {root}")
    try:
        return environment(root, before)
    except ToolError as error:
        raise UsageError(str(error)) from error


def make_recording(name: str) -> None:
    """Begin a recording anew, since the layer only appends; each process makes its own where the name has %p.

    As in the layer, a link is not followed in a folder that others may write to. Raises UsageError.
    """
    path = Path(name.replace("%r", os.environ.get("RANK") or "0")).absolute()
    if "%p" in name:
        if "%p" not in str(path.parent) and not (path.parent.is_dir() and os.access(path.parent, os.W_OK | os.X_OK)):
            raise UsageError(f"The recording ({path}) cannot be written: its folder does not exist or is read-only.")
        return
    try:
        folder = path.parent.stat()
        is_shared = folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH) or folder.st_uid not in (0, os.geteuid())
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | (os.O_NOFOLLOW if is_shared else 0)
        os.close(os.open(path, flags, 0o644))
    except OSError as error:
        raise UsageError(f"The recording ({path}) cannot be written ({(error.strerror or '').lower()}).") from error


def _run(program: list[str], root: Path, variables: dict[str, str]) -> int:
    ways = _ways(root, os.environ.get(CUSTOM))
    before = os.environ.get(PRELOAD)
    preload = f"{ways[PRELOAD]}:{before}" if before else ways[PRELOAD]
    try:
        return subprocess.run(program, env=os.environ | variables | ways | {PRELOAD: preload}, check=False).returncode
    except OSError as error:
        raise UsageError(f"The program ({program[0]}) cannot be run ({(error.strerror or '').lower()}).") from error
