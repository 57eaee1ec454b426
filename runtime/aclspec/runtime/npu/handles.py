"""What a call's values are in C: handles, made one after the other and given back together."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.errors import ParamError
from aclspec.runtime.npu.failure import null

if TYPE_CHECKING:
    from aclspec.runtime.npu.session import Session
    from aclspec.runtime.parameters import Param
    from aclspec.runtime.scalar import Scalar
    from aclspec.runtime.tensor import Tensor


class Handles:
    """The tensors, scalars, arrays and lists of one call."""

    __slots__ = ("_held", "_kept", "_operator", "_session")

    def __init__(self, session: Session, operator: str) -> None:
        """No handle yet, for a call of this operator."""
        self._session = session
        self._operator = operator
        self._held: list[tuple[str, int]] = []
        self._kept: list[Any] = []

    def argument(self, param: Param, value: Any, addresses: Sequence[int | None]) -> Any:
        """The C argument of a value; ``addresses`` are those of its tensors on the device."""
        if value is None:
            return None
        maker = _MAKERS.get(param.type)
        if maker is not None:
            return maker(self, param, value)
        if param.type == "tensor":
            return self.tensor(value, addresses[0])
        if param.type == "tensor_list":
            pairs = zip(value, addresses, strict=True)
            elements = [None if one is None else self.tensor(one, address) for one, address in pairs]
            return self._list("TensorList", elements)
        return value  # a number by value, which the prototype converts

    def tensor(self, tensor: Tensor, address: int | None) -> int:
        """An aclTensor over the memory at an address; without one it is only a description."""
        rank, shape = len(tensor.shape), tensor.shape
        dims = (ctypes.c_int64 * rank)(*shape)
        if tensor._layout is None and tensor.is_contiguous:
            strides, offset, storage, storage_rank = None, 0, dims, rank
        else:
            strides, offset = (ctypes.c_int64 * rank)(*tensor.strides), tensor.offset
            storage_rank = len(tensor.storage_shape)
            storage = (ctypes.c_int64 * storage_rank)(*tensor.storage_shape)
        form = -1 if tensor.format is None else int(tensor.format)
        parts = (dims, rank, int(tensor.dtype), strides, offset, form, storage, storage_rank, address)
        return self._made("Tensor", self._session.libraries.aclCreateTensor(*parts))

    def _scalar(self, param: Param, value: Scalar) -> int:
        kind = value.dtype.numpy
        if kind is None:
            sentence = f"The dtype of {param.name} ({value.dtype.name}) has no NumPy type to give its value in."
            raise ParamError(sentence, param.name, self._operator)
        number = np.array(value.value).astype(kind)
        address = number.__array_interface__["data"][0]
        return self._made("Scalar", self._session.libraries.aclCreateScalar(address, int(value.dtype)))

    def _scalars(self, param: Param, values: Sequence[Scalar | None]) -> int:
        return self._list("ScalarList", [None if one is None else self._scalar(param, one) for one in values])

    def _ints(self, _param: Param, values: Sequence[int]) -> int:
        return self._array("IntArray", (ctypes.c_int64 * len(values))(*values), len(values))

    def _floats(self, _param: Param, values: Sequence[float]) -> int:
        return self._array("FloatArray", (ctypes.c_float * len(values))(*values), len(values))

    def _bools(self, _param: Param, values: Sequence[bool]) -> int:
        return self._array("BoolArray", (ctypes.c_bool * len(values))(*values), len(values))

    def _string(self, param: Param, value: str) -> bytes:
        if "\0" in value:
            raise ParamError(f"The value of {param.name} ({value!r}) holds a NUL.", param.name, self._operator)
        text = value.encode()
        self._kept.append(text)  # nobody says that phase one copies it
        return text

    def _array(self, noun: str, values: Any, count: int) -> int:
        return self._made(noun, getattr(self._session.libraries, f"aclCreate{noun}")(values, count))

    def _list(self, noun: str, elements: Sequence[int | None]) -> int:
        """A list of handles, which destroys its elements with itself."""
        count = len(elements)
        made = self._array(noun, (ctypes.c_void_p * count)(*elements), count)
        owned = set(elements)
        self._held = [held for held in self._held if held[1] not in owned]
        return made

    def _made(self, noun: str, handle: int | None) -> int:
        if handle is None:
            raise null(self._session.libraries, f"aclCreate{noun}", self._operator)
        self._held.append((f"aclDestroy{noun}", handle))
        return handle

    def close(self) -> None:
        """Give all of them back; AclnnError where the library refuses one, which is then given back at the end."""
        session, refused = self._session, None
        if not session.is_open:
            self._held.clear()
        while self._held:
            name, handle = self._held.pop()
            function = getattr(session.libraries, name)
            code = function(handle)
            if code:
                session.leftovers.append((function, handle))
                refused = refused or (name, code)
        if refused is not None:
            session.check(*refused, self._operator)


_MAKERS: dict[str, Callable[[Handles, Param, Any], Any]] = {
    "scalar": Handles._scalar,
    "scalar_list": Handles._scalars,
    "int_array": Handles._ints,
    "float_array": Handles._floats,
    "bool_array": Handles._bools,
    "string": Handles._string,
}
