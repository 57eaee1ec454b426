"""A tensor as aclCreateTensor describes it: a shape, a dtype and a format over strides, an offset and a storage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, cast

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.tensors.array_coercion import (
    SupportsArray,
    SupportsDLPack,
    dtype_of,
    format_of,
    is_tensor_like,
    shape_of,
    to_numpy,
)
from aclspec.runtime.tensors.layout import (
    INT64_MAX,
    Layout,
    contiguous_strides,
    format_literal,
    has_int64_elements,
    is_negative,
    parse_literal,
    span,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aclspec.runtime.abi.dtypes import DType


class Tensor:
    """An immutable description of a tensor, with or without its data.

    ``shape``, ``strides`` and ``offset`` describe the view, in elements. ``format`` None means that nothing was said:
    a call then takes the first format that its spec allows for the rank. ``data`` is the storage the view looks into;
    it is never copied. Without data a tensor of any size serves ``explain`` and phase one.
    """

    __slots__ = ("_array", "_layout", "dtype", "fits_int64", "format", "shape")
    shape: tuple[int, ...]
    dtype: DType
    format: Format | None
    _array: NDArray[Any] | None
    _layout: Layout | None  # None: the layout of the array, or contiguous
    fits_int64: bool
    """Whether sizes and the number of elements of the tensor and of its storage are INT64; every check asks."""
    place: ClassVar[str | None] = None
    """Where the data is, unless it is in this process."""

    def __init__(
        self,
        shape: Sequence[int] | SupportsArray | SupportsDLPack | None = None,
        dtype: DType | str | np.dtype[Any] | type | None = None,
        format: Format | str | None = None,
        strides: Sequence[int] | None = None,
        offset: int = 0,
        storage_shape: Sequence[int] | None = None,
        data: object = None,
    ) -> None:
        """Describe a tensor, or the array that is given first; ValueError or TypeError for what makes no sense.

        Shape and dtype may be left out where ``data`` has them.
        """
        if data is None and is_tensor_like(shape):
            data, shape = shape, None
        storage = data.array if isinstance(data, Tensor) else None if data is None else to_numpy(data, "data")
        given = shape_of(cast("Sequence[int] | None", shape), storage)
        kind = dtype_of(dtype, storage)
        contiguous = strides is None and offset == 0 and storage_shape is None
        if contiguous and (storage is None or storage.shape == given):
            layout, array = None, storage
        else:
            layout = Layout.checked(given, strides, offset, storage_shape, None if storage is None else storage.shape)
            array = None if storage is None else layout.view(storage, given)
        _fill(self, given, kind, format_of(format), array, layout)

    @classmethod
    def from_array(cls, array: object, format: Format | str | None = None) -> Tensor:
        """The tensor that describes an array: its shape, dtype, strides and data."""
        return cls(data=array, format=format)

    @classmethod
    def parse(cls, text: str) -> Tensor:
        """The tensor of a literal: ``float32[4,2]:NCHW``, ``float16[4,2]:ND:strides=1,4:offset=2:storage=12``."""
        return cls(**parse_literal(text))

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

    @property
    def extent(self) -> NDArray[Any] | None:
        """The elements by their addresses, to find overlap with tensors of the same place; None without memory."""
        return self._array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The view on the data, as numpy.asarray asks for it."""
        return self.array if dtype is None and not copy else np.array(self.array, dtype=dtype, copy=copy)

    def formatted(self, format: Format | None) -> Tensor:
        """The same tensor under another format."""
        return refilled(_new(Tensor), self, format)

    def __str__(self) -> str:
        """The literal that `parse` reads."""
        layout = self._layout or Layout(self.strides, 0, self.storage_shape)
        return format_literal(self.shape, self.dtype, self.format, layout)

    def __repr__(self) -> str:
        """The literal, and whether there is data."""
        return f"<Tensor {self}{'' if self.has_data else ' without data'}>"

    def _repr_html_(self) -> str:
        """The literal as code, for notebooks."""
        from html import escape  # which a program without a notebook need not load

        return f"<code>{escape(str(self))}</code>{'' if self.has_data else ' without data'}"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a Tensor does not change."""
        raise AttributeError(f"The attribute {name} of a Tensor cannot be set: a Tensor does not change.")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse: a Tensor does not change."""
        raise AttributeError(f"The attribute {name} of a Tensor cannot be deleted: a Tensor does not change.")

    def __reduce__(self) -> tuple[Any, ...]:
        """The parts that copy and pickle need."""
        return wrap, (self.shape, self.dtype, self.format, self._array, self._layout)


