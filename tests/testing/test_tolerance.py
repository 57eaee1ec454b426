"""The element that is furthest off, which references, `replay` and `conform` report alike."""

from __future__ import annotations

import math

import numpy as np

from aclspec.codegen.conform.measure import _measured
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.replay.expecting import furthest
from aclspec.runtime.tensors.tensor import Tensor
from aclspec.runtime.testing.magnitude import WithMagnitude
from aclspec.runtime.testing.tolerance import Wanted, off

EXACT = np.array([[1.0, 2.0], [4.0, math.inf]])
WANTED = Wanted(WithMagnitude(EXACT, np.ones((2, 2))), 2.0**-20, (DType.FLOAT,))


def test_the_element_by_its_own_tolerance_whatever_the_axes_of_the_output() -> None:
    """Element 1 is off by less than element 2, and by more of its tolerance; the last has no finite reference."""
    found = np.array([1.0, 2.0 + 2**-10, 4.0 + 2**-10, 0.0], np.float32)
    error = furthest("out", found, WANTED)
    assert (error.at, error.found, error.expected) == ((1,), 2.0 + 2**-10, 2.0)
    assert 100 < error.ratio < 1000
    measured = _measured("out", Tensor.from_array(found), WANTED, histogram=False)
    assert measured.wrong == f"{off(error)} 2 of 4 elements are wrong."
    assert off(error).startswith("out[1] is 2.00097656; it must be 2, and is off by ")


def test_an_output_of_other_elements_and_of_none() -> None:
    assert furthest("out", np.ones(3, np.float32), WANTED).ratio == math.inf
    empty = Wanted(WithMagnitude(np.ones(0), np.ones(0)), 0.0, (DType.FLOAT,))
    assert furthest("out", np.ones((2, 0), np.float32), empty).ratio == 0


def test_an_output_of_nan_where_there_is_a_number() -> None:
    found = np.array([[1.0, 2.0], [math.nan, 0.0]], np.float32)
    error = furthest("out", found, WANTED)
    assert (error.at, error.ratio) == ((1, 0), math.inf)
