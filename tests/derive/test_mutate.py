"""Mutants: which there are, which the cases kill, and what the list of equivalent ones may say."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from aclspec.codegen.derive import Cases
from aclspec.codegen.mutate.__main__ import main
from aclspec.codegen.mutate.judge import Judge
from aclspec.codegen.mutate.mutants import changes, members, mutants
from aclspec.codegen.mutate.run import BadList, read, run
from aclspec.codegen.trace.sources import SuiteFile
from aclspec.runtime.testing.suite import Suite

SOURCE = """
_LISTED = frozenset({"a", "b"})

def check(product, library, x, y):
    channels = x if y else 1
    if x < 3 and product in _LISTED:
        return Verdict("aclnnSmall.one", document=161002, library=0)
    if not library:
        if y == 4:
            return Verdict("aclnnSmall.two", document=161002, library=161001)
    return None

def infer(x):
    return (x + 1,)
"""


def _changed(text: str) -> set[str]:
    return {ast.unparse(changed) for changed, _ in changes(ast.parse(text, mode="eval").body)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a == b", {"a != b"}),
        ("a < b", {"a <= b", "a >= b"}),
        ("a is None", {"a is not None"}),
        ("a in b", {"a not in b"}),
        ("a and b", {"a or b", "a", "b"}),
        ("not a", {"a"}),
        ("a + b", {"a - b"}),
        ("-a", {"a"}),
        ("7", {"6", "8"}),
        ("a[0]", {"a[1]"}),
        ("a[1]", {"a[0]", "a[2]"}),
        ("a if c else b", {"a", "b", "b if c else a"}),
        ("f(a, b)", {"f(b, a)"}),
        ("broadcast(a, b)", set()),
        ("all(x for x in y)", {"any((x for x in y))"}),
        ("1 <= a <= 3", {"1 < a <= 3", "1 > a <= 3", "1 <= a < 3", "1 <= a > 3", "0 <= a <= 3", "2 <= a <= 3",
                         "1 <= a <= 2", "1 <= a <= 4"}),
    ],
)  # fmt: skip
def test_the_changes_of_an_expression(text: str, expected: set[str]) -> None:
    assert _changed(text) == expected


def test_the_members_of_a_table() -> None:
    tree = ast.parse("{'a': (DType.FLOAT, DType.BF16), 'b': (DType.FLOAT,)}", mode="eval").body
    found = {ast.unparse(changed) for changed, _ in members(tree)}
    assert found == {
        "{'a': (DType.BF16,), 'b': (DType.FLOAT,)}",
        "{'a': (DType.FLOAT,), 'b': (DType.FLOAT,)}",
        "{'a': (DType.FLOAT, DType.BF16, DType.DOUBLE), 'b': (DType.FLOAT,)}",
        "{'a': (DType.FLOAT, DType.BF16), 'b': ()}",
        "{'a': (DType.FLOAT, DType.BF16), 'b': (DType.FLOAT, DType.BF16)}",
    }


def test_a_row_of_a_table_takes_new_members_from_its_column() -> None:
    tree = ast.parse("(((DType.INT8,), (DType.FLOAT,)), ((DType.INT4,), (DType.FLOAT, DType.BF16)))", mode="eval").body
    added = [words for _, words in members(tree) if words.endswith("added")]
    assert added == ["`DType.BF16` of `(DType.FLOAT,)` is added", "`DType.INT8` of `(DType.INT4,)` is added"]


def test_a_row_of_a_table_takes_no_member_that_gives_what_another_row_has() -> None:
    tree = ast.parse("(((DType.INT8,), (DType.FLOAT,)), ((DType.INT4,), (DType.FLOAT,)))", mode="eval").body
    assert not [words for _, words in members(tree) if words.endswith("added")]


def test_every_kind_of_mutant_is_described_by_its_rule() -> None:
    found = [mutant.description for mutant in mutants(ast.parse(SOURCE))]
    assert len(set(found)) == len(found)
    for expected in (
        "one: it is dropped",
        "one: `x < 3` becomes `x <= 3`",
        "one: `x < 3 and product in _LISTED` becomes `x < 3`",
        "one: `3` becomes `4`",
        "one: document 161002 becomes 161001",
        "two: it is dropped",
        "two: it is dropped (2)",
        "two: `y == 4` becomes `y != 4`",
        "two: `not library` becomes `library`",
        "two: library 161001 becomes 161002",
        "check channels: `x if y else 1` becomes `x`",
        "table _LISTED: `'a'` of `{'a', 'b'}` is gone",
        "infer: `x + 1` becomes `x - 1`",
    ):
        assert expected in found, found


def test_a_shortcut_may_lose_its_effect() -> None:
    tree = ast.parse(
        SOURCE.replace(
            'Verdict("aclnnSmall.two", document=161002, library=161001)',
            'Verdict("aclnnSmall.end", document=0, library=0, effect="zeros")',
        )
    )
    assert "end: effect zeros becomes unwritten" in [mutant.description for mutant in mutants(tree)]


@pytest.fixture
def suite(cases_of: Callable[[str], Cases]) -> Suite:
    return cases_of("aclnnPreluBackward").suite


def _run(suite: Suite, listed: dict[str, str]) -> tuple[str, ...]:
    file = SuiteFile("test_prelu_backward.py", suite)
    result = run("aclspec.ops", file, listed)
    return (*result.survivors, *result.complaints)


def test_fewer_cases_kill_fewer_mutants(suite: Suite) -> None:
    fewer = replace(suite, violations=suite.violations[:3], boundaries=(), sweeps=(), combinations=())
    assert len(_run(fewer, {})) > len(_run(suite, {})) + 50


def test_every_rule_that_is_dropped_is_missed(suite: Suite) -> None:
    module = import_module("aclspec.ops.prelu_backward")
    judge = Judge(module, suite)
    assert judge.faults() == []
    assert module.__file__ is not None
    dropped = [
        mutant
        for mutant in mutants(ast.parse(Path(module.__file__).read_text()))
        if mutant.description.endswith("it is dropped")
    ]
    assert len(dropped) >= len(module.OPERATOR.info.rules) - 1
    assert all(judge.kills(mutant) for mutant in dropped)


def test_an_explained_mutant_must_survive_and_exist(suite: Suite) -> None:
    listed = {"weight-numel: it is dropped": "It is killed.", "weight-numel: no such change": "There is none."}
    complaints = _run(suite, listed)
    assert "The listed mutant (weight-numel: it is dropped) is killed; take it off the list." in complaints
    assert "The listed mutant (weight-numel: no such change) does not exist; take it off the list." in complaints


def test_the_list_is_read(tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    assert read(path) == {}
    path.write_text("aclnnSmall:\n  - {mutant: one, reason: It is so.}\n")
    assert read(path) == {"aclnnSmall": {"one": "It is so."}}


@pytest.mark.parametrize("text", ["[]x", "- one\n", "aclnnSmall: one\n", "aclnnSmall:\n  - {mutant: one}\n"])
def test_a_bad_list_is_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    path.write_text(text)
    with pytest.raises(BadList):
        read(path)


def test_the_command(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    assert main(["--root", str(repository), "aclnnPrelu", "aclnnSoftmax"]) == 0
    assert "0 unexplained" in capsys.readouterr().out
    with pytest.raises(SystemExit) as caught:
        main(["--root", str(repository), "aclnnNothing"])
    assert caught.value.code == 2
