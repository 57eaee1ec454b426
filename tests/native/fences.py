"""Calls of the compiled kernels whose arrays and scratch lie against pages that nobody may touch.

``python -m tests.native.fences SET TURNS SEED`` computes random calls on an instruction set, each three times: on
ordinary arrays, on arrays that begin behind a closed page, and on arrays that end before one. Whatever reads or writes
a byte beyond an array, or beyond the scratch, ends this process with a fault, and so does an integer that overflows;
other bits end it with an error.
"""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.native import avg_pool, batch_norm, batch_norm_elemt, convolution, max_pool, prelu, prelu_forward
from aclspec.runtime.native import build as building
from aclspec.runtime.native.library import library
from tests.native.test_kernels import DTYPES, Random, Windows, numbers, roles
from tests.support.convolving import Case, random_case

Call = tuple[Callable[..., Any], list[Any], list[int], Any]
_PAGE = mmap.PAGESIZE


def ending(values: Any) -> Any:
    """A copy that ends before a closed page."""
    return _fenced(values, True)


def beginning(values: Any) -> Any:
    """A copy that begins behind a closed page."""
    return _fenced(values, False)


def _fenced(values: Any, at_end: bool) -> Any:
    size = values.nbytes
    pages = -(-size // _PAGE) * _PAGE
    memory = mmap.mmap(-1, pages + 2 * _PAGE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for closed in (address, address + _PAGE + pages):
        if ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(closed), ctypes.c_size_t(_PAGE), 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    begin = _PAGE + (pages - size if at_end else 0)
    copy = np.frombuffer(memory, np.uint8, size, begin).view(values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


def rows(random: Random, dtype: Any) -> Iterator[Call]:
    """PReLU and batch normalization."""
    shape = (int(random.integers(1, 5)), int(random.integers(1, 40)), *random.integers(1, 40, 2).tolist())
    g, x, weight, *of = (numbers(random, one, dtype, True) for one in (shape, shape, *[shape[1:2]] * 6))
    product = {"product": DType.of(np.dtype(dtype)), "accumulate": DType.FLOAT}
    yield prelu_forward.prelu, [x, weight, np.empty_like(x)], [2], roles(dtype)
    yield prelu.prelu_backward, [g, x, weight, np.empty_like(x), np.empty_like(weight)], [3, 4], product
    single = [one.astype(np.float32) for one in of[:3]]
    sums = [np.empty(shape[1], np.float32) for _ in range(4)]
    reduce = batch_norm.batch_norm_reduce_backward
    yield reduce, [g, x, *single, True, True, True, *sums], [8, 9, 10, 11], roles(dtype)
    counter = np.array([x.size], np.int32)
    yield batch_norm_elemt.batch_norm_elemt_backward, [g, x, *of, counter, np.empty_like(x)], [8], roles(dtype)


def pools(random: Random, dtype: Any) -> Iterator[Call]:
    """Average and maximum, with both masks."""
    of = Windows(random)
    g, x = (numbers(random, (*of.planes, *size), dtype, True) for size in (of.windows, of.cells))
    rest = [of.kernel, of.stride, of.padding, False, bool(random.integers(2)), 0, 0]
    yield avg_pool.avg_pool2d, [x, *rest, np.empty_like(g)], [8], roles(dtype)
    yield avg_pool.avg_pool2d_backward, [g, x, *rest, np.empty_like(x)], [9], roles(dtype)
    words = (-(-of.windows[0] * of.windows[1] // 16) + 1) * 32
    for layout in ("argmax", "bits"):
        planes = of.planes if layout == "argmax" else (of.planes[0], 16)
        mask = np.zeros((*planes, of.kernel[0] * of.kernel[1], words), np.int8)
        attributes = [of.kernel, of.stride, of.padding, (1, 1), False]
        precision = roles(dtype, layout=layout)
        if layout == "argmax" and mask.nbytes < 4 * g.size:
            continue  # a mask that is too small is left to NumPy
        forward: Call = max_pool.max_pool2d_with_mask, [x, *attributes, np.empty_like(g), mask], [6, 7], precision
        yield forward
        made = np.frombuffer((answer(forward) or [b"", mask.tobytes()])[1], np.int8).reshape(mask.shape)
        yield max_pool.max_pool2d_with_mask_backward, [g, x, made, *attributes, np.empty_like(x)], [8], precision


def convolutions(random: Random, dtype: Any) -> Iterator[Call]:
    """Dense and depthwise, of any rank; and one of many channels, as tiles want them."""
    for case in (random_case(random), _wide(random)):
        shapes = case.output, case.input, case.weight, (case.channels,)
        g, x, weight, bias = (numbers(random, shape, dtype, False) for shape in shapes)
        yield convolution.convolution, [x, weight, bias, *case.attributes, np.empty_like(g), 0], [9], roles(dtype)
        mask = tuple(bool(one) for one in random.integers(0, 4, 3))
        outputs = [np.empty_like(one) if on else None for one, on in zip((x, weight, bias), mask, strict=True)]
        of = [at for at, on in zip((12, 13, 14), mask, strict=True) if on]
        values = [g, x, weight, (case.channels,), *case.attributes, mask, 0, *outputs]
        yield convolution.convolution_backward, values, of, roles(dtype)


def _wide(random: Random) -> Case:
    while True:
        ours, theirs = random.integers(8, 70, 2).tolist()
        groups = int(random.choice([1, 1, 2]))
        (kernel, stride, padding, dilation), cells = (
            random.integers(1, 4, 4).tolist(),
            random.integers(3, 20, 2).tolist(),
        )
        if random.integers(2):
            kernel, stride, padding, dilation = 3, 1, 1, 1
        transposed = bool(random.integers(2))
        weight = (groups * ours, theirs) if transposed else (groups * theirs, ours)
        extra = (stride - 1,) * 2 if transposed else (0, 0)
        shape = (int(random.integers(1, 4)), groups * ours, *cells)
        case = Case(
            shape, (*weight, kernel, kernel), (stride,) * 2, (padding,) * 2, (dilation,) * 2, transposed, extra, groups
        )
        if min(case.output) > 0:
            return case


def answer(call: Call, lay: Callable[[Any], Any] = np.array) -> list[bytes] | None:
    """What a call writes where its arrays are laid so; None where the compiled kernel declines."""
    kernel, values, outputs, precision = call
    values = [lay(value) if isinstance(value, np.ndarray) else value for value in values]
    for at in outputs:
        values[at].view(np.uint8)[...] = 0
    if not kernel(*values, precision):
        return None
    return [values[at].tobytes() for at in outputs]


def main(instructions: str, turns: int, seed: int) -> int:
    """How many calls were computed on the instruction set."""
    building.FLAGS += ["-include", str(Path(__file__).with_name("fenced_scratch.h"))]
    building.FLAGS += ["-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"]
    building.FLAGS[building.FLAGS.index("-O3")] = "-O1"  # compiles sooner, and relies on less luck
    building.build()
    found = library()
    assert found is not None
    if found.lib.aclspec_use(instructions.encode()):
        return 0
    random, taken = np.random.default_rng(seed), 0
    for _ in range(turns):
        for dtype in DTYPES.values():
            for kind in (rows, pools, convolutions):
                for call in kind(random, dtype):
                    expected = answer(call)
                    assert answer(call, ending) == expected == answer(call, beginning), (call[0].__name__, dtype)
                    taken += expected is not None
    return taken


if __name__ == "__main__":
    faulthandler.enable()
    print(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
