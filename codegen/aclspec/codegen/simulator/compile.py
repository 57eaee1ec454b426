"""The libraries of the simulator: C code of the operators and of the chips, compiled and linked under CANN's names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from aclspec.codegen.render.c.files import write_checks
from aclspec.codegen.render.environment import template
from aclspec.codegen.render.headers import c_prototype
from aclspec.codegen.simulator.declarations import render_exports, render_stubs, text_of
from aclspec.codegen.simulator.interface import Interface, LibrarySpec, Runtime
from aclspec.codegen.source.folders import COMMON, find_specs
from aclspec.codegen.spec.tables import ProductSpec, read_products
from aclspec.codegen.toolchain.brought import digest, provide
from aclspec.codegen.toolchain.compiler import Compiler
from aclspec.runtime import simulator
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo
from aclspec.runtime.simulator import wire

UNKNOWN = 0
"""The number of cores of a SoC whose cores the specs do not state."""


@dataclass(frozen=True, slots=True)
class Soc:
    """A SoC name, or a prefix that ends in ``*``."""

    name: str
    product: str
    cube_cores: int
    vector_cores: int
    bf16: bool


@dataclass(frozen=True, slots=True)
class Socs:
    """All of them, the name that stands for each product, and the one of the default product."""

    all: tuple[Soc, ...]
    standard: dict[str, str]
    default: str


def socs_of(products: Iterable[ProductSpec]) -> Socs:
    """The SoCs of the products; the names that are whole come before the prefixes."""
    found: list[Soc] = []
    standard: dict[str, str] = {}
    default = ""
    for product in products:
        cores = {name: (line.cube, line.vector) for line in product.cores for name in line.socs}
        found += [Soc(name, product.key, *cores.get(name, (UNKNOWN, UNKNOWN)), product.bf16) for name in product.socs]
        standard[product.key] = product.standard_soc or product.socs[0].replace("*", "0")
        default = standard[product.key] if product.default else default
    return Socs(tuple(sorted(found, key=lambda soc: soc.name.endswith("*"))), standard, default)


_DIRECTIONS = {"in": "SIM_IN", "out": "SIM_OUT", "inout": "SIM_INOUT", "unknown": "SIM_IN"}
_KINDS = {"uint64": "UINT64", "bool": "BOOL", "float": "FLOAT", "double": "FLOAT"}
_FIELDS = {"uint64": "natural", "float": "number", "double": "number"}


@dataclass(frozen=True, slots=True)
class Passed:
    """A parameter: its sim_type, its sim_direction and the field of sim_value that holds it."""

    name: str
    kind: str
    direction: str
    field: str


@dataclass(frozen=True, slots=True)
class Entry:
    """The two functions of an operator and the name of its table."""

    name: str
    table: str
    params: tuple[Passed, ...]
    first: str
    second: str


def render_entries(infos: Iterable[OperatorInfo]) -> str:
    """The C source of all operators' functions."""
    entries = [_entry(info) for info in sorted(infos, key=lambda info: info.name)]
    mark = "Rendered by `aclspec simulator build` from the specs of the operators."
    return template("simulator/operators.c.j2").render(mark=mark, operators=entries)


def _entry(info: OperatorInfo) -> Entry:
    first, second = (text.removesuffix(";") for text in c_prototype(info).split("\n\n"))
    return Entry(info.name, info.snake.upper().rstrip("_"), tuple(map(_passed, info.params)), first, second)


def _passed(param: ParamInfo) -> Passed:
    kind = PARAM_TYPES[param.type]
    name = _KINDS.get(kind.key, "INT" if kind.is_integer else kind.key.upper())
    field = _FIELDS.get(kind.key, "pointer" if kind.pointer else "integer")
    return Passed(param.name, f"SIM_T_{name}", _DIRECTIONS[param.direction], field)


