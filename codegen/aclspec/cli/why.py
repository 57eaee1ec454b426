"""``aclspec why``: what a pasted text says about a call."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from aclspec.cli import operators, output
from aclspec.cli.errors import FINDING, UsageError
from aclspec.cli.output import AsJson, AsLang


def why(
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="[TEXT|FILE|-]", help="The text, or a file that holds it; - or nothing: standard input."
        ),
    ] = None,
    product: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Product key or SoC name.", autocompletion=operators.complete_product),
    ] = None,
    lang: AsLang = "en",
    as_json: AsJson = False,
) -> None:
    """Say what a traceback, a line of a log, a recorded call or Python code means: which check refuses, what to do.

    Nothing is run or sent anywhere. The exit status is 1 where nothing in the text is known.

    Example: aclspec why 'call aclnnPrelu failed, error code is 161002'
    """
    from aclspec import ops
    from aclspec.runtime.why.answer import MOST_TEXT

    key = None if product is None else operators.product(product)
    found = ops.why(_read(text, 4 * MOST_TEXT), key, operators.language(lang))
    if as_json:
        output.show_json(found.to_dict())
    else:
        output.write(found)
    if not found.found:
        raise typer.Exit(FINDING)


def _read(text: str | None, most: int) -> str | bytes:
    """The text, that of the file of this name, or standard input; no more bytes than are read anyway."""
    if text is None or text == "-":
        if text is None and sys.stdin.isatty():
            raise UsageError("The text is missing; give it, a file, or - for standard input")
        return sys.stdin.buffer.read(most)
    if os.path.isfile(text):
        with Path(text).open("rb") as file:
            return file.read(most)
    if os.path.isdir(text):
        raise UsageError(f"The path ({text}) is a folder; give a file or the text")
    return text
