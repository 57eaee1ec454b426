"""The memory of devices as the device process sees it: parts of one file, mapped as calls name them.

What stands at a place of a part follows from the file alone, so that a mapping is right for ever, whatever the program
has freed since; freed memory is a hole in the file and costs nothing.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from typing import Any, Final

_MOST: Final = 1024
"""Mappings that are kept from one message to the next."""
_FIXED, _NO_RESERVE, _READ_WRITE_VIEW, _FAILED = 0x10, 0x4000, 0x200, ctypes.c_void_p(-1).value
_SHARED = mmap.MAP_SHARED | _NO_RESERVE
_ACCESS = mmap.PROT_READ | mmap.PROT_WRITE
_C: Any = ctypes.CDLL(None, use_errno=True)
_C.mmap.restype = ctypes.c_void_p
_C.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int64]
_C.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_view: Any = ctypes.pythonapi.PyMemoryView_FromMemory
_view.restype = ctypes.py_object
_view.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int]
_mapped: dict[tuple[int, tuple[int, ...]], tuple[memoryview, int, int]] = {}
_file = -1


def use(file: int) -> None:
    """Take the memory from a file of this number, which another program may have handed over than the one before."""
    global _file
    _forget(0)
    _file = file


def mapped(size: int, parts: tuple[int, ...]) -> memoryview:
    """The first bytes of parts of the file, each a start and a size, in their order; MemoryError where that fails."""
    found = _mapped.get((size, parts))
    if found is None:
        whole = sum(parts[1::2])
        address = _map(parts, whole)
        found = _mapped[size, parts] = _view(address, min(size, whole), _READ_WRITE_VIEW), address, whole
    return found[0]


def forget_oldest() -> None:
    """Take away the oldest mappings where there are many; no array may look into one."""
    _forget(_MOST)


def _forget(most: int) -> None:
    while len(_mapped) > most:
        _, address, whole = _mapped.pop(next(iter(_mapped)))
        _C.munmap(address, whole)


def _map(parts: tuple[int, ...], size: int) -> int:
    if len(parts) == 2:
        return _checked(_C.mmap(None, size, _ACCESS, _SHARED, _file, parts[0]), size)
    hidden = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    address = _checked(_C.mmap(None, size, 0, hidden, -1, 0), size)
    for place, start, length in _placed(parts):
        _checked(_C.mmap(address + place, length, _ACCESS, _SHARED | _FIXED, _file, start), length)
    return address


def _placed(parts: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """Where each part stands behind the first, its start and its size."""
    place = 0
    for start, length in zip(parts[::2], parts[1::2], strict=True):
        yield place, start, length
        place += length


def _checked(address: int | None, size: int) -> int:
    if address is None or address == _FAILED:
        raise MemoryError(f"{size} bytes of device memory cannot be mapped: error {ctypes.get_errno()}")
    return address
