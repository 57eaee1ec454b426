"""The generated checks in C that the layer judges calls by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aclspec.codegen.render.c.files import render_c
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.rules.operator_info import OperatorInfo


def write_checks(infos: Sequence[OperatorInfo], folder: Path) -> list[str]:
    """Write the checks of these operators into a folder; the result is the names of the files to compile."""
    texts = render_c(infos, KEYS)
    for path, text in texts.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return [str(path) for path in texts if path.suffix == ".c"]
