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


def become_product(product: str) -> None:
    """Let the simulator be another product from now on."""
    if _set_name()(product.encode()) != 0:
        raise ValueError(f"The simulator is no {product}.")


@cache
def _set_name() -> Any:
    function = ctypes.CDLL(str(Path(os.environ[_HOME], "lib64", "libascendcl.so"))).aclspecSetSocName
    function.argtypes, function.restype = [ctypes.c_char_p], ctypes.c_int
    return function
