"""Operators that work in place, from those that write an output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aclspec.runtime.kernels.blocks import Array


def in_place(kernel: Callable[..., None]) -> Callable[..., None]:
    """The kernel that writes over its first operand what another one writes to its output."""

    def compute(target: Array, *others: Any) -> None:
        *operands, precision = others
        kernel(target, *operands, target, precision)

    return compute
