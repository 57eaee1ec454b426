"""The C sources of the layer and of the simulator: their files depend on one another in one direction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from aclspec.codegen.layer.build import SOURCES as LAYER
from aclspec.codegen.simulator.compile import SOURCES as SIMULATOR

FOLDERS = [LAYER, SIMULATOR]
_NO_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_FUNCTION = re.compile(r"^([A-Za-z_][\w \t*]*[ \t*])(\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
_VARIABLE = re.compile(r"^([A-Za-z_][\w \t*]*[ \t*])(\w+)(?:\[[^\]]*\])*\s*(?:=|;)", re.MULTILINE)
_INCLUDE = re.compile(r"^\s*#include \"([^\"]+)\"", re.MULTILINE)
_PRIVATE = {"static", "extern", "typedef"}


def public(code: str) -> set[str]:
    """The functions and variables that a source without comments and texts defines for others, all at column 0."""
    found = [*_FUNCTION.finditer(code), *_VARIABLE.finditer(code)]
    return {match[2] for match in found if not _PRIVATE & set(match[1].split())}


def uses(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """Which files each names a function or a variable of."""
    code = {name: _NO_CODE.sub(" ", text) for name, text in texts.items()}
    owners = {symbol: name for name, text in code.items() for symbol in public(text)}
    return {
        name: {owners[word] for word in set(re.findall(r"\w+", text)) & owners.keys()} - {name}
        for name, text in code.items()
    }


def includes(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """Which files each includes, of those that are there."""
    places = {Path(name).name: name for name in texts}
    return {
        name: {places[found] for path in _INCLUDE.findall(text) if (found := Path(path).name) in places}
        for name, text in texts.items()
    }


def circle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """The files of one circle; none where there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def sources(folder: Path, pattern: str) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in sorted(folder.rglob(pattern))}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_circle_of_calls(folder: Path) -> None:
    graph = uses(sources(folder, "*.c"))
    assert sum(map(len, graph.values())) > 2 * len(graph)  # the functions were found
    assert circle(graph) == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_circle_of_includes(folder: Path) -> None:
    graph = includes(sources(folder, "*.[ch]"))
    assert any(graph.values())
    assert circle(graph) == []


def test_a_circle_is_found() -> None:
    """By a function or a variable; what is static, a comment or a text is of no other file."""
    start = '#include "b.h"\nint count;\nbool first(void) {\n    return second(1); /* third */\n}\n'
    rest = "static int first(void) { return 0; }\n"
    assert circle(uses({"a.c": start, "b.c": 'int second(int at) {\n    say("first");\n    return at;\n}\n'})) == []
    assert circle(uses({"a.c": start, "b.c": "int second(int at) {\n    return first();\n}\n"})) != []
    assert circle(uses({"a.c": start, "b.c": "int second(int at) {\n    return count;\n}\n", "c.c": rest})) != []
    assert circle(includes({"a.h": '#include "b.h"\n', "b.h": '#include "a.h"\n'})) != []
