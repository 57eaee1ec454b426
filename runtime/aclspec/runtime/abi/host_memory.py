"""How much memory there is, asked before an array of many bytes is allocated."""

from __future__ import annotations

import sys

ASK_FROM = 1 << 26
"""Needs below this many bytes are never refused, so that a small call pays nothing."""
_MEMINFO = "/proc/meminfo"
_CGROUP = "/sys/fs/cgroup"


def available_bytes() -> int:
    """The bytes that a process may still take; without an answer from the system, all that a pointer can address."""
    limits = [sys.maxsize]
    for read in (_meminfo, _cgroup):
        try:
            limits.append(read())
        except (OSError, ValueError, IndexError, StopIteration):
            continue
    return max(0, min(limits))


def _meminfo() -> int:
    line = next(line for line in _read(_MEMINFO).splitlines() if line.startswith("MemAvailable:"))
    return int(line.split()[1]) * 1024


def _cgroup() -> int:
    return int(_read(f"{_CGROUP}/memory.max")) - int(_read(f"{_CGROUP}/memory.current"))


def _read(path: str) -> str:
    with open(path, encoding="ascii") as file:
        return file.read()
