"""A number without a dtype has one that the parameter takes on each product."""

from __future__ import annotations

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.numbers import PlainScalar, fitted
from aclspec.runtime.tensors.tensor import Scalar


def test_a_number_of_python_fits_where_its_own_dtype_does_not() -> None:
    info = ops.get("linspace").info
    takes = {
        key: {d for row in info.rows if key in row.products for d in row.table["start"]} for key, _ in info.products
    }
    assert "INT64" in takes["atlas_a2"]
    assert "INT64" not in takes["atlas_inference"]
    found = ops.get("linspace").explain(start=0, end=1, steps=3, product="all")
    assert {product: found[product].works for product in takes} == dict.fromkeys(takes, True)


def test_a_number_with_a_dtype_is_judged_as_it_is() -> None:
    for value in (np.int64(0), Scalar(0, DType.INT64)):
        found = ops.get("linspace").explain(start=value, end=1, steps=3, product="atlas_inference")
        assert found.rule == "aclnnLinspace.dtype-start"


@pytest.mark.parametrize(
    ("value", "product", "dtype"),
    [
        (PlainScalar(0, DType.INT64), "atlas_a2", DType.INT64),
        (PlainScalar(0, DType.INT64), "atlas_inference", DType.INT32),
        (PlainScalar(2**40, DType.INT64), "atlas_inference", DType.FLOAT),
        (PlainScalar(True, DType.BOOL), "atlas_inference", DType.BOOL),
        (PlainScalar(0.5, DType.DOUBLE), "atlas_inference", DType.DOUBLE),
        (PlainScalar(1j, DType.COMPLEX128), "atlas_inference", DType.COMPLEX128),
    ],
)
def test_the_first_dtype_that_holds_the_number_is_taken(value: Scalar, product: str, dtype: DType) -> None:
    call = fitted(ops.get("linspace").info, {"start": value}, product)
    start = call["start"]
    assert isinstance(start, Scalar)
    assert start.dtype is dtype
    assert start.value == value.value
