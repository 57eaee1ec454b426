"""aclspec's operators as operators of torch: computed by their kernels, and traced by their checks and inference."""

from __future__ import annotations

from collections.abc import Iterable


def register(package: str, schemas: Iterable[str]) -> None:
    """Register operators of a generated package as ``torch.ops.aclnn.NAME``; a schema begins with the name.

    ImportError without PyTorch, ValueError for a name that another package has registered: then none is registered.
    """
    try:
        from aclspec.runtime.torch_library import registration
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        text = f"The operators of {package} need PyTorch, which is not installed; install aclspec[torch]."
        raise ModuleNotFoundError(text, name="torch") from None
    registration.register(package, schemas)
