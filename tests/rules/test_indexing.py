"""What tensors of indices choose: by NumPy, and by both implementations."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from aclspec.runtime.language.library import IMPLEMENTATIONS
from aclspec.runtime.language.values import UNDEFINED
from aclspec.runtime.rules import shapes
from aclspec.runtime.tensors.tensor import Tensor


def chosen(shape: tuple[int, ...], indices: tuple[Tensor, ...]) -> tuple[int, ...] | None:
    """The shape of what NumPy chooses; None where it cannot."""
    if all(0 in one.shape for one in indices):
        return None
    key = tuple(slice(None) if 0 in one.shape else np.zeros(one.shape, int) for one in indices)
    try:
        return np.empty(shape)[key].shape
    except IndexError:
        return None


@pytest.mark.parametrize("seed", range(300))
def test_indices_choose_what_numpy_does(seed: int) -> None:
    random = Random(seed)
    shape = tuple(random.randint(1, 4) for _ in range(random.randrange(6)))
    some = [(), (1,), (2,), (3, 1), (3, 2), (0,), (2, 0)]
    indices = tuple(Tensor(random.choice(some), "INT64") for _ in range(random.randrange(len(shape) + 2)))
    wanted = chosen(shape, indices)
    assert IMPLEMENTATIONS["index_shape"](shape, indices) == (UNDEFINED if wanted is None else wanted)
    for indexable in (IMPLEMENTATIONS["indexable"], shapes.indexable):
        assert indexable(shape, indices) == (wanted is not None)
    if wanted is not None:
        assert shapes.index_shape(shape, indices) == wanted


def test_a_null_is_no_index() -> None:
    indices = (Tensor((2,), "INT64"), None)
    assert IMPLEMENTATIONS["index_shape"]((2, 3), indices) is UNDEFINED
    assert not shapes.indexable((2, 3), indices)
