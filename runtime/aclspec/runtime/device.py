"""Which NPU this machine has, asked of the CANN runtime once."""

from __future__ import annotations

from functools import cache


@cache
def soc_name() -> str | None:
    """What aclrtGetSocName answers, None without CANN or without an NPU."""
    from aclspec.runtime.errors import AclnnError
    from aclspec.runtime.npu.roots import find_root

    root = find_root()
    if root is None:  # the usual case, found out without loading anything
        return None
    from aclspec.runtime.npu.libraries import load_runtime, soc_function

    try:
        name = soc_function(load_runtime(root))()
    except AclnnError:
        return None
    return str(name, "utf-8", "replace") if name else None
