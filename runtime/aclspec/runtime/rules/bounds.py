"""The numbers that the tensors of a call may hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from aclspec.runtime.rules.interpreter import UNDEFINED, Environment
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.tensors.tensor import Tensor


class Bounds(NamedTuple):
    """The least number, and one that all are less than; None where there is no bound.

    ``undefined`` names the bounds that the spec states and that have no value in the call.
    """

    low: int | float | None
    below: int | float | None
    undefined: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The range as a comparison, such as ``0 <= element < 5``."""
        low = "" if self.low is None else f"{self.low} <= "
        return f"{low}element" + ("" if self.below is None else f" < {self.below}")


def bounds_of(info: OperatorInfo, call: Mapping[str, object], product: str) -> Iterator[tuple[str, Tensor, Bounds]]:
    """The tensors whose elements the spec bounds, by name, with the bounds in a call.

    A tensor of a list has the name ``list[0]``; a bound that is a list has one for each of them.
    """
    env = Environment(info, call, product, "document")
    for param in info.params:
        if not param.elements or (value := call.get(param.name)) is None:
            continue
        found = {key: env.value(node) for key, node in param.elements}
        for at, tensor in enumerate(value if isinstance(value, tuple) else (value,)):
            if isinstance(tensor, Tensor):
                name = f"{param.name}[{at}]" if isinstance(value, tuple) else param.name
                yield name, tensor, _bounds({key: _bound(one, at) for key, one in found.items()})


def _bounds(found: Mapping[str, Any]) -> Bounds:
    undefined = tuple(key for key, one in found.items() if one is UNDEFINED)
    low, below = (None if key in undefined else found.get(key) for key in ("min", "below"))
    return Bounds(low, below, undefined)


def _bound(found: Any, at: int) -> Any:
    """The bound of the tensor at a place of a list; None where there is none, `UNDEFINED` where it has no value."""
    if isinstance(found, tuple):
        return found[at] if at < len(found) else None
    return found
