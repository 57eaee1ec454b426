"""``aclspec docs``: MkDocs with the configuration of the checkout."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from aclspec.cli.errors import FINDING, GOOD, UsageError
from aclspec.codegen.folders import find_specs

NEEDED = ("mkdocs", "material", "mkdocs_static_i18n", "jieba", "latex2mathml")


def build(out: Path | None) -> int:
    """Build the site strictly; what MkDocs says of a bad page is shown as it says it."""
    return _mkdocs("build", "--strict", *(("--site-dir", str(out.resolve())) if out else ()))


def serve(address: str) -> int:
    """Serve the site until the user has enough."""
    return _mkdocs("serve", "--dev-addr", address)


def _mkdocs(command: str, *options: str) -> int:
    configuration = find_specs().parent / "site" / "mkdocs.yml"
    if not configuration.is_file():
        raise UsageError(f"The site is built from a checkout of aclspec, and {configuration.parent} has no mkdocs.yml")
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"The site needs {', '.join(missing)}; pip install 'aclspec[docs]'")
    words = [sys.executable, "-m", "mkdocs", command, "--config-file", str(configuration), *options]
    done = subprocess.run(words, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=False)
    return GOOD if done.returncode == 0 else FINDING
