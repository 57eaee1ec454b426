"""Lays out a CANN root: headers, libraries, tools, and the script that sets the environment; all of it or nothing."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from aclspec.codegen.render.headers import declared, render_headers
from aclspec.codegen.simulator.compile import INCLUDE, compile_libraries, socs_of
from aclspec.codegen.simulator.declarations import text_of, with_functions, write_headers
from aclspec.codegen.simulator.interface import Runtime, read_runtime
from aclspec.codegen.source.folders import COMMON, find_specs
from aclspec.codegen.spec.tables import read_products
from aclspec.codegen.toolchain.brought import check_compiler
from aclspec.codegen.toolchain.compiler import ToolError
from aclspec.codegen.toolchain.loadable import SEARCHED, loadable
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.version import __version__

MARKER = "aclspec_simulator.txt"
HOME = "cann"
"""The folder of CANN in that of a simulator: the name by which programs find a root from the path of a library."""
SCRIPT = "set_env.sh"
PYTHON = "aclspec_python.txt"
"""The text by which the libraries start the device process, so that they are the same wherever Python is."""
FAMILIES = ("nn", "math", "cv", "transformer")
"""Of operators in CANN 9, each with a header; here each has every operator."""
_MARK = f"A simulator of CANN, built by aclspec {__version__}: `aclspec simulator build` replaces this folder.\n"
_EMPTY = ("runtime", "opp", "compiler")
"""Folders that programs look for; they read only the file with the version."""


def is_root(folder: Path) -> bool:
    """Whether a folder is a simulator that was built here."""
    return (folder / MARKER).is_file()


def home_of(folder: Path) -> Path:
    """The CANN root in the folder of a simulator, which may be the folder itself."""
    folder = folder.resolve()
    return folder / HOME if (folder / HOME).is_dir() else folder


def check_carried(folder: Path) -> None:
    """ToolError for a folder that LD_LIBRARY_PATH cannot hold."""
    loadable(folder, "simulator", "LD_LIBRARY_PATH", SEARCHED, "give another folder")


def environment(folder: Path) -> dict[str, str]:
    """The variables that the script sets, but for the paths of libraries and programs, which it extends."""
    home = str(home_of(folder))
    names = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_CUSTOM_PATH")
    return dict.fromkeys(names, home) | {"ASCEND_OPP_PATH": f"{home}/opp"}


def build_root(
    infos: Sequence[OperatorInfo],
    out: Path,
    tell: Callable[[str], None] = lambda what: None,
    packages: Mapping[str, Path] | None = None,
) -> list[str]:
    """Build the simulator of these operators in the folder ``out``; the result is what the compiler warned of.

    ``packages`` are the generated packages, beside aclspec's own, that operators come from, and where each is imported
    from. The folder may exist where it is empty or a simulator; the CANN root is ``out/cann``. Raises ToolError.
    """
    out = out.resolve()
    check_carried(out)
    if out.exists() and not is_root(out) and (not out.is_dir() or any(out.iterdir())):
        raise ToolError(f"The folder ({out}) exists and is not a simulator; give another, or remove it.")
    if sys.platform != "linux":
        raise ToolError(f"The simulator runs on Linux only, and this is {sys.platform}.")
    check_compiler("simulator")
    runtime = read_runtime()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as temporary:
        made = Path(temporary, "root")
        home = made / HOME
        work = Path(temporary, "objects")
        for folder in (home / "lib64", home / "include", work):
            folder.mkdir(parents=True)
        write_headers(runtime, INCLUDE, home / "include")
        _write_operator_headers(infos, runtime, home / "include")
        warnings = compile_libraries(infos, runtime, work, home, tell)
        (home / PYTHON).write_text(_python(packages or {}), encoding="utf-8", errors="surrogateescape")
        _write_tools(home, runtime.version)
        for folder, inner in ((made, f"/{HOME}"), (home, "")):
            script = text_of("set_env.sh.j2", root=str(out / HOME), inner=inner)
            (folder / SCRIPT).write_text(script, encoding="utf-8")
            (folder / MARKER).write_text(_MARK, encoding="utf-8")
        _replace(made, out, Path(temporary, "before"))
    return warnings


def _python(packages: Mapping[str, Path]) -> str:
    """The executable, and a line for each package and each other folder in which Python finds their kernels here."""
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep) if packages else []
    homes = (*packages.items(), *(("", Path(one).resolve()) for one in others if one))
    return f"{sys.executable}\n" + "".join(f"{name}\t{home}\n" for name, home in homes)


def _write_operator_headers(infos: Sequence[OperatorInfo], runtime: Runtime, include: Path) -> None:
    headers = {str(path): text for path, text in render_headers(map(declared, infos)).items()}
    for interface in runtime.interfaces.values():
        if interface.spec.header in headers:
            headers[interface.spec.header] = with_functions(headers[interface.spec.header], interface)
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


def _write_tools(home: Path, version: str) -> None:
    """The folders and files that programs look for beside headers and libraries."""
    for folder in _EMPTY:
        (home / folder).mkdir()
        (home / folder / "version.info").write_text(f"Version={version}\n", encoding="utf-8")
    shutil.copyfile(home / "compiler" / "version.info", home / "version.info")
    (home / "bin").mkdir()
    script = home / "bin" / "npu-smi"
    script.write_text(text_of("npu-smi.j2", socs=socs_of(read_products(find_specs() / COMMON))), encoding="utf-8")
    script.chmod(0o755)


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
