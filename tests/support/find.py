"""The search of the site, run by Node."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "site/docs/assets/javascripts/find.js"

Result = dict[str, str]


def results(node: str, index: Path, queries: Iterable[str], script: Path = SCRIPT) -> dict[str, list[Result]]:
    """What each query finds in an index, the best first."""
    asked = list(queries)
    words = [node, str(Path(__file__).with_suffix(".js")), str(script), str(index)]
    lines = "".join(json.dumps(query) + "\n" for query in asked)
    done = subprocess.run(words, input=lines, capture_output=True, text=True, check=True, encoding="utf-8")
    return dict(zip(asked, map(json.loads, done.stdout.splitlines()), strict=True))
