"""Compiles the layer and lays it out where the loaders of aclnn libraries look; all of it or nothing."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from aclspec.codegen.layer.render import write_sources
from aclspec.codegen.toolchain.brought import check_compiler, digest, provide
from aclspec.codegen.toolchain.compiler import Compiler, ToolError
from aclspec.codegen.toolchain.loadable import PRELOAD, loadable
from aclspec.runtime import layer
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.version import __version__

SOURCES = Path(layer.__file__).parent
LIBRARY = Path("op_api", "lib", "libcust_opapi.so")
"""Where loaders look below a folder of ASCEND_CUSTOM_OPP_PATH."""
SECOND_PLACE = Path("vendors", "customize", "op_api")
"""Where some tools look instead: a link to the folder of the first, so that the library is one file."""
MARKER = "aclspec_layer.txt"
FLAGS = ("-std=gnu11", "-O1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-D_GNU_SOURCE")
LINK = ("-shared", "-Wl,-z,nodelete", "-Wl,--no-undefined", "-Wl,-soname,libcust_opapi.so")
LIBRARIES = ("-ldl", "-lpthread", "-lm")
RUNS = 2
"""Compilers at a time."""
Checks = Callable[[Path], Sequence[str]]
"""Writes aclspec_checks.h and the sources of the checks into a folder, and gives the names of those to compile."""


def is_layer(folder: Path) -> bool:
    """Whether a folder is a layer that was built here."""
    return (folder / MARKER).is_file()


def _carried(root: Path) -> Path:
    advice = "give another folder, or a link to it whose path has none"
    return loadable(root, "layer", "LD_PRELOAD", PRELOAD, advice)


def environment(root: Path, before: str | None = None) -> dict[str, str]:
    """The variables that put the layer in front, both ways: of what is loaded by dlopen, and of what is linked.

    ``before`` is what ASCEND_CUSTOM_OPP_PATH holds already; it stays behind the layer. ToolError for a path that they
    cannot hold.
    """
    home = _carried(root)
    custom = [str(home), *([before] if before else [])]
    return {"ASCEND_CUSTOM_OPP_PATH": ":".join(custom), "LD_PRELOAD": str(home / LIBRARY)}


def exports(root: Path) -> str:
    """The same as a shell takes it, with what the variables hold kept. Raises ToolError."""
    home = _carried(root)
    custom, preload = shlex.quote(str(home)), shlex.quote(str(home / LIBRARY))
    return (
        f'export ASCEND_CUSTOM_OPP_PATH={custom}"${{ASCEND_CUSTOM_OPP_PATH:+:$ASCEND_CUSTOM_OPP_PATH}}"\n'
        f'export LD_PRELOAD={preload}"${{LD_PRELOAD:+:$LD_PRELOAD}}"\n'
    )


def build_layer(
    infos: Sequence[OperatorInfo], checks: Checks, out: Path, tell: Callable[[str], None] = lambda what: None
) -> list[str]:
    """Build the layer of these operators in the folder ``out``; the result is what the compiler warned of.

    The folder may exist where it is empty or a layer. Raises ToolError.
    """
    _carried(out)
    if out.exists() and not is_layer(out) and (not out.is_dir() or any(out.iterdir())):
        raise ToolError(f"The folder ({out}) exists and is not a layer; give another, or remove it.")
    check_compiler("layer")
    out = out.resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as temporary:
        work, made = Path(temporary, "objects"), Path(temporary, "layer")
        (made / LIBRARY).parent.mkdir(parents=True)
        work.mkdir()
        sources = [*checks(work), *write_sources(infos, work)]
        found = digest((FLAGS, LINK, LIBRARIES), SOURCES, work)
        compiling = partial(_compile, sources, work, made / LIBRARY, tell)
        warnings = provide("layer", found, made, LIBRARY.parent, compiling)
        (made / SECOND_PLACE).parent.mkdir(parents=True)
        (made / SECOND_PLACE).symlink_to(Path("..", "..", "op_api"))
        (made / MARKER).write_text(f"The layer of aclspec {__version__}, built by `aclspec layer build`.\n", "utf-8")
        if out.exists():
            os.rename(out, Path(temporary, "before"))
        shutil.move(made, out)
    return warnings


def _compile(
    sources: Sequence[str], work: Path, library: Path, tell: Callable[[str], None], compiler: Compiler
) -> list[str]:
    paths = [*sorted(SOURCES.glob("*.c")), *(work / name for name in sources)]

    def one(path: Path) -> str:
        tell(f"compile {path.name}")
        includes = (f"-I{SOURCES}", f"-I{work}")
        return compiler.run([*FLAGS, *includes, "-c", path, "-o", _object(path)], work)

    with ThreadPoolExecutor(RUNS) as pool:
        warnings = list(pool.map(one, sorted(paths, key=lambda path: -path.stat().st_size)))
    tell("link")
    objects = [_object(path) for path in paths]
    warnings.append(compiler.run([*LINK, "-o", library, *objects, *LIBRARIES], work))
    return [text for text in warnings if text]


def _object(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}.o"
