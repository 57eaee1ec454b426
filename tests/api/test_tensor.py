from __future__ import annotations

import copy
import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime import Tensor
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format


def test_a_tensor_without_data_may_have_any_size() -> None:
    tensor = Tensor(shape=(1 << 40, 1 << 30), dtype="float32", format="ND")
    assert tensor.nbytes == 1 << 72
    assert tensor.rank == 2
    assert tensor.is_contiguous
    assert tensor.strides == (1 << 30, 1)
    assert not tensor.has_data


def test_reading_the_data_that_is_not_there_names_the_bytes() -> None:
    with pytest.raises(ValueError, match=r"float32\[1024,1024\] has no data; its elements would take 4194304 bytes"):
        _ = Tensor((1024, 1024), "float32").array


def test_a_view_over_a_buffer_is_no_copy() -> None:
    buffer = np.arange(12, dtype=np.float32)
    tensor = Tensor(shape=(2, 3), dtype=DType.FLOAT, strides=(1, 4), offset=1, data=buffer)
    np.testing.assert_array_equal(tensor.array, [[1, 5, 9], [2, 6, 10]])
    assert np.shares_memory(tensor.array, buffer)
    assert tensor.storage_shape == (12,)
    assert not tensor.is_contiguous
    tensor.array[0, 0] = 100
    assert buffer[1] == 100


def test_storage_shape_is_kept() -> None:
    tensor = Tensor((2, 3), "float16", "NC", strides=(3, 1), offset=0, storage_shape=(4, 5))
    assert tensor.storage_shape == (4, 5)
    assert tensor.is_contiguous
    assert Tensor((2, 3), "float16").storage_shape == (2, 3)
    assert Tensor((2, 3), "float16", strides=(1, 4)).storage_shape == (10,)


def test_shape_and_dtype_come_from_the_data() -> None:
    tensor = Tensor(data=np.zeros((2, 3), ml_dtypes.bfloat16), format=Format.NC)
    assert (tensor.shape, tensor.dtype, tensor.format) == ((2, 3), DType.BF16, Format.NC)
    same = Tensor.from_array(np.zeros((3, 4))[:, ::2])
    assert (same.shape, same.strides, same.offset, same.is_contiguous) == ((3, 2), (4, 2), 0, False)


def test_an_array_given_first_is_described() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = Tensor(array, format="ND")
    assert str(tensor) == "float32[2,3]:ND"
    assert np.shares_memory(tensor.array, array)
    assert Tensor(array, "float32").array is tensor.array
    assert str(Tensor(array.T)) == "float32[3,2]:strides=1,3"
    assert Tensor(tensor).array is array
    assert (Tensor(np.float32(2)).shape, Tensor((2, 3), "float32", data=array).shape) == ((), (2, 3))
    torch = pytest.importorskip("torch")
    assert str(Tensor(torch.ones(2, dtype=torch.bfloat16))) == "bfloat16[2]"
    assert Tensor(torch.Size([2]), "float32").shape == (2,)


def test_an_array_given_first_must_be_one_that_aclnn_has() -> None:
    with pytest.raises(ValueError, match=r"The dtype of data \(FLOAT\) is not the dtype of the tensor \(INT8\)"):
        Tensor(np.ones(2, np.float32), "int8")
    with pytest.raises(TypeError, match=r"The dtype of data .* is not numeric"):
        Tensor(np.array(["a"]))
    with pytest.raises(ValueError, match="has no data"):
        Tensor(Tensor((2,), "float32"))


def test_a_scalar_tensor() -> None:
    tensor = Tensor.from_array(np.float32(2))
    assert (tensor.shape, tensor.rank, tensor.numel, tensor.strides) == ((), 0, 1, ())


@pytest.mark.parametrize("shape", [(0,), (3, 0, 2), (0, 0)])
def test_an_empty_tensor_is_contiguous_under_any_strides(shape: tuple[int, ...]) -> None:
    assert Tensor(shape, "float32", strides=(7,) * len(shape)).is_contiguous
    assert Tensor(shape, "float32", data=np.zeros(0, np.float32)).array.shape == shape


