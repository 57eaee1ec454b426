"""The command ``sample``: the C++ program of an operator, written where a person wants it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aclspec.cli import operators, output
from aclspec.cli.errors import UsageError
from aclspec.cli.output import AsJson
from aclspec.codegen.source.atomic import atomic_write


def sample(
    operator: operators.OperatorName,
    out: Annotated[Path, typer.Option(help="Where to put the files.", metavar="DIR", file_okay=False)] = Path(),
    as_json: AsJson = False,
) -> None:
    """Write the C++ program of an operator's first example, OP.cpp, and the header sample.h that it includes.

    Example: aclspec sample prelu_backward --out programs
    """
    from aclspec.codegen.render.samples import program_of, render_sample_header

    try:
        texts = program_of(operators.find(operator).info) | render_sample_header()
    except ValueError as error:
        raise UsageError(str(error)) from error
    files = {out / path.name: text for path, text in texts.items()}
    for path, text in files.items():
        if path.exists() and (not path.is_file() or path.read_text(encoding="utf-8", errors="replace") != text):
            raise UsageError(f"The file {path} exists already; remove it first, or choose another folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        with atomic_write(path) as beside:
            beside.write_text(text, encoding="utf-8")
    if as_json:
        output.show_json({"written": [path.as_posix() for path in files]})
        return
    for path in files:
        output.show(output.plain(f"wrote {path.as_posix()}"))
