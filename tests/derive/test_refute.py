"""Goals that are given up without a search are those that no search reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import pytest

from aclspec.codegen.derive.call import Call
from aclspec.codegen.derive.cases import derive
from aclspec.codegen.derive.deriver import Deriver
from aclspec.codegen.derive.search import Solver
from aclspec.codegen.derive.trial import Goal
from aclspec.codegen.derive.wishes import Want, Wish
from aclspec.codegen.predicate.parser import parse
from aclspec.runtime.info import OperatorInfo
from aclspec.runtime.testing.suite import Cell

POOL = "aclnnToyPoolBackward"
QUICK = ("aclnnPrelu", "aclnnPreluBackward", "aclnnBatchNormElemtBackward", POOL)
SLOW = (
    "aclnnToyConvBackward",
    "aclnnAvgPool2d",
    "aclnnAvgPool2dBackward",
    "aclnnBatchNormReduceBackward",
    "aclnnConvolution",
    "aclnnConvolutionBackward",
    "aclnnMaxPool2dWithMask",
    "aclnnMaxPool2dWithMaskBackward",
    "aclnnToyEverything",
)
IMPOSSIBLE: tuple[tuple[tuple[Want, str], ...], ...] = (
    (("true", "rank(self) == 3"), ("true", "rank(self) == 4")),
    (("true", "len(shape(self)) == 3"), ("false", "rank(self) == 2 + 1")),
    (("true", "rank(self) >= 4"), ("true", "4 > rank(self)")),
    (
        ("true", "format(self) == NCL if rank(self) == 3 else format(self) == NCHW"),
        ("true", "rank(self) == 4"),
        ("true", "format(self) == NCL"),
    ),
    (("true", "ceilMode or rank(self) == 3"), ("false", "ceilMode"), ("true", "rank(self) == 4")),
    (("true", "ceilMode"), ("not true", "not not ceilMode")),
    (("true", "shape(self) == shape(gradInput)"), ("true", "rank(self) == 3"), ("true", "rank(gradInput) == 4")),
    (("true", "shape(self) == [2, 3, 4]"), ("true", "rank(self) == 4")),
    (("true", "stride[range(0, 3)[0]] != stride[0]"),),
    (("true", "divisorOverride in [3, 5]"), ("false", "divisorOverride != 4")),
    (("true", "rank(self) == 9"),),
)
POSSIBLE: tuple[tuple[tuple[Want, str], ...], ...] = (
    (("true", "rank(self) == 3"), ("not false", "rank(self) == 3")),
    (("true", "rank(self) >= 3"), ("true", "4 > rank(self)")),
    (("true", "ceilMode or rank(self) == 3"), ("false", "ceilMode")),
    (("true", "divisorOverride in [3, 5]"), ("false", "divisorOverride == 3")),
    (("not true", "divisorOverride == 3"), ("not false", "divisorOverride == 4")),
    (("true", "shape(self) == shape(gradInput)"), ("true", "rank(self) == 3")),
)


@pytest.fixture(scope="module")
def pool(info_of: Callable[[str], OperatorInfo]) -> Deriver:
    """The toy that the wishes are about."""
    return Deriver(info_of(POOL))


def _way(wishes: Iterable[tuple[Want, str]]) -> tuple[Wish, ...]:
    return tuple(Wish(parse(text), want) for want, text in wishes)


@pytest.mark.parametrize("wishes", IMPOSSIBLE, ids=lambda wishes: wishes[0][1])
def test_what_contradicts_itself_is_given_up(pool: Deriver, wishes: tuple[tuple[Want, str], ...]) -> None:
    goal = Goal(_way(wishes))
    cell = pool.cells[0]
    assert pool.solver.refuter.refutes(goal, cell)
    assert pool.solver.solve(goal, cell, [pool.base], 150) is None


@pytest.mark.parametrize("wishes", POSSIBLE, ids=lambda wishes: wishes[0][1])
def test_what_can_be_is_searched_for(pool: Deriver, wishes: tuple[tuple[Want, str], ...]) -> None:
    assert pool.solver.solve(Goal(_way(wishes)), pool.cells[0], [pool.base], 4000) is not None


def test_a_rule_that_may_fail_refutes_nothing(pool: Deriver) -> None:
    """Of rank 9 no call is valid, though one may be wished for where every rule may fail."""
    everything = frozenset(rule.id for rule in pool.info.rules)
    wishes = _way([("true", "rank(self) == 9")])
    assert pool.solver.solve(Goal(wishes, allowed=everything), pool.cells[0], [pool.base], 4000) is not None


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.full) for name in SLOW)])
def test_a_search_would_find_nothing_either(
    info_of: Callable[[str], OperatorInfo], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """All goals of a derivation that were given up are searched for all the same."""
    given_up: Counter[str] = Counter()
    plain = Solver.solve

    def sceptical(self: Solver, goal: Goal, cell: Cell, starts: Iterable[Call], limit: int) -> Call | None:
        starts = tuple(starts)
        refuted = self.refuter.refutes(goal, cell)
        foretold = any(failure.foretells(cell, limit, self.oracle) for failure in self.failures.of(goal, starts))
        if refuted or foretold:
            given_up["refuted" if refuted else "foretold"] += 1
            assert self.searched(self.trial(goal, cell), starts, limit) is None, goal
        return plain(self, goal, cell, starts, limit)

    monkeypatch.setattr(Solver, "solve", sceptical)
    derive(info_of(name))
    assert given_up["refuted"]
    assert given_up["foretold"] or name != POOL
