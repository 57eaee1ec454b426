"""Mutants: which there are, which the cases kill, and how many of each kind may survive."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from aclspec.codegen.derive import Cases
from aclspec.codegen.mutate.__main__ import main
from aclspec.codegen.mutate.judge import Judge
from aclspec.codegen.mutate.mutants import STRICT, changes, members, mutants
from aclspec.codegen.mutate.run import Judged, Result, complaints, report, run
from aclspec.codegen.trace.sources import SuiteFile
from aclspec.runtime.testing.suite import Suite
from tests.support.suites import own_suite

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
    return {ast.unparse(changed) for changed, _, _ in changes(ast.parse(text, mode="eval").body)}


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
    found = {ast.unparse(changed) for changed, _, _ in members(tree)}
    assert found == {
        "{'a': (DType.BF16,), 'b': (DType.FLOAT,)}",
        "{'a': (DType.FLOAT,), 'b': (DType.FLOAT,)}",
        "{'a': (DType.FLOAT, DType.BF16, DType.DOUBLE), 'b': (DType.FLOAT,)}",
        "{'a': (DType.FLOAT, DType.BF16), 'b': ()}",
        "{'a': (DType.FLOAT, DType.BF16), 'b': (DType.FLOAT, DType.BF16)}",
    }


def test_a_row_of_a_table_takes_new_members_from_its_column() -> None:
    tree = ast.parse("(((DType.INT8,), (DType.FLOAT,)), ((DType.INT4,), (DType.FLOAT, DType.BF16)))", mode="eval").body
    added = [words for _, words, _ in members(tree) if words.endswith("added")]
    assert added == ["`DType.BF16` of `(DType.FLOAT,)` is added", "`DType.INT8` of `(DType.INT4,)` is added"]


def test_a_row_of_a_table_takes_no_member_that_gives_what_another_row_has() -> None:
    tree = ast.parse("(((DType.INT8,), (DType.FLOAT,)), ((DType.INT4,), (DType.FLOAT,)))", mode="eval").body
    assert not [words for _, words, _ in members(tree) if words.endswith("added")]


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


def _run(suite: Suite) -> Result:
    return run("aclspec.ops", SuiteFile("test_prelu_backward.py", suite))


def test_fewer_cases_kill_fewer_mutants(suite: Suite) -> None:
    fewer = replace(suite, violations=suite.violations[:3], boundaries=(), sweeps=(), combinations=())
    result = _run(fewer)
    assert len(result.alive) > len(_run(suite).alive) + 50
    assert complaints([result])


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


def test_mutants_are_of_the_kind_that_the_bars_name() -> None:
    kinds = {mutant.description: mutant.kind for mutant in mutants(ast.parse(SOURCE))}
    assert kinds["one: it is dropped"] == "rule dropped"
    assert kinds["one: document 161002 becomes 161001"] == "status changed"
    assert kinds["one: `x < 3` becomes `x <= 3`"] == "comparison off by one"
    assert kinds["one: `x < 3` becomes `x >= 3`"] == "comparison turned round"
    assert kinds["two: `not library` becomes `library`"] == "product or mode dropped"
    assert kinds["table _LISTED: `'a'` of `{'a', 'b'}` is gone"] == "product or mode dropped"
    assert kinds["one: `x < 3 and product in _LISTED` becomes `x < 3`"] == "product or mode added"


def test_a_guard_of_an_index_is_no_comparison_of_the_rule() -> None:
    tree = ast.parse("len(x) > 1 and i < y_rank and x[1] + y_shape[i] > 3 and len(z) > 2", mode="eval").body
    kinds = {change.words: change.kind for change in changes(tree)}
    assert kinds["`len(x) > 1` becomes `len(x) >= 1`"] == "guard of an index off by one"
    assert kinds["`i < y_rank` becomes `i <= y_rank`"] == "guard of an index off by one"
    assert kinds["`x[1] + y_shape[i] > 3` becomes `x[1] + y_shape[i] >= 3`"] == "comparison off by one"
    assert kinds["`len(z) > 2` becomes `len(z) >= 2`"] == "comparison off by one"


def test_a_rule_that_others_mask_is_told_from_one_that_no_case_decides() -> None:
    """Of aclnnArange no step of 0 gets past the rule before, but calls have one."""
    suite = own_suite("arange")
    alive = {one.description: one.masked for one in run("aclspec.ops", suite).alive}
    assert alive["end-not-above-start: `shapes.value(step) < 0` becomes `shapes.value(step) <= 0`"]


def _result(kind: str, mutants: int, surviving: int, masked: int = 0) -> Result:
    alive = [Judged(kind, "one", False)] * surviving + [Judged(kind, "other", True)] * masked
    return Result("aclnnSmall", {kind: mutants}, tuple(alive), "", 0.1)


@pytest.mark.parametrize("kind", STRICT)
def test_no_mutant_of_a_strict_kind_may_survive(kind: str) -> None:
    assert not complaints([_result(kind, 1000, 0, masked=1)])
    assert complaints([_result(kind, 1000, 1)]) == [f"1 mutants of the kind {kind} survive; expected none."]


def test_of_other_kinds_three_of_a_hundred_may_survive() -> None:
    assert not complaints([_result("number off by one", 100, 3)])
    assert complaints([_result("number off by one", 100, 4)]) == [
        "4 of 100 mutants of other kinds survive; expected at most 3%."
    ]
    assert complaints([_result("number off by one", 104, 4, masked=4)])


def test_survivors_are_listed_and_counted_by_kind() -> None:
    text = report([_result("rule dropped", 5, 1, masked=1)])
    assert "survives (rule dropped): one" in text
    assert "masked (rule dropped): other" in text
    assert re.search(r"rule dropped +5 +3 +1 +1", text)


def test_the_command(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    assert main(["--root", str(repository), "aclnnPrelu", "aclnnSoftmax"]) == 0
    both = capsys.readouterr().out
    assert "rule dropped" in both
    assert main(["--root", str(repository), "aclnnPrelu", "aclnnSoftmax", "--sample", "1"]) == 0
    assert capsys.readouterr().out != both
    with pytest.raises(SystemExit) as caught:
        main(["--root", str(repository), "aclnnNothing"])
    assert caught.value.code == 2
