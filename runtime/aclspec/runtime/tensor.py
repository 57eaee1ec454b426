"""A tensor as aclCreateTensor describes it: a shape, a dtype and a format over strides, an offset and a storage."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

import numpy as np

from aclspec.runtime.describing import dtype_of, format_of, shape_of, storage_of
from aclspec.runtime.dtypes import DType
from aclspec.runtime.formats import Format
from aclspec.runtime.layout import Layout, contiguous_strides, is_negative, span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Tensor:
    """An immutable description of a tensor, with or without its data.

    ``shape``, ``strides`` and ``offset`` describe the view, in elements. ``format`` None means that nothing was said:
    a call then takes the first format that its spec allows for the rank. ``data`` is the storage the view looks into;
    it is never copied. Without data a tensor of any size serves ``explain`` and phase one.
    """

    __slots__ = ("_array", "_layout", "dtype", "format", "shape")
    shape: tuple[int, ...]
    dtype: DType
    format: Format | None
    _array: NDArray[Any] | None
    _layout: Layout | None  # None: the layout of the array, or contiguous
    place: ClassVar[str | None] = None
    """Where the data is when it is not in this process; that of a plain tensor is."""

    def __init__(
        self,
        shape: Sequence[int] | None = None,
        dtype: DType | str | np.dtype[Any] | type | None = None,
        format: Format | str | None = None,
        strides: Sequence[int] | None = None,
        offset: int = 0,
        storage_shape: Sequence[int] | None = None,
        data: object = None,
    ) -> None:
        """Describe a tensor; shape and dtype may be left out where data has them. Raises ValueError or TypeError."""
        storage = None if data is None else storage_of(data)
        given = shape_of(shape, storage)
        kind = dtype_of(dtype, storage)
        plain = strides is None and offset == 0 and storage_shape is None
        if plain and (storage is None or storage.shape == given):
            layout, array = None, storage
        else:
            layout = Layout.checked(given, strides, offset, storage_shape, None if storage is None else storage.shape)
            array = None if storage is None else layout.view(storage, given)
        _fill(self, given, kind, format_of(format), layout, array)

    @classmethod
    def from_array(cls, array: object, format: Format | str | None = None) -> Tensor:
        """The tensor that an array is: its shape, dtype, strides and data."""
        return cls(data=array, format=format)

    @classmethod
    def parse(cls, text: str) -> Tensor:
        """The tensor of a literal: ``float32[4,2]:NCHW``, ``float16[4,2]:ND:strides=1,4:offset=2:storage=12``."""
        from aclspec.runtime.literal import parse_tensor

        return parse_tensor(text)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def numel(self) -> int:
        """The product of the shape, which a negative dimension makes no number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of its elements, without those of the storage between them; 0 where a dimension is negative."""
        return 0 if is_negative(self.shape) else prod(self.shape) * self.dtype.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """The step of each axis, in elements."""
        if self._layout is not None:
            return self._layout.strides
        if self._array is None or self._array.flags.c_contiguous:
            return contiguous_strides(self.shape)
        return tuple(step // self._array.itemsize for step in self._array.strides)

    @property
    def offset(self) -> int:
        """Where in the storage the first element stands, in elements."""
        return 0 if self._layout is None else self._layout.offset

    @property
    def storage_shape(self) -> tuple[int, ...]:
        """The shape of the storage; of a strided view whose storage was not described, the elements it spans."""
        if self._layout is not None:
            return self._layout.storage_shape
        return self.shape if self.is_contiguous else (span(self.shape, self.strides),)

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements stand one after the other in row-major order."""
        if self._layout is not None:
            return self._layout.is_contiguous(self.shape)
        return self._array is None or self._array.flags.c_contiguous

    @property
    def has_data(self) -> bool:
        """Whether there is a buffer behind the description."""
        return self._array is not None

    @property
    def array(self) -> NDArray[Any]:
        """The view on the data as a NumPy array; ValueError when there is none."""
        if self._array is None:
            raise ValueError(f"The tensor {self} has no data; its elements would take {self.nbytes} bytes.")
        return self._array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The view on the data, as numpy.asarray asks for it."""
        return self.array if dtype is None and not copy else np.array(self.array, dtype=dtype, copy=copy)

    def formatted(self, format: Format | None) -> Tensor:
        """The same tensor under another format."""
        return refilled(_new(Tensor), self, format)

    def __str__(self) -> str:
        """The literal that `parse` reads."""
        from aclspec.runtime.literal import format_tensor

        return format_tensor(self)

    def __repr__(self) -> str:
        """The literal, and whether there is data."""
        return f"<Tensor {self}{'' if self.has_data else ' without data'}>"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a Tensor does not change."""
        raise AttributeError(f"The attribute {name} of a Tensor cannot be set: a Tensor does not change.")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse: a Tensor does not change."""
        raise AttributeError(f"The attribute {name} of a Tensor cannot be deleted: a Tensor does not change.")

    def __reduce__(self) -> tuple[Any, ...]:
        """The parts that copy and pickle need."""
        return _rebuild, (self.shape, self.dtype, self.format, self._layout, self._array)


# The slots' own setters: they pass by the __setattr__ above, and a call is the faster for it.
_set_shape = Tensor.__dict__["shape"].__set__
_set_dtype = Tensor.__dict__["dtype"].__set__
_set_format = Tensor.__dict__["format"].__set__
_set_layout = Tensor.__dict__["_layout"].__set__
_set_array = Tensor.__dict__["_array"].__set__
_new = object.__new__


def wrap(shape: tuple[int, ...], dtype: DType, format: Format | None, array: NDArray[Any] | None = None) -> Tensor:
    """A tensor of parts known to be right, unchecked; ``array`` is the view itself."""
    tensor = _new(Tensor)
    _set_shape(tensor, shape)
    _set_dtype(tensor, dtype)
    _set_format(tensor, format)
    _set_layout(tensor, None)
    _set_array(tensor, array)
    return tensor


def describe(
    shape: tuple[int, ...], dtype: DType, format: Format | None, layout: Layout, array: NDArray[Any] | None
) -> Tensor:
    """A tensor as C describes it, unchecked: its strides may leave its storage, and step backwards."""
    return _fill(_new(Tensor), shape, dtype, format, layout, array)


def provide(tensor: Tensor, array: NDArray[Any]) -> None:
    """Give a tensor that was made without data its array; for one that nobody else holds yet."""
    _set_array(tensor, array)


def with_format(tensor: Tensor, format: Format | None) -> Tensor:
    """The same tensor under another format."""
    return tensor.formatted(format)


T = TypeVar("T", bound=Tensor)


def refilled(new: T, tensor: Tensor, format: Format | None) -> T:
    """Make a bare new tensor what another one is, but for its format."""
    _fill(new, tensor.shape, tensor.dtype, format, tensor._layout, tensor._array)
    return new


def _fill(
    tensor: Tensor,
    shape: tuple[int, ...],
    dtype: DType,
    format: Format | None,
    layout: Layout | None,
    array: NDArray[Any] | None,
) -> Tensor:
    _set_shape(tensor, shape)
    _set_dtype(tensor, dtype)
    _set_format(tensor, format)
    _set_layout(tensor, layout)
    _set_array(tensor, array)
    return tensor


def _rebuild(*parts: Any) -> Tensor:
    return _fill(_new(Tensor), *parts)
