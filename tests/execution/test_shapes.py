"""Outputs as long as the data says, through the eager call and through two phases.

Their shapes are bounds before the call; the caller gets the part that is written.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from aclspec import ops
from aclspec.runtime import AclnnError, Status, Tensor, register_backend
from aclspec.runtime.kernels import counting

X = np.array([[0.0, 1.5, 0.0], [-2.0, 0.0, 3.0]], np.float32)
PLACES = [[0, 1], [1, 0], [1, 2]]


def test_the_result_is_what_was_written() -> None:
    found = ops.nonzero(X).out
    assert found.dtype == np.int64
    assert found.tolist() == PLACES
    assert ops.nonzero(np.zeros((2, 3), np.float32)).out.shape == (0, 2)
    assert ops.nonzero(np.ones((2, 3), np.float32)).out.shape == (6, 2)
    assert ops.nonzero(X, compute="exact").out.tolist() == PLACES


def test_an_empty_call_answers_the_bound() -> None:
    assert ops.nonzero(np.zeros((0, 3), np.float32)).out.shape == (0, 2)
    assert ops.nonzero(np.float32(1)).out.shape == (1, 0)


@pytest.mark.parametrize("found", [3, (), (1, 2), (1.0,), [3]], ids=repr)
def test_a_kernel_that_returns_no_lengths(found: Any) -> None:
    register_backend("returning", lambda operator: lambda *arguments: found)
    said = (
        rf"The value that the kernel returns \({type(found).__name__}\) is not a tuple with the length that the data "
        r"decides of each of its outputs \(out\)\.\n - while calling aclnnNonzero"
    )
    with pytest.raises(TypeError, match=said):
        ops.nonzero(X, backend="returning")


def test_what_is_given_gets_the_rows_in_front() -> None:
    out = np.full((6, 2), -7, np.int64)
    found = ops.nonzero(X, out=out).out
    assert found.tolist() == PLACES
    assert np.shares_memory(found, out)
    assert (out[3:] == -7).all()
    tensor = Tensor(data=np.full((6, 2), -7, np.int64))
    part = ops.nonzero(Tensor(data=X), out=tensor).out
    assert isinstance(part, Tensor)
    assert part.shape == (3, 2)
    assert np.shares_memory(part.array, tensor.array)
    mixed = ops.nonzero(Tensor(data=X), out=out).out
    assert isinstance(mixed, np.ndarray)


def test_the_result_is_of_the_kind_of_the_inputs() -> None:
    torch = pytest.importorskip("torch")
    given = torch.tensor(X)
    found = ops.nonzero(given).out
    assert torch.equal(found, torch.nonzero(given))
    out = torch.full((6, 2), -7, dtype=torch.int64)
    part = ops.nonzero(given, out=out).out
    assert part.data_ptr() == out.data_ptr()
    assert part.shape == (3, 2)


def test_out_has_to_have_room_for_everything() -> None:
    with pytest.raises(AclnnError, match=r"\(3, 2\).*\(6, 2\)") as caught:
        ops.nonzero(X, out=np.empty((3, 2), np.int64))
    assert (int(caught.value.status), caught.value.rule) == (161002, "aclnnNonzero.out-shape")


def test_an_output_that_overlaps_an_input() -> None:
    memory = np.array([1, 0, 3, 0], np.int64)
    found = ops.nonzero(memory, out=memory.reshape(4, 1)).out
    assert found.tolist() == [[0], [2]]
    assert memory.tolist() == [0, 2, 3, 0]


def test_two_phases_say_how_long_the_outputs_are() -> None:
    out = np.full((6, 2), -7, np.int64)
    status, size, executor = ops.aclnnNonzeroGetWorkspaceSize(X, out)
    assert status is Status.ACLNN_SUCCESS
    assert executor is not None
    assert executor.lengths is None
    assert ops.aclnnNonzero(np.empty(size, np.uint8), size, executor, None) is Status.ACLNN_SUCCESS
    assert executor.lengths == (3,)
    assert out[:3].tolist() == PLACES


def test_a_shortcut_says_no_lengths() -> None:
    status, size, executor = ops.aclnnNonzeroGetWorkspaceSize(np.empty((0, 2), np.float32), np.empty((0, 2), np.int64))
    assert (status, size) == (Status.ACLNN_SUCCESS, 0)
    assert ops.aclnnNonzero(None, 0, executor, None) is Status.ACLNN_SUCCESS
    assert executor is not None
    assert executor.lengths is None


@pytest.mark.parametrize(("inverse", "counts"), [(False, False), (True, False), (False, True), (True, True)])
def test_outputs_of_several_lengths(inverse: bool, counts: bool) -> None:
    values = np.array([[7, 5, 7], [7, 9, 5]], np.int32)
    found: Any = ops.unique2(values, True, inverse, counts)
    different, places, times = np.unique(values, return_inverse=True, return_counts=True)
    assert found.value_out.tolist() == different.tolist()
    assert found.inverse_out.tolist() == (places.reshape(2, 3).tolist() if inverse or counts else [[0] * 3] * 2)
    assert found.counts_out.tolist() == (times.tolist() if counts else [])


@pytest.mark.parametrize("values", [np.array([2**53 + 1, 2**53, 2**53 + 1]), np.array([2e30, 1e30, 2e30], bfloat16)])
def test_numbers_that_a_narrower_dtype_would_take_for_one(values: Any) -> None:
    """References draw small numbers."""
    found: Any = ops.unique2(values, True, False, False)
    assert found.value_out.tolist() == [values[1], values[0]]


def test_nan_stands_behind_all_numbers() -> None:
    found: Any = ops.unique2(np.array([2, np.nan, 1, np.nan, 2], bfloat16), True, False, False)
    np.testing.assert_array_equal(found.value_out.astype(np.float32), [1, 2, np.nan, np.nan])


def test_counts_that_nobody_asks_for_are_not_written() -> None:
    values, places, counts = np.array([3, 1, 3]), np.zeros(3, np.int64), np.full(3, -1)
    assert counting.unique(values, True, True, False, np.zeros_like(values), places, counts, {}) == (2, 0)
    assert counts.tolist() == [-1, -1, -1]


def test_a_backend_answers_lengths_too() -> None:
    def kernel(values: Any, out: Any, precision: Any) -> tuple[int]:
        del values, precision
        out[:2] = [[1, 2], [3, 4]]
        return (2,)

    register_backend("two-rows", lambda operator: kernel)
    assert ops.nonzero(X, backend="two-rows").out.tolist() == [[1, 2], [3, 4]]


def test_what_is_generated_says_that_the_shape_is_a_bound() -> None:
    operator = ops.get("aclnnNonzero")
    assert [param.name for param in operator.params if param.data_dependent] == ["out"]
    assert operator.data_dependent
    assert not ops.get("aclnnTopk").data_dependent
    text = Path(str(import_module(operator.module).__file__)).read_text(encoding="utf-8")
    assert "shape: at most [the number of elements of ``self``, the rank of" in text


def test_each_index_of_a_list_has_its_own_bound() -> None:
    target, values = np.zeros((2, 5), np.float32), np.ones(2, np.float32)
    rows, columns = np.array([0, 1]), np.array([4, 0])
    found = ops.index_put_impl(target, [rows, columns], values).self_ref
    assert found.tolist() == [[0, 0, 0, 0, 1], [1, 0, 0, 0, 0]]
    with pytest.raises(
        AclnnError, match=r"The element of indices\[0\] at \(0,\) \(4\) is outside its range, -2 <= element < 2"
    ):
        ops.index_put_impl(target, [columns, rows], values)