def test_axes_of_one_element_do_not_make_a_tensor_strided() -> None:
    assert Tensor((1, 3), "float32", strides=(99, 1)).is_contiguous


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, TypeError, "needs a shape and a dtype"),
        ({"shape": (2,)}, TypeError, "needs a shape and a dtype"),
        ({"shape": 2, "dtype": "float32"}, TypeError, r"The value of shape \(2\) is not a sequence of integers"),
        ({"shape": "22", "dtype": "float32"}, TypeError, r"The value of shape \('22'\) is not a sequence"),
        ({"shape": (2.0,), "dtype": "float32"}, TypeError, r"The value of shape\[0\] \(2\.0\) is not an integer"),
        ({"shape": (True,), "dtype": "float32"}, TypeError, r"The value of shape\[0\] \(True\) is not an integer"),
        ({"shape": (2, -1), "data": np.zeros(2, np.float32)}, ValueError, r"The shape .* \(\(2, -1\)\) has a negative"),
        ({"shape": (-(1 << 63) - 1,), "dtype": "float32"}, ValueError, "beyond the range of int64"),
        ({"shape": (1 << 63,), "dtype": "float32"}, ValueError, "beyond the range of int64"),
        ({"shape": (2,), "dtype": "float31"}, ValueError, r"The dtype \(float31\) is unknown"),
        ({"shape": (2,), "dtype": object}, TypeError, "not one that aclnn has"),
        ({"shape": (2,), "dtype": 7}, TypeError, r"The dtype \(7\) is not one that aclnn has"),
        ({"shape": (2,), "dtype": "float32", "format": "NCWH"}, ValueError, r"The format \(NCWH\) is unknown"),
        ({"shape": (2,), "dtype": "float32", "format": 2}, TypeError, r"The format \(2\) is neither a Format nor"),
        ({"shape": (2,), "dtype": "float32", "strides": (1, 1)}, ValueError, r"number of strides \(2\)"),
        ({"shape": (2,), "dtype": "float32", "strides": (-1,)}, ValueError, r"strides\[0\] \(-1\) is negative"),
        ({"shape": (2,), "dtype": "float32", "offset": -1}, ValueError, r"The value of offset \(-1\) is negative"),
        ({"shape": (2,), "dtype": "float32", "offset": 1.5}, TypeError, r"offset \(1\.5\) is not an integer"),
        ({"shape": (2, 2), "dtype": "float32", "storage_shape": (3,)}, ValueError, "ends at element 4"),
        ({"shape": (3,), "dtype": "float32", "data": np.zeros(2, np.float32)}, ValueError, "ends at element 3"),
        (
            {"shape": (2,), "dtype": "float16", "data": np.zeros(2, np.float32)},
            ValueError,
            r"\(FLOAT\) is not the dtype",
        ),
        ({"data": [1, 2]}, TypeError, r"The value of data \(\[1, 2\]\) is not a tensor"),
        ({"data": np.array(["a"])}, TypeError, r"The dtype of data \(<U1\) is not numeric"),
        (
            {"shape": (2,), "dtype": "float32", "storage_shape": (9,), "data": np.zeros(8, np.float32)},
            ValueError,
            r"storage_shape \(9\) is not that of data \(8\)",
        ),
        (
            {"shape": (2,), "dtype": "float32", "offset": 1, "data": np.zeros(8, np.float32)[::2]},
            ValueError,
            "The storage of a Tensor .* is not contiguous",
        ),
    ],
)
def test_a_tensor_that_cannot_be(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Tensor(**arguments)


def test_a_tensor_does_not_change() -> None:
    tensor = Tensor((2,), "float32")
    with pytest.raises(AttributeError, match="does not change"):
        tensor.shape = (3,)
    with pytest.raises(AttributeError, match="does not change"):
        del tensor.dtype
    with pytest.raises(AttributeError):
        tensor.name = "x"


def test_copies_and_pickles() -> None:
    tensor = Tensor((2, 2), "bfloat16", "NC", strides=(1, 2), data=np.ones(4, ml_dtypes.bfloat16))
    for other in (copy.copy(tensor), copy.deepcopy(tensor), pickle.loads(pickle.dumps(tensor))):
        assert str(other) == str(tensor)
        np.testing.assert_array_equal(other.array, tensor.array)


def test_numpy_takes_a_tensor() -> None:
    tensor = Tensor.from_array(np.arange(3, dtype=np.float32))
    assert np.asarray(tensor) is tensor.array
    assert np.asarray(tensor, dtype=np.float64).dtype == np.float64


@pytest.mark.parametrize(
    "text",
    [
        "float32[]",
        "float32[0]",
        "float32[4,2]",
        "float32[4,2]:NCHW",
        "bfloat16[4,2]:ND:strides=1,4:offset=2:storage=12",
        "float16[4,2]:strides=1,4",
        "int64[2,2]:offset=3",
        "float32[4,2]:storage=3,4",
        "hifloat8[5]:ND",
        "float32[-1,3]:ND",
        "float32[-2,-2]",
    ],
)
def test_literals_come_back_to_themselves(text: str) -> None:
    assert str(Tensor.parse(text)) == text


def test_a_literal_of_other_spellings() -> None:
    assert str(Tensor.parse(" FLOAT [ 4 , 2 ] : nchw ")) == "float32[4,2]:NCHW"


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("float32(4,2)", "float32[4,2]"),
        ("f32 (4, 2):NCHW", "float32[4,2]:NCHW"),
        ("torch.float32[4x2]", "float32[4,2]"),
        ("half[4 x 2 x 1]:ND:offset=0", "float16[4,2,1]:ND"),
        ("float32 torch.Size([4, 2])", "float32[4,2]"),
        ("float32[torch.Size([4, 2])]:ND", "float32[4,2]:ND"),
        ("float32[(4, 2)]", "float32[4,2]"),
        ("float32[[4, 2]]", "float32[4,2]"),
        ("float32(4,)", "float32[4]"),
        ("float32()", "float32[]"),
        ("float32[torch.Size([])]", "float32[]"),
    ],
)
def test_a_shape_may_be_written_as_python_does(text: str, means: str) -> None:
    assert str(Tensor.parse(text)) == means


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("float32", "is not of the form"),
        ("float32[4,2", "is not of the form"),
        ("float32[4,]", "The shape of the tensor literal .* is not a list of integers"),
        ("float32[4x]", "The shape of the tensor literal .* is not a list of integers"),
        ("float32[4][2]", "The shape of the tensor literal .* is not a list of integers"),
        ("float32(4,,)", "The shape of the tensor literal .* is not a list of integers"),
        ("float32[4,x]", "The shape of the tensor literal .* is not a list of integers"),
        ("float31[4]", r"The dtype \(float31\) is unknown"),
        ("float32[4]:NCWH", r"The format \(NCWH\) is unknown"),
        ("float32[4]:offset=1,2", "The offset of the tensor literal .* is not one integer"),
        ("float32[4]:offset=1:offset=2", "The part offset=2 .* is unexpected"),
        ("float32[4]:stride=1", "The part stride=1 .* is unexpected"),
    ],
)
def test_a_bad_literal(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tensor.parse(text)


def test_a_negative_dimension_describes_no_elements() -> None:
    """As aclCreateTensor takes it, so that the checks of an operator can refuse it."""
    tensor = Tensor((-2, 3), "float32")
    assert (tensor.shape, tensor.strides, tensor.storage_shape) == ((-2, 3), (3, 1), (-2, 3))
    assert (tensor.numel, tensor.nbytes, tensor.is_contiguous, tensor.has_data) == (-6, 0, True, False)
    assert Tensor((-2, -3), "float32").nbytes == 0
    assert Tensor((-2, 3), "float32", strides=(1, 7)).storage_shape == (0,)


@pytest.mark.parametrize("dtype", [one for one in DType if one.is_stored and one.numpy is not None], ids=str)
def test_every_dtype_has_strided_views(dtype: DType) -> None:
    """NumPy's as_strided does not know every dtype of ml_dtypes."""
    assert dtype.numpy is not None
    storage = np.arange(8, dtype=np.uint8).repeat(dtype.itemsize).view(dtype.numpy)
    view = Tensor((3,), strides=(2,), offset=1, data=storage).array
    assert view.dtype == dtype.numpy
    assert view.tobytes() == storage[1:6:2].tobytes()
    assert np.shares_memory(view, storage)
