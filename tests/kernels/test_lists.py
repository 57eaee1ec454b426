"""Lists of tensors where references say too little: how many there may be, and that all are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, Tensor
from aclspec.runtime.testing.amount import amount


def halves(count: int) -> list[Any]:
    return [np.full(2, at, np.float32) for at in range(count)]


def test_a_list_has_as_many_tensors_as_documented() -> None:
    found = ops.foreach_add_list_v2(halves(50), halves(50), 2.0, product="ascend_950").out
    assert [one.tolist() for one in found] == [[3.0 * at] * 2 for at in range(50)]
    with pytest.raises(AclnnError) as error:
        ops.foreach_add_list_v2(halves(51), halves(51), 2.0, product="ascend_950")
    assert error.value.rule == "aclnnForeachAddListV2.list-limit"
    many = ops.foreach_add_list_v2(halves(51), halves(51), 2.0, product="atlas_a2", conformance="library").out
    assert len(many) == 51


@pytest.mark.parametrize("count", amount([300], [65535, 65536]))
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


def test_each_tensor_of_a_list_is_divided_by_its_own_number() -> None:
    x = [np.array([1.0, -2.0, np.inf], np.float32), np.array([[3.0], [0.25]], np.float32)]
    found = ops.foreach_div_scalar_list(x, [0.5, -4.0]).out
    assert [one.tolist() for one in found] == [[2.0, -4.0, np.inf], [[-0.75], [-0.0625]]]
