"""The benchmark of calls can call every operator, so that it does not end half way."""

from __future__ import annotations

import pytest

from aclspec import ops
from tests.support.operators import computed

pytest.importorskip("torch")

from tests.benchmarks import calls


@pytest.mark.parametrize("name", sorted(computed()))
def test_every_way_to_call_runs(name: str) -> None:
    """Each operator's kernel and each way to call it run with the inputs that are measured."""
    kernel, ways = calls.measured(ops.get(name))
    kernel()
    for call in ways.values():
        call()
