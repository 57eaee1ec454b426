"""Functions of each element."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import torch

from aclspec.runtime.kernels.blocks import Array, blocks
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.torch_kernels.tensors import Numbers, by_tensors

Function = Callable[[Any], Any]


def _each(function: Function, x: Array, out: Array, precision: Precision) -> bool:
    numbers = Numbers(precision)
    for at in blocks(x.shape):
        numbers.write(out[at], function(numbers.read(x[at])))
    return True


def elementwise(function: Function) -> Callable[..., bool]:
    """The kernel that writes ``function(x)``."""
    return by_tensors(lambda x, out, precision: _each(function, x, out, precision))


@by_tensors
def gelu(x: Array, approximate: int, out: Array, precision: Precision) -> bool:
    """By the complement of the error function, which has a lower tail; that of PyTorch's GELU is lost."""
    if approximate == 1:
        return False
    return _each(lambda values: values * torch.erfc(values * -sqrt(0.5)) / 2, x, out, precision)


@by_tensors
def prelu(x: Array, weight: Array, out: Array, precision: Precision) -> bool:
    """As `aclspec.runtime.kernels.prelu_forward.prelu`."""
    numbers = Numbers(precision)
    numbers.write(out, torch.prelu(numbers.read(x), numbers.read(weight.reshape(-1))))
    return True