# The slots' own setters: they pass by the __setattr__ above, and a call is the faster for it.
_set_shape = Tensor.__dict__["shape"].__set__
_set_dtype = Tensor.__dict__["dtype"].__set__
_set_format = Tensor.__dict__["format"].__set__
_set_layout = Tensor.__dict__["_layout"].__set__
_set_array = Tensor.__dict__["_array"].__set__
_set_fits = Tensor.__dict__["fits_int64"].__set__
_new = object.__new__


def wrap(
    shape: tuple[int, ...],
    dtype: DType,
    format: Format | None,
    array: NDArray[Any] | None = None,
    layout: Layout | None = None,
) -> Tensor:
    """A tensor of parts known to be right, unchecked; ``array`` is the view itself.

    As C describes it, the strides of a ``layout`` may leave its storage, and step backwards.
    """
    return _fill(_new(Tensor), shape, dtype, format, array, layout)


def with_data(tensor: Tensor, array: NDArray[Any]) -> Tensor:
    """The same tensor with its data; ``array`` is the view itself."""
    made = _new(Tensor)
    _set_shape(made, tensor.shape)
    _set_dtype(made, tensor.dtype)
    _set_format(made, tensor.format)
    _set_layout(made, tensor._layout)
    _set_array(made, array)
    _set_fits(made, tensor.fits_int64)
    return made


def provide(tensor: Tensor, array: NDArray[Any]) -> None:
    """Give a new tensor without data its array, before the tensor is shared."""
    _set_array(tensor, array)


T = TypeVar("T", bound=Tensor)


def refilled(new: T, tensor: Tensor, format: Format | None) -> T:
    """Make a bare new tensor what another one is, but for its format."""
    return _fill(new, tensor.shape, tensor.dtype, format, tensor._array, tensor._layout)


def _fill(
    tensor: T,
    shape: tuple[int, ...],
    dtype: DType,
    format: Format | None,
    array: NDArray[Any] | None,
    layout: Layout | None,
) -> T:
    _set_shape(tensor, shape)
    _set_dtype(tensor, dtype)
    _set_format(tensor, format)
    _set_layout(tensor, layout)
    _set_array(tensor, array)
    count = prod(shape)  # no int where torch traces a call: its symbols stand for INT64
    is_usual = type(count) is not int or (layout is None and (array is not None or 0 < count <= INT64_MAX))
    _set_fits(tensor, is_usual or all(map(has_int64_elements, (shape, tensor.storage_shape))))
    return tensor


class Scalar:
    """An aclScalar: a number and its dtype."""

    __slots__ = ("dtype", "value")

    def __init__(self, value: bool | int | float | complex, dtype: DType) -> None:
        """A number of this dtype."""
        self.value = value
        self.dtype = dtype

    def __repr__(self) -> str:
        """The dtype and the value, as in ``float32(1.5)``."""
        return f"{self.dtype.short}({self.value})"


def leaves(value: Any) -> Iterator[Tensor]:
    """The tensors of a value: itself, or those in a list; a null and an attribute have none."""
    if type(value) is tuple:
        for item in value:
            yield from leaves(item)
    elif isinstance(value, Tensor):
        yield value


def each_leaf(function: Callable[..., Any], *values: Any) -> Any:
    """The function of a value, or the tuple of what it gives for each element of lists of one length."""
    if type(values[0]) is tuple:
        return tuple(each_leaf(function, *items) for items in zip(*values, strict=True))
    return function(*values)
