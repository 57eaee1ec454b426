"""Calls at the limits of INT64: sizes, attributes and storages, on which all that judges calls must agree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import FITS_INT64, OperatorInfo
from aclspec.runtime.tensors.tensor import Tensor, each_leaf, leaves
from tests.agreement.nearly import Call, retyped

LARGE = (2**63 - 1, -(2**63), 2**62, 2**31, -1, -7)


def extreme(info: OperatorInfo, call: Call, random: Random) -> Call:
    """The call with one number or one dimension as large, or as negative, as its type allows, or NaN."""
    param = random.choice(info.params)
    kind, value = PARAM_TYPES[param.type], call[param.name]
    large = random.choice(LARGE)
    if isinstance(value, Tensor) and value.shape:
        shape = list(value.shape)
        shape[random.randrange(len(shape))] = large
        return call | {param.name: retyped(value, tuple(shape))}
    if kind.is_integer:
        return call | {param.name: max(kind.low, min(kind.high, large))}
    if kind.predicate == "float":
        largest = 3e38 if kind.key == "float" else 1e300
        return call | {param.name: random.choice((math.nan, math.inf, -math.inf, -0.0, largest, 5e-324))}
    if kind.predicate == "ints" and value:
        items = list(value)
        items[random.randrange(len(items))] = large
        return call | {param.name: tuple(items)}
    return call


def stretched(info: OperatorInfo, call: Call, random: Random) -> Call:
    """The call with one size as large, or as negative, wherever it stands: rules that compare sizes still hold."""
    sizes = sorted({size for value in call.values() if isinstance(value, Tensor) for size in value.shape})
    if not sizes:
        return call
    size, large = random.choice(sizes), random.choice((*LARGE, 2**63 - 2, 3037000500))

    def changed(value: Any) -> Any:
        if isinstance(value, Tensor) and size in value.shape:
            return retyped(value, tuple(large if one == size else one for one in value.shape))
        if isinstance(value, tuple) and all(type(one) is int or isinstance(one, Tensor) for one in value):
            return tuple(changed(one) if isinstance(one, Tensor) else large if one == size else one for one in value)
        return value

    wide = {param.name for param in info.params if not PARAM_TYPES[param.type].is_integer}
    return {name: changed(value) if name in wide else value for name, value in call.items()}


def thinned(call: Call, random: Random) -> Call:
    """The call with tensors of few elements: behind their largest size there are ones, or one of theirs is 0."""
    empty = random.random() < 0.5

    def thin(tensor: Any) -> Any:
        if not isinstance(tensor, Tensor) or tensor.fits_int64:
            return tensor
        largest = max(tensor.shape, key=abs)
        at = tensor.shape.index(largest)
        ones = tuple(size if place == at else 1 for place, size in enumerate(tensor.shape))
        return retyped(tensor, (0, *tensor.shape[1:]) if empty and len(ones) > 1 else ones)

    return {name: each_leaf(thin, value) for name, value in call.items()}


def hostile(info: OperatorInfo, call: Call, random: Random) -> Call:
    """The call with some sizes and numbers at the limits of their types; most often its tensors have few elements."""
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        call = stretched(info, call, random)
    for _ in range(random.choice((0, 0, 1, 2, 8))):
        call = extreme(info, call, random)
    return thinned(call, random) if random.random() < 0.8 else call


FITTING = ((2**63 - 1,), (2**31, 2**31, 1), (2**62, 0, 2**62), (-1, 2**31, 2**32), ())
BEYOND = ((2**63 - 1, 2), (2**32, 2**31), (-1, 2**32, 2**32), (2**62, 2**62, 2**62))


def at_the_bound(info: OperatorInfo, call: Call) -> Iterator[tuple[Call, bool]]:
    """Calls with other sizes, or another storage, of one tensor, and whether the rule of the language holds.

    Where it does not hold, every other tensor is null, so that other rules fail as well.
    """
    tensors = [param.name for param in info.params if param.type == "tensor"]
    for param in info.params:
        value = call[param.name]
        for tensor in [*leaves(value)][-2:]:
            made = [retyped(tensor, shape) for shape in (*FITTING, *BEYOND)]
            stored = (*FITTING[:2], *BEYOND[:2])
            made += [Tensor((2,), tensor.dtype, tensor.format, storage_shape=shape) for shape in stored]
            for new in made:
                fits = all(-(2**63) <= math.prod(sizes) < 2**63 for sizes in (new.shape, new.storage_shape))
                replaced = each_leaf(lambda one, old=tensor, new=new: new if one is old else one, value)
                yield call | ({} if fits else dict.fromkeys(tensors)) | {param.name: replaced}, fits


def is_refused_first(found: str | None, status: int, fits: bool) -> bool:
    """Whether the rule of the language, and 161002, answer a call that it refuses, and no other call."""
    is_first = found is not None and found.rpartition(".")[2] == FITS_INT64.id
    return not is_first if fits else is_first and status == 161002
