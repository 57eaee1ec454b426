"""``aclspec replay``: what a recording of the layer tells, and the same calls on other products and other backends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aclspec.cli import operators, output
from aclspec.cli.catalog import find
from aclspec.cli.errors import FINDING, UsageError
from aclspec.cli.output import AsJson, AsLang
from aclspec.codegen.source.atomic import atomic_write

if TYPE_CHECKING:
    from aclspec.runtime.replay.summary import Summary
    from aclspec.runtime.rules.sentences import Lang

SHOWN = 40
"""Rows of a table of calls; JSON and the page have all."""


def replay(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Recordings of the layer (ACLSPEC_RECORD).")],
    product: Annotated[
        list[str] | None,
        typer.Option(help="Say which calls would work on this product; all: on every one. May be given several times."),
    ] = None,
    backend: Annotated[
        str | None, typer.Option(help="Run the calls again and compare: numpy, simulator or npu.")
    ] = None,
    root: Annotated[
        Path | None, typer.Option("--root", help="Folder of the simulator, for --backend simulator.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with the same.")] = None,
    lang: AsLang = "en",
    as_json: AsJson = False,
) -> None:
    """Say what a recording tells: how often which operator was called, which calls failed and why.

    The exit status is 1 where calls that were run again give other outputs.

    Example: aclspec replay calls.jsonl --product all
    """
    from aclspec.runtime.replay.judging import Judge
    from aclspec.runtime.replay.recording import RecordingError, read
    from aclspec.runtime.replay.summary import port, summarize

    operators.one_of(backend, operators.BACKENDS, "backend")
    products = _products(product or [])
    judge = Judge(find, operators.language(lang))
    with output.progress("reading") as tell:
        try:
            recording = read(files, tell, judge.lang)
        except RecordingError as error:
            raise UsageError(str(error)) from error
        summary = summarize(recording, judge)
        if products:
            port(summary, recording, judge, products, tell)
        if backend is not None:
            from aclspec.runtime.replay.running import run_again
            from aclspec.runtime.replay.sentences import say

            if backend != "npu":
                summary.notes.append(say(f"kernels {operators.kernels()}", judge.lang))
            summary.runs = run_again(recording, judge, _device(backend, root), tell)
    if html is not None:
        _write_page(html, summary, judge.lang)
    if as_json:
        output.show_json(summary.to_dict())
    else:
        from aclspec.cli.replay_tables import Tables

        Tables(summary, judge.lang, SHOWN).show()
    if any(run.verdict == "differs" for run in summary.runs):
        raise typer.Exit(FINDING)


def _products(names: list[str]) -> tuple[str, ...]:
    from aclspec.runtime.abi.products import KEYS

    return KEYS if "all" in names else tuple(dict.fromkeys(map(operators.product, names)))


def _device(backend: str, root: Path | None) -> str:
    """The name of the backend that computes, with the simulator as the device where that is meant."""
    if backend != "simulator":
        return backend
    from aclspec.cli.simulator import DEFAULT_ROOT, home
    from aclspec.runtime.simulator.device import become_device

    become_device(home(root or DEFAULT_ROOT))
    return backend


def _write_page(path: Path, summary: Summary, lang: Lang) -> None:
    from aclspec.codegen.reports.replay import render

    with atomic_write(path) as beside:
        beside.write_text(render(summary, lang), encoding="utf-8", errors="replace")
