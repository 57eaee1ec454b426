"""The operators that a test of every operator runs over: all at the whole amount, some of many at the others."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from aclspec import ops
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.testing.amount import amount


def computed() -> list[str]:
    """The snake_case names of the operators that have a kernel."""
    return [name for name in ops.names() if ops.get(name).info.facts.has_kernel]


def infos() -> list[OperatorInfo]:
    """What is known of each operator, without reading its spec."""
    return [ops.get(name).info for name in ops.names()]


def some(count: int, names: Sequence[str] = ops.names(), *, small: int | None = None) -> list[str]:
    """This many snake_case names of a list; ``small`` in `make test`, all at the whole amount.

    They are drawn by a checksum of the name: a new operator replaces one of them at most.
    """
    wanted = amount(small or count, count, len(names))
    return sorted(sorted(names, key=lambda name: crc32(name.encode()))[:wanted])