SOURCES = Path(simulator.__file__).parent
LAYER = SOURCES.parent / "layer"
SHARED = ("scalars.c", "text.c", "frames.c", "places.c")
"""Sources of the layer that the simulator has too."""
INCLUDE = SOURCES / "include"
CORE = "aclspec_simulator"
FLAGS = ("-std=gnu11", "-O2", "-g", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-D_GNU_SOURCE")
LINK = ("-shared", "-Wl,-z,nodelete", "-Wl,--no-undefined", "-Wl,-rpath,$ORIGIN")
ENTRIES = "operators.c"
EMPTY = "empty.c"
"""A source for libraries that hold nothing: some compilers link no library without one."""
RUNS = 2
"""Compilers at a time."""


def compile_libraries(
    infos: Sequence[OperatorInfo],
    runtime: Runtime,
    work: Path,
    root: Path,
    tell: Callable[[str], None],
) -> list[str]:
    """Write all libraries into ``root/lib64``, with objects in ``work``; the result is what compilers warned of.

    The headers stand in ``root/include`` already.
    """
    _render(infos, runtime, work)
    checks = write_checks(infos, work)
    libraries = {name: library.model_dump() for name, library in runtime.libraries.items()}
    found = digest((FLAGS, LINK, libraries), SOURCES, LAYER, root / "include", work)
    compiling = partial(_compile_all, runtime, checks, work, root, tell)
    return provide("simulator", found, root, Path("lib64"), compiling)


def _compile_all(
    runtime: Runtime,
    checks: Sequence[str],
    work: Path,
    root: Path,
    tell: Callable[[str], None],
    tools: Compiler,
) -> list[str]:
    cores = _sources("core")
    own = [source for one in runtime.interfaces.values() for source in one.spec.sources]
    rendered = [ENTRIES, EMPTY, *(_stubs(one) for one in runtime.interfaces.values() if _has_stubs(one))]
    lib = root / "lib64"
    with ThreadPoolExecutor(RUNS) as pool:
        paths = [SOURCES / source for source in (*cores, *own)]
        paths += [*(LAYER / source for source in SHARED), *(work / source for source in (*checks, *rendered))]
        sources = [*cores, *own, *SHARED, *checks, *rendered]
        compile_one = partial(_compile, tools=tools, work=work, include=root / "include", tell=tell)
        warnings = list(pool.map(compile_one, paths, sources))
        warnings.append(_link(CORE, [*cores, *SHARED, *checks], tools, work, lib, ("-ldl", "-lpthread", "-lm")))
        warnings += [_library(name, library, runtime, tools, work, lib) for name, library in runtime.libraries.items()]
    return [text for text in warnings if text]


def _sources(folder: str) -> list[str]:
    return [path.relative_to(SOURCES).as_posix() for path in sorted((SOURCES / folder).glob("*.c"))]


def _has_stubs(interface: Interface) -> bool:
    return any(function.answer in ("success", "refused") for function in interface.functions)


def _stubs(interface: Interface) -> str:
    return f"stubs_{interface.name}.c"


def _library(name: str, library: LibrarySpec, runtime: Runtime, tools: Compiler, work: Path, lib: Path) -> str:
    """Link a library of the specs, which exports the functions that it holds and nothing else."""
    held = [runtime.interfaces[one] for one in library.holds]
    sources = [source for one in held for source in one.spec.sources]
    sources += [_stubs(one) for one in held if _has_stubs(one)]
    extra = [f"-L{lib}", "-Wl,--no-as-needed", *(f"-l{one}" for one in library.needs)]
    extra += [f"-l{CORE}"] if sources or library.operators else []
    if library.operators:
        sources.append(ENTRIES)
    else:
        sources = sources or [EMPTY]
        extra += [f"-Wl,--version-script={name}.map", "-Wl,--no-undefined-version"]
    return _link(name, sources, tools, work, lib, [*extra, "-ldl", "-lm"])


def _render(infos: Sequence[OperatorInfo], runtime: Runtime, work: Path) -> None:
    header = template("simulator/build.h.j2").render(
        socs=socs_of(read_products(find_specs() / COMMON)),
        dtypes=[int(dtype) for dtype in DType if dtype.is_stored or dtype is DType.DT_UNDEFINED],
        formats=list(map(int, Format)),
    )
    header += text_of("runtime.h.j2", runtime=runtime)
    (work / "build.h").write_text(header, encoding="utf-8")
    (work / "wire.h").write_text(render_wire(), encoding="utf-8")
    (work / ENTRIES).write_text(render_entries(infos), encoding="utf-8")
    (work / EMPTY).touch()
    for interface in runtime.interfaces.values():
        if _has_stubs(interface):
            (work / _stubs(interface)).write_text(render_stubs(interface), encoding="utf-8")
    for name, library in runtime.libraries.items():
        if not library.operators:
            held = [runtime.interfaces[one] for one in library.holds]
            (work / f"{name}.map").write_text(render_exports(held), encoding="utf-8")


def render_wire() -> str:
    """The header of the messages to the device process."""
    snake = re.compile(r"(?<=[a-z])(?=[A-Z])")
    structs = [{"name": snake.sub("_", one.__name__).lower(), "fields": one._fields} for one in wire.STRUCTS]
    enums = [
        {
            "type": "sim_type" if one is wire.Tag else f"sim_wire_{one.__name__.lower()}",
            "prefix": "SIM_T_" if one is wire.Tag else f"SIM_{one.__name__.upper()}_",
            "members": {member.name: member.value for member in one},
        }
        for one in wire.ENUMS
    ]
    names = {"effects": wire.EFFECTS, "settings": wire.SETTINGS}
    return text_of("wire.h.j2", structs=structs, enums=enums, version=wire.VERSION, **names)


def _object(source: str) -> str:
    return source.replace("/", "-").removesuffix(".c") + ".o"


def _compile(path: Path, source: str, tools: Compiler, work: Path, include: Path, tell: Callable[[str], None]) -> str:
    tell(f"compile {source}")
    folders = (SOURCES, SOURCES.parent, include, SOURCES / "core", work)
    flags = (*FLAGS, "-O1") if source.startswith("aclspec_") else FLAGS  # the checks, as the layer has them
    return tools.run([*flags, *(f"-I{folder}" for folder in folders), "-c", path, "-o", _object(source)], work)


def _link(
    name: str, sources: Sequence[str], tools: Compiler, work: Path, lib: Path, extra: Sequence[str | Path]
) -> str:
    file = f"lib{name}.so"
    objects = [_object(source) for source in sources]
    return tools.run([*LINK, f"-Wl,-soname,{file}", "-o", lib / file, *objects, *extra], work)
