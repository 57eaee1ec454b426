"""What is generated at each level: tests that pass, clean modules, pages and lists that say the level."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.codegen.pages.indexes import render_indexes
from aclspec.codegen.pages.operator import Page, operator_pages
from aclspec.codegen.render.manual.words import LANGS, Lang
from aclspec.runtime.rules.levels import LEVELS
from tests.levels.conftest import PACKAGE, Leveled
from tests.support.headers import include_folder

LEVEL = {
    "aclnnOutline": "declared",
    "aclnnNamed": "declared",
    "aclnnDrafted": "checked",
    "aclnnHalved": "checked",
    "aclnnDoubled": "computed",
}
TESTS = {
    "aclnnOutline": {"test_signature": 1, "test_unknown": 1},
    "aclnnNamed": {"test_signature": 1, "test_unknown": 1},
    "aclnnDrafted": {"test": 10, "passes": 2, "unlisted": 1, "without-kernel": 1},
    "aclnnHalved": {"test": 10, "passes": 2, "unlisted": 1, "without-kernel": 1},
    "aclnnDoubled": {"test": 10, "passes": 2, "unlisted": 1, "numbers": 1, "example": 1},
}
"""How many tests of each function there are at least, and how many items of a kind."""


def run(leveled: Leveled, repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python, which finds the generated package and its kernels."""
    path = os.pathsep.join([str(leveled.out), str(repository), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True)


def test_every_operator_has_its_level(leveled: Leveled) -> None:
    for name, level in LEVEL.items():
        operator = leveled.get(name)
        assert (operator.level, operator.info.level) == (level, level)
        assert (operator.info.rules == ()) == (level == "declared")
        assert (operator.info.compute.kernel == "") == (level != "computed")


def test_the_derived_tests_pass(leveled: Leveled, repository: Path) -> None:
    options = ["-v", "-n", "0", "-p", "no:cacheprovider", "--rootdir", str(repository), "-c", "pyproject.toml"]
    done = run(leveled, repository, "-m", "pytest", *options, str(leveled.out / "tests"))
    assert done.returncode == 0, done.stdout[-4000:]
    for name, functions in TESTS.items():
        found = re.findall(rf"test_{leveled.get(name).snake}\.py::(\w+)\S* PASSED", done.stdout)
        items = re.findall(rf"test_{leveled.get(name).snake}\.py::test\[(\S+)\] PASSED", done.stdout)
        passed = [*found, *(item if item == "without-kernel" else item.partition("-")[0] for item in items)]
        assert {function: passed.count(function) >= least for function, least in functions.items()} == dict.fromkeys(
            functions, True
        )
        assert "numbers" in functions or "numbers" not in passed


def test_a_wrong_signature_fails(leveled: Leveled) -> None:
    from aclspec.runtime.testing import Declared

    params = ["self: tensor, in", "out: tensor, out"]
    Declared(leveled.get("aclnnNamed"), "aclnnNamed", *params).check_signature()
    for other in (params[::-1], params[:1], ["self: tensor, unknown", params[1]], ["self: scalar, in", params[1]]):
        with pytest.raises(AssertionError):
            Declared(leveled.get("aclnnNamed"), "aclnnNamed", *other).check_signature()
    with pytest.raises(AssertionError):
        Declared(leveled.get("aclnnDoubled"), "aclnnDoubled", *params).check_unknown()


def test_the_modules_are_clean(leveled: Leveled, repository: Path, program: Callable[[str], str]) -> None:
    ruff, mypy, config = program("ruff"), program("mypy"), str(repository / "pyproject.toml")
    top = leveled.out / "leveled"
    for arguments in (
        [ruff, "check", "--no-cache", "--config", config, str(top)],
        [ruff, "format", "--no-cache", "--check", "--config", config, str(top)],
        [mypy, "--config-file", config, "--cache-dir", str(leveled.out / "cache"), "-p", PACKAGE],
    ):
        parts = [leveled.out, *(repository / part for part in ("codegen", "generated", "runtime"))]
        environment = os.environ | {"MYPYPATH": os.pathsep.join(map(str, parts))}
        done = subprocess.run(arguments, cwd=leveled.out, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def site_page(leveled: Leveled, name: str, lang: Lang) -> Page:
    """The page of an operator as a site would have it."""
    operator = leveled.project.operator(name)
    return operator_pages(leveled.project, operator, lang)[operator.info.snake]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", LEVEL)
def test_the_pages_say_the_level(leveled: Leveled, name: str, lang: Lang) -> None:
    snake, level = leveled.get(name).snake, LEVEL[name]
    page, html = leveled.text("docs", lang, "operators", f"{snake}.md"), site_page(leveled, name, lang)
    assert f"`{level}`" in page
    assert f"<code>{level}</code>" in html.html
    assert getattr(LEVELS[leveled.get(name).level], lang) in page
    (row,) = (line for line in leveled.text("docs", lang, "README.md").splitlines() if f"`{name}`" in line)
    assert row.endswith(f"| `{level}` |")
    sections = {anchor for anchor, _ in html.sections}
    assert {"prototype", "parameters", "products"} <= sections
    assert ({"checks", "outputs", "ask", "examples"} <= sections) == (level != "declared")
    assert ("checks" in sections) == (level != "declared")
    assert ("precision" in sections) == (level == "computed")


def test_what_is_unknown_is_called_so(leveled: Leveled) -> None:
    page = leveled.text("docs", "en", "operators", "outline.md")
    assert "The products are unknown." in page
    assert "| `state` | unknown | `aclTensor *` | (no text) |" in page
    assert "(no English text) 输出。" in page
    assert "（无中文文本）The input." in leveled.text("docs", "zh", "operators", "outline.md")
    assert "<p>The products are unknown.</p>" in site_page(leveled, "aclnnOutline", "en").html
    support = render_indexes(leveled.project)["en/support.md"]
    row = next(line for line in support.splitlines() if ">aclnnNamed<" in line)
    assert row.endswith(f"<td>Custom</td>{'<td>?</td>' * 6}</tr>")


def test_a_draft_without_chinese_has_pages(leveled: Leveled) -> None:
    assert "（无中文文本）Every second element of a vector." in leveled.text("docs", "zh", "operators", "halved.md")
    page = site_page(leveled, "aclnnHalved", "zh").html
    assert "（无中文文本）Every second element of a vector." in page
    assert "<td>首个元素。</td>" in page
    assert "start 为 0 或 1。" in re.sub("</?code>", "", page)


def test_a_draft_says_which_outputs_are_unknown(leveled: Leveled) -> None:
    page = site_page(leveled, "aclnnDrafted", "en").html
    assert "<td><code>out</code></td><td>unknown</td><td>unknown</td><td>unknown</td>" in page
    assert "<td>the shape of <code>self</code></td><td>the dtype of <code>self</code></td>" in page
    assert "in order; no rule says what new ones would be." in leveled.text("leveled", "ops", "drafted.py")


def test_the_header_and_the_report_say_it(leveled: Leveled) -> None:
    header = leveled.text("include", "aclnnop", "aclnn_outline.h")
    assert " * Level declared: Only the signature is known" in header
    assert "@param [in,out] state: (no text) Whether it is read or written is unknown." in header
    assert "    const aclTensor *state,\n" in header
    assert "Level" not in leveled.text("include", "aclnnop", "aclnn_doubled.h")
    report = leveled.text("report.md")
    assert "| operators of level declared | 2 |" in report
    for name, level in LEVEL.items():
        assert f"\n- Level: {level}\n" in report.partition(f"## {name}\n")[2].partition("\n## ")[0]


def test_a_program_calls_through_the_headers(leveled: Leveled, program: Callable[[str], str]) -> None:
    """The prototypes of a declared operator are C++ that compiles, with a pointer to const and without."""
    text = """#include "aclnnop/aclnn_outline.h"
        aclnnStatus call(const aclTensor *given, aclTensor *made, uint64_t *size, aclOpExecutor **executor) {
            return aclnnOutlineGetWorkspaceSize(given, made, nullptr, nullptr, 1.5, made, size, executor) ||
                   aclnnOutlineGetWorkspaceSize(given, given, nullptr, nullptr, 1.5, made, size, executor);
        }"""
    folders = [f"-I{leveled.out / 'include'}", f"-I{include_folder()}"]
    command = [program("g++"), "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", *folders, "-x", "c++", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_commands_say_it(leveled: Leveled, repository: Path) -> None:
    call = "--self float32[2] --state float32[2] --sizes 1 --parts null --alpha 1"
    commands = (
        "list --json",
        "list",
        "show outline",
        "show halved --lang zh",
        f"explain outline {call}",
        "explain halved --self float32[4] --start 1 --product atlas_a2",
        "run halved --self [1,2] --start 0",
    )
    program = f"""
from aclspec.cli.main import main
for command in {commands!r}:
    print("status", main(["--package", "{PACKAGE}", *command.split()]), "after", command, flush=True)
"""
    done = run(leveled, repository, "-c", program)
    assert done.returncode == 0, done.stderr
    said = dict(zip(commands, re.split(r"^status .*\n", done.stdout, flags=re.MULTILINE), strict=False))
    assert re.findall(r"^status (\d)", done.stdout, re.MULTILINE) == list("0000302")
    listed, answer = said["list --json"], said[f"explain outline {call}"]
    for name, level in LEVEL.items():
        assert re.search(rf'"name": "{name}".*?"level": "{level}"', listed, re.DOTALL)
    assert re.search(r"aclnnHalved +halved +custom +checked ", said["list"])
    shown = said["show outline"]
    assert "Level declared: Only the signature is known" in shown
    assert "Checks" not in shown
    shown = said["show halved --lang zh"]
    assert "级别 checked" in shown
    assert "检查项" in shown
    assert "计算精度" not in shown
    assert "aclnnOutline (declared)" in answer
    assert re.search(r"^atlas_inference, .*: unknown", answer, re.MULTILINE)
    assert "works" not in answer.replace("that the call works nor", "")
    assert re.search(r"aclnnHalved \(checked\).*\n\natlas_a2: works", said[commands[5]])
    assert "has no kernel" in done.stderr
