"""Whatever a file of specs says, lint answers it, and what lint accepts is generated, compiles and is collected.

``python -m tests.spec_fuzz SEED`` shows a case, ``python -m tests.spec_fuzz FIRST LAST`` judges others.
"""

from __future__ import annotations

import traceback
from collections import Counter
from pathlib import Path

import pytest

from aclspec.runtime.testing.amount import amount
from tests.spec_fuzz.judging import TooMuch, Workshop
from tests.spec_fuzz.mutations import case_of

BATCH = 100
THOROUGH, SELDOM = 20, 200
"""One case in twenty, in long runs one in two hundred, also derives its tests, which takes a hundred times as long."""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("fuzz"))


def judge(workshop: Workshop, first: int, thorough: int) -> Counter[str]:
    """The outcomes of a batch; its defects are told together."""
    outcomes: Counter[str] = Counter()
    defects: list[str] = []
    for seed in range(first, first + BATCH):
        case = case_of(seed)
        try:
            outcomes[workshop.judge(case, seed % thorough == 0)] += 1
        except (Exception, TooMuch):
            kept = Path(workshop.folder, f"{seed}.yaml")
            kept.write_text(case.text, encoding="utf-8")
            defects.append(f"seed {seed}, {case.file}, as {kept}:\n{traceback.format_exc()}")
    assert not defects, "\n".join(defects)
    return outcomes


@pytest.mark.parametrize("first", range(0, amount(1, 3) * BATCH, BATCH))
def test_some_cases(workshop: Workshop, first: int) -> None:
    outcomes = judge(workshop, first, THOROUGH)
    assert min(outcomes["refused"], outcomes["accepted"]) > BATCH // 10, "the cases are too alike to find anything"


@pytest.mark.whole
@pytest.mark.parametrize("first", range(3 * BATCH, 100_000, BATCH))
def test_very_many_cases(workshop: Workshop, first: int) -> None:
    judge(workshop, first, SELDOM)
