"""Arrays of every kind in, and results of the caller's own kind out."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime import AclnnError, Tensor
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.tensors.array_coercion import to_numpy
from aclspec.runtime.tensors.dlpack import ExportError, from_dlpack


class Exported:
    """Only __dlpack__, over an array that stays reachable as ``array``."""

    def __init__(self, array: Any, device: int = 1) -> None:
        self.array = array
        self.device = device

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


class Old(Exported):
    """A producer of the time before max_version."""

    def __dlpack__(self) -> Any:  # type: ignore[override]
        return self.array.__dlpack__()


class Wrapped:
    """Only __array__."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


@pytest.mark.parametrize("kind", [Exported, Old])
@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.arange(12, dtype=np.float16).reshape(3, 4)[:, ::2],
        np.arange(6, dtype=np.int64).reshape(2, 3).T,
        np.array([True, False]),
        np.array(3.0),
        np.arange(3, dtype=np.complex64),
        np.broadcast_to(np.arange(3, dtype=np.uint8), (2, 3)).copy(),
    ],
    ids=lambda array: str(array.dtype),
)
def test_dlpack_is_no_copy(kind: type[Exported], array: Any) -> None:
    view = from_dlpack(kind(array))
    np.testing.assert_array_equal(view, array)
    assert view.dtype == array.dtype
    assert np.shares_memory(view, array)
    assert view.flags.writeable


def test_dlpack_keeps_the_memory_alive() -> None:
    array = np.arange(1000.0)
    alive = weakref.ref(array)
    view = from_dlpack(Exported(array))
    del array
    gc.collect()
    assert alive() is not None
    np.testing.assert_array_equal(view[-3:], [997, 998, 999])
    part = view[10:]
    del view
    gc.collect()
    assert alive() is not None
    assert part[0] == 10
    del part
    gc.collect()
    assert alive() is None


def test_dlpack_of_nothing_and_of_what_may_only_be_read() -> None:
    assert from_dlpack(Exported(np.zeros((0, 3)))).shape == (0, 3)
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    assert not from_dlpack(Exported(frozen)).flags.writeable


def test_dlpack_that_cannot_be_read() -> None:
    with pytest.raises(ExportError, match="another device"):
        from_dlpack(Exported(np.zeros(2), device=2))
    with pytest.raises(ExportError, match="gave no DLPack capsule"):
        from_dlpack(Exported(type("Fake", (), {"__dlpack__": lambda self, **options: 3})()))


@pytest.mark.parametrize("protocol", ["__dlpack__", "__array__"])
def test_a_producer_that_fails(prelu: Operator, call: dict[str, Any], protocol: str) -> None:
    def fail(self: object, **options: Any) -> None:
        raise KeyError("boom")

    broken = type("Broken", (), {protocol: fail})()
    with pytest.raises(
        AclnnError, match=rf"The tensor self cannot be read: its {protocol} failed \(KeyError: 'boom'\)"
    ):
        prelu(**(call | {"self": broken}))


def test_arrays_of_every_kind(prelu: Operator, call: dict[str, Any]) -> None:
    expected = prelu(**call)
    for kind in (Exported, Old, Wrapped):
        wrapped: dict[str, Any] = {name: kind(array) for name, array in call.items()}
        result = prelu(**wrapped)
        assert type(result.grad_input) is np.ndarray
        np.testing.assert_array_equal(result.grad_input, expected.grad_input)


def test_tensors_come_back_as_tensors(prelu: Operator, sample: dict[str, Any]) -> None:
    expected = prelu(**sample)
    tensors: dict[str, Any] = {name: Tensor.from_array(array) for name, array in sample.items()}
    result = prelu(**tensors)
    assert isinstance(result.grad_input, Tensor)
    assert result.grad_input.format is Format.ND
    np.testing.assert_array_equal(result.grad_input.array, expected.grad_input)
    mixed = prelu(sample["gradOutput"], Tensor.from_array(sample["self"]), sample["weight"])
    assert isinstance(mixed.grad_weight, Tensor)


def test_a_view_over_a_buffer_computes_what_its_copy_does(prelu: Operator, sample: dict[str, Any]) -> None:
    expected = prelu(**sample)
    buffer = np.zeros(11, sample["self"].dtype)
    buffer[3:] = sample["self"].T.reshape(-1)
    view = Tensor((4, 2), buffer.dtype, "ND", strides=(1, 4), offset=3, data=buffer)
    result = prelu(**(sample | {"self": view}))
    np.testing.assert_array_equal(result.grad_input.array, expected.grad_input)
    np.testing.assert_array_equal(result.grad_weight.array, expected.grad_weight)


def test_an_array_namespace_gives_the_results(prelu: Operator, call: dict[str, Any]) -> None:
    class Mine(Wrapped):
        def __array_namespace__(self) -> Any:
            return type("Namespace", (), {"asarray": Mine})

    result = prelu(**(call | {"self": Mine(call["self"])}))
    assert isinstance(result.grad_input, Mine)


