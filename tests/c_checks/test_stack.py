"""A check takes little of the stack, as the tables promise and the compiler asserts, and its tables need no loader."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from aclspec import ops
from aclspec.codegen.render.c.files import render_c
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.language.functions import FUNCTIONS
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.suite import Suite
from tests.support.c_checks import CHECKED, Arguments, CChecks, CVerdict, as_in_c, compile_checks, write
from tests.support.handmade import operator, rule

STACK = 8192
LIBC = 6144
"""What libc takes to write a double."""
MEASURE = Path(__file__).parent / "stack.c"


@pytest.fixture(scope="module")
def measure(tmp_path_factory: pytest.TempPathFactory, program: Callable[[str], str]) -> ctypes.CDLL:
    """Functions that call a check or an explanation on a stack of their own, and say how much of it was taken."""
    library = tmp_path_factory.mktemp("stack") / "stack.so"
    subprocess.run([program("gcc"), "-O2", "-shared", "-fPIC", str(MEASURE), "-o", str(library)], check=True)
    found = ctypes.CDLL(str(library))
    found.of_check.restype = found.of_explain.restype = ctypes.c_size_t
    return found


def test_no_call_takes_more(
    measure: ctypes.CDLL,
    tmp_path: Path,
    checks_folder: Path,
    suites: Mapping[str, Suite],
    program: Callable[[str], str],
) -> None:
    write(tmp_path, {PurePosixPath(path.name): path.read_text("utf-8") for path in checks_folder.glob("*.[ch]")})
    checks = CChecks(compile_checks(tmp_path, program("gcc"), ("-std=c11", "-O2", "-fPIC")))
    buffer = ctypes.create_string_buffer(4096)
    most: list[int] = []

    def address(one: Any) -> ctypes.c_void_p:
        return ctypes.c_void_p(ctypes.addressof(one))

    for name in CHECKED:
        info = ops.get(name).info
        for case in suites[info.name].cases[:: max(1, len(suites[info.name].cases) // 20)]:
            given, verdict = Arguments(info, as_in_c(arguments(info, suites[info.name].call(case)))), CVerdict()
            call = (2, False, address(given.array), address(verdict))
            most.append(measure.of_check(checks.library[f"aclspec_check_{info.snake}"], *call))
            said = (2, address(given.array), address(verdict), 0, address(buffer), ctypes.c_size_t(len(buffer)))
            assert measure.of_explain(checks.library[f"aclspec_explain_{info.snake}"], *said) <= STACK + LIBC, name
    assert 1000 < max(most) <= STACK


def test_deep_predicates_ask_for_more(tmp_path: Path, program: Callable[[str], str]) -> None:
    """The figure in the tables grows with what predicates need, and the compiler holds the evaluator to it."""
    deep = "groups"
    for _ in range(18):
        deep = f"abs({deep} - 1)"
    flat, files = (render_c([replace(operator(), rules=(rule(f"{one} == 3"),))], KEYS) for one in ("groups", deep))
    promised, needed = (re.findall(r"#define ACLSPEC_STACK (\d+)", "".join(found.values())) for found in (flat, files))
    assert int(promised[0]) < int(needed[0])
    write(tmp_path, files)
    compile_checks(tmp_path, program("gcc"))
    header = next(text for path, text in files.items() if path.name == "aclspec_tables.h")
    wrong = header.replace(f"ACLSPEC_STACK {needed[0]}", f"ACLSPEC_STACK {promised[0]}")
    (tmp_path / "aclspec_tables.h").write_text(wrong, "utf-8")
    with pytest.raises(AssertionError, match="a check needs more of the stack than the tables say"):
        compile_checks(tmp_path, program("gcc"))


def test_a_function_without_its_c_fails_the_build(
    tmp_path: Path, program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FUNCTIONS, "half", FUNCTIONS["abs"])
    write(tmp_path, render_c([operator(rule("groups == 3"))], KEYS))
    with pytest.raises(AssertionError, match="half"):
        compile_checks(tmp_path, program("gcc"))


def test_tables_have_no_pointers(checks_folder: Path, program: Callable[[str], str], tmp_path: Path) -> None:
    """The loader relocates the names of operators and of parameters, and nothing of rules, predicates and sentences."""
    target = tmp_path / "tables.o"
    command = [program("gcc"), "-std=c11", "-fPIC", "-c", str(checks_folder / "aclspec_tables.c"), "-o", str(target)]
    subprocess.run(command, check=True)
    done = subprocess.run([program("readelf"), "-r", str(target)], capture_output=True, text=True, check=True)
    assert "no relocations" in done.stdout
