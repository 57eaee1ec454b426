"""The ctypes prototypes: those of operators agree with the real ones, those of the runtime with the headers."""

from __future__ import annotations

import ctypes
import json
import re
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.npu.prototypes import BASE, C_TYPES, RUNTIME, Prototype, phases_of
from tests.support.headers import include_folder

TOP = Path(__file__).parents[2]
SIGNATURES: dict[str, list[str]] = json.loads((TOP / "tests/signatures/signatures.json").read_text(encoding="utf-8"))
SIZES = {"bool": 1, "int8_t": 1, "int32_t": 4, "int": 4, "int64_t": 8, "uint64_t": 8, "float": 4, "double": 8}
BY_VALUE = {
    "bool": ctypes.c_bool,
    "int8_t": ctypes.c_int8,
    "int32_t": ctypes.c_int32,
    "int": ctypes.c_int,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "aclDataType": ctypes.c_int,
    "char*": ctypes.c_char_p,
}


def both(name: str) -> tuple[Prototype, Prototype]:
    return phases_of(name, (PARAM_TYPES[param.type].c for param in ops.get(name).params))


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_the_phases_of_an_operator(name: str) -> None:
    kinds = [parameter.removeprefix("const ").rsplit(" ", 1)[0] for parameter in SIGNATURES[name]]
    first, second = both(name)
    assert list(first.takes) == [*kinds, "uint64_t*", "aclOpExecutor**"]
    assert second.takes == ("void*", "uint64_t", "aclOpExecutor*", "aclrtStream")
    for prototype in (first, second):
        assert prototype.returns == "aclnnStatus"
        for kind in prototype.takes:
            if kind in BY_VALUE:
                assert C_TYPES[kind] is BY_VALUE[kind]
            elif kind not in ("uint64_t*", "aclOpExecutor**"):
                assert C_TYPES[kind] is ctypes.c_void_p


def test_every_spec_type_has_a_c_type() -> None:
    for kind in PARAM_TYPES.values():
        found = C_TYPES[kind.c]
        assert ctypes.sizeof(found) == SIZES.get(kind.c, 4 if kind.c == "aclDataType" else 8), kind.key
        if kind.is_integer:
            assert found(kind.low).value == kind.low
            assert found(kind.high).value == kind.high


def test_a_bound_function_is_never_variadic(monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        def __getitem__(self, name: str) -> object:
            return type(name, (), {})()

    for prototype in (*both("aclnnPrelu"), *RUNTIME.values(), *BASE.values()):
        function = prototype.bind(Library())  # type: ignore[arg-type]
        assert len(function.argtypes) == len(prototype.takes)
        assert function.restype is C_TYPES[prototype.returns]


def declared() -> dict[str, tuple[str, list[str]]]:
    """What the headers declare: the returned type and the parameter types by function, without names and const."""
    text = " ".join(path.read_text(encoding="utf-8") for path in sorted(include_folder().rglob("*.h")))
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^#[^\n]*", " ", text, flags=re.DOTALL | re.MULTILINE)
    found = {}
    for returns, name, inside in re.findall(r"ACL_FUNC_VISIBILITY\s+([\w\s]+?[\s*]+)(\w+)\(([^)]*)\)", text):
        parameters = [part.strip() for part in inside.split(",") if part.strip() != "void"]
        found[name] = (_bare(returns + " it"), [_bare(parameter) for parameter in parameters])
    return found


def _bare(parameter: str) -> str:
    words = parameter.replace("const", " ").replace("*", " * ").split()[:-1]
    return "".join(words)


@pytest.mark.parametrize("prototype", [*RUNTIME.values(), *BASE.values()], ids=lambda prototype: prototype.name)
def test_the_functions_of_the_runtime_are_those_of_the_headers(prototype: Prototype) -> None:
    lists = {"aclTensor**": "void**", "aclScalar**": "void**"}
    returns, takes = declared()[prototype.name]
    assert prototype.returns == returns
    assert list(prototype.takes) == [lists.get(kind, kind) for kind in takes]
    assert Prototype.parse(str(prototype)) == prototype
