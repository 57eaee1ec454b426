"""A parameter that is a tensor or a list of tensors, looked at tensor by tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from aclspec.runtime.tensor import Tensor


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
