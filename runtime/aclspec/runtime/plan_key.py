"""The keys of plans: all that the result of a call depends on but the elements of its arrays.

A key holds the flags, the shape and the dtype of each array, the attributes with their types, what the environment
says, and what the caller asked for. It is made for every call, so it checks nothing: what may have a plan is checked
when a plan is kept, and a key that equals that one's is good for the same reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from marshal import dumps
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from aclspec.runtime.backends import ENVIRONMENT as BACKEND
from aclspec.runtime.backends import NPU_CHECKS
from aclspec.runtime.dtypes import BY_NUMPY
from aclspec.runtime.environment import watch
from aclspec.runtime.modes import CONFORMANCE
from aclspec.runtime.native.build import folder
from aclspec.runtime.native.keys import load_keys
from aclspec.runtime.native.library import SWITCH, THREADS
from aclspec.runtime.parameters import Param
from aclspec.runtime.products import ENVIRONMENT as PRODUCT

Key: TypeAlias = Hashable
_ndarray = np.ndarray
_VARIABLES = (PRODUCT, CONFORMANCE, BACKEND, SWITCH, THREADS, NPU_CHECKS)
_environment = watch(*_VARIABLES)
_compiled = load_keys(folder(), _VARIABLES)
_LASTING = frozenset(map(id, BY_NUMPY))
"""The dtypes that live as long as the process."""
_C_CONTIGUOUS, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400  # as NumPy numbers its flags
_READABLE = _C_CONTIGUOUS | _ALIGNED
_FORM = 2
"""The version of marshal that tells the builtin types apart and writes equal values alike."""
_elsewhere: Any = None


def know_arrays_elsewhere(kind_of: type) -> None:
    """Give keys to the arrays of a type too, whose data is not on the host.

    Each says in a text, `kind`, all that a plan depends on, and keeps that text in `_kind`.
    """
    global _elsewhere
    _elsewhere = kind_of
    if _compiled is not None:
        _compiled.know(kind_of, "_kind", "kind")


class Keys:
    """Makes the keys of calls with values for these parameters."""

    __slots__ = ("_arrays", "_attributes", "_count", "_written")

    def __init__(self, params: Sequence[Param]) -> None:
        """The parameters in the order in which their values come."""
        places = range(len(params))
        self._count = len(params)
        self._arrays = tuple(at for at in places if params[at].type == "tensor")
        attributes = [at for at in places if at not in self._arrays]
        self._attributes: Any = itemgetter(*attributes) if attributes else None
        self._written = frozenset(at for at in places if params[at].is_output)

    def key(self, values: Sequence[Any], product: object, conformance: object, backend: object) -> Key | None:
        """The key of a call; None for one that has no plan, such as one with a tensor of torch."""
        if len(values) != self._count:
            return None
        if _compiled is not None:
            made = _compiled.key(values)
            return made if product is conformance is backend is None else made and (made, product, conformance, backend)
        parts: list[Any] = [product, conformance, backend, *_environment()]
        for at in self._arrays:
            value = values[at]
            if type(value) is _ndarray:
                parts += (value.flags.num, value.shape, value.dtype)
            elif value is None:
                parts.append(None)
            elif type(value) is _elsewhere:
                parts.append(value.kind)
            else:
                return None
        if self._attributes is not None:
            try:
                parts.append(dumps(self._attributes(values), _FORM))
            except ValueError:  # something of NumPy's, or of the caller's own
                return None
        return tuple(parts)

    def key_with(
        self, values: Sequence[Any], out: Any, product: object, conformance: object, backend: object
    ) -> tuple[Key, Sequence[Any]] | None:
        """The key of a call to which outputs are given, and these; None as above."""
        if _compiled is not None and len(values) == self._count:
            made = _compiled.call_key(values, out)
            if made is None or product is conformance is backend is None:
                return made
            return (made[0], product, conformance, backend), made[1]
        key = self.key(values, product, conformance, backend)
        names, given = named(out)
        of_out = _key_of_arrays(given)
        return None if key is None or of_out is None else ((key, names, of_out), given)

    def may_keep(self, values: Sequence[Any], elsewhere: bool = False) -> bool:
        """Whether a plan may be kept for calls with such values.

        The arrays lie in order, are aligned, and can be written where they are outputs, or are ``elsewhere`` where that
        is no matter; the attributes are of builtin types, of which alone a key holds all.
        """
        for at, value in enumerate(values):
            if at in self._arrays:
                if not (value is None or is_orderly(value, at in self._written, elsewhere)):
                    return False
            elif not _is_builtin(value):
                return False
        return True


def named(out: Any) -> tuple[Any, Sequence[Any]]:
    """How the arrays of ``out`` are told apart, and the arrays."""
    if type(out) is dict:
        return tuple(out), tuple(out.values())
    if type(out) is tuple or type(out) is list:
        return len(out), out
    return None, (out,)


def _key_of_arrays(arrays: Sequence[Any]) -> Key | None:
    """The key of arrays alone; None where one of them is neither an array nor None."""
    parts: list[Any] = []
    for value in arrays:
        if type(value) is _ndarray:
            parts += (value.flags.num, value.shape, value.dtype)
        elif value is None:
            parts.append(None)
        elif type(value) is _elsewhere:
            parts.append(value.kind)
        else:
            return None
    return tuple(parts)


def is_orderly(value: Any, written: bool, elsewhere: bool = False) -> bool:
    """Whether a value is an array of a known dtype, in order, aligned, and where it is ``written`` not read-only.

    One that is not on the host is so if ``elsewhere`` says so.
    """
    if elsewhere and type(value) is _elsewhere:
        return True
    wanted = _READABLE | _WRITEABLE if written else _READABLE
    return type(value) is _ndarray and value.flags.num & wanted == wanted and id(value.dtype) in _LASTING


def may_plan(params: Iterable[Param]) -> bool:
    """Whether calls with these parameters are planned: none with lists of tensors or scalars, and none in place."""
    without = ("tensor_list", "scalar_list", "scalar")
    return all(param.type not in without and not (param.is_input and param.is_output) for param in params)


def _unknown(*_: object) -> bool:
    return False


are_own: Callable[..., bool] = _unknown if _compiled is None else _compiled.are_own
"""Whether the arrays among the values of some sequences are known to be different ones, each with memory of its own."""
are_apart: Callable[[Sequence[Any], bytes], bool] = _unknown if _compiled is None else _compiled.are_apart
"""Whether it is known that the arrays to write, for which the bytes are not 0, share memory with none of the others.

Only arrays of NumPy are looked at; those that are elsewhere are for the caller to tell apart.
"""
have_shapes: Callable[[list[Any], list[Any]], bool] = _unknown if _compiled is None else _compiled.have_shapes
"""Whether the arrays in a list of values are known to have these shapes, None for what is no array."""


def _is_builtin(value: object) -> bool:
    if type(value) in (list, tuple):
        return all(type(one) in (int, bool, float) for one in value)  # type: ignore[attr-defined]  # it is iterable
    return value is None or type(value) in (int, bool, float, str)
