"""Patterns of predicates with sentences of their own."""

from __future__ import annotations

from typing import Final

from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.functions import FUNCTIONS
from aclspec.runtime.language.nodes import FLIPPED, Node
from aclspec.runtime.rules.operator_info import ParamInfo, Text

FACTS: Final = frozenset({"shape", "dtype", "format", "promote", "broadcast"})
"""Functions that say what a tensor is like, where others count something."""
SHARED: Final = {"promotable": "dtype", "promote": "dtype", "promote_all": "dtype", "broadcast": "shape"}
"""Functions whose phrase names the fact of their arguments, so that these are called by the tensors alone."""
LAST_AXES: Final = {
    1: Text("the size of the last axis of {0}", "{0} 最后一轴的大小"),
    2: Text("the size of the last axis but one of {0}", "{0} 倒数第二轴的大小"),
}
"""The size of an axis by its place from the end."""
NAMED_AXES: Final = {
    -1: Text("{1} (the last axis) of {0}", "{0} 的 {1}（最后一轴）"),
    -2: Text("{1} (the last axis but one) of {0}", "{0} 的 {1}（倒数第二轴）"),
}
"""The same of an axis that has a name."""
NAMED_AXIS: Final = Text("{1} (axis {2}) of {0}", "{0} 的 {1}（第 {2} 轴）")
PARTS_OF_SHAPES: Final = {
    "but last": Text("the shape of {0} without its last {1}", "{0} 去掉最后{1}后的形状"),
    "but first": Text("the shape of {0} without its first {1}", "{0} 去掉最前{1}后的形状"),
    "last": Text("the shape of the last {1} of {0}", "{0} 最后{1}的形状"),
    "first": Text("the shape of the first {1} of {0}", "{0} 最前{1}的形状"),
}
"""The sizes of some axes, counted from either end."""
FIRST_ELEMENTS: Final = Text("the first {1} elements of {0}", "{0} 的前 {1} 个元素")
DENIED_ORDER: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""What a denied comparison is in words; only NaN tells the two apart."""
_CHANNELS_LAST: Final = ("NHWC", "NDHWC")


def axis_name(param: ParamInfo, place: int) -> str:
    """The name of an axis, counted from the end below 0; empty unless it is the same in every rank and format."""
    low, high = param.rank
    formats = [one for _, listed in param.formats for one in listed]
    if {*map(len, param.axes)} != {*range(low, high + 1)} or (place and any(one in _CHANNELS_LAST for one in formats)):
        return ""
    found = {names[place] if -len(names) <= place < len(names) else "" for names in param.axes}
    name = found.pop()
    return "" if found or name.isdecimal() else name


def from_the_end(tensor: Node, axis: Node) -> int:
    """Which axis from the end ``rank(tensor) - 1`` and its like are; 0 for an axis that counts from the front."""
    match axis:
        case ast.Arith(op="-", left=ast.Call(func="rank", args=(base,)), right=ast.Int(value=place)) if base == tensor:
            return place
        case _:
            return 0


def part_of_shape(tensor: Node, start: Node, stop: Node) -> tuple[str, int] | None:
    """Which axes of a tensor `slice` takes, by a key of `PARTS_OF_SHAPES`, and how many the sentence names."""
    is_whole = stop == ast.Call("rank", (tensor,))
    match start:
        case ast.Int(value=0) if (left := from_the_end(tensor, stop)) > 0:
            return "but last", left
        case ast.Int(value=0) if isinstance(stop, ast.Int) and stop.value > 0:
            return "first", stop.value
        case ast.Int(value=count) if count > 0 and is_whole:
            return "but first", count
        case _:
            count = from_the_end(tensor, start)
            return ("last", count) if count > 0 and is_whole else None


def is_literal(node: Node) -> bool:
    """Whether a node is a constant as written."""
    match node:
        case ast.Int() | ast.Float() | ast.Bool() | ast.Str() | ast.Symbol():
            return True
        case ast.Negate(operand=operand):
            return is_literal(operand)
        case ast.ListOf(items=items):
            return all(is_literal(item) for item in items)
        case _:
            return False


def is_clause(node: Node) -> bool:
    """Whether a node reads as a clause rather than as a noun."""
    match node:
        case ast.Compare() | ast.And() | ast.Or() | ast.Not() | ast.Quantifier() | ast.InRows():
            return True
        case ast.Call(func=func):
            return FUNCTIONS[func][0].result == "bool"
        case _:
            return False


def constant_side_right(node: ast.Compare) -> ast.Compare:
    """The comparison, turned round if its left side alone is a constant: ``2 <= rank(x)`` is ``rank(x) >= 2``.

    So is one with the negative of a bound on its left, ``-rank(x) <= dim``, since ``dim < rank(x)`` stands beside it.
    """
    first, second = (is_literal(side) for side in (node.left, node.right))
    is_below = isinstance(node.left, ast.Negate) and isinstance(node.right, ast.Name)
    if node.op in FLIPPED and not second and (first or is_below):
        return ast.Compare(FLIPPED[node.op], node.right, node.left)
    return node


def exclude(one: Node, other: Node) -> bool:
    """Whether two conditions cannot both hold: the same term equals two different constants."""
    if not isinstance(one, ast.Compare) or not isinstance(other, ast.Compare) or not one.op == other.op == "==":
        return False
    constants = is_literal(one.right) and is_literal(other.right) and one.right != other.right
    return constants and one.left == other.left


def simplified(node: ast.And | ast.Or) -> tuple[Node, ...]:
    """The items, those of nested ones of the same kind included, with pairs that mean one thing made one."""
    flat: list[Node] = []
    for item in node.items:
        flat.extend(simplified(item) if isinstance(item, type(node)) and not _is_pair(item) else (item,))
    distinct = tuple(dict.fromkeys(flat))
    if isinstance(node, ast.Or):
        return distinct
    merged: list[Node] = []
    for item in distinct:
        one = _merged(merged[-1], item) if merged else None
        if one is None:
            merged.append(item)
        else:
            merged[-1] = one
    return tuple(merged)


def _merged(first: Node, second: Node) -> Node | None:
    """One node for two neighbours of an ``and``, or None."""
    if _is_pair(ast.And((first, second))):
        return ast.And((first, second))
    if isinstance(first, ast.Compare) and isinstance(second, ast.Compare):
        low, high = constant_side_right(first), constant_side_right(second)
        same = low.left == high.left and low.right == high.right and isinstance(low.right, ast.Int)
        if same and {low.op, high.op} == {">=", "<="}:
            return ast.Compare("==", low.left, low.right)
    return None


def broadcasts_to(node: Node) -> tuple[Node, Node] | None:
    """For ``broadcast(a, b) == a``, with or without ``broadcastable(a, b)`` before it: b and a."""
    match node:
        case ast.And(items=(ast.Call(func="broadcastable", args=args), ast.Compare() as compare)):
            found = broadcasts_to(compare)
            return found if found is not None and set(found) == set(args) else None
        case ast.Compare(op="==", left=left, right=right):
            for call, target in ((left, right), (right, left)):
                match call:
                    case ast.Call(func="broadcast", args=(one, other)) if target in (one, other):
                        return (other, target) if target == one else (one, target)
    return None


def _is_pair(node: Node) -> bool:
    """Whether an ``and`` is one thing: `broadcasts_to` knows it."""
    return isinstance(node, ast.And) and broadcasts_to(node) is not None


def divisor(node: ast.Compare) -> tuple[Node, Node] | None:
    """Dividend and divisor of ``x % y == 0``."""
    match node:
        case ast.Compare(op="==" | "!=", left=ast.Arith(op="%", left=dividend, right=divisor), right=ast.Int(value=0)):
            return dividend, divisor
        case _:
            return None
