"""The checks in C as a project takes them: written by the command, compiled in C and C++, asked, and cut short."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.cli.main import main
from aclspec.codegen.render.c.files import render_c
from aclspec.codegen.source.folders import find_specs
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.testing.expected import arguments
from tests.support.c_checks import CHECKED, FLAGS, Arguments, CChecks, compile_checks, decided, write

CALL = {
    "gradOutput": "float32[4,2]",
    "self": "float32[4,2]",
    "weight": "float32[3]",
    "gradInput": "float32[4,2]",
    "gradWeight": "float32[2]",
}
SUM = {"self": "float32[4,2]", "dims": (0, 0), "keepDims": False, "dtype": "FLOAT", "out": "float32[2]"}


def test_the_command_writes_some_operators(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "checks"
    command = ["generate", "--target", "c", "--out", str(out)]
    assert main([*command, "prelu_backward", "aclnnAbs"]) == 0
    operators = [ops.get(name).info for name in ("abs", "prelu_backward")]
    written = {path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in out.rglob("*.[ch]")}
    assert written == {path.as_posix(): text for path, text in render_c(operators, KEYS).items()}
    assert main([*command, "aclnnAbs"]) == 0
    assert "prelu_backward" not in (out / "aclspec_checks.h").read_text("utf-8")
    assert main([*command, "--check", "aclnnAbs"]) == 0
    assert main([*command, "--check", "prelu_backward", "abs"]) == 1


@pytest.mark.parametrize("linked", [False, True])
def test_the_command_takes_relative_specs_and_links(
    linked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("specs/activation")
    (Path("real") / folder if linked else folder).mkdir(parents=True)
    if linked:
        Path("specs").symlink_to(tmp_path / "real" / "specs")
    shutil.copytree(find_specs() / "clauses", "specs/clauses")
    for name in ("prelu.yaml", "prelu_backward.yaml"):  # one needs the other
        shutil.copy(find_specs() / "activation" / name, folder / name)
    assert main(["generate", "--target", "c", "--specs", "specs", "--out", "checks", "prelu_backward"]) == 0
    assert "aclnnPreluBackward" in Path("checks/aclspec_tables.c").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "c"], "takes --out"),
        (["--target", "c", "--out", "x", "--package", "mine"], "takes --out"),
        (["--target", "rust", "--out", "x"], "neither python nor c"),
        (["prelu_backward"], "for --target c only"),
        (["--target", "c", "--out", "x", "prelu_backwart"], "did you mean prelu_backward?"),
    ],
)
def test_the_command_refuses(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["generate", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("compiler", "level", "every"), [("gcc", "-O2", 72), pytest.param("clang", "-O0", 24, marks=pytest.mark.all)]
)
def test_compilers_take_it_with_all_warnings(
    compiler: str, level: str, every: int, tmp_path: Path, program: Callable[[str], str]
) -> None:
    """As the library of all operators is compiled by gcc."""
    names = ("cat", "convolution", *ops.names()[:: amount(6 * every, every, 1)])
    write(tmp_path, render_c([ops.get(name).info for name in names], KEYS))
    compile_checks(tmp_path, program(compiler), (*FLAGS, level))


def test_the_table_knows_every_operator(checks: CChecks) -> None:
    find = checks.library["aclspec_find_operator"]
    find.restype, find.argtypes = ctypes.c_void_p, (ctypes.c_char_p,)
    for name in CHECKED:
        at = find(ops.get(name).name.encode())
        assert ctypes.string_at(ctypes.cast(at, ctypes.POINTER(ctypes.c_char_p))[0]).decode() == ops.get(name).name
    assert find(b"aclnnNothing") is None
    assert checks.library["aclspec_find_product"](b"atlas_a2") == KEYS.index("atlas_a2")
    assert checks.library["aclspec_find_product"](b"atlas") == -1


def test_a_long_sentence_is_cut_as_snprintf_cuts(checks: CChecks) -> None:
    operator = ops.get("prelu_backward")
    given = Arguments(operator.info, arguments(operator.info, CALL))
    verdict = checks.check("prelu_backward", "atlas_a2", False, given)
    whole = checks.explain("prelu_backward", "atlas_a2", given, verdict, 0)
    assert whole == "The number of elements of weight (3) is neither 1 nor the channel count of self (2)."
    explain = checks.library["aclspec_explain_prelu_backward"]
    buffer = ctypes.create_string_buffer(b"x" * 20, 20)
    assert explain(2, given.array, ctypes.byref(verdict), 0, buffer, 12) == len(whole)
    assert buffer.raw == whole[:11].encode() + b"\0" + b"x" * 8
    assert explain(2, given.array, ctypes.byref(verdict), 0, None, 0) == len(whole)


def test_a_call_that_works_has_no_sentence(checks: CChecks) -> None:
    operator = ops.get("prelu_backward")
    given = Arguments(operator.info, arguments(operator.info, CALL | {"weight": "float32[2]"}))
    verdict = checks.check("prelu_backward", "atlas_a2", True, given)
    assert decided(verdict) == (None, 0, 0, None, None)
    assert verdict.as_library
    assert checks.explain("prelu_backward", "atlas_a2", given, verdict, 1) == ""


def test_a_check_ends_where_it_needs_elements_that_are_not_known(checks: CChecks) -> None:
    info = ops.get("reduce_sum").info
    unseen = Arguments(info, arguments(info, SUM), unseen=("dims",))
    verdict = checks.check("reduce_sum", "atlas_a2", False, unseen)
    assert decided(verdict) == (None, 0, 0, None, "dims")
    wrong = Arguments(info, arguments(info, SUM | {"self": None}), unseen=("dims",))
    verdict = checks.check("reduce_sum", "atlas_training", False, wrong)
    assert decided(verdict).unknown is None
    assert decided(verdict).rule == "aclnnReduceSum.null-self"
    seen = Arguments(info, arguments(info, SUM))
    assert decided(checks.check("reduce_sum", "atlas_a2", False, seen)).unknown is None


def test_arguments_may_be_long(checks: CChecks) -> None:
    """No list of a check lies on the stack, so that none is too long for it."""
    operator = ops.get("reduce_sum")
    for dims in ((0,) * 1_000_000, (0, 1), (5,) * 1_000_000):
        for size in ("4,2", ",".join(["1"] * 20_000)):
            call = arguments(operator.info, SUM | {"self": f"float32[{size}]"})
            call["dims"] = dims
            given = Arguments(operator.info, call)
            verdict = checks.check("reduce_sum", "atlas_a2", False, given)
            expected = operator.check("atlas_a2", False, *call.values())
            assert decided(verdict).rule == (expected and expected.rule)
            assert len(checks.explain("reduce_sum", "atlas_a2", given, verdict, 0)) > len("(0, 0)")


PROGRAM = r"""
#include "aclspec_checks.h"
#include <cstdio>

