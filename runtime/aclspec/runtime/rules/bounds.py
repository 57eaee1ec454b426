"""The numbers that the tensors of a call may hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from aclspec.runtime.rules.interpreter import UNDEFINED, Environment
from aclspec.runtime.rules.operator_info import OperatorInfo


class Bounds(NamedTuple):
    """The least number, and one that all are less than; None where there is no bound, or it is undefined."""

    low: int | float | None
    below: int | float | None

    def __str__(self) -> str:
        """The range as a comparison, such as ``0 <= element < 5``."""
        low = "" if self.low is None else f"{self.low} <= "
        return f"{low}element" + ("" if self.below is None else f" < {self.below}")


def bounds_of(info: OperatorInfo, call: Mapping[str, object], product: str) -> Iterator[tuple[str, Bounds]]:
    """The parameters whose elements the spec bounds, with the bounds in a call."""
    env = Environment(info, call, product, "document")
    for param in info.params:
        if param.elements and call.get(param.name) is not None:
            found = {key: env.value(node) for key, node in param.elements}
            low, below = (None if (one := found.get(key)) is UNDEFINED else one for key in ("min", "below"))
            yield param.name, Bounds(low, below)  # type: ignore[arg-type]
