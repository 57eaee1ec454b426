"""Libraries that a wheel brings: they take the place of compiled ones where the compiler would be given the same."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, TypeAlias

from aclspec.codegen.toolchain.compiler import CC, Compiler, find_compiler

Kind: TypeAlias = Literal["layer", "simulator"]
BROUGHT: Final = Path(__file__).parents[1] / "brought"
"""A folder for each kind, which `make wheel` fills: the libraries, and the digest of what they are built from."""
DIGEST: Final = "aclspec_digest.txt"
_SUFFIXES: Final = (".c", ".h", ".map")


def digest(options: object, *folders: Path) -> str:
    """The hash of all that decides libraries but the compiler: its options, and the texts of C in these folders."""
    hashed = hashlib.sha256(repr(options).encode())
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in _SUFFIXES:
                name = path.relative_to(folder).as_posix()
                hashed.update(f"\0{name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return hashed.hexdigest()


def check_compiler(kind: Kind) -> None:
    """Raise ToolError where libraries must be compiled and no compiler is installed, before their sources are made."""
    if os.environ.get(CC) or not (BROUGHT / kind / DIGEST).is_file():
        find_compiler(f"The {kind}")


def provide(kind: Kind, found: str, root: Path, inner: Path, compiling: Callable[[Compiler], list[str]]) -> list[str]:
    """Fill the folder ``inner`` of ``root`` with libraries; the result is what the compiler warned of.

    Those of the wheel are taken where they have this digest and CC names no compiler. Raises ToolError.
    """
    brought = BROUGHT / kind
    fits = (brought / DIGEST).is_file() and (brought / DIGEST).read_text(encoding="ascii").strip() == found
    warnings: list[str] = []
    if fits and not os.environ.get(CC):
        for path in sorted(brought.glob("*.so")):
            shutil.copy(path, root / inner)
    else:
        warnings = compiling(find_compiler(f"The {kind}"))
    (root / DIGEST).write_text(f"{found}\n", encoding="ascii")
    return warnings
