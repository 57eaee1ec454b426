"""The compiled library, loaded when a kernel first asks for it."""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from typing import Any, NamedTuple

from aclspec.runtime.environment import Variable

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
