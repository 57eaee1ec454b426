"""Lines of source by places in binaries, as their debug information says."""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from typing import Final, TypeAlias

Address: TypeAlias = tuple[str, int]
"""A file and the offset of a byte in it, as it is linked."""
_TOOL: Final = "addr2line"
_SECONDS: Final = 60


def lines_of(addresses: Iterable[Address]) -> dict[Address, str]:
    """``file:line`` of those that have one; none where binutils is missing or a file has no debug information."""
    tool = shutil.which(_TOOL)
    by_file: defaultdict[str, list[int]] = defaultdict(list)
    for file, offset in dict.fromkeys(addresses):
        by_file[file].append(offset)
    found: dict[Address, str] = {}
    for file, offsets in by_file.items() if tool is not None else ():
        words = [tool or _TOOL, "-e", file, *map(hex, offsets)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, errors="replace")
        except (OSError, subprocess.TimeoutExpired):
            continue
        for offset, line in zip(offsets, done.stdout.splitlines(), strict=False):
            text = line.partition(" (discriminator")[0]
            if not text.startswith("??") and not text.endswith((":0", ":?")):
                found[file, offset] = text
    return found
