"""What a predicate is worth in a call: every construct, every function, and where each is undefined."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.language.functions import FUNCTIONS
from aclspec.runtime.language.library import IMPLEMENTATIONS, broadcast
from aclspec.runtime.language.parser import parse
from aclspec.runtime.rules import shapes
from aclspec.runtime.rules.interpreter import INFERRED, UNDEFINED, Environment, evaluate_node
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from tests.support.handmade import call, operator, tensor

INFO = operator()
U = UNDEFINED


def value(text: str, **changes: object) -> Any:
    return evaluate_node(parse(text), Environment(INFO, call(**changes), "atlas_a2", "document"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # literals, names and lets
        ("3", 3),
        ("-3", -3),
        ("2.5", 2.5),
        ("true", True),
        ("'sum'", "sum"),
        ("FLOAT16", "FLOAT16"),
        ("NCHW", "NCHW"),
        ("groups", 4),
        ("kernel", (3, 2)),
        ("mask", (True, False, True)),
        ("mode", "mean"),
        ("acc", "FLOAT"),
        ("half", 2),
        ("channels", 3),
        ("wide", False),
        ("[1, groups, half]", (1, 4, 2)),
        # arithmetic rounds down
        ("7 // 2", 3),
        ("-7 // 2", -4),
        ("-7 % 4", 1),
        ("2 + 3 * 4 - 1", 13),
        ("[1] + kernel", (1, 3, 2)),
        ("groups // 0", U),
        ("groups % 0", U),
        ("groups // (half - 2)", U),
        # comparisons
        ("1 < 2 and 2 <= 2", True),
        ("1 < groups < 4", False),
        ("shape(x) == [2, 3]", True),
        ("shape(x) != [2, 3]", False),
        ("3 in kernel", True),
        ("groups not in [1, 4]", False),
        ("dtype(x) == FLOAT", True),
        ("mode in ['sum', 'mean']", True),
        # conditionals and indices
        ("1 if flag else 2", 1),
        ("(groups // 0) if not flag else 2", 2),
        ("2 if groups // 0 == 1 else 2", U),
        ("kernel[1]", 2),
        ("kernel[2]", U),
        ("kernel[-1]", U),
        ("kernel[groups // 0]", U),
        # quantifiers
        ("all(k > 1 for k in kernel)", True),
        ("any(k > 3 for k in kernel)", False),
        ("all(k > 1 for k in [])", True),
        ("any(k > 1 for k in [])", False),
        ("all(2 * stride[i] <= kernel[i] for i in range(0, len(kernel)))", True),
        ("any(any(a == b for a in kernel) for b in [2, 9])", True),
        ("all(is_contiguous(p) for p in parts)", True),
        # functions
        ("rank(x)", 2),
        ("numel(y)", 12),
        ("dim(x, 1)", 3),
        ("dim(x, 2)", U),
        ("dim(x, -1)", U),
        ("shape(out)", (2, 3, 4, 5)),
        ("dtype(parts[1])", "FLOAT16"),
        ("format(out)", "NCHW"),
        ("format(x)", "ND"),
        ("is_empty(x)", False),
        ("is_empty(parts[1])", True),
        ("is_private(FRACTAL_NZ)", True),
        ("is_private(format(x))", False),
        ("len(kernel)", 2),
        ("len(parts)", 2),
        ("prod(shape(x))", 6),
        ("prod([])", 1),
        ("sum([])", 0),
        ("sum(kernel)", 5),
        ("min(kernel)", 2),
        ("max(kernel)", 3),
        ("min([])", U),
        ("max(groups, half, 7)", 7),
        ("abs(-groups)", 4),
        ("ceil_div(7, 2)", 4),
        ("ceil_div(-7, 2)", -3),
        ("ceil_div(7, 0)", U),
        ("broadcast([4, 1], [3])", (4, 3)),
        ("broadcast([0], [1])", (0,)),
        ("broadcast([2], [3])", U),
        ("broadcastable([2], [3])", False),
        ("broadcastable([], [3])", True),
        ("range(1, 4)", (1, 2, 3)),
        ("range(4, 1)", ()),
        ("range(0, 65536 + 1)", U),
        ("promote(FLOAT16, FLOAT16)", "FLOAT16"),
        ("promote(FLOAT16, BF16)", "FLOAT"),
        ("promote(BF16, FLOAT)", "FLOAT"),
        ("promote(INT8, FLOAT)", "FLOAT"),
        ("promote(INT8, UINT8)", "INT16"),
        ("promote(INT64, BF16)", "BF16"),
        ("promote(BF16, COMPLEX32)", "COMPLEX32"),
        ("promote(BF16, COMPLEX64)", "COMPLEX64"),
        ("promote(FLOAT, COMPLEX32)", "COMPLEX64"),
        ("promotable(INT8, FLOAT)", True),
        ("promotable(INT8, UINT16)", False),
        ("promotable(UINT16, UINT16)", True),
        ("itemsize(FLOAT)", 4),
        ("itemsize(COMPLEX128)", 16),
        ("itemsize(BF16)", 2),
        ("itemsize(INT4)", 1),
        ("itemsize(STRING)", 0),
        ("bits(INT4)", 4),
        ("bits(UINT1)", 1),
        ("bits(FLOAT6_E2M3)", 6),
        ("bits(BOOL)", 8),
        ("bits(COMPLEX32)", 32),
        ("bits(HIFLOAT8)", 8),
        ("promote(COMPLEX64, DOUBLE)", "COMPLEX128"),
        ("promote(INT8, UINT16)", U),
        ("promote_all([INT8, FLOAT16, BF16])", "FLOAT"),
        ("promote_all([FLOAT8_E5M2, FLOAT8_E5M2])", "FLOAT8_E5M2"),
        ("promotable_all([FLOAT, FLOAT8_E5M2])", False),
        ("promotable_all([FLOAT, INT8])", True),
        ("castable(BF16, FLOAT16)", True),
        ("castable(FLOAT, INT32)", False),
        ("castable(INT8, BOOL)", False),
        ("castable(BOOL, UINT64)", True),
        ("castable(COMPLEX64, DOUBLE)", False),
        ("castable(HIFLOAT8, FLOAT)", False),
        ("scaled(5, 0.5)", 2),
        ("scaled(-5, 0.5)", -3),
        ("scaled(5, 2.0)", 10),
        ("range_len(0, 7, 2)", 4),
        ("range_len(0.0, 1.0, 0.3)", 4),
        ("range_len(1.5, -1.5, -1)", 3),
        ("range_len(1, 0, 1)", 0),
        ("range_len(1.0, 0, 1)", 0),
        ("range_len(0, 1, 0)", U),
        ("range_len(0, 1, 0.0)", U),
        ("promote(INT8, INT8)", "INT8"),
        ("slice(shape(out), 1, 3)", (3, 4)),
        ("slice(shape(out), 0, 0)", ()),
        ("slice(shape(out), 3, 5)", U),
        ("slice(shape(out), 2, 1)", U),
        ("replace(shape(out), 1, 9)", (2, 9, 4, 5)),
        ("replace(shape(out), 4, 9)", U),
        ("replace(shape(out), half - 3, 9)", U),
        ("remove(shape(out), 3)", (2, 3, 4)),
        ("remove([], 0)", U),
        ("insert(kernel, 0, 7)", (7, 3, 2)),
        ("insert(kernel, 2, 7)", (3, 2, 7)),
        ("insert(kernel, 3, 7)", U),
        ("wrap(-1, rank(out))", 3),
        ("wrap(-4, rank(out))", 0),
        ("wrap(2, rank(out))", 2),
        ("wrap(4, rank(out))", U),
        ("wrap(-5, rank(out))", U),
        ("wrap(0, 0)", U),
        ("reduce(shape(out), [0, -1], false)", (3, 4)),
        ("reduce(shape(out), [0, -1], true)", (1, 3, 4, 1)),
        ("reduce(shape(out), [1, -3], false)", (2, 4, 5)),
        ("reduce(shape(out), [], true)", (2, 3, 4, 5)),
        ("reduce(shape(out), [4], true)", U),
        ("reduce([], [], false)", ()),
        ("distinct(kernel)", True),
        ("distinct([1, 2, 1])", False),
        ("distinct([])", True),
        ("value(alpha)", 0.5),
        ("value(alpha) >= 0", True),
        ("strides(out)", (60, 20, 5, 1)),
        ("storage_shape(x)", (2, 3)),
        ("is_transposed(x)", False),
        ("is_transposed(parts[0])", False),
    ],
)
def test_value(text: str, expected: object) -> None:
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("dtype", [dtype for dtype in DType if dtype.is_stored], ids=lambda dtype: dtype.name)
def test_every_dtype_casts_to_itself(dtype: DType) -> None:
    assert value(f"castable({dtype.name}, {dtype.name})") is True
    assert shapes.castable(dtype, dtype)


@pytest.mark.parametrize(
    "text",
    [
        "rank(x)",
        "shape(x) == shape(x)",
        "not is_empty(x)",
        "x",
        "channels",
        "len(kernel)",
        "kernel[0]",
        "kernel",
        "all(k > 1 for k in kernel)",
        "any(k > 1 for k in kernel)",
        "alpha == 1.0",
        "mode == 'mean'",
        "numel(x) + 1",
        "-rank(x)",
        "[rank(x)]",
        "rank(x) in [1, 2]",
        "1 in kernel",
    ],
)
def test_facts_of_null_are_undefined(text: str) -> None:
    assert value(text, x=None, kernel=None, alpha=None, mode=None) is UNDEFINED


@pytest.mark.parametrize(
    ("text", "expected"),
    [("is_null(x)", True), ("is_null(y)", False), ("is_null(kernel)", True), ("is_null(groups) == false", True)],
)
def test_is_null_is_always_defined(text: str, expected: bool) -> None:
    assert value(text, x=None, kernel=None) is expected


def test_inferred_output_is_not_null_and_has_no_facts() -> None:
    assert value("is_null(out)", out=INFERRED) is False
    assert value("rank(out)", out=INFERRED) is UNDEFINED
    assert value("is_null(out) or rank(out) == 4", out=INFERRED) is UNDEFINED


def test_null_element_of_a_list() -> None:
    assert value("is_null(parts[0])", parts=(None,)) is UNDEFINED
    assert value("any(is_null(p) for p in parts)", parts=(tensor((1,)), None)) is True
    assert value("all(rank(p) == 1 for p in parts)", parts=(tensor((1,)), None)) is UNDEFINED
    assert value("all(rank(p) == 2 for p in parts)", parts=(tensor((1,)), None)) is False


def test_strides_decide_contiguity() -> None:
    turned = Tensor(shape=(2, 3), dtype="FLOAT", strides=(1, 2))
    assert value("is_contiguous(x)", x=turned) is False
    assert value("is_contiguous(x)") is True


def test_layouts() -> None:
    """The layouts of NumPy's own views."""
    whole = np.zeros((2, 3, 4), np.float32)
    for array in (whole, whole.swapaxes(1, 2), whole.transpose(2, 1, 0), whole[:, ::2].swapaxes(1, 2)):
        given = Tensor(array)
        assert value("strides(x)", x=given) == tuple(step // 4 for step in array.strides)
        assert value("is_transposed(x)", x=given) is array.swapaxes(1, 2).flags.c_contiguous
    viewed = Tensor(shape=(2,), dtype="FLOAT", strides=(3,), offset=1)
    assert value("storage_shape(x)", x=viewed) == (5,)


@pytest.mark.parametrize(
    ("tensor_dtype", "scalar", "expected"),
    [
        ("FLOAT16", "DOUBLE", "FLOAT16"),
        ("BF16", "INT64", "BF16"),
        ("INT8", "INT64", "INT8"),
        ("UINT16", "BOOL", "UINT16"),
        ("INT32", "DOUBLE", "FLOAT"),
        ("BOOL", "FLOAT16", "FLOAT"),
        ("BOOL", "INT16", "INT16"),
        ("FLOAT16", "COMPLEX64", "COMPLEX32"),
        ("BF16", "COMPLEX128", "COMPLEX64"),
        ("DOUBLE", "COMPLEX64", "COMPLEX128"),
        ("INT32", "COMPLEX128", "COMPLEX64"),
        ("COMPLEX32", "DOUBLE", "COMPLEX32"),
        ("STRING", "FLOAT", U),
    ],
)
def test_a_scalar_of_no_higher_kind_leaves_the_dtype(tensor_dtype: str, scalar: str, expected: object) -> None:
    """The kinds of array libraries, in the order bool, integer, floating, complex."""
    given = {"x": tensor((2,), tensor_dtype), "alpha": Scalar(1, DType[scalar])}
    assert value("promote(x, alpha)", **given) == expected
    assert value("promotable(x, alpha)", **given) is (expected is not U)


def test_the_value_of_a_scalar() -> None:
    assert value("value(alpha) > 9007199254740992", alpha=Scalar(2**53 + 1, DType.INT64)) is True
    assert value("value(alpha) == 1", alpha=Scalar(True, DType.BOOL)) is True
    assert value("value(alpha) == 1.0", alpha=Scalar(1, DType.COMPLEX64)) is UNDEFINED
    assert value("value(alpha) < 0 or value(alpha) >= 0", alpha=Scalar(math.nan, DType.FLOAT)) is False


def test_dtype_parameter_may_be_an_enum() -> None:
    assert value("acc == BF16", acc=DType.BF16) is True
    assert value("promote(acc, dtype(x))", acc=DType.FLOAT16) == "FLOAT"


def test_format_not_said_is_the_first_legal_one_of_the_rank() -> None:
    assert value("format(x)", x=tensor((1, 2, 3, 4))) == "NCHW"
    assert value("format(x)", x=tensor((1, 2, 3))) == "ND"
    assert value("format(parts[0])") == "ND"


def test_a_let_is_undefined_with_its_users() -> None:
    assert value("channels == 3", x=tensor((2,))) is UNDEFINED
    assert value("numel(x) == channels or rank(x) == 1", x=tensor((2,))) is True


def test_variables_hide_nothing_outside_their_quantifier() -> None:
    assert value("all(i < 2 for i in range(0, 2)) and groups == 4") is True
    assert value("any(all(i != j for i in kernel) for j in stride)") is True


SHAPES = st.lists(st.integers(0, 3), max_size=4).map(tuple)


@given(SHAPES, SHAPES)
def test_broadcast_agrees_with_numpy(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    try:
        expected: object = np.broadcast_shapes(left, right)
    except ValueError:
        expected = UNDEFINED
    assert broadcast(left, right) == expected


@given(st.integers(-50, 50), st.integers(-9, 9))
def test_ceil_div_is_the_smallest_integer_above(left: int, right: int) -> None:
    found = IMPLEMENTATIONS["ceil_div"](left, right)
    assert found == (UNDEFINED if right == 0 else int(np.ceil(left / right)))


def test_undefined_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(UNDEFINED)


def test_every_function_of_the_table_is_implemented() -> None:
    assert set(IMPLEMENTATIONS) | {"is_null", "format"} == set(FUNCTIONS)


@pytest.mark.parametrize("range_len", [IMPLEMENTATIONS["range_len"], shapes.range_len])
@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-9, 9).filter(bool), st.sampled_from((1, 1.0, 0.5)))
def test_range_len_agrees_with_numpy(
    range_len: Callable[[float, float, float], int], start: int, stop: int, step: int, unit: float
) -> None:
    found = range_len(start * unit, stop * unit, step * unit)
    assert found == len(np.arange(start * unit, stop * unit, step * unit))
    assert type(found) is int


