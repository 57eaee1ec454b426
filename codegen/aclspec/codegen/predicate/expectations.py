"""What the type checker expects of single nodes and of two together, and the mistakes that it notes."""

from __future__ import annotations

from dataclasses import dataclass, field

from aclspec.codegen.findings import one_of
from aclspec.codegen.predicate.kinds import a, is_list, unify
from aclspec.codegen.predicate.overloads import Problem
from aclspec.codegen.predicate.unparse import unparse
from aclspec.runtime.predicate.functions import ELEMENTS
from aclspec.runtime.predicate.nodes import Compare, Node

INCOMPARABLE = ("tensor", "scalar", "tensors", "scalars")


@dataclass(slots=True)
class Expectations:
    """Nodes whose types are known, held against what stands around them; ``problems`` collects what is wrong."""

    problems: list[Problem] = field(default_factory=list, kw_only=True)

    def report(self, node: Node, kind: str, message: str) -> None:
        """Note a mistake at the place of a node."""
        self.problems.append(Problem(node.at, kind, message))

    def expect_in(self, node: Node, found: str | None, wanted: tuple[str, ...], what: str) -> str | None:
        """The type of a node where it is one of those wanted; else a mistake."""
        if found is None or found in wanted:
            return found
        kinds = one_of([a(kind) for kind in wanted])
        self.report(node, "type", f"{what} ({unparse(node)}) is {a(found)}; expected {kinds}.")
        return None

    def unified(self, node: Node, first: Node, second: Node, left: str, right: str, what: str) -> str | None:
        """The common type of two nodes, or a mistake at the first of them."""
        common = unify(left, right)
        if common is None:
            text = f"{what} ({unparse(first)} and {unparse(second)}) are {a(left)} and {a(right)}; expected one type."
            self.report(node, "type", text)
        return common

    def membership(self, node: Compare, left: str, right: str) -> str | None:
        """The type of a question whether an element is in a list."""
        if not is_list(right):
            self.expect_in(node.right, right, ("list",), f"The right side of {node.op}")
            return None
        element = ELEMENTS.get(right, left)
        if left in INCOMPARABLE or is_list(left) or unify(left, element) is None:
            text = f"The left side of {node.op} ({unparse(node.left)}) is {a(left)}"
            self.report(node.left, "type", f"{text}; the list ({unparse(node.right)}) has elements of type {element}.")
            return None
        return "bool"
