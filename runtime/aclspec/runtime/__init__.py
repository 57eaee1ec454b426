"""The hand-written runtime under the generated operators; its public names are loaded when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclspec.runtime.version import __version__

if TYPE_CHECKING:
    from aclspec.runtime.backends import register_backend
    from aclspec.runtime.errors import AclnnError
    from aclspec.runtime.kernels.mask import pack_mask, unpack_mask
    from aclspec.runtime.messages import last_error
    from aclspec.runtime.products import Product
    from aclspec.runtime.status import Status
    from aclspec.runtime.tensor import Tensor

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
    "AclnnError": "errors",
    "Product": "products",
    "Status": "status",
    "Tensor": "tensor",
    "last_error": "messages",
    "pack_mask": "kernels.mask",
    "register_backend": "backends",
    "unpack_mask": "kernels.mask",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
