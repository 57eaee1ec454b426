"""The compiled library, loaded when a kernel first asks for it, and NumPy kernels with a compiled partner."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from aclspec.runtime.abi.environment import Variable

SWITCH = Variable("ACLSPEC_NATIVE")
THREADS = Variable("ACLSPEC_NATIVE_THREADS")


class Library(NamedTuple):
    """The two halves of a cffi module."""

    ffi: Any
    lib: Any


def is_on() -> bool:
    """Whether ACLSPEC_NATIVE leaves the compiled kernels on; "0" turns them off."""
    return SWITCH.read() != "0"


def library() -> Library | None:
    """The compiled library, None where it is turned off or not built."""
    return _loaded() if is_on() else None


@cache
def _loaded() -> Library | None:
    from aclspec.runtime.native.build import library_path, module_name

    path = library_path()
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location(module_name(), path)
    assert spec is not None
    assert spec.loader is not None
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:  # built for another machine, or cffi is gone: the NumPy kernels do the work
        return None
    return Library(module.ffi, module.lib)


def forget() -> None:
    """Look for the library again when it is next asked for."""
    _loaded.cache_clear()


@cache
def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads() -> int:
    """Threads that a kernel may use: ACLSPEC_NATIVE_THREADS, else the cores that this process may run on."""
    chosen = THREADS.read()
    if chosen is None:
        return _cores()
    if not chosen.isdecimal() or int(chosen) < 1:
        raise ValueError(f"The value of ACLSPEC_NATIVE_THREADS ({chosen}) is not a positive number of threads.")
    return int(chosen)


HOME = "aclspec.runtime.native"


class CompiledKernel:
    """Computes as the NumPy kernel does, in C where C takes the call."""

    __slots__ = ("compiled", "numpy")

    def __init__(self, numpy: Callable[..., None], compiled: Callable[..., bool]) -> None:
        """A NumPy kernel, and the function of `aclspec.runtime.native` that takes what it takes, or answers False."""
        self.numpy = numpy
        self.compiled = compiled

    def __call__(self, *values: Any) -> None:
        """Compute into the outputs; the last value is the precision."""
        if not self.compiled(*values):
            self.numpy(*values)


def with_compiled(numpy: Callable[..., None], module: str, function: str) -> Callable[..., None]:
    """The kernel to use for one of `aclspec.runtime.kernels`: with its compiled partner, where it has one.

    Whether the library is built and on is asked when it is called.
    """
    if find_spec(f"{HOME}.{module}") is None:
        return numpy
    compiled = getattr(import_module(f"{HOME}.{module}"), function, None)
    return numpy if compiled is None else CompiledKernel(numpy, compiled)
