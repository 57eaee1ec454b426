"""Device memory, and the copies between it and the host's."""

from __future__ import annotations

import ctypes
import sys
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from aclspec.runtime.errors import AclnnError
from aclspec.runtime.layout import is_negative
from aclspec.runtime.native.keys import address_of
from aclspec.runtime.npu.failure import each
from aclspec.runtime.npu.resource import Resource
from aclspec.runtime.status import Status

if TYPE_CHECKING:
    from aclspec.runtime.npu.session import Session
    from aclspec.runtime.npu.stream import Stream
    from aclspec.runtime.tensor import Tensor

HUGE_PAGES_FIRST = 0
HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3


class Memory(Resource):
    """So many bytes on the device; ``stream`` is the one on which work with them may still be going on."""

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
        """New memory of so many bytes, at least one; AclnnError where there is none left."""
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
        """Bring the storage of a tensor of the host's here."""
        if self._is_image_of(tensor):
            copy(self.session, self.handle, address_of(tensor.array), self.size, HOST_TO_DEVICE)
        else:
            upload(self.session, tensor, self.handle)

    def fetch(self, tensor: Tensor) -> None:
        """Bring the elements of a tensor of the host's back from here."""
        if self._is_image_of(tensor):
            copy(self.session, address_of(tensor.array), self.handle, self.size, DEVICE_TO_HOST)
        else:
            download(self.session, self.handle, tensor)

    def _is_image_of(self, tensor: Tensor) -> bool:
        """Whether the bytes of a tensor lie on the host as they do here; AclnnError where it is no more what it was.

        A caller may reshape and resize his arrays between the phases.
        """
        array = tensor.array
        if tensor._layout is None and array.nbytes == self.size and array.flags.c_contiguous:
            return True
        if array.shape != tensor.shape:
            now, before = list(array.shape), list(tensor.shape)
            sentence = f"The shape of an array ({now}) is not the one that phase one saw ({before})."
            raise AclnnError(sentence, Status.ACLNN_ERR_PARAM_INVALID)
        return False

    def copy_from(self, other: Memory) -> None:
        """Take over the bytes of another memory of the same size."""
        copy(self.session, self.handle, other.handle, self.size, DEVICE_TO_DEVICE)


def copy(session: Session, to: int, source: int, size: int, kind: int) -> None:
    """Copy so many bytes between two addresses."""
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
    """Copy the storage of a tensor to the device as it is, gaps between its elements included."""
    size = storage_bytes(tensor)
    if size:
        copy(session, address, _start(tensor), size, HOST_TO_DEVICE)


def download(session: Session, address: int, tensor: Tensor) -> None:
    """Copy the elements of a tensor from the device; what lies between them on the host stays as it is."""
    size = storage_bytes(tensor)
    array = tensor.array
    if not array.size:
        return
    if array.flags.c_contiguous:
        skipped = tensor.offset * array.itemsize
        copy(session, address_of(array), address + skipped, array.nbytes, DEVICE_TO_HOST)
        return
    bytes_ = np.empty(size, np.uint8)
    copy(session, address_of(bytes_), address, size, DEVICE_TO_HOST)
    flat = bytes_.view(array.dtype)[tensor.offset :]
    array[...] = np.lib.stride_tricks.as_strided(flat, array.shape, array.strides)


def _start(tensor: Tensor) -> int:
    """The address of the storage of a tensor on the host."""
    array = tensor.array
    return address_of(array) - tensor.offset * array.itemsize
