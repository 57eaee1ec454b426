"""Expected texts on disk, read by people before they are kept.

With ACLSPEC_UPDATE_GOLDEN set a test writes its file instead of comparing; its diff is then the review.
"""

from __future__ import annotations

import os
from pathlib import Path


def check(path: Path, text: str) -> None:
    """The text is that of the file."""
    if os.environ.get("ACLSPEC_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines()
