"""The simulator as the device of this process, on whichever product a call was recorded."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any, Final

SIMULATOR: Final = "simulator"
_HOME = "ASCEND_HOME_PATH"


def become_device(root: Path) -> None:
    """Let this process find a simulator as its NPU, before anything of CANN is loaded."""
    for name in ("ASCEND_CUSTOM_OPP_PATH", "ASCEND_OPP_PATH", "ACLSPEC_PRODUCT"):
        os.environ.pop(name, None)
    os.environ[_HOME] = str(root)


def backend_of(backend: str, product: str) -> str:
    """The backend of the runtime behind one that a user names; the simulator is an NPU, from now on this product."""
    if backend != SIMULATOR:
        return backend
    if _set_name()(product.encode()) != 0:
        raise ValueError(f"The simulator is no {product}.")
    return "npu"


@cache
def _set_name() -> Any:
    function = ctypes.CDLL(str(Path(os.environ[_HOME], "lib64", "libascendcl.so"))).aclspecSetSocName
    function.argtypes, function.restype = [ctypes.c_char_p], ctypes.c_int
    return function
