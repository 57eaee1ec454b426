"""The commands below ``aclspec docs``; what each does stands in `aclspec.cli.docs`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Any

import typer

docs = typer.Typer(
    name="docs",
    help="The documentation site of a checkout, in English and Chinese.",
    rich_markup_mode="rich",
    no_args_is_help=True,
)


def _perform(command: str, *arguments: Any) -> None:
    status = getattr(importlib.import_module("aclspec.cli.docs"), command)(*arguments)
    if status:
        raise typer.Exit(status)


@docs.command()
def build(
    out: Annotated[Path | None, typer.Option("--out", help="Folder to write.", show_default="build/site")] = None,
) -> None:
    """Build the site; it opens from a disk, without a server. Needs MkDocs (pip install 'aclspec[docs]').

    Example: aclspec docs build --out site
    """
    _perform("build", out)


@docs.command()
def serve(
    address: Annotated[str, typer.Option("--address", help="Where to serve it.")] = "127.0.0.1:8000",
) -> None:
    """Serve the site, and build it again after each change of a page. Needs MkDocs (pip install 'aclspec[docs]')."""
    _perform("serve", address)
