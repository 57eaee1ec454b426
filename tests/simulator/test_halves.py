"""Elements of four bits in device memory, two to a byte."""

from __future__ import annotations

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.simulator import calls
from aclspec.runtime.tensors.layout import Layout
from aclspec.runtime.tensors.tensor import wrap

TURNED = wrap((2, 3), DType.INT4, Format.ND, None, Layout((1, 2), 1, (8,)))


def test_the_first_element_is_in_the_low_half() -> None:
    held = memoryview(bytearray([0x21, 0xF8, 0x43, 0x65]))
    assert calls._with_array("x", TURNED, (held, 0)).array.astype(int).tolist() == [[2, -1, 4], [-8, 3, 5]]


def test_an_output_is_written_back_between_its_neighbours() -> None:
    memory = bytearray([0x21, 0xF8, 0x43, 0x65])
    tensor = calls._with_array("y", TURNED, (memoryview(memory), 0))
    tensor.array[...] = np.array([[0, 1, 2], [3, -4, -5]]).astype(tensor.array.dtype)
    calls._put_back(tensor, (memoryview(memory), 0))
    assert memory.hex() == "01132c6b"


def test_a_tensor_beyond_its_memory_is_refused() -> None:
    held = memoryview(bytearray(4))
    with pytest.raises(calls.Unusable, match="are not all inside of its device memory"):
        calls._with_array("x", wrap((9,), DType.INT4, Format.ND, None, Layout((1,), 0, (9,))), (held, 0))
