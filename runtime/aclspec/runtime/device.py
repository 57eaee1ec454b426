"""Which NPU this machine has, asked of the CANN runtime once."""

from __future__ import annotations

import ctypes
import os
from functools import cache

DEVICE_NODE = "/dev/davinci_manager"
LIBRARIES = ("libacl_rt.so", "libascendcl.so")  # CANN 9 and later, then every other


@cache
def soc_name() -> str | None:
    """What aclrtGetSocName answers, None without an NPU or without CANN on the library path."""
    if not os.path.exists(DEVICE_NODE):  # the driver's node; without it the library is not even looked for
        return None
    for library in LIBRARIES:
        try:
            function = ctypes.CDLL(library).aclrtGetSocName
        except (OSError, AttributeError):
            continue
        function.argtypes = []
        function.restype = ctypes.c_char_p
        name = function()
        if name:
            return str(name, "utf-8", "replace")
    return None
