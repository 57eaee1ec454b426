"""The files by which the members of a cluster know each other; without them whoever reaches a port is a member."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

SCHEMES = ("tls://", "wss://")


class Tls(NamedTuple):
    """A certificate authority of one's own, a certificate that it signed, and the key of that, each in PEM."""

    ca_file: Path
    cert: Path
    key: Path


def tls_of(ca_file: Path | None, cert: Path | None, key: Path | None, address: str | None) -> Tls | None:
    """The files where they are given; ValueError for some of them alone, and for a scheduler that does not encrypt."""
    given = (ca_file, cert, key)
    if not any(given):
        return None
    if ca_file is None or cert is None or key is None:
        raise ValueError("The options --tls-ca-file, --tls-cert and --tls-key are given together or not at all")
    if address is not None and not address.startswith(SCHEMES):
        raise ValueError(f"The scheduler ({address}) does not encrypt; with --tls-cert its address starts with tls://")
    for file in (ca_file, cert, key):
        if not file.is_file():
            raise ValueError(f"The file ({file}) does not exist")
    return Tls(ca_file, cert, key)
