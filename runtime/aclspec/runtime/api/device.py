"""The NPU of this machine, as a backend and as the product that a call means; nothing is loaded before it is used."""

from __future__ import annotations

from functools import cache

from aclspec.runtime.abi.products import find_soc_with
from aclspec.runtime.execution.backends import NPU, Backend, provide_backend


def register() -> None:
    """Make the backend ``npu`` known, and calls that name no product ask the NPU."""
    provide_backend(NPU, _backend)
    find_soc_with(lambda: soc_name())  # looked up anew, so that a test can replace it


@cache
def _backend() -> Backend:
    from aclspec.runtime.npu.backend import DeviceBackend

    return DeviceBackend()


@cache
def soc_name() -> str | None:
    """What aclrtGetSocName answers, None without CANN or without an NPU."""
    from aclspec.runtime.abi.errors import AclnnError
    from aclspec.runtime.npu.libraries import find_root

    root = find_root()
    if root is None:  # the usual case, found out without loading anything
        return None
    from aclspec.runtime.npu.libraries import load_runtime, soc_function

    try:
        name = soc_function(load_runtime(root))()
    except AclnnError:
        return None
    return str(name, "utf-8", "replace") if name else None
