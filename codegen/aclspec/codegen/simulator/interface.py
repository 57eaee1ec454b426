"""What CANN has beside its operators: ``specs/common/runtime``, a file for each interface and one of the libraries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, StringConstraints

from aclspec.codegen.source.findings import Finding, SpecErrors
from aclspec.codegen.source.folders import COMMON, find_specs
from aclspec.codegen.source.yaml_tree import Source, read
from aclspec.codegen.spec.base import FullText, Model, Sentence
from aclspec.codegen.spec.validation import validate
from aclspec.runtime.language.nodes import Position

FOLDER: Final = "runtime"
LIBRARIES: Final = "libraries.yaml"
LAUNCH: Final = "launch.yaml"
_PROTOTYPE = re.compile(r"(?P<result>[\w ]+?[ *]+)(?P<name>\w+)\((?P<params>.*)\)")

Prototype: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\w[\w *]*[ *]\w+\([^;{}]*\)$")]
"""A function as a header declares it, without the semicolon."""
Answer: TypeAlias = Literal["computed", "success", "refused", "absent"]
Mangled: TypeAlias = Annotated[str, StringConstraints(pattern=r"^_Z\w+$")]
"""A C++ function as libraries name it."""


class RefusedSpec(Model):
    """Functions that refuse every call."""

    code: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$")]
    """The name of the status code that they answer."""
    message: Sentence
    """What aclGetRecentErrMsg says of it."""
    functions: Annotated[tuple[Prototype, ...], Field(min_length=1)]
    """The functions."""


class CxxSpec(Model):
    """C++ functions that answer alike, whatever their parameters, so that C can stand for them."""

    answer: Literal["nothing", "itself", "made", "returned", "refused"]
    """What they answer: `nothing` is 0, false or null, and all that a function without a result does; `itself` the
    object that they are called on; `made` an object in the memory that they get, as constructors do; `returned` an
    object that is their result; `refused` -1, with the message."""
    bytes: Annotated[int, Field(ge=0, multiple_of=8)] = 0
    """The size of an object that is made or returned; each is empty, which is zero in all bytes."""
    virtual: bool = False
    """Whether such an object begins with a table of virtual functions, which is its destructor alone."""
    message: Sentence | None = None
    """What aclGetRecentErrMsg says of a refusal."""
    names: Annotated[tuple[Mangled, ...], Field(min_length=1)]
    """The functions."""


class GroupSpec(Model):
    """Functions that belong together, by what they answer."""

    doc: FullText
    """What they are about, in the manual and above their declarations."""
    computed: tuple[Prototype, ...] = ()
    """Functions that do what CANN's do: each is a C function of the same name in the sources of the interface."""
    success: tuple[Prototype, ...] = ()
    """Functions that answer 0 and do nothing, where nothing is what there is to do."""
    refused: RefusedSpec | None = None
    """Functions that refuse every call."""
    cxx: tuple[CxxSpec, ...] = ()
    """C++ functions."""
    absent: tuple[Sentence, ...] = ()
    """The names of functions that are not there, so that a program that looks them up takes its other way."""


class InterfaceSpec(Model):
    """One file: the functions that a header of CANN declares, or that libraries export without one."""

    header: Sentence | None = None
    """The header below ``include``, which may be that of an operator; left out: none declares them."""
    sources: tuple[Sentence, ...] = ()
    """The C sources of the simulator that hold the computed functions."""
    copies: tuple[Sentence, ...] = ()
    """The types of operators, of those that are called by their type, that move their input as it is."""
    groups: Annotated[tuple[GroupSpec, ...], Field(min_length=1)]
    """The functions."""


class LibrarySpec(Model):
    """A shared library of a CANN root."""

    holds: tuple[Sentence, ...] = ()
    """The interfaces whose functions it exports, by the names of their files."""
    operators: bool = False
    """Whether it exports the functions of all operators."""
    needs: tuple[Sentence, ...] = ()
    """The libraries that it is linked with; a program that loads it finds their functions, too."""


class LibrariesSpec(Model):
    """``libraries.yaml``."""

    prefixes: Annotated[tuple[Sentence, ...], Field(min_length=1)]
    """How the names of CANN's functions begin."""
    version: Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
    """The version of CANN that it stands for: major, minor and release."""
    device_memory_gib: Annotated[int, Field(gt=0)]
    """The most memory that a simulated device has, in GiB."""
    libraries: dict[Sentence, LibrarySpec]
    """The libraries by the name behind ``lib`` and in front of ``.so``, each behind those that it needs."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function: its declaration in parts, what it answers, and what it says where it refuses."""

    result: str
    name: str
    params: str
    answer: Answer
    doc: FullText
    code: str = ""
    message: str = ""
    cxx: CxxSpec | None = None

    @property
    def shown(self) -> str:
        """The name as a program writes it: of a C++ function that of its class and its own, without the parameters."""
        return _cxx_name(self.name) if self.name.startswith("_Z") else self.name

    @property
    def prototype(self) -> str:
        """The declaration, without the semicolon; of an absent function the name alone."""
        return f"{self.result}{self.name}({self.params})" if self.result else self.name

    @property
    def is_void(self) -> bool:
        """Whether it returns nothing."""
        return self.result.strip() == "void"

    @property
    def is_pointer(self) -> bool:
        """Whether it returns a pointer, which is null where it refuses."""
        return self.result.endswith("*")

    @property
    def is_variadic(self) -> bool:
        """Whether it takes any number of arguments behind a format."""
        return self.params.endswith("...")


