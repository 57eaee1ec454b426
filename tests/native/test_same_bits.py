"""The same bits whatever the instruction set and the number of threads, with several callers, and after a fork."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.native import avg_pool, batch_norm, batch_norm_elemt, convolution, max_pool, prelu, prelu_forward
from aclspec.runtime.native.library import Library
from tests.native.test_kernels import DTYPES, numbers, roles

PLANES = 4, 18
LARGE = 41
"""Cells along each side: enough of them that three threads are worth it."""
SETS = ("portable", "avx2", "avx512", "amx")
Call = tuple[Callable[..., Any], list[Any], list[int], Any]


@pytest.fixture(autouse=True)
def settings(compiled: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three threads, and the best instruction set again in the end."""
    monkeypatch.setenv("ACLSPEC_NATIVE_THREADS", "3")
    yield
    compiled.lib.aclspec_use(b"")
    compiled.lib.aclspec_write_past_cache(0)


def rows(dtype: Any) -> Iterator[Call]:
    """PReLU and batch normalization, of long rows and of short ones."""
    random = np.random.default_rng(6)
    for cells in (LARGE, 5):
        shape = (*PLANES, cells, cells) if cells == LARGE else (200, 18, cells, cells)
        g, x = (numbers(random, shape, dtype, False) for _ in range(2))
        weight, *of = (numbers(random, shape[1:2], dtype, False) for _ in range(6))
        product: Any = {"product": DType.of(np.dtype(dtype)), "accumulate": DType.FLOAT}
        yield prelu.prelu_backward, [g, x, weight, np.empty_like(x), np.empty_like(weight)], [3, 4], product
        yield prelu_forward.prelu, [x, weight, np.empty_like(x)], [2], roles(dtype)
        single = [one.astype(np.float32) for one in of]
        sums = [np.empty(shape[1], np.float32) for _ in range(4)]
        reduce = batch_norm.batch_norm_reduce_backward
        yield reduce, [g, x, *single[:3], True, True, True, *sums], [8, 9, 10, 11], roles(dtype)
        counter = np.array([x.size], np.int32)
        yield batch_norm_elemt.batch_norm_elemt_backward, [g, x, *of, counter, np.empty_like(x)], [8], roles(dtype)


def windows(dtype: Any) -> Iterator[Call]:
    """Pools and depthwise convolutions by the ways that they have: steps of 1, 2 and 3, with and without padding."""
    random = np.random.default_rng(7)
    for kernel, stride, pad in ((3, 2, 1), (2, 2, 0), (3, 1, 1), (3, 2, 0), (5, 1, 2), (4, 3, 1)):
        size = (LARGE + 2 * pad - kernel) // stride + 1
        g, x = (numbers(random, (*PLANES, side, side), dtype, False) for side in (size, LARGE))
        pair = [(one, one) for one in (kernel, stride, pad)]
        yield avg_pool.avg_pool2d, [x, *pair, False, True, 0, 0, np.empty_like(g)], [8], roles(dtype)
        yield avg_pool.avg_pool2d_backward, [g, x, *pair, False, True, 0, 0, np.empty_like(x)], [9], roles(dtype)
        for layout in ("argmax", "bits"):
            empty = np.zeros((PLANES[0], 32, kernel * kernel, (-(-size * size // 16) + 1) * 32), np.int8)
            of, how = [*pair, (1, 1), False], roles(dtype, layout=layout)
            forward = max_pool.max_pool2d_with_mask, [x, *of, np.empty_like(g), empty], [6, 7], how
            yield forward
            mask = np.frombuffer(answer(forward)[1], np.int8).reshape(empty.shape)
            yield max_pool.max_pool2d_with_mask_backward, [g, x, mask, *of, np.empty_like(x)], [8], how
        weight, bias = (numbers(random, one, dtype, False) for one in ((18, 1, kernel, kernel), (18,)))
        steps = [*pair[1:], (1, 1), False, (0, 0), 18]
        yield convolution.convolution, [x, weight, bias, *steps, np.empty_like(g), 0], [9], roles(dtype)
        outputs = [np.empty_like(one) for one in (x, weight, bias)]
        values = [g, x, weight, (18,), *steps, (True, True, True), 0, *outputs]
        yield convolution.convolution_backward, values, [12, 13, 14], roles(dtype)


def answer(call: Call) -> list[bytes]:
    """What a call writes into outputs of its own."""
    kernel, values, outputs, precision = call
    values = list(values)
    for at in outputs:
        values[at] = np.zeros_like(values[at])
    assert kernel(*values, precision), "the compiled kernel declines"
    return [values[at].tobytes() for at in outputs]


@pytest.mark.parametrize("kind", [rows, windows])
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_instruction_sets_and_threads(
    compiled: Library, monkeypatch: pytest.MonkeyPatch, dtype: Any, kind: Callable[[Any], Iterator[Call]]
) -> None:
    for call in kind(dtype):
        monkeypatch.setenv("ACLSPEC_NATIVE_THREADS", "1")
        compiled.lib.aclspec_use(b"portable")
        expected = answer(call)
        for name in SETS:
            if compiled.lib.aclspec_use(name.encode()) == 0:
                for threads in ("1", "2", "7"):
                    monkeypatch.setenv("ACLSPEC_NATIVE_THREADS", threads)
                    assert answer(call) == expected, (call[0].__name__, name, threads)


@pytest.mark.parametrize("kind", [rows, windows])
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_outputs_past_the_cache(compiled: Library, dtype: Any, kind: Callable[[Any], Iterator[Call]]) -> None:
    for call in kind(dtype):
        expected = answer(call)
        compiled.lib.aclspec_write_past_cache(1)
        for name in SETS:
            if compiled.lib.aclspec_use(name.encode()) == 0:
                assert answer(call) == expected, (call[0].__name__, name)
        compiled.lib.aclspec_write_past_cache(0)


def test_callers_at_once() -> None:
    calls = list(windows(np.float32))
    expected = [answer(call) for call in calls]
    with ThreadPoolExecutor(4) as callers:
        for _ in range(3):
            assert list(callers.map(answer, calls)) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_the_child_of_a_fork_has_threads_of_its_own() -> None:
    call = next(windows(np.float32))
    expected = answer(call)
    child = os.fork()
    if child == 0:
        os._exit(0 if answer(call) == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert answer(call) == expected
