"""What a call through the bridge reads from the environment, and which product the device is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclspec.runtime.backends import NPU_CHECKS
from aclspec.runtime.npu.failure import null
from aclspec.runtime.products import ENVIRONMENT, product_of, resolve_product

if TYPE_CHECKING:
    from aclspec.runtime.npu.session import Session

_known: dict[bytes, str] = {}


def checks_first() -> bool:
    """Whether the project's own checks run before the library is asked: unless ACLSPEC_NPU_CHECKS is ``off``."""
    text = NPU_CHECKS.read()
    if text is None or text == "on":
        return True
    if text != "off":
        raise ValueError(f"The value of {NPU_CHECKS} ({text}) is neither on nor off.")
    return False


def soc_of(session: Session) -> bytes:
    """The name of the device's SoC; AclnnError where the library does not tell it."""
    name: bytes | None = session.libraries.aclrtGetSocName()
    if not name:
        raise null(session.libraries, "aclrtGetSocName")
    return name


def product_of_device(session: Session, asked: str | None) -> str:
    """The key of the device's product; ValueError where the caller or ACLSPEC_PRODUCT means another one."""
    name = soc_of(session)
    own = _known.get(name) or _identified(name)
    if asked is None and ENVIRONMENT.read() is None:
        return own
    wanted = resolve_product(asked)
    if wanted != own:
        noun = "product" if asked is not None else str(ENVIRONMENT)
        soc = str(name, "utf-8", "replace")
        raise ValueError(
            f"The value of {noun} ({asked or wanted}) means {wanted}, and the device is one of {own} ({soc}): "
            'backend="npu" computes on the device there is.'
        )
    return own


def _identified(name: bytes) -> str:
    text = str(name, "utf-8", "replace")
    own = product_of(text)
    if own is None:
        raise ValueError(f"The SoC of the device ({text}) is of no product that aclspec knows.")
    _known[name] = own
    return own
