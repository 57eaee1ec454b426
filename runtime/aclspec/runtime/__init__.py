"""The hand-written runtime under the generated operators; its public names are loaded when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclspec.runtime.version import __version__

if TYPE_CHECKING:
    from aclspec.runtime.abi.errors import AclnnError, last_error
    from aclspec.runtime.abi.products import Product
    from aclspec.runtime.abi.status import Status
    from aclspec.runtime.execution.backends import register_backend
    from aclspec.runtime.kernels.mask import pack_mask, unpack_mask
    from aclspec.runtime.tensors.tensor import Tensor

__all__ = [
    "AclnnError",
    "Product",
    "Status",
    "Tensor",
    "__version__",
    "last_error",
    "pack_mask",
    "register_backend",
    "unpack_mask",
]

_HOMES = {
    "AclnnError": "aclspec.runtime.abi.errors",
    "Product": "aclspec.runtime.abi.products",
    "Status": "aclspec.runtime.abi.status",
    "Tensor": "aclspec.runtime.tensors.tensor",
    "last_error": "aclspec.runtime.abi.errors",
    "pack_mask": "aclspec.runtime.kernels.mask",
    "register_backend": "aclspec.runtime.execution.backends",
    "unpack_mask": "aclspec.runtime.kernels.mask",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