@dataclass(frozen=True)
class Interface:
    """The functions of one file, in its order."""

    name: str
    spec: InterfaceSpec

    @cached_property
    def groups(self) -> tuple[tuple[FullText, tuple[Function, ...]], ...]:
        """The functions in groups, each with what it is about."""
        return tuple((group.doc, tuple(_functions(group))) for group in self.spec.groups)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """All functions."""
        return tuple(function for _, group in self.groups for function in group)

    @property
    def present(self) -> tuple[Function, ...]:
        """The functions that are there."""
        return tuple(function for function in self.functions if function.answer != "absent")


def _functions(group: GroupSpec) -> Iterator[Function]:
    for text in group.computed:
        yield _function(text, "computed", group.doc)
    for text in group.success:
        yield _function(text, "success", group.doc)
    for text in group.refused.functions if group.refused else ():
        assert group.refused is not None
        yield _function(text, "refused", group.doc, group.refused.code, group.refused.message)
    for spec in group.cxx:
        for name in spec.names:
            answer: Answer = "refused" if spec.answer == "refused" else "success"
            yield Function("void *", name, "void *object", answer, group.doc, message=spec.message or "", cxx=spec)
    for name in group.absent:
        yield Function("", name, "", "absent", group.doc)


def _cxx_name(mangled: str) -> str:
    """``ge::Shape::GetDim`` of ``_ZNK2ge5Shape6GetDimEm``: a part is its length and its letters."""
    rest = re.sub("^_Z(NK?)?", "", mangled)
    parts: list[str] = []
    while found := re.match("[0-9]+", rest):
        end = found.end() + int(found[0])
        parts.append(rest[found.end() : end])
        rest = rest[end:]
    own = {"C": parts[-1], "D": f"~{parts[-1]}", "l": "operator<"}.get(rest[:1]) if mangled.startswith("_ZN") else None
    return "::".join([*parts, own] if own else parts)


def _function(text: str, answer: Answer, doc: FullText, code: str = "", message: str = "") -> Function:
    found = _PROTOTYPE.fullmatch(text)
    assert found is not None, text
    return Function(found["result"], found["name"], found["params"], answer, doc, code, message)


@dataclass(frozen=True, slots=True)
class Runtime:
    """All interfaces and libraries by their names, the version of CANN, and the most memory of a device."""

    interfaces: Mapping[str, Interface]
    libraries: Mapping[str, LibrarySpec]
    prefixes: tuple[str, ...]
    version: str
    device_memory_gib: int

    @property
    def functions(self) -> dict[str, Function]:
        """All functions by name."""
        return {function.name: function for one in self.interfaces.values() for function in one.functions}


def read_runtime(specs: Path | None = None) -> Runtime:
    """Read the folder of the specs at hand; `SpecErrors` where it has mistakes."""
    folder = (specs or find_specs()) / COMMON / FOLDER
    findings: list[Finding] = []
    interfaces: dict[str, Interface] = {}
    for path in sorted(folder.glob("*.yaml")):
        if path.name in (LIBRARIES, LAUNCH):
            continue
        source = read(path)
        spec = validate(source, InterfaceSpec)
        if spec is not None:
            interfaces[path.stem] = Interface(path.stem, spec)
        findings += source.findings
    source = read(folder / LIBRARIES)
    libraries = validate(source, LibrariesSpec)
    if libraries is not None:
        _check(source, libraries, interfaces)
    findings += source.findings
    if findings or libraries is None:
        raise SpecErrors(findings)
    return Runtime(interfaces, libraries.libraries, libraries.prefixes, libraries.version, libraries.device_memory_gib)


def _check(source: Source, spec: LibrariesSpec, interfaces: Mapping[str, Interface]) -> None:
    """Every name stands for something, and a library behind those that it needs."""
    before: set[str] = set()
    for name, library in spec.libraries.items():
        wrong = [f"an interface ({one})" for one in library.holds if one not in interfaces]
        wrong += [f"a library in front of it ({one})" for one in library.needs if one not in before]
        for one in wrong:
            text = f"The library {name} names {one} that is not there."
            source.findings.append(Finding(source.file, Position(1, 1), "unknown-name", text))
        before.add(name)
