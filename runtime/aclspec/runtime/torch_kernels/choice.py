"""Which kernels compute: those of NumPy, or those of PyTorch where it has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, TypeAlias, cast

from aclspec.runtime.abi.environment import Variable, one_of

Kernels: TypeAlias = Literal["numpy", "torch"]
Kernel: TypeAlias = Callable[..., Any]
CHOICE = Variable("ACLSPEC_KERNELS")
KERNELS: tuple[Kernels, ...] = ("numpy", "torch")


def resolve_kernels() -> Kernels:
    """The kernels that ACLSPEC_KERNELS names, else ``numpy``; ValueError for another value, or without PyTorch."""
    chosen = CHOICE.read()
    if chosen is None:
        return "numpy"
    kernels = cast("Kernels", one_of(chosen, str(CHOICE), KERNELS))
    if kernels == "torch":
        _table()
    return kernels


def kernels_of(name: str) -> Kernels:
    """Which kernels compute an operator whose spec has the kernel of this name (``module:function``)."""
    return "torch" if resolve_kernels() == "torch" and name in _table() else "numpy"


def kernel_in_use(name: str, numpy: Kernel) -> Kernel:
    """The kernel that computes: that of NumPy, or that of PyTorch, which leaves to it what it does not take."""
    return numpy if CHOICE.read() is None or kernels_of(name) == "numpy" else TorchKernel(_table()[name], numpy)


class TorchKernel:
    """Computes by PyTorch what that takes, and the rest by NumPy."""

    __slots__ = ("numpy", "torch")

    def __init__(self, torch: Callable[..., bool], numpy: Kernel) -> None:
        """A function that answers whether it has computed, and the NumPy kernel with the same parameters."""
        self.torch = torch
        self.numpy = numpy

    def __call__(self, *values: Any) -> Any:
        """Compute into the outputs; the last value is the precision."""
        return None if self.torch(*values) else self.numpy(*values)


@cache
def _table() -> Mapping[str, Callable[..., bool]]:
    try:
        from aclspec.runtime.torch_kernels.table import TABLE
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ValueError(
            f"The value of {CHOICE} (torch) needs PyTorch, which is not installed; install the package torch, or leave "
            "the variable unset for the kernels of NumPy."
        ) from None
    return TABLE
