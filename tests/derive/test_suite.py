"""The data of a generated test file: where a case holds, its expected outcome, tables spelled out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.rules.operator_info import Mode
from aclspec.runtime.tensors.tensor import Tensor
from aclspec.runtime.testing import data, expected
from aclspec.runtime.testing.suite import (
    Case,
    Combinations,
    Outcome,
    Suite,
    Sweep,
    Target,
    describe,
    relabelled,
    resolve,
)

PRODUCTS: dict[Mode, tuple[str, ...]] = {"document": ("a", "b"), "library": ("a", "b", "c")}
CELLS = [Target(product, mode) for mode, products in PRODUCTS.items() for product in products]


@pytest.mark.parametrize("chosen", [set(some) for size in range(1, 6) for some in itertools.combinations(CELLS, size)])
def test_a_text_of_targets_names_the_same_targets(chosen: set[Target]) -> None:
    assert set(resolve(describe(chosen, PRODUCTS), PRODUCTS)) == chosen


def test_the_texts_of_targets() -> None:
    assert describe(CELLS, PRODUCTS) == "*"
    assert describe(CELLS[:2], PRODUCTS) == "document"
    assert describe([CELLS[0], *CELLS[2:]], PRODUCTS) == "document: a; library"
    assert describe([CELLS[0], CELLS[2]], PRODUCTS) == "a"
    assert describe([*CELLS[:1], *CELLS[2:3], CELLS[4]], PRODUCTS) == "a c"
    assert resolve("* but b", PRODUCTS) == [CELLS[0], CELLS[2], CELLS[4]]
    assert resolve("library but a c; document: b", PRODUCTS) == [CELLS[3], CELLS[1]]
    with pytest.raises(ValueError, match=r"The mode or product \(hardware\) is unknown"):
        resolve("hardware", PRODUCTS)


@pytest.mark.parametrize("text", ["0", "0 empty-input", "161002 weight-numel rank-self"])
def test_the_text_of_an_outcome(text: str) -> None:
    assert str(Outcome.parse(text)) == text


def test_an_outcome_knows_a_shortcut_from_a_rule() -> None:
    assert Outcome.parse("0 empty-input") == Outcome(0, (), "empty-input")
    assert Outcome.parse("161001 null-self").failing == ("null-self",)


@pytest.mark.parametrize(
    ("value", "facet", "name", "expected"),
    [
        ("float32[4,2]:ND", "dtype", "BF16", "bfloat16[4,2]:ND"),
        ("float32[4,2]:ND", "format", "NCHW", "float32[4,2]:NCHW"),
        ("float32[4,2]", "format", "NCHW", "float32[4,2]:NCHW"),
        ("float32[4,2]:offset=2", "format", "NCHW", "float32[4,2]:NCHW:offset=2"),
        ("float32[4,2]:ND:strides=1,4:offset=2", "format", "NCHW", "float32[4,2]:NCHW:strides=1,4:offset=2"),
        (("float32[]:ND", "float32[1]:ND"), "dtype", "INT8", ("int8[]:ND", "int8[1]:ND")),
        ("float32(1.5)", "dtype", "DOUBLE", "float64(1.5)"),
        ("FLOAT", "dtype", "BF16", "BF16"),
        (None, "dtype", "BF16", None),
    ],
)
def test_another_dtype_or_format(value: str, facet: str, name: str, expected: str) -> None:
    assert relabelled(value, facet, name) == expected


def test_a_suite_spells_out_its_tables() -> None:
    suite = Suite(
        operator="aclnnSmall",
        products=PRODUCTS,
        base={"self": "float32[2]:ND", "out": "float32[2]:ND"},
        valid=(Case("base", {}, {"*": "0"}),),
        violations=(),
        sweeps=(Sweep("dtype-self", "self", "dtype", (("INT8 BOOL", {"*": "161002 dtype-self"}),)),),
        combinations=(Combinations("dtypes", ("self", "out"), (({"*": "161002 dtypes"}, ("FLOAT BF16",)),)),),
        unlisted={"document:c": "161002 product"},
    )
    assert [case.id for case in suite.groups["sweeps"]] == ["dtype-self-int8", "dtype-self-bool"]
    (pair,) = suite.groups["combinations"]
    assert (pair.id, suite.call(pair)["out"]) == ("dtypes-float-bf16", "bfloat16[2]:ND")
    assert set(suite.outcomes(pair)) == set(CELLS)
    assert suite.refused == {Target("c", "document"): "161002 product"}


def test_arguments_of_literals() -> None:
    assert expected.argument("float16[4]", "tensor").format.name == "ND"
    tensor = expected.argument("float16[4,2]:NCHW:strides=1,4", "tensor")
    assert (tensor.shape, tensor.dtype, tensor.strides) == ((4, 2), DType.FLOAT16, (1, 4))
    assert expected.argument(None, "tensor") is None
    first, second = expected.argument(("float32[1]:ND", "int8[]:ND"), "tensor_list")
    assert (first.dtype, second.shape) == (DType.FLOAT, ())
    assert expected.argument("float32(1.5)", "scalar").value == 1.5
    assert expected.argument("int64(3)", "scalar").value == 3
    assert expected.argument("bool(True)", "scalar").value is True
    assert expected.argument("BF16", "dtype") is DType.BF16
    assert expected.argument((1, 2), "int_array") == (1, 2)
    with pytest.raises(ValueError, match="The scalar literal"):
        expected.argument("1.5", "scalar")


@pytest.mark.parametrize("literal", ["float32[4,3]:ND", "bfloat16[2,1,3]:ND:offset=5", "int8[]:ND", "float16[0,2]:ND"])
def test_the_same_values_in_every_layout(literal: str) -> None:
    tensor = data.filled(Tensor.parse(literal), "seed")
    for layout in (data.contiguous, data.strided, data.shifted):
        assert data.bits(layout(tensor).array) == data.bits(tensor.array)
    assert data.bits(data.filled(Tensor.parse(literal), "seed").array) == data.bits(tensor.array)
    if tensor.numel > 1:
        assert not data.strided(tensor).is_contiguous


def test_sentinels_fill_the_whole_storage() -> None:
    tensor = data.blank(Tensor.parse("int32[2,2]:ND:strides=4,2:offset=1"))
    assert set(data.storage(tensor)) == {data.SENTINEL}
    tensor.array[...] = 0
    assert data.storage(tensor).count(data.SENTINEL) == len(data.storage(tensor)) - 16


@pytest.mark.parametrize("dtype", [one for one in DType if one.is_stored and one.numpy is not None])
def test_sentinels_are_a_nan_where_there_is_one(dtype: DType) -> None:
    has_nan = "COMPLEX" in dtype.name or (dtype.is_floating and not dtype.name.startswith(("FLOAT4", "FLOAT6")))
    blank = data.blank(Tensor((2,), dtype))
    assert data.is_blank(blank)
    assert bool((blank.array != blank.array).all()) is has_nan


def test_only_what_is_unwritten_counts_as_zero() -> None:
    expected = data.blank(Tensor((4,), DType.FLOAT))
    expected.array[:2] = [0, 3]
    found = Tensor.from_array(np.array([1, 0, 2, 0], np.float32))
    zeroed = np.frombuffer(data.zeroed(found, data.bits(expected.array)), np.float32)
    np.testing.assert_array_equal(zeroed, np.array([0, 3, np.nan, 0], np.float32))


def test_what_is_too_large_or_has_no_numpy_type_is_not_allocated() -> None:
    assert data.can_hold(Tensor.parse("float32[1024]:ND"))
    assert not data.can_hold(Tensor.parse("float32[2147483646]:ND"))
    assert not data.can_hold(Tensor.parse("hifloat8[2]:ND"))


def test_every_nan_is_the_same() -> None:
    quiet = np.array([np.nan, 1.0], np.float32)
    other = quiet.copy()
    other.view(np.uint32)[0] ^= 0x80000000
    assert data.bits(quiet) == data.bits(other)
