"""Reads a DLPack capsule into a NumPy view without a copy, the types that NumPy itself refuses (bfloat16) included."""

from __future__ import annotations

import ctypes
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.tensors.layout import contiguous_strides

if TYPE_CHECKING:
    from numpy.typing import NDArray

CPU = 1  # kDLCPU
READ_ONLY = 1  # DLPACK_FLAG_BITMASK_READ_ONLY
_BOOL, _INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX = 6, 0, 1, 2, 4, 5
_NUMPY_CODES = {_INT: "i", _UINT: "u", _FLOAT: "f", _COMPLEX: "c", _BOOL: "b"}
_NARROW = {
    (_BFLOAT, 16): DType.BF16,
    (10, 8): DType.FLOAT8_E4M3FN,
    (12, 8): DType.FLOAT8_E5M2,
    (14, 8): DType.FLOAT8_E8M0,
}


class ExportError(Exception):
    """Why a tensor cannot be read, as a clause."""


class _Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("id", ctypes.c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.argtypes, _rename.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
# A capsule keeps the pointer to its new name, which therefore has to live as long as the program.
_USED, _USED_VERSIONED = ctypes.c_char_p(b"used_dltensor"), ctypes.c_char_p(b"used_dltensor_versioned")


class _Owner:
    """Keeps the producer's memory alive as the base of the NumPy view, and gives it back at the end."""

    def __init__(self, managed: _Managed | _Versioned, address: int, interface: dict[str, Any]) -> None:
        self._deleter = _Deleter(managed.deleter) if managed.deleter else None
        self._address = address
        self.__array_interface__ = interface

    def __del__(self) -> None:
        if self._deleter is not None:
            self._deleter(self._address)


def from_dlpack(value: Any) -> NDArray[Any]:
    """The NumPy view on the memory of an object with ``__dlpack__``; ExportError where there can be none."""
    device = getattr(value, "__dlpack_device__", lambda: (CPU, 0))()
    if int(device[0]) != CPU:
        raise ExportError(f"it is on another device (DLPack type {int(device[0])}, number {int(device[1])}); "
                          "copy it to the CPU first.")  # fmt: skip
    capsule = _export(value)
    if _is_valid(capsule, b"dltensor_versioned"):
        address = _pointer(capsule, b"dltensor_versioned")
        versioned = _Versioned.from_address(address)
        if versioned.major != 1:
            raise ExportError(f"its DLPack version ({versioned.major}.{versioned.minor}) is unknown.")
        return _view(versioned, address, capsule, _USED_VERSIONED, read_only=bool(versioned.flags & READ_ONLY))
    if _is_valid(capsule, b"dltensor"):
        address = _pointer(capsule, b"dltensor")
        return _view(_Managed.from_address(address), address, capsule, _USED, read_only=False)
    raise ExportError("its __dlpack__ gave no DLPack capsule.")


def _export(value: Any) -> Any:
    try:
        return value.__dlpack__(max_version=(1, 0))
    except TypeError:  # a producer older than version 1 of the protocol takes no max_version
        return value.__dlpack__()


def _view(
    managed: _Managed | _Versioned, address: int, capsule: Any, used: ctypes.c_char_p, read_only: bool
) -> NDArray[Any]:
    tensor = managed.tensor
    kind, carrier = _types(tensor.dtype)
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    steps = tuple(tensor.strides[axis] for axis in range(tensor.ndim)) if tensor.strides else contiguous_strides(shape)
    if prod(shape) == 0:
        return np.empty(shape, kind)  # the pointer of an empty tensor may be null, which NumPy does not take
    interface = {
        "version": 3,
        "shape": shape,
        "typestr": carrier.str,
        "strides": tuple(step * carrier.itemsize for step in steps),
        "data": (tensor.data + tensor.byte_offset, read_only),
    }
    owner = _Owner(managed, address, interface)
    _rename(capsule, used)  # from here on the capsule no longer owns the tensor: the owner does
    return np.asarray(owner).view(kind)


def _types(dtype: _DataType) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """The NumPy type of the elements, and a type of the same size that the array interface knows."""
    narrow = _NARROW.get((dtype.code, dtype.bits))
    if dtype.lanes == 1 and narrow is not None and narrow.numpy is not None:
        return narrow.numpy, np.dtype(f"u{dtype.bits // 8}")
    letter = _NUMPY_CODES.get(dtype.code)
    if dtype.lanes != 1 or letter is None or dtype.bits % 8:
        raise ExportError(f"its DLPack type (code {dtype.code}, {dtype.bits} bits, {dtype.lanes} lanes) is unknown.")
    try:
        kind = np.dtype(f"{letter}{dtype.bits // 8}")
    except TypeError:
        raise ExportError(f"NumPy has no type of kind {letter} with {dtype.bits} bits.") from None
    return kind, kind