int main()
{
    const int64_t shape[] = {4, 2}, strides[] = {2, 1};
    const aclspec_tensor tensor = {shape, 2, strides, 0, shape, 2, 27, 2};
    aclspec_argument arguments[5] = {};
    for (auto &argument : arguments)
        argument.tensor = &tensor;
    aclspec_verdict verdict;
    char sentence[200];
    const int product = aclspec_find_product("atlas_training");
    aclspec_check_prelu_backward(product, false, arguments, &verdict);
    aclspec_explain_prelu_backward(product, arguments, &verdict, ACLSPEC_EN, sentence, sizeof sentence);
    std::printf("%d %s\n%s\n", verdict.document, verdict.rule, sentence);
}
"""


def test_a_cpp_program_takes_the_header(tmp_path: Path, program: Callable[[str], str]) -> None:
    write(tmp_path, render_c([ops.get("prelu_backward").info], KEYS))
    library = compile_checks(tmp_path, program("gcc"))
    source = tmp_path / "program.cpp"
    source.write_text(PROGRAM, encoding="utf-8")
    flags = ("-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}", f"-Wl,-rpath,{tmp_path}")
    subprocess.run([program("g++"), *flags, str(source), str(library), "-o", str(tmp_path / "program")], check=True)
    done = subprocess.run([str(tmp_path / "program")], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "161002 aclnnPreluBackward.dtype-self",
        "The dtype of self (BF16) is not one that atlas_training supports (FLOAT, FLOAT16).",
    ]


def test_a_check_needs_libc_alone(checks_folder: Path, program: Callable[[str], str]) -> None:
    done = subprocess.run(
        [program("nm"), "-uD", str(checks_folder / "checks.so")], capture_output=True, text=True, check=True
    )
    names = {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines()}
    allowed = {"memcpy", "memmove", "memset", "memchr", "memcmp", "strlen", "strcmp", "strchr", "snprintf", "strtod"}
    allowed |= {"atoi", "strtol", "abs", "__stack_chk_fail", "__cxa_finalize", "__gmon_start__"}
    allowed |= {"_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable"}
    assert names <= allowed
