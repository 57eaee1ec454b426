"""The benchmark of calls can call every operator, so that it does not end half way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec import ops
from tests.support.operators import computed

pytest.importorskip("torch")

from tests.benchmarks import calls, checks


@pytest.mark.parametrize("name", sorted(computed()))
def test_every_way_to_call_runs(name: str) -> None:
    """Each operator's kernel and each way to call it run with the inputs that are measured."""
    kernel, ways = calls.measured(ops.get(name))
    kernel()
    for call in ways.values():
        call()


def test_a_check_in_c_is_measured_beside_python(tmp_path: Path, program: Callable[[str], str]) -> None:
    """The row is of calls on which both sides gave one answer."""
    program("gcc")
    (row,) = checks.measure_checks(["adds"], tmp_path)
    assert (row.operator, row.calls) == ("aclnnAdds", 2 * checks.CASES)
    assert row.python > 0 < row.c
