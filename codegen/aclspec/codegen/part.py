"""What a single spec comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aclspec.codegen.findings import Finding
from aclspec.codegen.texts import Deflated


@dataclass(frozen=True, slots=True)
class Part:
    """What one spec comes to: the files that it alone decides, by their paths, and its share of the others.

    Nothing but ``findings`` where it has mistakes.
    """

    name: str
    share: bytes = b""
    files: Mapping[str, Deflated] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
