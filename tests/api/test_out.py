"""Outputs that the caller gives, and outputs that are allocated for him."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from aclspec.runtime import AclnnError, Tensor, last_error
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator, Param
from aclspec.runtime.rules.verdict import Verdict


def outputs(call: dict[str, Any]) -> dict[str, Any]:
    return {"gradInput": np.full_like(call["self"], 9), "gradWeight": np.full_like(call["weight"], 9)}


def test_out_by_name_by_order_and_as_a_result(prelu: Operator, sample: dict[str, Any]) -> None:
    expected = prelu(**sample)
    given = outputs(sample)
    for out in (
        given,
        {"grad_input": given["gradInput"], "grad_weight": given["gradWeight"]},
        tuple(given.values()),
        list(given.values()),
        expected._replace(grad_input=given["gradInput"], grad_weight=given["gradWeight"]),
    ):
        for array in given.values():
            array[...] = 9
        result = prelu(**sample, out=out)
        assert result.grad_input is given["gradInput"]
        assert result.grad_weight is given["gradWeight"]
        np.testing.assert_array_equal(result.grad_input, expected.grad_input)
        np.testing.assert_array_equal(result.grad_weight, expected.grad_weight)


def test_out_for_some_of_the_outputs(prelu: Operator, call: dict[str, Any]) -> None:
    mine = np.empty(2, np.float32)
    for out in ({"gradWeight": mine}, (None, mine)):
        result = prelu(**call, out=out)
        assert result.grad_weight is mine
        assert result.grad_input.shape == (4, 2)


def test_out_is_strided_or_a_tensor(prelu: Operator, sample: dict[str, Any]) -> None:
    expected = prelu(**sample)
    wide = np.zeros((2, 8), sample["self"].dtype)
    strided = wide.T[::2]
    tensor = Tensor((2,), sample["weight"].dtype, strides=(3,), offset=1, data=np.zeros(6, sample["weight"].dtype))
    result = prelu(**sample, out=(strided, tensor))
    assert result.grad_input is strided
    assert result.grad_weight is tensor
    np.testing.assert_array_equal(strided, expected.grad_input)
    np.testing.assert_array_equal(tensor.array, expected.grad_weight)
    assert not wide[:, 1::2].any()


@pytest.mark.parametrize(
    ("name", "array", "rule"),
    [
        ("gradInput", np.zeros((2, 4), np.float32), "grad-input-shape"),
        ("gradInput", np.zeros((4, 2), np.float16), "dtypes"),
        ("gradWeight", np.zeros((2, 1), np.float32), "grad-weight-per-channel"),
        ("gradWeight", np.zeros(2, np.int32), "dtype-grad-weight"),
    ],
)
def test_out_goes_through_the_checks(prelu: Operator, call: dict[str, Any], name: str, array: Any, rule: str) -> None:
    given = outputs(call) | {name: array}
    before = {key: value.copy() for key, value in given.items()}
    with pytest.raises(AclnnError) as raised:
        prelu(**call, out=given)
    assert raised.value.rule == f"{prelu.name}.{rule}"
    for key, value in given.items():
        np.testing.assert_array_equal(value, before[key])


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        ("x", TypeError, "neither a dict by name nor a tuple of the outputs"),
        (np.zeros((4, 2), np.float32), TypeError, "neither a dict by name nor a tuple of the outputs"),
        ((np.zeros((4, 2), np.float32),), TypeError, r"number of arrays in out \(1\) is not the number of outputs \(2"),
        (
            {"gradInptu": None},
            TypeError,
            r"The name in out \(gradInptu\) is not an output \(did you mean gradInput\?\)",
        ),
        ({3: None}, TypeError, r"The name in out \(3\) is not an output"),
        ({"gradInput": None, "grad_input": None}, TypeError, "gradInput is given twice in out"),
        ({"gradInput": [1, 2]}, TypeError, "The value of gradInput .* is not a tensor"),
        ({"gradInput": np.float32(1)}, TypeError, "only gives copies of its values and cannot be written"),
    ],
)
def test_out_of_the_wrong_kind(
    prelu: Operator, call: dict[str, Any], out: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        prelu(**call, out=out)


def test_out_that_cannot_be_written(prelu: Operator, call: dict[str, Any]) -> None:
    frozen = np.zeros((4, 2), np.float32)
    frozen.flags.writeable = False
    with pytest.raises(AclnnError, match="The output gradInput is read-only"):
        prelu(**call, out={"gradInput": frozen})
    one = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (4, 2), (0, 0))
    with pytest.raises(AclnnError, match="The stride of the output gradInput on axis 0 is 0, so that its 4 elements"):
        prelu(**call, out={"gradInput": one})
    with pytest.raises(AclnnError, match=r"The tensor gradInput .* has no data to compute with; .* take 32 bytes"):
        prelu(**call, out={"gradInput": Tensor((4, 2), "float32")})


def test_outputs_that_overlap_each_other(prelu: Operator, call: dict[str, Any]) -> None:
    buffer = np.zeros(9, np.float32)
    with pytest.raises(AclnnError, match="The memory of the output gradWeight overlaps that of the output gradInput"):
        prelu(**call, out=(buffer[:8].reshape(4, 2), buffer[7:]))


def test_outputs_that_overlap_are_explained_as_they_are_refused(prelu: Operator, call: dict[str, Any]) -> None:
    buffer = np.zeros(9, np.float32)
    given: dict[str, Any] = {"gradInput": buffer[:8].reshape(4, 2), "gradWeight": buffer[7:]}
    found = prelu.explain(**call, **given)
    assert not found.ok
    (violation,) = found["atlas_a2"].violations
    with pytest.raises(AclnnError) as raised:
        prelu(**call, out=given)
    assert violation.rule == raised.value.rule == f"{prelu.name}.argument"
    assert str(raised.value).startswith(violation.sentence)
    status, _, _ = prelu.get_workspace_size(**call, **given)
    assert status == violation.status
    assert (last_error() or "").startswith(f"{violation.rule}: ")


def test_outputs_that_are_switched_off_may_be_one(batch_norm: Operator) -> None:
    x, channels, one = np.ones((2, 3), np.float32), np.ones(3, np.float32), np.full(3, 9, np.float32)
    mine = np.zeros(3, np.float32)
    arguments = (x, x, channels, channels, None, False, False, True)
    result = batch_norm(*arguments, out=(one, one, one, mine))
    assert result.grad_bias is mine
    assert batch_norm.explain(*arguments, one, one, one, mine, product="atlas_a2").ok
    assert batch_norm.get_workspace_size(*arguments, one, one, one, mine)[0] == 0
    np.testing.assert_array_equal(one, 9)


@pytest.mark.parametrize(
    ("strides", "refused"),
    [((1, 1), True), ((1, 3), True), ((2, 3), False), ((2, 8), False), ((2, 5), False), ((2, 1), False)],
)
def test_an_output_that_overlaps_itself(
    prelu: Operator, call: dict[str, Any], strides: tuple[int, int], refused: bool
) -> None:
    buffer = np.zeros(20, np.float32)
    view = np.lib.stride_tricks.as_strided(buffer, (4, 2), tuple(4 * step for step in strides))
    if refused:
        with pytest.raises(AclnnError, match=r"The strides of the output gradInput \(\d, \d\) put several"):
            prelu(**call, out=(view, None))
        assert not buffer.any()
    else:
        np.testing.assert_array_equal(prelu(**call, out=(view, None)).grad_input, prelu(**call).grad_input)


def test_outputs_may_lie_between_each_other(prelu: Operator, call: dict[str, Any]) -> None:
    expected = prelu(**call)
    buffer = np.zeros((4, 3), np.float32)
    result = prelu(**call, out=(buffer[:, :2], buffer[:2, 2]))
    np.testing.assert_array_equal(result.grad_input, expected.grad_input)
    np.testing.assert_array_equal(result.grad_weight, expected.grad_weight)


def test_outputs_may_overlap_inputs(prelu: Operator, sample: dict[str, Any]) -> None:
    expected = prelu(**sample)
    for name in ("gradOutput", "self"):
        copies = {key: value.copy() for key, value in sample.items()}
        result = prelu(**copies, out=(copies[name], copies["weight"]))
        np.testing.assert_array_equal(result.grad_input, expected.grad_input)
        np.testing.assert_array_equal(result.grad_weight, expected.grad_weight)
    shifted = np.zeros(10, sample["self"].dtype)
    shifted[:8] = sample["self"].reshape(-1)
    result = prelu(
        sample["gradOutput"], shifted[:8].reshape(4, 2), sample["weight"], out=(shifted[2:].reshape(4, 2), None)
    )
    np.testing.assert_array_equal(result.grad_input, expected.grad_input)
    np.testing.assert_array_equal(result.grad_weight, expected.grad_weight)


def test_an_output_that_a_mask_switches_off(batch_norm: Operator) -> None:
    x, channels = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    kept = np.full(3, 7, np.float32)
    result = batch_norm(
        x, x, channels, channels, None, False, True, False, out={"sumDy": kept, "gradBias": kept.copy()}
    )
    assert result.sum_dy is None
    assert result.sum_dy_xmu is None
    assert result.grad_bias is None
    np.testing.assert_array_equal(result.grad_weight, 0)
    np.testing.assert_array_equal(kept, 7)


def test_all_switched_off(batch_norm: Operator) -> None:
    x, channels = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    assert batch_norm(x, x, channels, channels, channels, False, False, False) == (None,) * 4


def test_a_shortcut_that_writes_nothing(prelu: Operator) -> None:
    x, weight = np.zeros((0, 3), np.float32), np.ones(3, np.float32)
    result = prelu(x, x, weight)
    np.testing.assert_array_equal(result.grad_weight, np.zeros(3))  # ours to fill: no stale memory shows through
    given = np.full(3, 7, np.float32)
    assert prelu(x, x, weight, out={"gradWeight": given}).grad_weight is given
    np.testing.assert_array_equal(given, 7)


@pytest.mark.parametrize(("product", "value"), [("ascend_950", 0), ("atlas_a2", 7)])
def test_a_shortcut_that_writes_zeros(batch_norm: Operator, product: str, value: int) -> None:
    x, channels = np.zeros((0, 3), np.float32), np.ones(3, np.float32)
    given = {param.name: np.full(3, 7, np.float32) for param in batch_norm.outputs}
    batch_norm(x, x, channels, channels, None, True, True, True, product=product, out=given)
    for array in given.values():
        np.testing.assert_array_equal(array, value)
    given["gradBias"][...] = 7
    batch_norm(x, x, channels, channels, None, True, True, False, product=product, out=given)
    np.testing.assert_array_equal(given["gradBias"], 7)


@pytest.fixture
def doubling(handmade: Callable[..., Operator]) -> Operator:
    """An operator that doubles its only tensor where it is, or not at all when that is empty."""

    def kernel(x: Any, precision: Any) -> None:
        x *= 2

    def check(product: str, library: bool, x: Tensor) -> Verdict | None:
        return Verdict("aclnnHandmade.empty", 0, 0, "unwritten") if x.numel == 0 else None

    params = [Param("selfRef", "self_ref", direction="inout")]
    return handmade(params, kernel, lambda x: ((x.shape, x.dtype, None),), check=check)


def test_in_place_the_input_stays_and_out_is_written(doubling: Operator) -> None:
    x = np.arange(3, dtype=np.float32)
    result = doubling(x)
    np.testing.assert_array_equal(result.self_ref, [0, 2, 4])
    np.testing.assert_array_equal(x, [0, 1, 2])
    other = np.empty(3, np.float32)
    assert doubling(x, out=other).self_ref is other
    np.testing.assert_array_equal(other, [0, 2, 4])
    assert doubling(x, out=x).self_ref is x
    np.testing.assert_array_equal(x, [0, 2, 4])
    np.testing.assert_array_equal(doubling(x, compute="exact").self_ref, [0, 4, 8])


def test_in_place_out_is_like_the_input(doubling: Operator) -> None:
    with pytest.raises(AclnnError, match=r"The out for selfRef .* is not like selfRef"):
        doubling(np.arange(3, dtype=np.float32), out=np.zeros(4, np.float32))
    assert doubling(np.zeros(0, np.float32)).self_ref.shape == (0,)


def test_in_place_in_two_phases_writes_the_tensor_itself(doubling: Operator) -> None:
    x = np.arange(3, dtype=np.float32)
    status, size, executor = doubling.get_workspace_size(x)
    assert (status, doubling.execute(bytearray(size), size, executor, None)) == (0, 0)
    np.testing.assert_array_equal(x, [0, 2, 4])


def test_outputs_before_attributes(handmade: Callable[..., Operator]) -> None:
    def kernel(x: Any, out: Any, factor: int, precision: Any) -> None:
        np.multiply(x, factor, out=out)

    params = [Param("x", "x"), Param("out", "out", direction="out"), Param("factor", "factor", "int8")]
    operator = handmade(params, kernel, lambda x, factor: ((x.shape, DType.FLOAT, None),))
    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(operator(x, 4).out, 4)
    mine = np.zeros(3, np.float32)
    assert operator(x, factor=5, out=mine).out is mine
    np.testing.assert_array_equal(mine, 5)
    status, size, executor = operator.get_workspace_size(x, mine, 6)
    assert (status, operator.execute(bytearray(size), size, executor)) == (0, 0)
    np.testing.assert_array_equal(mine, 6)
