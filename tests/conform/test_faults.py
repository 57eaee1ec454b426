"""Faults planted in the simulator: each is found, shrunk to a call of few elements, and nothing else is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.conform import process
from aclspec.codegen.conform.calls import read_call
from aclspec.codegen.conform.shrink import kind_of
from aclspec.runtime.tensors.tensor import leaves
from tests.conform.conftest import PRODUCT, Row, pieces_of, run, simulated

UNCHECKED = {
    "null": ("all", "null-self"),
    "dtype": ("adds", "dtype-self"),
    "dtypes": ("amin", "dtypes"),
    "rank": ("adaptive_avg_pool2d", "rank-self"),
    "format": ("gemm", "format-a"),
    "empty": ("rms_norm", "empty-gamma"),
    "length": ("avg_pool3d", "length-kernel-size"),
    "value": ("div_mod", "value-mode"),
    "contiguous": ("rotary_position_embedding", "contiguous-out"),
    "rule": ("add", "out-shape"),
}
"""A rule of each kind that refuses single calls, in an operator of its own."""


def key_of(row: Row) -> tuple[str, str, str]:
    """The operator, the outcome of the call, and the rule that refuses it."""
    operator, _, outcome, rule, *_ = kind_of(row)
    return operator, outcome, rule


def shrunk(rows: list[Row]) -> dict[tuple[str, str, str], Row]:
    """The least call of each kind of disagreement."""
    kinds = [row for row in rows if row["origin"] == "shrunk"]
    found = {key_of(row): row for row in kinds}
    assert len(found) == len(kinds)
    return found


def elements(row: Row) -> int:
    call = read_call(ops.get(row["operator"]).info, row["call"])
    return max((one.numel for value in call.values() for one in leaves(value)), default=0)


def wrong(rows: list[Row]) -> set[tuple[str, str, str]]:
    """The kinds of disagreement of the calls that were planned."""
    calls = [row for row in rows if row["origin"] != "shrunk" and row["outcome"] not in ("agree", "skipped")]
    return {key_of(row) for row in calls}


def test_a_rule_of_each_kind_that_is_not_checked(root: Path, tmp_path: Path) -> None:
    rules = {kind: (ops.get(name), rule) for kind, (name, rule) in UNCHECKED.items()}
    assert {kind: operator.info.rule(rule).kind for kind, (operator, rule) in rules.items()} == {
        kind: kind for kind in rules
    }
    planted = ",".join(f"unchecked:{operator.name}.{rule}" for operator, rule in rules.values())
    pieces = pieces_of([name for name, _ in UNCHECKED.values()])
    rows = run(pieces, simulated(root, planted), tmp_path / "r.parquet")
    expected = {(operator.name, "accepted", rule) for operator, rule in rules.values()}
    assert wrong(rows) == expected
    least = shrunk(rows)
    assert least.keys() == expected
    for key, row in least.items():
        assert elements(row) <= 8, (key, row["call"])


@pytest.mark.parametrize(
    ("fault", "mode", "outcome", "rule", "actual"),
    [
        ("status:aclnnPrelu.rank-self=561002", "status", "status", "rank-self", 561002),
        ("status:aclnnPrelu.empty-input=561002", "status", "refused", "", 561002),
        ("refused:aclnnPrelu=BF16", "status", "refused", "", 161002),
        ("value:aclnnPrelu=1.02", "values", "values", "", 0),
    ],
)
def test_answers_that_differ(
    root: Path, tmp_path: Path, fault: str, mode: str, outcome: str, rule: str, actual: int
) -> None:
    pieces = pieces_of(["prelu"])
    rows = run(pieces, simulated(root, fault, mode), tmp_path / "r.parquet")
    assert wrong(rows) == {("aclnnPrelu", outcome, rule)}
    (row,) = shrunk(rows).values()
    assert (*key_of(row), row["actual"]) == ("aclnnPrelu", outcome, rule, actual)
    assert elements(row) == 1
    assert "BF16" not in fault or "bfloat16" in row["call"]


def test_every_kind_of_rule_has_a_fault() -> None:
    """Beside `UNCHECKED` a shortcut that refuses what it should let pass, and a product that is not supported."""
    kinds = {rule.kind for name in ops.names() for rule in ops.get(name).info.rules}
    assert kinds == {*UNCHECKED, "shortcut", "product"}


def test_a_product_that_is_not_supported(root: Path, tmp_path: Path) -> None:
    """Every call is refused with 161002 before any other rule is asked, those of another status too."""
    rows = run(pieces_of(["prelu", "erf"]), simulated(root, f"unsupported:aclnnErf={PRODUCT}"), tmp_path / "r.parquet")
    info = ops.get("erf").info
    others = {
        rule.id for rule in info.rules if dict(rule.status).get("library") not in (None, "ACLNN_ERR_PARAM_INVALID")
    }
    refusing = {rule for rule in others if info.rule(rule).kind != "shortcut"}
    assert refusing
    expected = {("aclnnErf", "refused", ""), *(("aclnnErf", "status", rule) for rule in refusing)}
    assert wrong(rows) == expected
    least = shrunk(rows)
    assert least.keys() == expected
    assert elements(least["aclnnErf", "refused", ""]) <= 1
    assert {row["actual"] for row in least.values()} == {161002}


def test_a_dtype_that_is_taken(root: Path, tmp_path: Path) -> None:
    rows = run(pieces_of(["prelu"]), simulated(root, "taken:aclnnPrelu=INT8"), tmp_path / "r.parquet")
    assert {(outcome, rule.partition("-")[0]) for _, outcome, rule in wrong(rows)} <= {
        ("accepted", "dtype"),
        ("accepted", "dtypes"),
    }
    assert wrong(rows)
    assert all("int8[" in row["call"] for row in shrunk(rows).values())


@pytest.mark.all
def test_calls_that_end_their_process_or_should_not_be_survived(root: Path, tmp_path: Path) -> None:
    """A crash, a hang and a leak are findings; the calls behind them are made all the same."""
    pieces = pieces_of(["erf", "log", "tanh"], random=20, derived=False)
    planted = "crash:aclnnErf=8,hang:aclnnLog=12,leak:aclnnTanh=8"
    rows = run(pieces, simulated(root, planted, timeout=2), tmp_path / "r.parquet")
    expected = {("aclnnErf", "crash", ""), ("aclnnLog", "hang", ""), ("aclnnTanh", "leak", "")}
    assert wrong(rows) == expected
    least = shrunk(rows)
    assert least.keys() == expected
    for row in least.values():
        assert 8 <= elements(row) <= 16, row["call"]
    assert "SIGSEGV" in least["aclnnErf", "crash", ""]["detail"]
    made = [row for row in rows if row["origin"] == "random"]
    assert len(made) == 60
    for row in made:
        limit = 12 if row["operator"] == "aclnnLog" else 8
        assert (row["outcome"] == "agree") == (elements(row) < limit), row["call"]


def test_an_operator_that_ends_every_process_is_left_alone_after_some(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "ENDS", 2)
    pieces = pieces_of(["erf"])
    rows = run(pieces, simulated(root, "crash:aclnnErf"), tmp_path / "r.parquet")
    calls = [row for row in rows if row["origin"] == "derived"]
    assert sorted(row["call"] for row in calls) == sorted(pieces[0].calls)
    assert [row["outcome"] for row in calls].count("crash") == 2
    assert elements(shrunk(rows)["aclnnErf", "crash", ""]) == 1
