"""What tensors are like: the facts that one of them shares with another, and the names of its last axes."""

from __future__ import annotations

from typing import Final

from aclspec.runtime.info import Text
from aclspec.runtime.predicate.nodes import Arith, Call, Int, Node

FACTS: Final = frozenset({"shape", "dtype", "format", "promote", "broadcast"})
"""Functions that say what a tensor is like, where others count something."""
SHARED: Final = {"promote": "dtype", "broadcast": "shape"}
"""Functions whose phrase names the fact of their arguments, so that these are called by the tensors alone."""
LAST_AXES: Final = {
    1: Text("the size of the last axis of {0}", "{0} 最后一轴的大小"),
    2: Text("the size of the last axis but one of {0}", "{0} 倒数第二轴的大小"),
}
"""The size of an axis by its place from the end."""


def from_the_end(tensor: Node, axis: Node) -> int:
    """Which axis from the end ``rank(tensor) - 1`` and its like are; 0 for an axis that counts from the front."""
    match axis:
        case Arith(op="-", left=Call(func="rank", args=(base,)), right=Int(value=place)) if base == tensor:
            return place
        case _:
            return 0
