"""Lays out a CANN root: headers, libraries, and the script that sets the environment; all of it or nothing."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from aclspec.codegen.render.headers import declared, render_headers
from aclspec.codegen.simulator.compile import FAMILIES, SOURCES, compile_libraries
from aclspec.codegen.simulator.toolchain import find_toolchain
from aclspec.codegen.toolchain.compiler import ToolError
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.version import __version__

MARKER = "aclspec_simulator.txt"
SCRIPT = "set_env.sh"
_MARK = f"A simulator of CANN, built by aclspec {__version__}: `aclspec simulator build` replaces this folder.\n"
_SCRIPT = """\
# Source this file, as that of a CANN root, to compile and run programs with the simulator.
ASCEND_HOME_PATH=@ROOT@
if [ -n "${BASH_SOURCE:-}" ]; then # bash tells where this file is, even after the folder has moved
  ASCEND_HOME_PATH="$(cd -- "$(dirname -- "$BASH_SOURCE")" && pwd)"
fi
export ASCEND_HOME_PATH
export ASCEND_TOOLKIT_HOME="$ASCEND_HOME_PATH"
export ASCEND_CUSTOM_PATH="$ASCEND_HOME_PATH"
export LD_LIBRARY_PATH="$ASCEND_HOME_PATH/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
"""


def is_root(folder: Path) -> bool:
    """Whether a folder is a simulator that was built here."""
    return (folder / MARKER).is_file()


def environment(root: Path) -> dict[str, str]:
    """The variables that the script of a root sets, but for the library path, which it extends."""
    home = str(root.resolve())
    return {"ASCEND_HOME_PATH": home, "ASCEND_TOOLKIT_HOME": home, "ASCEND_CUSTOM_PATH": home}


def build_root(
    infos: Sequence[OperatorInfo],
    out: Path,
    tell: Callable[[str], None] = lambda what: None,
    packages: Mapping[str, Path] | None = None,
) -> list[str]:
    """Build the simulator of these operators in the folder ``out``; the result is what the compiler warned of.

    ``packages`` are the generated packages, beside aclspec's own, that operators come from, and where each is imported
    from. The folder may exist where it is empty or a simulator. Raises ToolError.
    """
    if out.exists() and not is_root(out) and (not out.is_dir() or any(out.iterdir())):
        raise ToolError(f"The folder ({out}) exists and is not a simulator; give another, or remove it.")
    out = out.resolve()
    tools = find_toolchain()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as temporary:
        made = Path(temporary, "root")
        work = Path(temporary, "objects")
        for folder in (made / "lib64", made / "include", work):
            folder.mkdir(parents=True)
        _write_headers(infos, made / "include")
        warnings = compile_libraries(infos, tools, work, made / "lib64", tell, packages or {})
        (made / SCRIPT).write_text(_SCRIPT.replace("@ROOT@", shlex.quote(str(out))), encoding="utf-8")
        (made / MARKER).write_text(_MARK, encoding="utf-8")
        _replace(made, out, Path(temporary, "before"))
    return warnings


def _write_headers(infos: Sequence[OperatorInfo], include: Path) -> None:
    shutil.copytree(SOURCES / "include", include, dirs_exist_ok=True)
    headers = {str(path): text for path, text in render_headers(map(declared, infos)).items()}
    # As libopapi_nn and its like hold the same operators here, so do the headers that go with them.
    everything = "".join(f'#include "{path}"\n' for path in sorted(headers))
    for family in FAMILIES:
        headers[f"aclnnop/aclnn_ops_{family}.h"] = (
            f"/* The header of every operator. C++. */\n#pragma once\n\n{everything}"
        )
    for path, text in headers.items():
        target = include / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def _replace(made: Path, out: Path, before: Path) -> None:
    """Put the new root in its place; the old one comes back where that fails."""
    if out.exists():
        out.rename(before)
    try:
        made.rename(out)
    except OSError:
        if before.exists():
            before.rename(out)
        raise
