"""Paths in a variable of the loader, none of which can quote a path."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aclspec.codegen.toolchain.compiler import ToolError

LIST: Final = {":": "a colon", "$": "a dollar sign", "\n": "a line break"}
"""What ends or changes a path in a list such as ASCEND_CUSTOM_OPP_PATH."""
PRELOAD: Final = {" ": "a space", **LIST}
"""The same in LD_PRELOAD."""
SEARCHED: Final = {**LIST, ";": "a semicolon"}
"""The same in LD_LIBRARY_PATH."""


def loadable(root: Path, thing: str, variable: str, signs: Mapping[str, str], advice: str) -> Path:
    """The whole path of a folder, links kept; ToolError where the loader would read it as something else."""
    home = Path(os.path.abspath(root))
    found = [noun for sign, noun in signs.items() if sign in str(home)]
    if found:
        raise ToolError(
            f"The path of the {thing} ({home}) has {' and '.join(found)}, which {variable} cannot hold; {advice}."
        )
    return home
