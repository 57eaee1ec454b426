"""Compiles the libraries of a simulator."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from aclspec.codegen.folders import COMMON, find_specs
from aclspec.codegen.render.environment import template
from aclspec.codegen.simulator.entries import render_entries
from aclspec.codegen.simulator.socs import socs_of
from aclspec.codegen.simulator.toolchain import Toolchain
from aclspec.codegen.tables import read_products
from aclspec.runtime import simulator
from aclspec.runtime.info import OperatorInfo

SOURCES = Path(simulator.__file__).parent
CORE = "aclspec_simulator"
FLAGS = ("-std=gnu11", "-O2", "-g", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-D_GNU_SOURCE")
LINK = ("-shared", "-Wl,-z,nodelete", "-Wl,--no-undefined", "-Wl,-rpath,$ORIGIN")


@dataclass(frozen=True, slots=True)
class Library:
    """A shared library and its sources: folders and files below the sources, or rendered ones."""

    name: str
    sources: tuple[str, ...]
    links: tuple[str, ...] = (CORE,)


RUNTIME = ("api/acl.c", "api/types.c", "api/rt.c", "api/memory.c")
BASE = ("api/objects.c", "api/tensors.c", "api/executors.c")
ENTRIES = "operators.c"
FAMILIES = ("nn", "math", "cv", "transformer")
"""Of operators in CANN 9, each with a library and a header; here all of them have every operator."""
LIBRARIES = (
    Library("ascendcl", RUNTIME),
    Library("acl_rt", RUNTIME),
    Library("nnopbase", BASE),
    *(Library(f"opapi{suffix}", (ENTRIES,)) for suffix in ("", *(f"_{family}" for family in FAMILIES))),
)
"""The libraries with CANN's names. Those of one list of sources are alike but for the name that a program records."""
RUNS = 2
"""Compilers at a time."""


def compile_libraries(
    infos: Sequence[OperatorInfo],
    tools: Toolchain,
    work: Path,
    lib: Path,
    tell: Callable[[str], None],
    packages: Mapping[str, Path],
) -> list[str]:
    """Write all libraries into the folder ``lib``, with objects in ``work``; the result is what compilers warned of."""
    _render(infos, tools, work, packages)
    cores = [path.relative_to(SOURCES).as_posix() for path in sorted((SOURCES / "core").glob("*.c"))]
    ways = [path.relative_to(SOURCES).as_posix() for path in sorted((SOURCES / "python").glob("*.c"))]
    sources = [*cores, *ways, *RUNTIME, *BASE, ENTRIES]
    with ThreadPoolExecutor(RUNS) as pool:
        said = list(pool.map(lambda source: _compile(source, tools, work, tell), sources))
        core = Library(CORE, tuple(cores), ())
        said.append(_link(core, tools, work, lib, ("-ldl", "-lpthread")))
        # Python's own functions are found when the library is loaded, in whichever Python is there.
        way = Library("aclspec_python", tuple(ways), ())
        said.append(_link(way, tools, work, lib, ("-Wl,-z,undefs",)))
        said += pool.map(lambda library: _link(library, tools, work, lib, ("-ldl", "-lm")), LIBRARIES)
    return [text for text in said if text]


def _render(infos: Sequence[OperatorInfo], tools: Toolchain, work: Path, packages: Mapping[str, Path]) -> None:
    header = template("simulator/build.h.j2").render(
        python=quoted(tools.python),
        library=quoted(tools.library),
        packages=quoted("".join(f"{name}\t{home}\n" for name, home in packages.items())),
        socs=socs_of(read_products(find_specs() / COMMON)),
    )
    (work / "build.h").write_text(header, encoding="utf-8")
    (work / ENTRIES).write_text(render_entries(infos), encoding="utf-8")


def quoted(value: object) -> str:
    """A text as C writes it."""
    return json.dumps(str(value), ensure_ascii=False)


def _object(source: str) -> str:
    return source.replace("/", "-").removesuffix(".c") + ".o"


def _compile(source: str, tools: Toolchain, work: Path, tell: Callable[[str], None]) -> str:
    tell(f"compile {source}")
    path = work / source if source == ENTRIES else SOURCES / source
    includes = [f"-I{SOURCES}", f"-I{SOURCES / 'include'}", f"-I{SOURCES / 'core'}", f"-I{work}", f"-I{tools.headers}"]
    return tools.run([*FLAGS, *includes, "-c", path, "-o", _object(source)], work)


def _link(library: Library, tools: Toolchain, work: Path, lib: Path, extra: Sequence[str]) -> str:
    file = f"lib{library.name}.so"
    objects = [_object(source) for source in library.sources]
    linked = [f"-L{lib}", *(f"-l{name}" for name in library.links)] if library.links else []
    return tools.run([*LINK, f"-Wl,-soname,{file}", "-o", lib / file, *objects, *linked, *extra], work)
