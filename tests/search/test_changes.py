"""Small changes of a call: each does what it says and no more, whoever chooses among them."""

from __future__ import annotations

import pytest

from aclspec import ops
from aclspec.runtime.rules.operator_info import NULL
from aclspec.runtime.search.call import TensorMeta, described
from aclspec.runtime.search.changes import (
    Changes,
    layouts,
    of_length,
    renumbered,
    reshaped,
    strided,
    typed,
    with_axes,
    without,
)
from aclspec.runtime.search.neighbours import Neighbours
from aclspec.runtime.search.oracle import Oracle
from aclspec.runtime.search.space import Space
from tests.support.operators import some


def tensor(*shape: int) -> TensorMeta:
    return TensorMeta(shape, "FLOAT", "ND")


def test_arrays_get_another_length_by_their_end() -> None:
    assert of_length((1, 2, 3), 2, 9) == (1, 2)
    assert of_length((1, 2), 4, 9) == (1, 2, 9, 9)
    assert of_length((), 1, 9) == (9,)
    assert without((4, 5, 6), 1) == (4, 6)


def test_one_number_changes_wherever_it_stands_and_truth_values_do_not() -> None:
    assert renumbered(tensor(1, 2, 1), 1, 7) is tensor(7, 2, 7)
    assert renumbered((1, True, (1, 2)), 1, 7) == (7, True, (7, 2))
    assert renumbered("one", 1, 7) == "one"


@pytest.mark.parametrize("shape", [(2,), (3, 1), (1, 2, 3), (4, 2, 3)], ids=str)
def test_views_have_the_elements_of_the_shape_at_places_of_their_own(shape: tuple[int, ...]) -> None:
    views = dict(layouts(tensor(*shape), read_only=True))
    assert ("transposed" in views) == (sum(size > 1 for size in shape) > 1)
    assert dict(layouts(tensor(*shape), read_only=False)).keys() == views.keys() - {"repeated"}
    for name, view in views.items():
        found = described(view)
        places = {0}
        for size, step in zip(found.shape, found.strides, strict=True):
            places = {place + at * step for place in places for at in range(size)}
        assert found.shape == shape
        assert (len(places) < found.numel) == (name == "repeated")
        assert not found.is_contiguous or found.offset


def test_fewer_than_two_elements_have_no_other_strides() -> None:
    assert strided(()) is strided((1, 1)) is strided((0, 4)) is strided((-2, -3)) is None
    assert strided((2, 3)) == (6, 2)


def test_a_null_pointer_is_one_of_the_dtypes() -> None:
    space = Space(ops.get("group_norm").info)
    call = space.skeleton(Oracle(space).kinds[0].targets[0])
    at, gamma = space.index["self"], space.index["gamma"]
    moved = typed(space, call, {at: "BF16", gamma: NULL})
    assert moved[at].dtype == "BF16"
    assert moved[gamma] is None
    assert typed(space, moved, {gamma: "FLOAT16"})[gamma].dtype == "FLOAT16"
    others = [place for place in range(len(call)) if place not in (at, gamma)]
    assert [moved[place] for place in others] == [call[place] for place in others]


def test_a_format_of_another_rank_goes_with_the_shape() -> None:
    space = Space(ops.get("convolution").info)
    call = next(one for one in map(space.example, space.info.examples) if one[0].format == "NCHW")
    assert reshaped(space, call, 0, (2, 3, 4))[0] == TensorMeta((2, 3, 4), call[0].dtype, "NCL")
    more = with_axes(space, call, 1)
    assert more[0] == TensorMeta((*call[0].shape, 1), call[0].dtype, "NCDHW")
    stride = space.index["stride"]
    assert more[stride] == (*call[stride], call[stride][-1])
    assert with_axes(space, more, -1)[: stride + 1] == call[: stride + 1]


@pytest.mark.parametrize("name", some(12))
def test_every_number_of_a_value_can_be_set(name: str) -> None:
    space = Space(ops.get(name).info)
    oracle = Oracle(space)
    changes = Changes(oracle)
    for call in map(space.example, space.info.examples):
        for place, value in enumerate(call):
            for setter, now in changes.numbers(place, value):
                assert type(now) in (int, float)
                made = setter(now)
                if isinstance(value, TensorMeta):
                    assert made is None or made.shape == value.shape
                else:
                    assert made is None or made == value


@pytest.mark.parametrize("name", some(12))
def test_a_neighbour_differs_from_the_call(name: str) -> None:
    space = Space(ops.get(name).info)
    neighbours = Neighbours(Oracle(space))
    call = neighbours.inferred(space.example(space.info.examples[0]))
    found = list(neighbours.of(call))
    for place, value in enumerate(call):
        assert any(one[place] is not value and one[place] != value for one in found), space.names[place]
