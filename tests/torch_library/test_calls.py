"""Calls of torch.ops.aclnn: what PyTorch asks of an operator, and the values that the operators compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.testing.amount import amount
from tests.torch_library.conftest import Call

# One of each kind: plain, switched off, in place, lists, no tensor, a length that the data decides, a dtype.
FEW = (
    *("add", "avg_pool3d", "batch_norm", "cast", "foreach_zero_inplace", "inplace_add", "linspace", "nonzero"),
    *("prelu_backward", "foreach_abs"),
)
COMPUTED = tuple(name for name in ops.names() if ops.get(name).has_kernel)
TORCH = {"FLOAT", "FLOAT16", "BF16", "DOUBLE", "INT8", "INT16", "INT32", "INT64", "UINT8", "BOOL"}


def _is_traced(info: OperatorInfo) -> bool:
    """Whether PyTorch holds what the rows name, and every output is a new tensor that a call always gives."""
    outputs = [param for param in info.params if param.direction != "in"]
    plain = all(param.direction == "out" and not param.optional for param in outputs)
    dtypes = {dtype for row in info.rows for _, cell in row.cells for dtype in cell}
    return plain and dtypes <= TORCH and all(param.type != "dtype" for param in info.params)


KERNELLESS = tuple(name for name in ops.names() if not ops.get(name).has_kernel and _is_traced(ops.get(name).info))


@pytest.mark.parametrize("name", amount(FEW, COMPUTED))
@pytest.mark.filterwarnings("ignore")  # those of PyTorch's own checks
def test_what_pytorch_asks_of_an_operator(
    name: str, torch: Any, aclnn: Any, example: Callable[[str], Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its schema is true of what it reads and writes, it traces as it computes, also with sizes as symbols."""
    operator, product, arguments = example(name)
    monkeypatch.setenv("ACLSPEC_PRODUCT", product)
    checks = ["test_schema", "test_autograd_registration", "test_faketensor"]
    if not _has_nan(operator):
        checks.append("test_aot_dispatch_dynamic")  # it takes two NaN for different
    torch.library.opcheck(getattr(aclnn, name).default, tuple(arguments), test_utils=checks)


def _has_nan(operator: Any) -> bool:
    expected = [tensor for _, _, tensor in operator.info.examples[0].expected]
    return any(value != value for tensor in expected for value in tensor.values)


@pytest.mark.parametrize("name", amount(FEW, COMPUTED))
def test_the_values_are_those_of_the_operator(
    name: str, torch: Any, aclnn: Any, example: Callable[[str], Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    operator, product, arguments = example(name)
    monkeypatch.setenv("ACLSPEC_PRODUCT", product)
    values = [param.value_when_left_out if value is None else value for param, value in
              zip(operator.inputs, arguments, strict=True)]  # fmt: skip
    expected = operator.call([str(value) if isinstance(value, torch.dtype) else value for value in values])
    found = getattr(aclnn, name)(*arguments)
    returned = iter(found if isinstance(found, tuple) else [found])
    for param, wanted in zip(operator.outputs, expected, strict=True):
        given = arguments[operator.inputs.index(param)] if param.is_input else next(returned)
        assert [_bits(torch, one) for one in _leaves(given)] == [_bits(torch, one) for one in _leaves(wanted)]


def _leaves(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple | list) else [value]


def _bits(torch: Any, value: Any) -> tuple[str, tuple[int, ...], bytes] | None:
    if value is None:
        return None
    tensor = value if isinstance(value, torch.Tensor) else torch.from_numpy(value)
    flat = tensor.flatten().clone(memory_format=torch.contiguous_format)
    return str(tensor.dtype), tuple(tensor.shape), flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


def test_bfloat16(torch: Any, aclnn: Any) -> None:
    x = torch.tensor([1.0, -2.5, 3.0], dtype=torch.bfloat16)
    found = aclnn.mul(x, x)
    assert found.dtype is torch.bfloat16
    assert found.tolist() == [1.0, 6.25, 9.0]


def test_in_place_it_writes_the_callers_memory(torch: Any, aclnn: Any) -> None:
    storage = torch.zeros(3, 4)
    view, version = storage.t()[:2], storage._version
    assert aclnn.inplace_add(view, torch.ones(2, 3), alpha=2) is None
    assert storage.tolist() == [[2, 2, 0, 0]] * 3
    assert storage._version > version  # so that gradients that were saved before are known to be stale


def test_an_output_that_is_switched_off_is_none(torch: Any, aclnn: Any) -> None:
    x, w = torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)
    rest = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, False, True], 0)
    grad_input, grad_weight, grad_bias = aclnn.convolution_backward(torch.ones(1, 1, 2, 2), x, w, [1], *rest)
    assert grad_weight is None
    assert (grad_input.shape, grad_bias.tolist()) == (x.shape, [4])


def test_a_call_is_refused_with_the_reason(torch: Any, aclnn: Any) -> None:
    with pytest.raises(AclnnError, match=r"The number of elements of weight is 3; it must be 1 or") as error:
        aclnn.prelu(torch.ones(4, 2), torch.ones(3))
    assert error.value.rule == "aclnnPrelu.weight-numel"


@pytest.mark.parametrize("name", KERNELLESS)
def test_an_operator_without_kernel_traces_and_says_that_it_computes_nothing(
    name: str, torch: Any, aclnn: Any, example: Callable[[str], Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    operator, product, arguments = example(name)
    monkeypatch.setenv("ACLSPEC_PRODUCT", product)
    with torch._subclasses.FakeTensorMode(allow_non_fake_inputs=True):
        found = getattr(aclnn, name)(*arguments)
    expected = operator.inferred([convert(one) for convert, one in zip(operator.converters, arguments, strict=True)])
    outputs = found if isinstance(found, tuple) else (found,)
    assert [_shapes(one) for one in outputs] == [_shapes(one) for one in expected]
    with pytest.raises(AclnnError, match="has no kernel to compute it"):
        getattr(aclnn, name)(*arguments)


def _shapes(value: Any) -> list[Any]:
    return [one if one is None else tuple(one.shape) for one in _leaves(value)]


def test_a_gradient_is_refused_and_not_forgotten(torch: Any, aclnn: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(AclnnError, match="The tensor self requires grad, and no gradient flows through this call"):
        aclnn.exp(x)
    with torch.no_grad():
        assert aclnn.exp(x).tolist() == pytest.approx([np.e, np.e])
