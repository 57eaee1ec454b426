"""What a program asks of CANN: libraries and functions that it links or looks up, and what the simulator answers."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from aclspec.codegen.simulator.interface import Runtime
from aclspec.codegen.toolchain.compiler import ToolError

_MAGIC: Final = b"\x7fELF"
_WORD: Final = re.compile(rb"\b(?:acl|Acl|Hccl|rt[A-Z]|hal|Msprof)[A-Za-z0-9_]+")
_CANN: Final = ("libascend", "libacl", "libhccl", "libge_", "libgraph", "libopapi", "libatb", "libexe_graph")
_OPERATOR: Final = re.compile(r"aclnn[A-Z]\w*")
_PHASE: Final = "GetWorkspaceSize"


@dataclass
class Asked:
    """What one binary asks for: libraries, linked functions, and names that it holds as text."""

    name: str
    libraries: set[str] = field(default_factory=set)
    linked: dict[str, bool] = field(default_factory=dict)
    """Undefined symbols; False for a weak one, which may be absent."""
    texts: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Diagnosis:
    """What the binaries of a program ask for, and the answers; names are sorted."""

    libraries: Mapping[str, bool]
    """The libraries of CANN that they are linked with, and whether the simulator has them."""
    linked: Mapping[str, str]
    """Linked functions, each with its answer: computed, success, refused, weak (it may be absent) or missing."""
    looked_up: Mapping[str, str]
    """Functions of the runtime that they hold as text, each with its answer."""
    operators: Mapping[str, str]
    """Operators that they name, each with its level, or unknown."""
    missing: Mapping[str, list[str]]
    """The binaries that cannot be loaded, each with the functions and libraries that are missing."""
    binaries: int


def examine(path: Path, runtime: Runtime, levels: Mapping[str, str]) -> Diagnosis:
    """Read a program, a library, a wheel or a folder of them; ``levels`` are those of operators. Raises ToolError."""
    asked = [_read(name, file) for name, file in _files(path)]
    if not asked:
        raise ToolError(f"There is no binary (ELF) in {path}.")
    defined = {name for one in asked for name in one.defined}
    functions = runtime.functions
    known = {f"lib{name}.so" for name in runtime.libraries}
    own = {Path(one.name).name for one in asked}

    def answer(name: str, strong: bool) -> str | None:
        """What a linked function meets; None for one that is not CANN's."""
        if name in functions:
            found: str = functions[name].answer
            return "missing" if found == "absent" else found
        if name in defined or not name.startswith(runtime.prefixes):
            return None
        return levels.get(name.removesuffix(_PHASE)) or ("missing" if strong else "weak")

    linked: dict[str, str] = {}
    libraries: dict[str, bool] = {}
    missing: dict[str, list[str]] = {}
    for one in asked:
        answers = {name: found for name, strong in one.linked.items() if (found := answer(name, strong)) is not None}
        needed = {name: name in known for name in one.libraries - own if name in known or name.startswith(_CANN)}
        linked |= answers
        libraries |= needed
        lacking = [name for name, found in answers.items() if found == "missing"]
        lacking += [name for name, there in needed.items() if not there]
        if lacking:
            missing[one.name] = sorted(lacking)
    texts = {name for one in asked for name in one.texts} - defined
    named = texts & set(functions) - set(linked)
    first = {name for name in texts if name.endswith(_PHASE) and _OPERATOR.fullmatch(name)}
    operators = {name for name in texts if name in levels} | {name.removesuffix(_PHASE) for name in first}
    return Diagnosis(
        dict(sorted(libraries.items())),
        dict(sorted(linked.items())),
        {name: functions[name].answer for name in sorted(named)},
        {name: levels.get(name, "unknown") for name in sorted(operators)},
        missing,
        len(asked),
    )


def _files(path: Path) -> Iterator[tuple[str, BinaryIO]]:
    if not path.exists():
        raise ToolError(f"The path ({path}) does not exist.")
    if path.is_dir():
        for file in sorted(one for one in path.rglob("*") if one.is_file()):
            yield from _file(file)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                with archive.open(name) as member:
                    head = member.read(len(_MAGIC))
                    if head == _MAGIC:
                        yield f"{path.name}/{name}", BytesIO(head + member.read())
    else:
        yield from _file(path)


def _file(path: Path) -> Iterator[tuple[str, BinaryIO]]:
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) == _MAGIC:
            file.seek(0)
            yield str(path), file


def _read(name: str, file: BinaryIO) -> Asked:
    """What one binary asks for."""
    asked = Asked(name)
    try:
        for section in ELFFile(file).iter_sections():
            if isinstance(section, DynamicSection):
                tags: Any = section.iter_tags("DT_NEEDED")
                asked.libraries |= {tag.needed for tag in tags}
            elif isinstance(section, SymbolTableSection) and section.name == ".dynsym":
                _add_symbols(section, asked)
            elif section.name.startswith(".rodata"):
                asked.texts |= {word.decode("ascii") for word in _WORD.findall(section.data())}
    except (ELFError, OSError, ValueError, AssertionError) as error:
        raise ToolError(f"The binary ({name}) cannot be read ({error}).") from error
    return asked


def _add_symbols(section: SymbolTableSection, asked: Asked) -> None:
    for symbol in section.iter_symbols():
        if symbol["st_shndx"] != "SHN_UNDEF":
            asked.defined.add(symbol.name)
        elif symbol.name:
            asked.linked[symbol.name] = symbol["st_info"]["bind"] != "STB_WEAK"
