"""``aclspec docs``: MkDocs with the configuration of the checkout."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from aclspec.cli.errors import FINDING, UsageError
from aclspec.codegen.source.folders import find_specs

NEEDED = ("mkdocs", "material", "mkdocs_static_i18n", "jieba", "latex2mathml")
docs = typer.Typer(
    name="docs",
    help="The documentation site of a checkout, in English and Chinese.",
    rich_markup_mode="rich",
    no_args_is_help=True,
)


@docs.command()
def build(
    out: Annotated[Path | None, typer.Option("--out", help="Folder to write.", show_default="build/site")] = None,
) -> None:
    """Build the site; it opens from a disk, without a server. Needs MkDocs (pip install 'aclspec[docs]').

    Example: aclspec docs build --out site
    """
    _mkdocs("build", "--strict", *(("--site-dir", str(out.resolve())) if out else ()))


@docs.command()
def serve(
    address: Annotated[str, typer.Option("--address", help="Where to serve it.")] = "127.0.0.1:8000",
) -> None:
    """Serve the site, and build it again after each change of a page. Needs MkDocs (pip install 'aclspec[docs]')."""
    _mkdocs("serve", "--dev-addr", address)


def _mkdocs(command: str, *options: str) -> None:
    """Run MkDocs; its messages about a bad page are shown unchanged."""
    configuration = find_specs().parent / "site" / "mkdocs.yml"
    if not configuration.is_file():
        raise UsageError(f"The site is built from a checkout of aclspec, and {configuration.parent} has no mkdocs.yml")
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"The site needs {', '.join(missing)}; pip install 'aclspec[docs]'")
    words = [sys.executable, "-m", "mkdocs", command, "--config-file", str(configuration), *options]
    if subprocess.run(words, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=False).returncode:
        raise typer.Exit(FINDING)
