"""The site, built once a session; a server that hands it out, and a browser that looks at it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TOP = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site, which is built once for all workers of a run; that of ACLSPEC_SITE if it is set."""
    if "ACLSPEC_SITE" in os.environ:
        return Path(os.environ["ACLSPEC_SITE"]).resolve()
    base = tmp_path_factory.getbasetemp()
    out = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    with FileLock(f"{out}.lock"):
        if not out.is_dir():
            _build(out.with_name("site.part"))
            out.with_name("site.part").rename(out)
    return out


def _build(out: Path) -> None:
    """By the command of the reference page, which the test of its examples leaves out."""
    words = [sys.executable, "-m", "aclspec.cli", "docs", "build", "--out", str(out)]
    done = subprocess.run(words, cwd=TOP, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where a local server hands out the site."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def browser(program: Callable[[str], str]) -> Iterator[Browser]:
    """Debian's Chromium."""
    path = program("chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()
