"""The operators of every parameter type called: numbers against NumPy and PyTorch, and values that do not fit."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.interpreter import evaluate
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from tests.parameter_types.conftest import Typed

RANDOM = np.random.default_rng(3)


def f32(values: Any) -> NDArray[Any]:
    return np.array(values, np.float32)


def i32(values: Any) -> NDArray[Any]:
    return np.array(values, np.int32)


def i8(values: Any) -> NDArray[Any]:
    return np.array(values, np.int8)


def i64(values: Any) -> NDArray[Any]:
    return np.array(values, np.int64)


def f16(values: Any) -> NDArray[Any]:
    return np.array(values, np.float16)


def bools(values: Any) -> NDArray[Any]:
    return np.array(values, np.bool_)


def normal(*shape: int) -> NDArray[np.float32]:
    return RANDOM.standard_normal(shape).astype(np.float32)


def near(found: Any, exact: Any, units: float = 8) -> None:
    scale = np.max(np.abs(exact), initial=1)
    assert np.max(np.abs(np.asarray(found, np.float64) - exact), initial=0) <= units * 2.0**-24 * scale


def two_phases(operator: Any, *values: Any) -> None:
    status, size, executor = operator.get_workspace_size(*values)
    assert status is Status.ACLNN_SUCCESS
    assert operator.execute(np.empty(size, np.uint8), size, executor) is Status.ACLNN_SUCCESS


def test_add(typed: Typed) -> None:
    add = typed.get("aclnnTypedAdd")
    x, y = normal(3, 1), normal(4)
    near(add(x, y, 0.5).out, x.astype(np.float64) + 0.5 * y)
    assert add(i32([1]), f16([0.5]), 2).out.dtype == np.float16
    assert add(i8([100]), i8([100]), np.int32(1)).out.tolist() == [-56]
    assert add(bools([True, False]), bools([True, False]), True).out.tolist() == [True, False]
    out = np.empty((3, 4), np.float32)
    two_phases(add, x, y, Scalar(0.5, DType.FLOAT), out)
    assert np.array_equal(out, add(x, y, 0.5).out)


def test_a_scalar_decides_the_dtype_only_by_its_kind(typed: Typed) -> None:
    adds = typed.get("aclnnTypedAdds")
    for x, other, dtype in ((f16([1]), 2.0, "float16"), (i32([1]), 2, "int32"), (i32([1]), 0.5, "float32")):
        found = adds(x, other, 1).out
        assert (found.dtype, found.tolist()) == (np.dtype(dtype), [x[0] + other])


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("axes", [[], [0], [-1], [2, 0], [-2, -1], [0, 1, 2]])
def test_a_sum_over_axes(axes: list[int], keep: bool, typed: Typed) -> None:
    x = normal(2, 3, 4)
    exact = x.astype(np.float64).sum(axis=tuple(axes), keepdims=keep)
    found = typed.get("aclnnTypedReduceSum")(x, axes, keep, DType.FLOAT).out
    assert found.shape == exact.shape
    near(found, exact, 32)


def test_a_sum_over_its_operand_is_that_of_the_operands_before(typed: Typed) -> None:
    """The reference overlaps other in part: what is read is what stood there before the call."""
    memory = np.arange(6, dtype=np.float32)
    expected = memory[1:] + 2 * memory[:-1]
    two_phases(typed.get("aclnnTypedInplaceAdd"), memory[1:], memory[:-1], 2)
    assert memory[1:].tolist() == expected.tolist()
    before = f32([1, 2])
    result = typed.get("aclnnTypedInplaceAdd")(before, f32([1]), 1)
    assert (result.self_ref.tolist(), before.tolist()) == ([2, 3], [1, 2])
    assert typed.get("aclnnTypedInplaceAdd")(before, f32([1]), 1, out=[before]).self_ref is before
    assert before.tolist() == [2, 3]


def test_cat_of_lists(typed: Typed) -> None:
    cat = typed.get("aclnnTypedCat")
    parts = [normal(2, size, 3) for size in (1, 4, 2)]
    for given in (parts, tuple(parts), [Tensor.from_array(part) for part in parts]):
        assert np.array_equal(
            np.asarray(getattr(cat(given, -2).out, "array", cat(given, -2).out)), np.concatenate(parts, 1)
        )
    out = np.empty((2, 7, 3), np.float32)
    two_phases(cat, parts, 1, out)
    assert np.array_equal(out, np.concatenate(parts, 1))


def test_lists_of_torch_tensors(typed: Typed) -> None:
    torch = pytest.importorskip("torch")
    parts = [torch.arange(4.0).reshape(2, 2), torch.ones(2, 1)]
    joined = typed.get("aclnnTypedCat")(parts, 1).out
    assert torch.equal(joined, torch.cat(parts, 1))
    products = typed.get("aclnnForeachTimesScalarList")(parts, [2.0, 3.0]).out
    assert all(torch.equal(found, part * factor) for found, part, factor in zip(products, parts, (2, 3), strict=True))


def test_an_output_that_is_a_list(typed: Typed) -> None:
    multiply = typed.get("aclnnForeachTimesScalarList")
    x = [normal(2, 3), normal(5)]
    exact = [x[0] * np.float32(0.5), x[1] * np.float32(-2)]
    found = multiply(x, np.array([0.5, -2.0])).out
    assert isinstance(found, tuple)
    assert all(np.array_equal(one, wanted) for one, wanted in zip(found, exact, strict=True))
    for given in ([np.empty((2, 3), np.float32), np.empty(5, np.float32)],):
        for out in (given, {"out": given}, [given]):
            assert multiply(x, [0.5, -2.0], out=out).out is given
        two_phases(multiply, x, [0.5, -2.0], given)
        assert all(np.array_equal(one, wanted) for one, wanted in zip(given, exact, strict=True))
    shared = np.empty(6, np.float32)
    with pytest.raises(AclnnError, match=r"out\[1\] overlaps that of the output out\[0\]"):
        multiply([x[1], x[1]], [1.0, 1.0], out={"out": [shared[:5], shared[1:]]})
    status, _, _ = multiply.get_workspace_size(x, [0.5, -2.0], [np.empty((2, 3), np.float32)])
    assert status is Status.ACLNN_ERR_PARAM_INVALID
    assert not multiply.explain(x, [0.5, -2.0], out=[np.empty((2, 3), np.float32)]).ok
    assert multiply.explain(x, [0.5, -2.0], product="atlas_a2").ok


def test_exact_computation_of_lists(typed: Typed) -> None:
    x = [normal(3).astype(np.float16)]
    found = typed.get("aclnnForeachTimesScalarList")(x, [1 / 3], compute="exact").out[0]
    assert np.array_equal(found, (x[0].astype(np.float64) / 3).astype(np.float16))


def test_floats_by_value(typed: Typed) -> None:
    x = np.array([0.2, 0.5, 0.99], np.float32)
    exact = np.log(np.clip(x.astype(np.float64), 0.1, 0.9) / (1 - np.clip(x.astype(np.float64), 0.1, 0.9)))
    near(typed.get("aclnnTypedLogit")(x, 0.1).out, exact)
    special = f32([np.nan, np.inf, -np.inf, 2])
    assert typed.get("aclnnTypedNanToNum")(special, 1, 2.5, -3).out.tolist() == [1, 2.5, -3, 2]


def test_the_torch_oracle_of_gelu(typed: Typed) -> None:
    torch = pytest.importorskip("torch")
    grad, x = normal(40), normal(40)
    for approximate in ("none", "tanh"):
        z = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        torch.nn.functional.gelu(z, approximate=approximate).backward(torch.tensor(grad, dtype=torch.float64))
        near(typed.get("aclnnTypedGeluBackwardV2")(grad, x, approximate).grad_input, z.grad.numpy())


def test_the_torch_oracle_of_layer_normalization(typed: Typed) -> None:
    torch = pytest.importorskip("torch")
    grad, x, weight = normal(2, 3, 4), normal(2, 3, 4), normal(4)
    mean = x.mean(-1, keepdims=True)
    rstd = (1 / np.sqrt(x.var(-1, keepdims=True) + 1e-5)).astype(np.float32)
    arrays = [torch.tensor(value, dtype=torch.float64) for value in (grad, x, mean, rstd, weight)]
    exact = torch.ops.aten.native_layer_norm_backward(*arrays[:2], [4], *arrays[2:4], arrays[4], arrays[4], [True] * 3)
    operator = typed.get("aclnnTypedLayerNormBackward")
    for mask in ([True, True, True], [False, True, False], np.array([True, False, True])):
        found = operator(grad, x, [4], mean, rstd, weight, None, mask)
        for wanted, one, expected in zip(mask, found, exact, strict=True):
            assert (one is not None) == bool(wanted)
            if one is not None:
                near(one, expected.numpy(), 64)


def test_integers_by_value(typed: Typed) -> None:
    x, y = normal(3, 5), normal(5, 2)
    near(typed.get("aclnnTypedMm")(x, y, np.int8(0)).out, x.astype(np.float64) @ y, 64)
    divide = typed.get("aclnnTypedDivMod")
    whole = i32([7, -7]), i32([2, 2])
    assert [divide(*whole, mode).out.tolist() for mode in (0, 1, 2)] == [[3.5, -3.5], [3, -3], [3, -4]]
    codes = typed.get("aclnnTypedQuantize")(f32([[1, 300]]), f32([2]), None, "int8", axis=-1).out
    assert (codes.tolist(), codes.dtype) == ([[0, 127]], np.int8)
    grad = normal(3, 2)
    table = typed.get("aclnnTypedEmbeddingDenseBackward")(grad, i64([1, 0, 1]), 2, 2**64 - 1).out
    near(table, np.stack([grad[1], grad[0].astype(np.float64) + grad[2]]))


def test_dtypes_strings_and_float_arrays(typed: Typed) -> None:
    cast = typed.get("aclnnTypedCast")
    for dtype in (DType.INT32, "int32", np.int32, np.dtype("int32")):
        assert cast(f32([1.75]), dtype).out.dtype == np.int32
    resize = typed.get("aclnnResize")
    image = normal(1, 1, 2, 3)
    for scales in ([1.0, 1.0, 2.0, 1.0], (1, 1, 2, 1), f32([1, 1, 2, 1])):
        assert np.array_equal(resize(image, scales, "nearest").out, image.repeat(2, axis=2))


BAD: list[tuple[str, tuple[Any, ...], str]] = [
    ("aclnnTypedCat", ([np.ones(2)], 2**63), r"The value of dim \(9223372036854775808\) is outside its range"),
    ("aclnnTypedCat", ([np.ones(2)], True), r"The value of dim \(True\) is not an int"),
    ("aclnnTypedCat", (np.ones(2), 0), "The value of tensors .* is not a list or tuple of tensors"),
    ("aclnnTypedCat", ([object()], 0), r"tensors\[0\]"),
    ("aclnnTypedMm", (np.ones((1, 1)), np.ones((1, 1)), 128), "outside its range, -128 to 127"),
    ("aclnnTypedDivMod", (np.ones(1), np.ones(1), 2**31), "outside its range, -2147483648 to 2147483647"),
    ("aclnnTypedDivMod", (np.ones(1), np.ones(1), 1.0), r"The value of mode \(1.0\) is not an int"),
    ("aclnnTypedQuantize", (np.ones((1, 1)), np.ones(1), None, "int8", -(2**31) - 1), "The value of axis"),
    ("aclnnTypedQuantize", (np.ones((1, 1)), np.ones(1), None, "int99"), "is not a dtype that aclnn has"),
    ("aclnnTypedEmbeddingDenseBackward", (np.ones((1, 1)), np.zeros(1, np.int64), -1, 0), "The value of numWeights"),
    ("aclnnTypedEmbeddingDenseBackward", (np.ones((1, 1)), np.zeros(1, np.int64), 1, 2**64), "The value of paddingIdx"),
    ("aclnnTypedEmbeddingDenseBackward", (np.ones((1, 1)), np.zeros(1, np.int64), 1, 1, 1), "is not a bool"),
    ("aclnnTypedNanToNum", (np.ones(1, np.float32), 1e39, 0, 0), "beyond the range of its C type"),
    ("aclnnTypedLogit", (np.ones(1, np.float32), True), "is not a float"),
    ("aclnnTypedLogit", (np.ones(1, np.float32), "0.5"), "is not a float"),
    ("aclnnTypedGeluBackwardV2", (np.ones(1), np.ones(1), b"tanh"), "is not a str"),
    ("aclnnResize", (np.ones((1, 1, 1, 1)), [1, 1, 1, True], "nearest"), r"scales\[3\]"),
    ("aclnnResize", (np.ones((1, 1, 1, 1)), 1.0, "nearest"), "is not a sequence of floats"),
    ("aclnnForeachTimesScalarList", ([np.ones(1)], ["2"]), r"scalars\[0\]"),
    ("aclnnForeachTimesScalarList", ([np.ones(1)], 2.0), "is not a sequence of numbers"),
    ("aclnnTypedAdd", (np.ones(1), np.ones(1), "1"), r"The value of alpha \('1'\) is not a number"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), BAD)
def test_a_value_that_no_c_type_holds(name: str, arguments: tuple[Any, ...], message: str, typed: Typed) -> None:
    with pytest.raises((TypeError, AclnnError), match=message):
        typed.get(name)(*arguments)


@pytest.mark.parametrize(
    ("indices", "told"),
    [
        (i64([[0, 2], [1, 3]]), r"The element of indices at \(1, 1\) \(3\) is outside its range, 0 <= element < 3\."),
        (i32([1, -1, 7]), r"The element of indices at \(1,\) \(-1\) is outside its range, 0 <= element < 3\."),
        (i64(5), r"The element of indices at \(\) \(5\) is outside its range"),
    ],
)
def test_an_element_outside_its_bounds(indices: Any, told: str, typed: Typed) -> None:
    embedding, weight = typed.get("aclnnTypedEmbedding"), normal(3, 2)
    with pytest.raises(AclnnError, match=told) as caught:
        embedding(weight, indices)
    assert caught.value.status is Status.ACLNN_ERR_RUNTIME_ERROR
    out = np.full((*indices.shape, 2), 9, np.float32)
    status, size, executor = embedding.get_workspace_size(weight, indices, out)
    assert status is Status.ACLNN_SUCCESS
    assert embedding.execute(np.empty(size, np.uint8), size, executor) is Status.ACLNN_ERR_RUNTIME_ERROR
    assert (out == 9).all()


def test_elements_inside_their_bounds(typed: Typed) -> None:
    weight = normal(3, 2)
    for indices in (i64([[2, 0], [1, 1]]), i32([]), i64(2)):
        assert np.array_equal(typed.get("aclnnTypedEmbedding")(weight, indices).out, weight[indices])


RULES: list[tuple[str, tuple[Any, ...], str]] = [
    ("aclnnTypedCat", ([],), "tensors-count"),
    ("aclnnTypedCat", ([f32([1]), None],), "tensors-null"),
    ("aclnnTypedCat", ([f32([1]), i32([1])],), "dtype-tensors"),
    ("aclnnTypedCat", ([f32([1])], 1), "dim-range"),
    ("aclnnTypedAdd", (f32([1]), f32([1]), None), "null-alpha"),
    ("aclnnTypedAdd", (f32([1]), f32([1]), np.float16(1)), "dtype-alpha"),
    ("aclnnTypedAdd", (i32([1]), i32([1]), 0.5), "alpha-dtype"),
    ("aclnnTypedAdds", (f32([1]), 1.0, -0.5), "alpha-not-negative"),
    ("aclnnTypedAdds", (f32([1]), 1.0, np.float64("nan")), "alpha-not-negative"),
    ("aclnnTypedAdds", (i32([1]), True, 0.5), "alpha-cast"),
    ("aclnnTypedReduceSum", (f32([[1]]), [2], False, DType.FLOAT), "dims-range"),
    ("aclnnTypedReduceSum", (f32([[1]]), [0, -2], False, DType.FLOAT), "dims-distinct"),
    ("aclnnTypedReduceSum", (f32([[1]]), [0], False, DType.INT64), "dtype-cast"),
    ("aclnnBiasAdd", (i8([1]), None), "dtypes"),
    ("aclnnBiasAdd", (i8([1]), f32([1])), "dtypes"),
    ("aclnnTypedInplaceAdd", (i32([1]), f32([1]), 1), "self-dtype"),
    ("aclnnTypedInplaceAdd", (f32([1]), f32([1, 2]), 1), "broadcast"),
    ("aclnnTypedLogit", (f32([1]), 0.75), "eps-half"),
    ("aclnnTypedMm", (np.ones((1, 1), np.float32), np.ones((1, 1), np.float32), 4), "value-cube-math-type"),
    ("aclnnTypedGeluBackwardV2", (f32([1]), f32([1]), "erf"), "value-approximate"),
    ("aclnnTypedGeluBackwardV2", (f32([1]), f32([1]), None), "null-approximate"),
    ("aclnnResize", (np.ones((1, 1, 1, 1), np.float32), [1, 1, 1], "nearest"), "length-scales"),
    ("aclnnResize", (np.ones((1, 1, 1, 1), np.float32), [1, 1, 0, 1], "nearest"), "scales-positive"),
    ("aclnnForeachTimesScalarList", ([f32([1])], [1.0, 2.0]), "scalars-count"),
    ("aclnnForeachTimesScalarList", ([f32([1]), f16([1])], [1.0, 2.0]), "dtype-x"),
    ("aclnnForeachTimesScalarList", ([f32([1])], [None]), "elements-null"),
    ("aclnnForeachTimesScalarList", ([], []), "x-count"),
]


@pytest.mark.parametrize(("name", "arguments", "rule"), RULES)
def test_a_call_that_breaks_a_rule(name: str, arguments: tuple[Any, ...], rule: str, typed: Typed) -> None:
    operator = typed.get(name)
    with pytest.raises(AclnnError) as caught:
        operator(*arguments)
    assert caught.value.rule == f"{name}.{rule}", str(caught.value)
    for lang in ("en", "zh"):
        verdict = operator.explain(*arguments, product="atlas_a2", lang=lang)["atlas_a2"]
        assert (verdict.rule, verdict.status) == (caught.value.rule, caught.value.status)


def test_a_null_that_the_rows_refuse_is_told_as_such(typed: Typed) -> None:
    bias_add = typed.get("aclnnBiasAdd")
    with pytest.raises(AclnnError) as caught:
        bias_add(i8([[1]]), None)
    assert str(caught.value).splitlines()[0] == (
        "x is INT8, bias is null; on atlas_a2 they must be FLOAT for x "
        "with null or FLOAT for bias, or FLOAT16 for x with null or FLOAT for bias, or INT8 for x with INT32 for bias."
    )
    assert bias_add(f32([[1]]), None).out.tolist() == [[1.0]]


def test_a_list_of_mixed_dtypes_is_told_as_such(typed: Typed) -> None:
    with pytest.raises(AclnnError) as caught:
        typed.get("aclnnTypedCat")([f32([1]), i32([1])])
    first = str(caught.value).splitlines()[0]
    assert first.startswith("tensors are FLOAT, INT32; on atlas_a2 they must have one dtype, FLOAT, FLOAT16,")


@pytest.mark.parametrize("factor", [np.nan, np.inf, -np.inf])
def test_a_scale_that_is_not_finite(factor: float, typed: Typed) -> None:
    with pytest.raises(AclnnError):
        typed.get("aclnnResize")(np.ones((1, 1, 1, 1), np.float32), [1, 1, factor, 1], "nearest")


def test_what_is_larger_than_memory_is_refused_before_anything_is_allocated(typed: Typed) -> None:
    huge = 2**40
    column, row = np.broadcast_to(np.float32(1), (huge, 1)), np.broadcast_to(np.float32(1), (1, huge))
    with pytest.raises(AclnnError, match="must fit INT64"):
        typed.get("aclnnTypedAdd")(column, row, 1)
    with pytest.raises(AclnnError, match=r"more than the .* bytes that are available"):
        typed.get("aclnnTypedMm")(column[: 2**24], row[:, : 2**24])
    with pytest.raises(AclnnError, match=r"more than the .* bytes that are available"):
        typed.get("aclnnForeachTimesScalarList")([column[: 2**30]] * 64, [1.0] * 64)
    with pytest.raises(AclnnError, match=r"must fit INT64|bytes that are available"):
        typed.get("aclnnResize")(np.ones((1, 1, 1, 1), np.float32), [1, 1, 1e18, 1], "nearest")
    assert (
        typed.get("aclnnTypedAdd").explain(Tensor.parse("float32[1099511627776]"), Tensor.parse("float32[1]"), 1).ok
        is not None
    )


@pytest.mark.parametrize("count", [65535, 65536])
def test_a_rule_about_each_element_looks_at_the_longest_list(typed: Typed, count: int) -> None:
    operator = typed.get("aclnnForeachTimesScalarList")
    one, other = Tensor.parse("float32[1]:ND"), Tensor.parse("float32[2]:ND")
    call = ((one,) * count, (Scalar(1.0, DType.FLOAT),) * count, ((one,) * (count - 1) + (other,)))
    verdict = import_module(operator.module).check("atlas_a2", False, *call)
    names = (param.name for param in operator.info.params)
    report = evaluate(operator.info, dict(zip(names, call, strict=True)), "atlas_a2", "document")
    assert report.failing == ("out-shape",)
    assert verdict is not None
    assert verdict.rule.partition(".")[2] == "out-shape"