def test_torch_is_not_imported_for_arrays() -> None:
    import subprocess

    code = (
        "import sys, numpy as np; from aclspec import ops; x = np.ones((2, 2), np.float32);"
        "ops.prelu_backward(x, x, x[0]); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("layout", ["contiguous", "transposed", "sliced"])
def test_torch_in_and_out(torch: Any, prelu: Operator, name: str, layout: str) -> None:
    dtype = getattr(torch, name)
    x = torch.linspace(-3, 4, 8).reshape(4, 2).to(dtype)
    weight = torch.tensor([0.5, 0.25]).to(dtype)
    if layout == "transposed":
        x = x.t().contiguous().t()
    if layout == "sliced":
        wide = torch.zeros(4, 5, dtype=dtype)
        wide[:, 1::2] = x
        x = wide[:, 1::2]
    g = torch.ones(4, 2, dtype=dtype)
    result = prelu(g, x, weight)
    assert isinstance(result.grad_input, torch.Tensor)
    assert result.grad_input.dtype is result.grad_weight.dtype is dtype
    expected = prelu(*[tensor.float().numpy().astype(DType.parse(name).numpy) for tensor in (g, x, weight)])
    np.testing.assert_array_equal(result.grad_input.float(), expected.grad_input.astype(np.float32))
    np.testing.assert_array_equal(result.grad_weight.float(), expected.grad_weight.astype(np.float32))


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "int32", "bool", "float8_e5m2", "float8_e4m3fn"])
def test_torch_views_are_no_copies(torch: Any, name: str) -> None:
    tensor = torch.zeros(3, 4).to(getattr(torch, name))[:, ::2]
    view = to_numpy(tensor, "x")
    assert view.shape == (3, 2)
    assert view.dtype == DType.parse(name).numpy
    assert view.__array_interface__["data"][0] == tensor.data_ptr()
    assert Tensor.from_array(tensor).strides == (4, 2)


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float8_e5m2", "float8_e4m3fn"])
def test_dlpack_of_types_that_numpy_refuses(torch: Any, name: str) -> None:
    tensor = torch.arange(6).reshape(2, 3).to(torch.float32).to(getattr(torch, name)).t()
    view = from_dlpack(Exported(tensor))
    assert view.dtype == DType.parse(name).numpy
    assert view.shape == (3, 2)
    assert view.__array_interface__["data"][0] == tensor.data_ptr()
    np.testing.assert_array_equal(view.astype(np.float32), tensor.float())


def test_torch_out_is_written(torch: Any, prelu: Operator) -> None:
    x = torch.linspace(-3, 4, 8).reshape(4, 2).to(torch.bfloat16)
    given = torch.zeros(2, 4, dtype=torch.bfloat16).t(), torch.zeros(2, dtype=torch.bfloat16)
    result = prelu(torch.ones_like(x), x, torch.ones(2, dtype=torch.bfloat16), out=given)
    assert result.grad_input is given[0]
    assert result.grad_weight is given[1]
    assert given[0].float().sum() == 8
    assert given[1].float().sum() == prelu(torch.ones_like(x), x, torch.ones(2, dtype=torch.bfloat16)).grad_weight.sum()


def test_torch_without_axes(torch: Any, prelu: Operator) -> None:
    one = torch.tensor(-2.0, dtype=torch.bfloat16)
    result = prelu(one, one, one)
    assert result.grad_input.shape == ()
    assert result.grad_input.item() == 4


def test_torch_with_grad(torch: Any, prelu: Operator, call: dict[str, Any]) -> None:
    x = torch.zeros(4, 2, requires_grad=True)
    with pytest.raises(AclnnError, match=r"The tensor self requires grad.* give self\.detach\(\)") as raised:
        prelu(**(call | {"self": x}))
    assert raised.value.status == 161002
    assert prelu(**(call | {"self": x.detach()})).grad_input.shape == (4, 2)


def test_torch_on_another_device(torch: Any, prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(AclnnError, match=r"The tensor self is on the device meta.* give self\.cpu\(\)"):
        prelu(**(call | {"self": torch.zeros(4, 2, device="meta")}))


def test_torch_of_another_layout(torch: Any, prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(AclnnError, match=r"The layout of self \(torch\.sparse_coo\) is not strided"):
        prelu(**(call | {"self": torch.zeros(4, 2).to_sparse()}))


def test_torch_types_that_numpy_lacks(torch: Any) -> None:
    with pytest.raises(AclnnError, match=r"The dtype of x \(torch\.float8_e4m3fnuz\) is one that NumPy does not have"):
        to_numpy(torch.empty(2, dtype=torch.float8_e4m3fnuz), "x")


def test_ml_dtypes_out_of_torch_and_back(torch: Any) -> None:
    view = to_numpy(torch.tensor([1.5], dtype=torch.bfloat16), "x")
    assert view.dtype == ml_dtypes.bfloat16
    assert view[0] == 1.5


def test_a_torch_view_that_negates_cannot_be_written(torch: Any, prelu: Operator, call: dict[str, Any]) -> None:
    memory = torch.zeros(4, 2)
    with pytest.raises(
        TypeError, match=r"The output gradInput .* only gives copies of its values and cannot be written"
    ):
        prelu(**call, out=(torch._neg_view(memory), None))
    assert not memory.any()
    x = torch.from_numpy(call["self"])
    negated = prelu(**(call | {"self": torch._neg_view(x)}))
    np.testing.assert_array_equal(negated.grad_input, prelu(**(call | {"self": -call["self"]})).grad_input)
