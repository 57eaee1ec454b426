"""Calls that users met a wrong verdict of, made up anew: what the library and the document answer to each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aclspec import ops
from aclspec.runtime import AclnnError, Tensor
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.products import read_product
from aclspec.runtime.tensors.tensor import Scalar

WORKS, NULL, INVALID, TILING, NO_KERNEL = 0, 161001, 161002, 561002, 561103
PUT = {"accumulate": False, "unsafe": False}
PACKED = {
    "query": "bfloat16[6,1,128]",
    "key": ["bfloat16[9,1,128]"],
    "value": ["bfloat16[9,1,128]"],
    "num_heads": 1,
    "scale_value": 1.0,
    "input_layout": "TND",
    "num_key_value_heads": 1,
}
ATTENTION = {
    "query": "float16[2,3,8,16]",
    "key": "float16[2,3,8,16]",
    "value": "float16[2,3,8,16]",
    "head_num": 3,
    "input_layout": "BNSD",
}
TURNED = {"x": "float16[2,5,4,64]", "mode": 0}
ROTARY = {"query_ref": "float16[2,5,4,128]", "cos": "float16[2,5,1,128]", "sin": "float16[2,5,1,128]", "layout": 1}
PRODUCT = {"self": "float32[3,4]", "mat2": "float32[4,5]"}
HALVES = {"self": "float16[3,4]", "mat2": "float16[4,5]", "cube_math_type": 3}
POOL = {"self": "float32[1,2,9,9]:NCHW", "kernel_size": (2, 2), "stride": (2, 2), "dilation": (2, 2)}
EMPTY = {"self": "float32[0,4]", "out": "float32[7]"}
LISTS: list[tuple[str, dict[str, Any]]] = [
    ("foreach_mul_list", {"x1": ["float32[3]"], "x2": ["float32[4]"]}),
    ("foreach_div_list", {"x1": ["float32[3]"], "x2": ["float32[4]"]}),
    ("foreach_lerp_list", {"x1": ["float32[3]"], "x2": ["float32[4]"], "weight": ["float32[3]"]}),
    ("foreach_lerp_scalar", {"x1": ["float32[3]"], "x2": ["float32[4]"], "weight": 0.5}),
    ("foreach_addcdiv_scalar_list", {**{f"x{at}": [f"float32[{at}]"] for at in (1, 2, 3)}, "scalars": "float32[1]"}),
    ("foreach_addcdiv_scalar", {**{f"x{at}": [f"float32[{at}]"] for at in (1, 2, 3)}, "scalar": "float32[1]"}),
    ("foreach_div_scalar_list", {"x": ["float32[3]"], "scalars": [1.0, 2.0]}),
]

# operator, product, arguments, what the library answers, and the document
CALLS: list[tuple[str, str, dict[str, Any], int | None, int]] = [
    # masks stand for as many axes as they have, of the same sizes; indices broadcast
    ("index_put_impl", "A2", {"self_ref": "float32[4,6]", "indices": ["bool[4,6]"], "values": "float32[1]"}, 0, 0),
    ("index_put_impl", "A2", {"self_ref": "float32[4,6]", "indices": ["bool[4]"], "values": "float32[2,6]"}, 0, 0),
    (
        "index_put_impl",
        "A2",
        {"self_ref": "float32[4,6]", "indices": ["bool[6]"], "values": "float32[1]"},
        INVALID,
        INVALID,
    ),
    (
        "index_put_impl",
        "A2",
        {"self_ref": "float32[4,6]", "indices": ["bool[4]", "bool[6]"], "values": "float32[1]"},
        0,
        0,
    ),
    (
        "index_put_impl",
        "A2",
        {"self_ref": "float32[4,6]", "indices": ["bool[4]", "int64[2]"], "values": "float32[1]"},
        INVALID,
        0,
    ),
    (
        "index_put_impl",
        "A2",
        {"self_ref": "float32[4,6]", "indices": ["int64[3,1]", "int32[2]"], "values": "float32[3,2]"},
        0,
        0,
    ),
    (
        "index_put_impl",
        "310P",
        {"self_ref": "float32[4,6]", "indices": ["int64[3]"], "values": "float32[6]"},
        0,
        INVALID,
    ),
    # a kernel of FLOAT16 on a product that the document does not list, and none of FLOAT
    ("matmul", "310B", {"self": "float16[3,4]", "mat2": "float16[4,5]"}, WORKS, INVALID),
    ("matmul", "310B", PRODUCT, NO_KERNEL, INVALID),
    # the sum of the lengths of packed batches is T; lengths of keys are as many
    (
        "fused_infer_attention_score_v3",
        "A2",
        {**PACKED, "actual_seq_lengths_optional": [2, 6], "actual_seq_lengths_kv_optional": [4, 9]},
        0,
        0,
    ),
    (
        "fused_infer_attention_score_v3",
        "A2",
        {**PACKED, "actual_seq_lengths_optional": [2, 5], "actual_seq_lengths_kv_optional": [4, 9]},
        TILING,
        INVALID,
    ),
    (
        "fused_infer_attention_score_v3",
        "A2",
        {**PACKED, "actual_seq_lengths_optional": [2, 6], "actual_seq_lengths_kv_optional": [3, 4, 9]},
        TILING,
        INVALID,
    ),
    # the layout follows from the axes on which cos has size 1
    ("rotary_position_embedding", "A2", {**TURNED, "cos": "float16[1,5,1,64]", "sin": "float16[1,5,1,64]"}, 0, 0),
    ("rotary_position_embedding", "A2", {**TURNED, "cos": "float16[1,1,4,64]", "sin": "float16[1,1,4,64]"}, 0, 0),
    (
        "rotary_position_embedding",
        "A2",
        {**TURNED, "cos": "float16[1,5,4,64]", "sin": "float16[1,5,4,64]"},
        TILING,
        TILING,
    ),
    ("apply_rotary_pos_emb", "A2", {**ROTARY, "key_ref": "float16[2,5,1,128]"}, 0, 0),
    ("apply_rotary_pos_emb", "A2", {**ROTARY, "key_ref": "float16[2,6,1,128]"}, TILING, INVALID),
    ("flash_attention_score", "A2", {**ATTENTION, "atten_mask_optional": "bool[8,8]"}, 0, 0),
    ("flash_attention_score", "A2", {**ATTENTION, "atten_mask_optional": "bool[2,1,8,8]"}, 0, 0),
    ("flash_attention_score", "A2", {**ATTENTION, "atten_mask_optional": "bool[2,8,8]"}, TILING, INVALID),
    ("foreach_mul_scalar", "A2", {"x": ["float32[2]"] * 51, "scalar": "float32[1]"}, WORKS, INVALID),
    ("foreach_mul_scalar", "A3", {"x": ["float32[2]"] * 50, "scalar": "float32[1]"}, 0, 0),
    # phase one has one list of dtypes for all products, and the copy no kernel
    ("inplace_copy", "A2", {"self_ref": "float8_e5m2[3]", "src": "float8_e5m2[3]"}, NO_KERNEL, INVALID),
    ("inplace_copy", "A2", {"self_ref": "float32[3]", "src": "float8_e4m3fn[3]"}, NO_KERNEL, INVALID),
    ("inplace_copy", "950", {"self_ref": "float32[3]", "src": "float8_e4m3fn[3]"}, 0, 0),
    ("softmax_backward", "A2", {"grad_output": "float64[3,4]", "output": "float64[3,4]", "dim": -1}, INVALID, INVALID),
    (
        "log_softmax_backward",
        "A2",
        {"grad_output": "float64[3,4]", "output": "float64[3,4]", "dim": -1},
        INVALID,
        INVALID,
    ),
    ("nonzero", "A2", {"self": "float32[5]", "out": "int64[0,0]"}, WORKS, INVALID),
    ("max_pool2d_with_mask", "A2", POOL, INVALID, INVALID),
    # what cubeMathType may be stands in a part of the library that is not public, but for a branch that takes 3
    *(
        (name, "310P", {**PRODUCT, "cube_math_type": kind}, None, INVALID)
        for name in ("matmul", "mm")
        for kind in (0, 3)
    ),
    *((name, "A2", HALVES, WORKS, INVALID) for name in ("matmul", "mm")),
    (
        "addmm",
        "310P",
        {
            "beta": Scalar(1.0, DType.FLOAT),
            "alpha": Scalar(1.0, DType.FLOAT),
            "self": "float32[5]",
            "mat1": "float32[3,4]",
            "mat2": "float32[4,5]",
            "cube_math_type": 3,
        },
        None,
        INVALID,
    ),
    (
        "baddbmm",
        "310P",
        {
            "beta": Scalar(1.0, DType.FLOAT),
            "alpha": Scalar(1.0, DType.FLOAT),
            "self": "float32[5]",
            "batch1": "float32[2,3,4]",
            "batch2": "float32[2,4,5]",
            "cube_math_type": 0,
        },
        None,
        INVALID,
    ),
    ("matmul", "A2", {"self": "float16[4]", "mat2": "float16[4]", "cube_math_type": 3}, 0, 0),  # two vectors take none
    # before ascend_950 no list of dtypes
    *(("norm", product, {"self": "float64[3,4]", "dim": (1,)}, 0, INVALID) for product in ("910A", "310P", "A2", "A3")),
    ("norm", "A2", {"self": "complex64[3,4]", "dim": (1,)}, WORKS, INVALID),
    ("norm", "950", {"self": "float64[3,4]", "dim": (1,)}, INVALID, INVALID),
    ("linalg_vector_norm", "A2", {"self": "float64[3]", "dtype": DType.FLOAT}, WORKS, INVALID),
    ("linalg_vector_norm", "A2", {"self": "complex64[3]", "dtype": DType.FLOAT}, INVALID, INVALID),
    *(("rsqrt", "A2", {"self": f"{dtype}[3]"}, 0, 0) for dtype in ("int8", "int64", "uint8", "bool")),
    ("inplace_rsqrt", "A2", {"self_ref": "int32[3]"}, INVALID, INVALID),
    *(
        (name, "A2", {"self": "int32[3]", "other": Scalar(True, DType.BOOL)}, 0, 0)
        for name in ("eq_scalar", "gt_scalar")
    ),
    ("gt_scalar", "A2", {"self": "uint64[3]", "other": Scalar(1, DType.UINT64)}, 0, 0),
    ("gt_scalar", "A2", {"self": "uint64[3]", "other": Scalar(1, DType.INT64)}, INVALID, INVALID),  # promote to nothing
    ("eq_scalar", "A2", {"self": "uint64[3]", "other": Scalar(1, DType.UINT64)}, INVALID, INVALID),
    # an out of any shape is filled where nothing is reduced
    ("mean", "A2", {**EMPTY, "dim": (0,), "keep_dim": False, "dtype": DType.FLOAT}, WORKS, INVALID),
    ("reduce_sum", "A2", {**EMPTY, "dims": (0,), "keep_dims": False, "dtype": DType.FLOAT}, WORKS, INVALID),
    ("prod_dim", "A2", {**EMPTY, "dim": 0, "keep_dim": False, "dtype": DType.FLOAT}, WORKS, INVALID),
    ("any", "A2", {"self": "float32[0,4]", "out": "bool[7]", "dim": (0,), "keepdim": False}, WORKS, INVALID),
    ("amax", "A2", {"self": "float32[0,4]", "dim": (0,)}, INVALID, INVALID),
    ("relu", "A2", {"self": f"float32[{','.join('2' * 9)}]"}, INVALID, INVALID),
    ("mul", "A2", {"self": f"float32[{','.join('2' * 9)}]", "other": "float32[2]"}, INVALID, INVALID),
    ("topk", "A2", {"self": "float32[3,4]", "k": 2, "values_out": None}, NULL, NULL),
    # seven pages answer what does not fit inside a list with 561002
    *((name, "A2", call, INVALID, TILING) for name, call in LISTS),
    ("foreach_add_list", "A2", {"x1": ["float32[3]"], "x2": ["float32[4]"], "alpha": "float32[1]"}, INVALID, INVALID),
    ("softplus_backward", "A2", {"grad_output": "float64[3]", "self": "float64[3]"}, 0, 0),
    ("softplus_backward", "A2", {"grad_output": "float32[3]", "self": "int32[3]"}, 0, 0),
]


def read(value: Any) -> Any:
    """A tensor for its text."""
    if isinstance(value, list):
        return [read(one) for one in value]
    return Tensor.parse(value) if isinstance(value, str) and value.endswith(("]", "NCHW")) else value


@pytest.mark.parametrize(("name", "alias", "given", "library", "document"), CALLS)
def test_a_call_gets_the_status_of_each_mode(
    name: str, alias: str, given: dict[str, Any], library: int | None, document: int
) -> None:
    product = read_product(alias).key
    operator = ops.get(name)
    verdict = operator.explain(**{key: read(value) for key, value in given.items()}, product=product)[product]
    assert (verdict.library.status, verdict.document.status) == (library, document), str(verdict)


def test_a_mask_names_places_and_values_that_do_not_fit_them_are_refused() -> None:
    start = np.arange(6, dtype=np.float32).reshape(2, 3)
    mask = np.array([[True, False, True], [False, False, True]])
    for values in ([7], [7, 8, 9]):
        target, wanted = start.copy(), start.copy()
        wanted[mask] = values
        found = ops.index_put_impl(target, [mask], np.array(values, np.float32)).self_ref
        assert found.tolist() == wanted.tolist()
    rows, columns = np.array([True, True]), np.array([True, False, True])
    found = ops.index_put_impl(start.copy(), [rows, columns], np.array([1, 2], np.float32), accumulate=True).self_ref
    assert found.tolist() == [[1, 1, 2], [3, 4, 7]]
    with pytest.raises(AclnnError, match="do not fit the places that the masks among the indices name"):
        ops.index_put_impl(start.copy(), [mask], np.array([7, 8], np.float32))


MATRIX = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    "indices",
    [
        [np.array([[True, False, True], [False, False, True]])],
        [np.array([True, False])],
        [np.array([True, True]), np.array([2, 0])],
        [np.array([], np.int64), np.array([True, False, True])],
        [np.array([[1], [0]]), np.array([True, False, True])],
    ],
)
def test_a_mask_chooses_the_elements_that_numpy_chooses(indices: list[NDArray[Any]]) -> None:
    wanted = MATRIX[tuple(one if one.size else slice(None) for one in indices)]
    out = np.empty_like(wanted)
    assert ops.get("aclnnIndex")(MATRIX, indices, out=out).out.tolist() == wanted.tolist()
    with pytest.raises(AclnnError, match="do not fit the places that the masks among the indices name"):
        ops.get("aclnnIndex")(MATRIX, indices, out=np.empty((7, *wanted.shape[1:]), np.float32))


def test_a_mask_needs_an_output() -> None:
    with pytest.raises(AclnnError, match="The shape of out and the indices do not fit the places"):
        ops.get("aclnnIndex")(MATRIX, [np.array([True, False])])


@pytest.mark.parametrize(
    ("given", "product", "library", "document"),
    [
        ((["bool[2,3]"], "float32[2,3]", "float32[4]"), "atlas_a2", "works", "works"),
        ((["bool[3]"], "float32[2,3]", "float32[4,3]"), "atlas_a2", "works", "refused"),  # its axis has two elements
        ((["bool[1,1,1,1,2]"], "float32[1,1,1,1,2]", "float32[1]"), "atlas_a2", "refused", "works"),  # 5 + 5 - 1 axes
        ((["uint8[2,3]"], "float32[2,3]", "float32[4]"), "atlas_a2", "refused", "refused"),
        ((["bool[2,3]"], "complex64[2,3]", "complex64[4]"), "ascend_950", "no kernel", "no kernel"),
        ((["int64[2,1]", "int64[3]"], "complex64[2,3]", "complex64[2,3]"), "ascend_950", "no kernel", "no kernel"),
        ((["int64[3]", "int64[3]"], "complex64[2,3]", "complex64[3]"), "ascend_950", "works", "works"),
    ],
)
def test_what_index_says_of_masks(given: tuple[list[str], str, str], product: str, library: str, document: str) -> None:
    indices, values, out = given
    tensors = [Tensor.parse(one) for one in indices]
    found = ops.get("aclnnIndex").explain(Tensor.parse(values), tensors, Tensor.parse(out), product=product)[product]
    assert (found.library.verdict, found.document.verdict) == (library, document), str(found)


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("mean", {"dim": (0,), "keep_dim": False, "dtype": DType.FLOAT}, np.nan),
        ("reduce_sum", {"dims": (1,), "keep_dims": False, "dtype": DType.FLOAT}, 0),
        ("reduce_nansum", {"dim": (0,), "keep_dim": False, "dtype": DType.FLOAT}, 0),
        ("prod_dim", {"dim": 1, "keep_dim": False, "dtype": DType.FLOAT}, 1),
    ],
)
def test_the_library_fills_an_output_of_any_shape_where_nothing_is_reduced(
    name: str, given: dict[str, Any], wanted: float
) -> None:
    out = np.full((2, 5), 3, np.float32)
    ops.get(name)(np.zeros((0, 4), np.float32), **given, out=out, conformance="library")
    np.testing.assert_array_equal(out, np.full((2, 5), wanted, np.float32))
