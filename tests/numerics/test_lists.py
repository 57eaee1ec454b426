"""Lists, sequences, quantization and gating where references say too little: limits, packing, indices, fractions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, Tensor


def halves(count: int) -> list[Any]:
    return [np.full(2, at, np.float32) for at in range(count)]


def test_a_list_has_as_many_tensors_as_documented() -> None:
    found = ops.foreach_add_list_v2(halves(50), halves(50), 2.0, product="ascend_950").out
    assert [one.tolist() for one in found] == [[3.0 * at] * 2 for at in range(50)]
    with pytest.raises(AclnnError) as error:
        ops.foreach_add_list_v2(halves(51), halves(51), 2.0, product="ascend_950")
    assert error.value.rule == "aclnnForeachAddListV2.count-limit"
    assert len(ops.foreach_add_list_v2(halves(51), halves(51), 2.0, product="atlas_a2").out) == 51


@pytest.mark.parametrize("count", [65535, 65536])
def test_every_element_of_a_long_list_is_compared(count: int) -> None:
    same, other = Tensor(shape=(2,), dtype="FLOAT"), Tensor(shape=(3,), dtype="FLOAT")
    many, odd = (same,) * count, (*(same,) * (count - 1), other)
    where: dict[str, Any] = {"product": "atlas_a2", "conformance": "library"}
    added = ops.get("aclnnForeachAddListV2").explain(many, many, 2.0, odd, **where)
    whole = Tensor(shape=(2 * count + 1,), dtype="FLOAT")
    split = ops.get("aclnnSplitWithSize").explain(whole, (2,) * (count - 1) + (3,), 0, many, **where)
    for answer, rule in ((added, "out-shapes"), (split, "part-shapes")):
        assert not answer.ok
        assert rule in str(answer)


def test_a_list_that_is_too_long_for_its_rules_is_refused() -> None:
    """A rule about each element is undefined beyond 65536 of them, and would accept anything."""
    many = (Tensor(shape=(2,), dtype="FLOAT"),) * 65537
    with pytest.raises(AclnnError, match=r"x1 has 65537 elements; expected at most 65536\."):
        ops.foreach_add_list_v2(many, many, 2.0)
    answer = ops.get("aclnnSplitWithSize").explain(Tensor(shape=(65537,), dtype="FLOAT"), (1,) * 65537, 0, many[:2])
    assert not answer.ok
    assert "splitSize has 65537 elements; expected at most 65536." in str(answer)


def test_linspace_of_integers_loses_the_fraction() -> None:
    out = np.zeros((2, 2), np.int32)
    ops.linspace(0, 10, 4, out=out)
    assert out.tolist() == [[0, 3], [6, 10]]
    ops.linspace(0, -10, 4, out=out)
    assert out.tolist() == [[0, -3], [-6, -10]]
    assert ops.linspace(2.5, 7.0, 1).out.tolist() == [2.5]


def test_arange_of_integers_is_exact() -> None:
    first = 2**62 + 1
    assert ops.arange(first, first + 3, 1).out.tolist() == [first, first + 1, first + 2]


def test_quantized_numbers_of_four_bits_lie_in_the_order_of_the_memory() -> None:
    x = np.random.default_rng(5).integers(-7, 8, (3, 2, 16)).astype(np.float16)
    x[..., 0] = 7  # so that the scale is 1
    packed, scale = np.zeros((3, 2, 2), np.int32), np.zeros((3, 2), np.float32)
    ops.dynamic_quant(x, out={"y_out": packed, "scale_out": scale})
    assert (scale == 1).all()
    octets = packed.view(np.uint8)
    nibbles = np.stack([octets & 15, octets >> 4], axis=-1).reshape(x.shape).astype(int)
    np.testing.assert_array_equal(np.where(nibbles > 7, nibbles - 16, nibbles), x)


@pytest.mark.parametrize("smoothed", [False, True])
def test_quantized_numbers_reach_the_ends_of_their_range(smoothed: bool) -> None:
    """References compare no number beyond half the range of its dtype."""
    rng = np.random.default_rng(7)
    x, smooth = rng.standard_normal((40, 33)).astype(np.float16), rng.uniform(0.5, 2, 33).astype(np.float16)
    found = ops.dynamic_quant(x, smooth if smoothed else None)
    wide = x.astype(np.float64) * (smooth if smoothed else 1)
    scale = np.abs(wide).max(axis=1) / 127
    np.testing.assert_allclose(found.scale_out, scale, rtol=2.0**-22)
    quotients = wide / scale[:, None]
    certain = np.abs(quotients % 1 - 0.5) > 1e-3
    np.testing.assert_array_equal(found.y_out[certain], np.round(quotients[certain]))
    assert (np.abs(found.y_out.astype(int)).max(axis=1) == 127).all()


def test_a_row_without_a_scale_is_zero() -> None:
    x = np.array([[0, -0.0], [np.nan, 1], [np.inf, 1]], np.float16)
    found = ops.dynamic_quant(x)
    assert found.y_out.tolist() == [[0, 0], [0, 0], [0, 0]]
    np.testing.assert_array_equal(found.scale_out, np.array([0, np.nan, np.inf], np.float32))


@pytest.mark.parametrize("shape", [(7, 9), (3, 4, 6)])
def test_the_experts_of_a_row_are_those_of_pytorch(shape: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(len(shape))
    x, finished = rng.standard_normal(shape).astype(np.float32), rng.random(shape[:-1]) < 0.5
    expected = torch.topk(torch.softmax(torch.from_numpy(x.astype(np.float64)), -1), 3)
    found = ops.moe_gating_top_k_softmax(x, finished, 3)
    np.testing.assert_allclose(found.y_out, expected.values.numpy(), rtol=1e-6)
    np.testing.assert_array_equal(found.expert_idx_out[~finished], expected.indices.numpy()[~finished])
    assert (found.expert_idx_out[finished] == shape[-1]).all()
    rows = finished.size
    pairs = {(place % rows, place // rows) for place in found.row_idx_out.ravel().tolist()}
    assert pairs == {(row, at) for row in range(rows) for at in range(3)}
    assert found.row_idx_out.reshape(rows, 3)[1].tolist() == [1, 1 + rows, 1 + 2 * rows]
