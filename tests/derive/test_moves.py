"""The parts of the search: expressions are given a value, predicates are made true and false, shapes are found."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import islice

import pytest

from aclspec.codegen.derive import shapes
from aclspec.codegen.derive.deriver import Deriver
from aclspec.codegen.derive.trial import Goal
from aclspec.codegen.derive.wishes import Wish, edges, inside, substitute
from aclspec.codegen.predicate.parser import parse
from aclspec.runtime.info import OperatorInfo
from aclspec.runtime.predicate.nodes import And, Compare, Index, Int, Name, Node, Quantifier

POOL = "aclnnToyPoolBackward"
EVERYTHING = "aclnnToyEverything"
PREDICATES = (
    (POOL, "rank(self) == 3"),
    (POOL, "numel(self) == 24"),
    (POOL, "shape(gradOutput) == [2, 3, 4, 5]"),
    (POOL, "dim(self, 1) > dim(self, 0) + 2"),
    (POOL, "dtype(self) == FLOAT16"),
    (POOL, "format(gradInput) in [NHWC, ND]"),
    (POOL, "is_empty(self)"),
    (POOL, "is_null(stride)"),
    (POOL, "is_contiguous(self)"),
    (POOL, "is_private(format(self))"),
    (POOL, "ceilMode"),
    (POOL, "all(k > 3 for k in kernelSize)"),
    (POOL, "any(k == 5 for k in kernelSize)"),
    (POOL, "len(padding) == 1"),
    (POOL, "kernelSize[0] == 2 * padding[0] + 1"),
    (POOL, "sum(kernelSize) == 9"),
    (POOL, "prod(kernelSize) == 6"),
    (POOL, "max(kernelSize) == 7"),
    (POOL, "min(kernelSize[0], padding[0]) == 4"),
    (POOL, "ceil_div(dim(self, 2), 3) == 4"),
    (POOL, "dim(self, 2) // 3 == 4"),
    (POOL, "dim(self, 2) % 5 == 3"),
    (POOL, "-divisorOverride == 12"),
    (POOL, "abs(divisorOverride) == 12"),
    (POOL, "broadcastable(shape(self), shape(gradOutput))"),
    (POOL, "broadcast(shape(self), shape(gradOutput)) == shape(self)"),
    (POOL, "slice(shape(self), 0, 2) == [6, 7]"),
    (POOL, "shape(gradInput) == slice(shape(self), 0, 1) + [1, 2]"),
    (POOL, "(1 if ceilMode else 2) == 1"),
    (POOL, "divisorOverride in [3, 5] or cubeMathType == 2"),
    (POOL, "not (divisorOverride > 0 and cubeMathType > 0)"),
    (POOL, "promote(dtype(self), dtype(gradOutput)) == FLOAT"),
    (POOL, "outH == 3 and outW == 2"),
    (EVERYTHING, "len(tensors) == 3"),
    (EVERYTHING, "all(rank(t) == 1 for t in tensors)"),
    (EVERYTHING, "dtype(alpha) == INT64"),
    (EVERYTHING, "eps < 0.0"),
    (EVERYTHING, "mode == 'sum'"),
    (EVERYTHING, "dtype == FLOAT16"),
    (EVERYTHING, "is_null(tensors)"),
)


@pytest.fixture(scope="session")
def deriver_of(info_of: Callable[[str], OperatorInfo]) -> Callable[[str], Deriver]:
    known: dict[str, Deriver] = {}
    return lambda name: known.setdefault(name, Deriver(info_of(name)))


@pytest.mark.parametrize("want", [True, False])
@pytest.mark.parametrize(("name", "text"), PREDICATES, ids=[text for _, text in PREDICATES])
def test_a_predicate_can_be_made_true_and_false(
    name: str, text: str, want: bool, deriver_of: Callable[[str], Deriver]
) -> None:
    deriver = deriver_of(name)
    node = parse(text)
    cell = deriver.cells[0]
    goal = Goal((Wish(node, "true" if want else "false"),), anything=True)
    found = deriver.solver.solve(goal, cell, [deriver.base], 200)
    assert found is not None
    assert deriver.oracle.value(node, found, cell) is want


def test_the_search_is_bounded(deriver_of: Callable[[str], Deriver]) -> None:
    deriver = deriver_of(POOL)
    impossible = Goal((Wish(parse("numel(self) == 7 and numel(self) == 8"), "true"),))
    assert deriver.solver.solve(impossible, deriver.cells[0], [deriver.base], 200) is None


def test_the_nearest_call_is_found_first(deriver_of: Callable[[str], Deriver]) -> None:
    deriver = deriver_of(POOL)
    found = deriver.solver.solve(Goal(target="divisor-range"), deriver.cells[0], [deriver.base], 500)
    assert found is not None
    changed = [name for name, one, other in zip(deriver.space.names, found, deriver.base, strict=True) if one != other]
    assert changed == ["divisorOverride"]


def test_each_conjunct_and_each_side_is_a_way_to_fail(deriver_of: Callable[[str], Deriver]) -> None:
    ways = deriver_of(POOL).ways
    node = parse("rank(self) == 4 and cubeMathType > 1")
    assert isinstance(node, And)
    own = ways.of(node, False)
    wished = {str(wish.node) for way in own for wish in way}
    assert str(Compare("==", node.items[1].left, node.items[1].right)) in wished  # type: ignore[union-attr]
    assert len(own) == 4  # one below, one above, equal, below


def test_what_is_said_of_all_elements_is_seen_for_the_first() -> None:
    node = parse("all(k > 0 for k in kernelSize)")
    assert isinstance(node, Quantifier)
    first = Index(Name("kernelSize"), Int(0))
    assert Compare(">", first, Int(0)) in list(inside(node, {}))
    assert substitute(node, "kernelSize", Name("padding")) == parse("all(k > 0 for k in padding)")
    assert substitute(node, "k", Name("padding")) == node


def test_the_edges_of_an_axis_and_of_an_index() -> None:
    found = {str(wish.node) for wish in edges(parse("dim(self, 1) == kernelSize[0]"), {})}
    expected: list[Node] = [parse("rank(self) == 1"), parse("rank(self) == 1 + 1")]
    expected += [parse("len(kernelSize) == 0"), parse("len(kernelSize) == 0 + 1")]
    assert found == {str(node) for node in expected}


def test_shapes_of_a_rank_keep_the_elements_if_they_can() -> None:
    assert all(len(shape) == 4 for shape in shapes.of_rank((4, 2), 4))
    assert next(shapes.of_rank((4, 2), 4)) == (4, 2, 1, 1)
    assert list(shapes.of_rank((4, 2), -1)) == []
    assert any(math.prod(shape) == 8 for shape in shapes.of_rank((4, 2), 1))


@pytest.mark.parametrize("numel", [0, 1, 6, 7, 64])
def test_shapes_of_a_number_of_elements(numel: int) -> None:
    found = list(islice(shapes.of_numel((4, 2, 3), numel), 20))
    assert found
    assert {math.prod(shape) for shape in found} == {numel}


def test_strided_views_leave_elements_out() -> None:
    assert shapes.strided((4, 2)) == (4, 2)
    assert shapes.strided((1, 1)) is None
    assert shapes.strided((0, 3)) is None
