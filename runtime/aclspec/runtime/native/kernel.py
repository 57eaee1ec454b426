"""A NumPy kernel with its compiled partner."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aclspec.runtime.native.plans import Run

HOME = "aclspec.runtime.native"


class CompiledKernel:
    """Computes as the NumPy kernel does, in C where C takes the call."""

    __slots__ = ("numpy", "prepare")

    def __init__(self, numpy: Callable[..., None], prepare: Callable[..., Run | None]) -> None:
        """A NumPy kernel, and the function of `aclspec.runtime.native` that takes what it takes."""
        self.numpy = numpy
        self.prepare = prepare

    def __call__(self, *values: Any) -> None:
        """Compute into the outputs; the last value is the precision."""
        run = self.prepare(*values)
        if run is None:
            self.numpy(*values)
        else:
            run(values[:-1])


def with_compiled(numpy: Callable[..., None], module: str, function: str) -> Callable[..., None]:
    """The kernel to use for one of `aclspec.runtime.kernels`: with its compiled partner, where it has one.

    Whether the library is built and on is asked when it is called.
    """
    if find_spec(f"{HOME}.{module}") is None:
        return numpy
    prepare = getattr(import_module(f"{HOME}.{module}"), function, None)
    return numpy if prepare is None else CompiledKernel(numpy, prepare)
