"""What tests on data ask of outputs: their bits and kinds, and inputs with special values."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclspec.runtime.dtypes import DType
from aclspec.runtime.leaves import leaves
from aclspec.runtime.tensor import Tensor
from aclspec.runtime.testing import data

_SPECIALS = (np.nan, np.inf, -np.inf, -0.0)


def with_specials(tensor: Tensor, chosen: Tensor) -> Tensor:
    """The tensor itself, or where it is the chosen one a copy that begins with special values."""
    if tensor is not chosen:
        return tensor
    copy = data.plain(tensor)
    flat = copy.array.reshape(-1)
    flat[: len(_SPECIALS)] = np.array(_SPECIALS[: flat.size], np.float64).astype(flat.dtype)
    return copy


def is_blank(tensor: Tensor) -> bool:
    """Whether a tensor has nothing but sentinels in its memory."""
    return set(data.storage(tensor)) <= {data.SENTINEL}


def bits_of(value: Any) -> bytes:
    """The bits of an output, of a list one tensor after the other."""
    return b"".join(data.bits(tensor.array) for tensor in leaves(value))


def kinds(value: Any) -> list[tuple[tuple[int, ...], DType]]:
    """The shape and dtype of each tensor of an output."""
    return [(tensor.shape, tensor.dtype) for tensor in leaves(value)]


def zeroed(found: bytes, expected: bytes | None) -> bytes:
    """What is expected of a new output: zeros where the kernel may have written nothing over the sentinels."""
    pairs = zip(found, expected or b"", strict=True)
    return bytes(0 if own == 0 and wanted == data.SENTINEL else wanted for own, wanted in pairs)
