"""The values of a call of torch as the operators take them, and their results as torch takes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
import torch

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import ParamError
from aclspec.runtime.torch_kernels.tensors import as_tensor

DTYPES: Final = {
    dtype: getattr(torch, dtype.short)
    for dtype in DType
    if dtype.numpy is not None and dtype is not DType.INT4 and hasattr(torch, dtype.short)
}
"""The dtypes that tensors of torch hold as NumPy does."""
BY_TORCH: Final = {kind: dtype for dtype, kind in DTYPES.items()}


def argument(value: Any) -> Any:
    """An argument as operators take it; a tensor loses its gradient where the caller wants none."""
    if isinstance(value, list):
        return [argument(item) for item in value]
    if isinstance(value, torch.Tensor):
        return value if torch.is_grad_enabled() else value.detach()
    return dtype_of(value, "dtype", None) if isinstance(value, torch.dtype) else value


def result(value: Any) -> Any:
    """An output: a tensor, a list of them, or nothing where it is switched off."""
    if isinstance(value, tuple):
        return [result(item) for item in value]
    return as_tensor(value) if isinstance(value, np.ndarray) else value


def tensors_of(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    """The tensors among some arguments, those of lists included."""
    for value in values:
        if isinstance(value, list):
            yield from tensors_of(value)
        elif isinstance(value, torch.Tensor):
            yield value


def dtype_of(dtype: torch.dtype, name: str, operator: str | None) -> DType:
    """The dtype of a tensor of torch; AclnnError for one that aclnn does not have."""
    found = BY_TORCH.get(dtype)
    if found is None:
        raise ParamError(f"The dtype of {name} ({dtype}) is one that aclnn does not have.", name, operator)
    return found
