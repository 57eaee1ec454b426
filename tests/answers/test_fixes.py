"""Fixes of derived violations, judged by the generated checks, which share no code with the search."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from aclspec import ops
from aclspec.runtime.api.explain import explain
from tests.agreement.test_agreement import derived_calls
from tests.support.operators import FULL, some


@pytest.mark.parametrize("name", some(16))
def test_a_fixed_call_passes_the_generated_check(name: str, repository: Path) -> None:
    operator = ops.get(name)
    calls = derived_calls(operator, repository)
    for call in calls if FULL else Random(name).sample(calls, min(6, len(calls))):
        for mode in ("document", "library"):
            verdict = explain(operator.info, call, "atlas_a2", mode)["atlas_a2"]
            assert not (verdict.works and verdict.fixes)
            for fix in verdict.fixes:
                answer = operator.check("atlas_a2", mode == "library", *(call | dict(fix.changes)).values())
                assert answer is None or answer.status(mode == "library") == 0, f"{name}: {verdict}"


def test_several_products_have_no_one_answer() -> None:
    found = ops.get("add").explain(1, 2)
    with pytest.raises(ValueError, match=r"about 6 products; take that of one of atlas_inference, "):
        _ = found.status
    assert len(repr(found).splitlines()) <= 40
    assert found._repr_html_().startswith("<table>")