@pytest.mark.parametrize("range_len", [IMPLEMENTATIONS["range_len"], shapes.range_len])
def test_range_len_of_what_is_infinite_or_no_number(range_len: Callable[[float, float, float], int]) -> None:
    assert range_len(0, math.inf, 1) == range_len(0.0, 1e300, 1) == 2**63 - 1
    assert range_len(0, math.nan, 1) == range_len(math.inf, math.inf, 1) == range_len(0, -math.inf, 1) == 0


@pytest.mark.parametrize("scaled", [IMPLEMENTATIONS["scaled"], shapes.scaled])
@pytest.mark.parametrize(
    ("size", "factor", "expected"),
    [
        (5, 1e308, 2**63 - 1),
        (-5, 1e308, 1 - 2**63),
        (2, 2.0**62, 2**63 - 1),
        (2, 2.0**62 - 512, 2**63 - 1024),
        (-2, 2.0**62 - 512, 1024 - 2**63),
        (2**63 - 1, 1e-19, 0),
        (1, math.inf, 2**63 - 1),
        (-1, math.inf, 1 - 2**63),
        (1, -math.inf, 1 - 2**63),
        (0, math.inf, 0),
        (3, math.nan, 0),
        pytest.param(10**400, 1e-300, 2**63 - 1, id="beyond floating point"),
        pytest.param(-(10**400), 1e-300, 1 - 2**63, id="below floating point"),
        pytest.param(10**400, 0.0, 0, id="beyond floating point times 0"),
    ],
)
def test_a_size_times_any_factor_is_one_that_an_int64_holds(
    scaled: Callable[[int, float], int], size: int, factor: float, expected: int
) -> None:
    found = scaled(size, factor)
    assert found == expected
    assert type(found) is int
