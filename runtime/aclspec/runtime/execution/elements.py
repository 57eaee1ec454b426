"""Refuses to compute on a tensor that holds what it may not; only an operator whose spec says so pays for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.abi.errors import AclnnError, while_calling
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.answer_words import ELEMENT_WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aclspec.runtime.rules.bounds import Bounds
    from aclspec.runtime.rules.operator_info import OperatorInfo
    from aclspec.runtime.rules.operator_table import OperatorTable
    from aclspec.runtime.rules.sentences import Lang


def require_elements(operator: OperatorTable, product: str, values: Sequence[Any]) -> None:
    """Refuse a call with an element outside its bounds, naming the first one and its index."""
    call = dict(zip((param.name for param in operator.params), values, strict=True))
    sentence = element_outside(operator.info, call, product)
    if sentence is not None:
        raise AclnnError(while_calling(sentence, operator.name), Status.ACLNN_ERR_RUNTIME_ERROR)


def element_outside(info: OperatorInfo, call: Mapping[str, object], product: str, lang: Lang = "en") -> str | None:
    """A sentence about the first element that is outside its bounds, or about bounds that have no value.

    A tensor without data has no element outside.
    """
    from aclspec.runtime.rules.bounds import bounds_of  # brings the interpreter, which other operators do not need

    words = ELEMENT_WORDS[lang]
    for name, tensor, bounds in bounds_of(info, call, product):
        if bounds.undefined and tensor.numel:  # where all numbers passed, a kernel would index with any of them
            return words["undefined"].format(name=name, bound=bounds.undefined[0])
        place = first_outside(tensor.array, bounds) if tensor.has_data else None
        if place is not None:
            return words["outside"].format(name=name, place=place, element=tensor.array[place], range=bounds)
    return None


def first_outside(array: NDArray[Any], bounds: Bounds) -> tuple[int, ...] | None:
    """The index of the first element outside the bounds, in row-major order; a NaN is outside."""
    inside = np.ones(array.shape, np.bool_)
    if bounds.low is not None:
        inside &= array >= bounds.low
    if bounds.below is not None:
        inside &= array < bounds.below
    return None if inside.all() else tuple(int(at) for at in np.unravel_index(np.argmin(inside), array.shape))
