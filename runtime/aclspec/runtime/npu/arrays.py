"""Memory on the device, and arrays that stay there between calls."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.execution.compute import require_shape
from aclspec.runtime.npu.session import Resource, Session, each, session
from aclspec.runtime.npu.streams import Stream
from aclspec.runtime.tensors.halves import HALVES, packed, unpacked
from aclspec.runtime.tensors.layout import is_negative
from aclspec.runtime.tensors.tensor import Tensor, refilled

if TYPE_CHECKING:
    from numpy.typing import NDArray


HUGE_PAGES_FIRST = 0
HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3


class Memory(Resource):
    """A number of bytes on the device; ``stream`` is the one on which work with them may still be going on."""

    __slots__ = ("size", "stream")
    destroyer = "aclrtFree"
    noun = "device memory"

    def __init__(self, session: Session, size: int, handle: int) -> None:
        """The memory at this address; `allocate` is how one gets it."""
        super().__init__(session, handle)
        self.size = size
        self.stream: Stream | None = None

    @classmethod
    def allocate(cls, session: Session, size: int) -> Memory:
        """New memory of ``size`` bytes, at least one; AclnnError where there is none left."""
        address = ctypes.c_void_p()
        fitting = min(size, sys.maxsize)  # ctypes cuts off what size_t does not hold; no device has as much
        code = session.libraries.aclrtMalloc(ctypes.byref(address), fitting, HUGE_PAGES_FIRST)
        session.check("aclrtMalloc", code, f"the allocation of {size} bytes on the device")
        return cls(session, size, address.value or 0)

    def close(self) -> None:
        """Free it, when the work with it is done."""
        stream, self.stream = self.stream, None
        if stream is None or not self.is_alive or not stream.is_alive:
            super().close()
        else:
            each((stream.settle, stream.settle_again, super().close))

    def zero(self) -> None:
        """Fill it with zeros."""
        self.session.check("aclrtMemset", self.session.libraries.aclrtMemset(self.handle, self.size, 0, self.size))

    def load(self, tensor: Tensor) -> None:
        """Bring the storage of a host tensor here; AclnnError where its caller has reshaped it since."""
        require_shape(tensor, None)
        upload(self.session, tensor, self.handle)

    def fetch(self, tensor: Tensor) -> None:
        """Bring the elements of a host tensor back from here; AclnnError as above."""
        require_shape(tensor, None)
        download(self.session, self.handle, tensor)

    def copy_from(self, other: Memory) -> None:
        """Take over the bytes of another memory of the same size."""
        copy(self.session, self.handle, other.handle, self.size, DEVICE_TO_DEVICE)


def copy(session: Session, to: int, source: int, size: int, kind: int) -> None:
    """Copy ``size`` bytes between two addresses."""
    code = session.libraries.aclrtMemcpy(to, size, source, size, kind)
    if code:
        session.check("aclrtMemcpy", code)


def storage_bytes(tensor: Tensor) -> int:
    """The bytes of the storage that a tensor looks into, from the first to the last that it describes."""
    if tensor._layout is None and tensor.is_contiguous:
        return tensor.nbytes
    storage = tensor.storage_shape
    return 0 if is_negative(storage) else prod(storage) * tensor.dtype.itemsize


def upload(session: Session, tensor: Tensor, address: int) -> None:
    """Copy the storage of a tensor to the device as it is, gaps between its elements included.

    Of a dtype of four bits the host has an element a byte, and the device two, the first in the low half.
    """
    size = storage_bytes(tensor)
    if not size:
        return
    if tensor.dtype not in HALVES:
        copy(session, address, _start(tensor), size, HOST_TO_DEVICE)
        return
    held = np.zeros(size + size % 2, np.uint8)
    ctypes.memmove(held.ctypes.data, _start(tensor), size)
    halves = packed(held)
    copy(session, address, halves.ctypes.data, halves.nbytes, HOST_TO_DEVICE)


def download(session: Session, address: int, tensor: Tensor) -> None:
    """Copy the elements of a tensor from the device; what lies between them on the host stays as it is."""
    size = storage_bytes(tensor)
    array = tensor.array
    if not array.size:
        return
    is_half = tensor.dtype in HALVES
    if array.flags.c_contiguous and not is_half:
        skipped = tensor.offset * array.itemsize
        copy(session, array.ctypes.data, address + skipped, array.nbytes, DEVICE_TO_HOST)
        return
    bytes_: NDArray[Any] = np.empty((size + 1) // 2 if is_half else size, np.uint8)
    copy(session, bytes_.ctypes.data, address, bytes_.nbytes, DEVICE_TO_HOST)
    if is_half:
        bytes_ = unpacked(bytes_, tensor.dtype)
    flat = bytes_.view(array.dtype)[tensor.offset :]
    array[...] = np.lib.stride_tricks.as_strided(flat, array.shape, array.strides)


def _start(tensor: Tensor) -> int:
    """The address of the storage of a tensor on the host."""
    array = tensor.array
    return array.ctypes.data - tensor.offset * array.itemsize


class DeviceArray(Tensor):
    """A tensor whose data is on the NPU.

    ``DeviceArray.from_host(array)`` brings an array there and ``to_host`` back; calls with ``backend="npu"`` take it
    for a tensor and answer arrays of its kind. Its memory is freed by `free`, at the end of a ``with`` block, or when
    nothing refers to it any more.
    """

    __slots__ = ("_memory",)
    place = "the NPU"
    _memory: Memory | None

    def __init__(
        self,
        shape: Sequence[int] | None = None,
        dtype: DType | str | np.dtype[Any] | type | None = None,
        format: Format | str | None = None,
        strides: Sequence[int] | None = None,
        offset: int = 0,
        storage_shape: Sequence[int] | None = None,
    ) -> None:
        """A new array of this description; its elements hold anything."""
        super().__init__(shape, dtype, format, strides, offset, storage_shape)
        size = storage_bytes(self)
        _set_memory(self, Memory.allocate(session(), size) if size else None)

    @classmethod
    def from_host(cls, array: object, format: Format | str | None = None) -> Self:
        """The values of an array on the device, in its own layout: a view is copied with what lies between."""
        from aclspec.runtime.tensors.array_coercion import to_numpy

        tensor = array if isinstance(array, Tensor) else Tensor.from_array(to_numpy(array, "array"), format)
        made = cls.like(tensor)
        if made._memory is not None:
            upload(made._memory.session, tensor, made._memory.handle)
        return made

    @classmethod
    def like(cls, tensor: Tensor) -> Self:
        """A new array of the shape, dtype, format and layout of a tensor; its elements hold anything."""
        if tensor.is_contiguous and tensor._layout is None:
            return cls(tensor.shape, tensor.dtype, tensor.format)
        return cls(tensor.shape, tensor.dtype, tensor.format, tensor.strides, tensor.offset, tensor.storage_shape)

    def view(
        self,
        shape: Sequence[int],
        strides: Sequence[int] | None = None,
        offset: int = 0,
        format: Format | str | None = None,
    ) -> DeviceArray:
        """Another array on the same memory; strides and offset count elements, from the start of the memory."""
        made = _new(DeviceArray)
        storage = self.storage_shape
        Tensor.__init__(made, shape, self.dtype, format or self.format, strides, offset, storage)
        _set_memory(made, self._memory)
        return made

    @property
    def memory(self) -> Memory | None:
        """The memory on the device; None for an array without elements."""
        return self._memory

    @property
    def address(self) -> int | None:
        """Where its storage is on the device; ValueError once it is freed."""
        if self._memory is None:
            return None
        if not self._memory.is_alive:
            raise ValueError(f"The array ({self}) on the NPU is freed.")
        return self._memory.handle

    @property
    def is_freed(self) -> bool:
        """Whether its memory was given back."""
        return self._memory is not None and not self._memory.is_alive

    @property
    def extent(self) -> NDArray[Any] | None:
        """The addresses of its elements on the device; nothing may read from them."""
        if self._memory is None or not self._memory.is_alive or not self.numel:
            return None
        return np.asarray(_Extent(self, self._memory.handle))

    def to_host(self) -> NDArray[Any]:
        """A NumPy array of its values, once the work with them is done; ValueError for one that is freed."""
        kind = self.dtype.numpy
        if kind is None:
            raise ValueError(f"The dtype of the array ({self.dtype.name}) has no NumPy type.")
        if self._memory is None:
            if is_negative(self.shape):
                raise ValueError(f"The shape of the array ({self}) has a negative dimension.")
            return np.empty(self.shape, kind)
        self.wait()
        if not self.is_contiguous or self.dtype in HALVES:
            return np.ascontiguousarray(self._storage_on_host(self._memory).array)
        copy = np.empty(self.shape, kind)
        start = self._memory.handle + self.offset * copy.itemsize
        download(self._memory.session, start, Tensor(data=copy))
        return copy

    def assign(self, values: Tensor | NDArray[Any]) -> None:
        """Write the values of an array of the same shape and dtype; what lies between its elements stays."""
        if isinstance(values, DeviceArray):
            values = values.to_host()
        given = Tensor.from_array(values, self.format)
        if (given.shape, given.dtype) != (self.shape, self.dtype):
            raise ValueError(f"The values ({given}) are not of the shape and dtype of the array ({self}).")
        if self._memory is None:
            return
        self.wait()
        host = self._storage_on_host(self._memory)
        host.array[...] = given.array
        upload(self._memory.session, host, self._memory.handle)

    def copy(self) -> DeviceArray:
        """A new array of the same values in the same layout, with what lies between them."""
        made = DeviceArray.like(self)
        if self._memory is not None and made._memory is not None:
            self.wait()
            made._memory.copy_from(self._memory)
        return made

    def is_same_view(self, other: DeviceArray) -> bool:
        """Whether another array is the same elements of the same memory."""
        mine, others = (self.shape, self.strides, self.offset), (other.shape, other.strides, other.offset)
        return self._memory is other._memory and mine == others

    def _storage_on_host(self, memory: Memory) -> Tensor:
        """A tensor of the host with a copy of the whole memory."""
        storage = np.empty(memory.size // self.dtype.itemsize, self.dtype.numpy)
        download(memory.session, memory.handle, Tensor(data=storage))
        return Tensor(self.shape, self.dtype, self.format, self.strides, self.offset, None, storage)

    def wait(self) -> None:
        """Wait for the work with its memory; ValueError where it is freed."""
        if self.address is not None and self._memory is not None:
            self._memory.session.enter()
            if self._memory.stream is not None:
                self._memory.stream.settle()

    def free(self) -> None:
        """Give its memory back, that of its views too; a second time does nothing."""
        if self._memory is not None:
            self._memory.close()

    def __enter__(self) -> Self:
        """The array itself, freed at the end of the block."""
        return self

    def __exit__(self, *error: object) -> None:
        """Free it."""
        self.free()

    def formatted(self, format: Format | None) -> DeviceArray:
        """The same array under another format."""
        made = refilled(_new(DeviceArray), self, format)
        _set_memory(made, self._memory)
        return made

    @property
    def array(self) -> NoReturn:
        """Refused: the values are not on the host."""
        raise ValueError(f"The values of the array ({self}) are on the NPU; give its to_host().")

    def __repr__(self) -> str:
        """The literal of its description."""
        return f"<DeviceArray {self}{', freed' if self.is_freed else ''}>"

    def __reduce__(self) -> NoReturn:
        """Refused: another process has another device."""
        raise TypeError("A DeviceArray cannot be copied or pickled; take its to_host().")


class _Extent:
    """The addresses of a device array as an array interface."""

    def __init__(self, array: DeviceArray, start: int) -> None:
        kind = np.dtype(f"V{max(array.dtype.itemsize, 1)}")
        self.__array_interface__ = {
            "version": 3,
            "shape": array.shape,
            "typestr": kind.str,
            "data": (start + array.offset * kind.itemsize, True),
            "strides": tuple(step * kind.itemsize for step in array.strides),
        }


_new = object.__new__
_set_memory = DeviceArray.__dict__["_memory"].__set__
