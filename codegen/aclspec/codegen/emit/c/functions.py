"""The functions of the predicate language in C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from aclspec.codegen.emit.c import lists
from aclspec.codegen.emit.c.arithmetic import ceil_div, clamped, maximum, minimum, minus, negative, plus, times
from aclspec.codegen.emit.c.values import INT64, Code, Listed, Names, as_big, call, conjunction, fits, literal

ZERO: Final = literal(0)


def _length(_: Names, values: Listed) -> Code:
    return values.length


def _prod(names: Names, values: Listed) -> Code:
    """A product has no bound, since a list has none."""
    if values.view is not None:
        return call("big", "aclspec_prod", values.view, **_UNBOUNDED)
    if values.items == ():
        return literal(1)
    place = names.place()
    return call("big", "PROD", place, values.length, as_big(values.at(place)), **_UNBOUNDED)


_UNBOUNDED: Final[dict[str, Any]] = {"low": -(2**2048), "high": 2**2048}


def _sum(names: Names, values: Listed) -> Code:
    """The sum of 64-bit integers fits 128 bits, however many a memory can hold."""
    place = names.place()
    if values.kind == "int" and INT64[0] <= values.low and values.high <= INT64[1]:
        return call("int", "SUM", place, values.length, values.at(place), low=-(2**126), high=2**126)
    return call("big", "SUM_BIG", place, values.length, as_big(values.at(place)), **_UNBOUNDED)


def _extreme(word: str, several: Callable[[Sequence[Code]], Code]) -> Callable[..., Code]:
    def extreme(names: Names, *args: Code | Listed) -> Code:
        if isinstance(args[0], Code):
            return several([arg for arg in args if isinstance(arg, Code)])
        (values,) = args
        assert isinstance(values, Listed)
        if values.kind == "big" and values.items:
            return several(values.items)
        if values.kind != "int":
            raise ValueError(f"The {word} of a list of {values.kind} has no C.")
        place = names.place()
        macro = f"{word.upper()}IMUM"
        return call("int", macro, place, values.length, values.at(place), low=values.low, high=values.high)

    return extreme


def _abs(_: Names, value: Code) -> Code:
    if value.kind == "float":
        return call("float", "__builtin_fabs", value)
    if value.kind == "big":
        return maximum([value, negative(value)])
    return call("int", "aclspec_abs", value, low=0, high=max(-value.low, value.high))


def _promote_all(names: Names, dtypes: Listed) -> Code:
    if dtypes.items is not None:
        found = dtypes.items[0]
        for dtype in dtypes.items[1:]:
            found = call("dtype", "aclspec_promote", found, dtype)
        return found
    place = names.place()
    return call("dtype", "PROMOTE_ALL", place, dtypes.length, dtypes.at(place))


def _promotable_all(names: Names, dtypes: Listed) -> Code:
    if dtypes.items is not None and len(dtypes.items) > 1:
        first, *others = dtypes.items
        return conjunction(*(call("bool", "aclspec_promotable", first, other) for other in others))
    place = names.place()
    return call("bool", "PROMOTABLE_ALL", place, dtypes.length, dtypes.at(ZERO), dtypes.at(place))


def _windows(name: str) -> Callable[..., Code]:
    """A size of windows: what it works out on the way has to fit a ``wide``."""

    def windows(_: Names, *args: Code) -> Code:
        most = [max(-arg.low, arg.high) for arg in args]
        size, kernel, stride, before, after, dilation = most[:6]
        largest = size + stride * 2 + before + after + dilation * (kernel + 1) + 2
        if any(arg.kind == "big" for arg in args) or not fits(-largest, largest):
            raise ValueError(f"The numbers of {name} ({', '.join(arg.text for arg in args)}) may leave 128 bits.")
        return call("int", f"aclspec_{name}", *args, low=-largest, high=largest)

    return windows


def _conv_transpose_out(_: Names, *args: Code) -> Code:
    """The size that convolves to another one; it may leave 128 bits."""
    size, kernel, stride, before, after, dilation, output_padding = args
    windows = times(minus(size, literal(1)), stride)
    reach = plus(times(dilation, minus(kernel, literal(1))), literal(1))
    return plus(plus(minus(minus(windows, before), after), reach), output_padding)


FUNCTIONS: Final[dict[str, Callable[..., Code | Listed]]] = {
    "len": _length,
    "prod": _prod,
    "sum": _sum,
    "min": _extreme("min", minimum),
    "max": _extreme("max", maximum),
    "abs": _abs,
    "ceil_div": lambda names, left, right: ceil_div(left, right),
    "pool_out": _windows("pool_out"),
    "conv_out": _windows("conv_out"),
    "conv_transpose_out": _conv_transpose_out,
    "broadcast": lambda names, one, other: lists.broadcast(one, other),
    "broadcastable": lambda names, one, other: lists.broadcastable(one, other, names),
    "indexable": lambda names, shape, indices: lists.indexable(shape, indices),
    "index_shape": lambda names, shape, indices: lists.index_shape(shape, indices),
    "promote_all": _promote_all,
    "promotable_all": _promotable_all,
    "replace": lambda names, values, index, value: lists.replaced(values, clamped(index), value),
    "remove": lambda names, values, index: lists.removed(values, clamped(index)),
    "insert": lambda names, values, index, value: lists.inserted(values, clamped(index), value),
    "reduce": lambda names, shape, axes, keep: lists.reduced(shape, axes, keep, names),
    "distinct": lambda names, values: lists.distinct(values, names),
}
_SMALL: Final = {
    "promotable": ("bool", 0, 0),
    "promote": ("dtype", 0, 0),
    "promotable_scalar": ("bool", 0, 0),
    "promote_scalar": ("dtype", 0, 0),
    "castable": ("bool", 0, 0),
    "itemsize": ("int", 0, 16),
    "bits": ("int", 0, 128),
    "scaled": ("int", *INT64),
    "is_contiguous": ("bool", 0, 0),
    "is_transposed": ("bool", 0, 0),
    "is_private": ("bool", 0, 0),
    "wrap": ("int", *INT64),
}
"""Functions of the support file that take values of one size: the type and the interval of their result."""


def support_call(func: str, args: Sequence[Code | Listed]) -> Code:
    """A call of a function of the support file."""
    if func not in _SMALL or not all(isinstance(arg, Code) and arg.kind != "big" for arg in args):
        raise ValueError(f"The function ({func}) of these arguments has no C.")
    kind, low, high = _SMALL[func]
    return call(kind, f"aclspec_{func}", *(arg for arg in args if isinstance(arg, Code)), low=low, high=high)
