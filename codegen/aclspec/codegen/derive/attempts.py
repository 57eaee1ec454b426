"""What an expression comes to when the things inside it are given small values, one at a time.

That is how a value is reached for which no rule of arithmetic gives an operand. The same expression is asked for many
values, in calls that differ in what it does not speak of, so that everything tried is remembered.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from aclspec.codegen.derive.call import Call as Arguments
from aclspec.codegen.derive.wishes import body_at
from aclspec.runtime.predicate.nodes import Call, Each, Index, Name, Node, Quantifier
from aclspec.runtime.predicate.walk import children

if TYPE_CHECKING:
    from aclspec.codegen.derive.assign import Assign

_SMALL = (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 10, 12, 16, -1)
_KEPT = 50_000
_Attempt: TypeAlias = tuple[Node, int, Any]
"""A thing inside an expression, the value that it is given, and what the expression comes to."""


class Attempts:
    """The attempts of one operator, on one product in one mode."""

    def __init__(self, assign: Assign) -> None:
        """Nothing tried yet."""
        self.assign = assign
        self._tried: dict[Hashable, list[_Attempt]] = {}

    def that_give(self, node: Node, wanted: Any, call: Arguments) -> Iterator[tuple[Node, int]]:
        """The things inside an expression, each with a value that gives the expression the wanted one."""
        return ((leaf, value) for leaf, value, found in self._of(node, call) if found == wanted)

    def _of(self, node: Node, call: Arguments) -> list[_Attempt]:
        key = (node, self.assign.oracle.watch(node).key(call))
        found = self._tried.get(key)
        if found is None:
            if len(self._tried) >= _KEPT:
                self._tried.clear()
            found = self._tried[key] = list(self._try(node, call))
        return found

    def _try(self, node: Node, call: Arguments) -> Iterator[_Attempt]:
        value_of = self.assign.value
        for leaf in dict.fromkeys(self._leaves(node)):
            current = value_of(leaf, call)
            if isinstance(current, bool) or not isinstance(current, int):
                continue
            for value in (current + 1, current - 1, *_SMALL, 2 * current):
                moved = next(self.assign.assign(leaf, value, call), None)
                if moved is not None:
                    yield leaf, value, value_of(node, moved)

    def _leaves(self, node: Node) -> Iterator[Node]:
        """What can be set inside an expression, seen through lets."""
        lets = self.assign.space.lets
        match node:
            case Name(id=name) if name in lets:
                yield from self._leaves(lets[name])
            case Name() | Index() | Call(func="dim" | "rank" | "numel" | "len"):
                yield node
            case Quantifier() | Each():
                yield from self._leaves(node.over)
                yield from self._leaves(body_at(node, 0))
            case _:
                for child in children(node):
                    yield from self._leaves(child)
