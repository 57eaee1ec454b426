"""PReLU and batch normalization in the arithmetic of float16: the bits of float32 rounded at every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import batch_norm_elemt, prelu, prelu_forward
from aclspec.runtime.native import batch_norm_elemt as c_batch_norm_elemt
from aclspec.runtime.native import prelu as c_prelu
from aclspec.runtime.native import prelu_forward as c_prelu_forward
from aclspec.runtime.native.library import Library
from tests.native.test_kernels import assert_same, both, roles
from tests.native.test_same_bits import SETS

CHANNELS = 128


@pytest.fixture(params=SETS)
def instructions(request: pytest.FixtureRequest, compiled: Library) -> Iterator[str]:
    """Every instruction set that the machine has; the best one has arithmetic of float16 where there is any."""
    if compiled.lib.aclspec_use(request.param.encode()):
        pytest.skip(f"this machine has no {request.param}")
    yield request.param
    compiled.lib.aclspec_use(b"")


def patterns(random: np.random.Generator, *shape: int) -> Any:
    """Every number of float16, subnormal ones and those close to overflow more often than others."""
    words = random.integers(0, 1 << 16, shape).astype(np.uint16)
    kind = random.random(shape)
    words = np.where(kind < 0.2, words & np.uint16(0x87FF), words)  # up to twice the smallest normal number
    words = np.where(kind > 0.8, (words & np.uint16(0x83FF)) | np.uint16(0x7800), words)
    return words.astype(np.uint16).view(np.float16)


@pytest.mark.parametrize("cells", [1, 77, 513])
def test_every_pattern(instructions: str, cells: int) -> None:
    random = np.random.default_rng(cells)
    samples = max(1, 2048 // cells)
    g, x = patterns(random, samples, CHANNELS, cells), patterns(random, samples, CHANNELS, cells)
    of = [patterns(random, CHANNELS) for _ in range(5)]
    half: Any = {"operand": DType.FLOAT16, "accumulate": DType.FLOAT16}
    with np.errstate(all="ignore"):
        elemt = batch_norm_elemt.batch_norm_elemt_backward, c_batch_norm_elemt.batch_norm_elemt_backward
        values = [g, x, *of, np.array([3, 4], np.int32), np.empty_like(x)]
        assert_same(*both(*elemt, values, [8], half)[0])
        forward = prelu_forward.prelu, c_prelu_forward.prelu
        assert_same(*both(*forward, [x, of[0], np.empty_like(x)], [2], roles(np.float16))[0])
        half = {"product": DType.FLOAT16, "accumulate": DType.FLOAT}
        values = [g, x, of[0], np.empty_like(x), np.empty_like(of[0])]
        assert_same(*both(prelu.prelu_backward, c_prelu.prelu_backward, values, [3, 4], half)[0])


def test_sums_of_a_slope_are_the_same_everywhere(compiled: Library) -> None:
    random = np.random.default_rng(9)
    g, x = (random.standard_normal((3, CHANNELS, 70, 3)).astype(np.float16) for _ in range(2))
    kernel: Any = c_prelu.prelu_backward
    found = []
    for name in SETS:
        if compiled.lib.aclspec_use(name.encode()) == 0:
            values = [g, x, x[0, :, 0, 0].copy(), np.empty_like(x), np.empty(CHANNELS, np.float16)]
            assert kernel(*values, {"product": DType.FLOAT16, "accumulate": DType.FLOAT})
            found.append(values[3].tobytes() + values[4].tobytes())
    compiled.lib.aclspec_use(b"")
    assert len(set(found)) == 1
