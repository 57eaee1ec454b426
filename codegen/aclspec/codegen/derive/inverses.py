"""What one operand must be for an operation, or one argument for a function, to give a wanted value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from aclspec.runtime.predicate.nodes import Arith, Int, Node

_SIZE, _KERNEL, _STRIDE, _BEFORE, _AFTER, _DILATION, _LAST = range(7)
WINDOWS: Final = ("pool_out", "conv_out", "conv_transpose_out")


def of_arithmetic(node: Arith, wanted: Any, left: Any, right: Any) -> Iterator[tuple[Node, Any]]:
    """One side of an operation, with the value that gives the wanted result while the other side stays."""
    match node.op:
        case "+":
            yield node.left, wanted - right
            yield node.right, wanted - left
        case "-":
            yield node.left, wanted + right
            yield node.right, left - wanted
        case "*":
            if right and wanted % right == 0:
                yield node.left, wanted // right
            if left and wanted % left == 0:
                yield node.right, wanted // left
        case "//":
            if right:
                yield node.left, wanted * right
                yield node.left, wanted * right + abs(right) - 1
        case "%":
            if right:
                yield node.left, left - left % right + wanted


def is_out_of_reach(node: Arith, wanted: Any) -> bool:
    """Whether no value of the other side can make a product with a constant come to this."""
    factors = [side.value for side in (node.left, node.right) if isinstance(side, Int)] if node.op == "*" else []
    return any(wanted % factor if factor else wanted for factor in factors)


def of_ceil_div(wanted: int, divisor: int) -> Iterator[int]:
    """What is to be divided, so that the quotient is the wanted one: the most that gives it, and the least."""
    if divisor:
        yield wanted * divisor
        yield (wanted - 1) * divisor + 1


def of_window(func: str, values: list[int], wanted: int) -> Iterator[tuple[int, int]]:
    """The place of one argument and its value, with which the function may give the wanted size; the size first."""
    if func == "conv_transpose_out":
        yield from _transposed(values, wanted)
        return
    size, _, stride, before, after, dilation, *_ = values
    reach = dilation * (values[_KERNEL] - 1) + 1
    span = (wanted - 1) * stride + reach
    yield _SIZE, span - before - after
    if dilation:
        yield _KERNEL, (size + before + after - (wanted - 1) * stride - 1) // dilation + 1
    if wanted > 1:
        yield _STRIDE, (size + before + after - reach) // (wanted - 1)
    yield _BEFORE, span - size - after
    yield _AFTER, span - size - before


def _transposed(values: list[int], wanted: int) -> Iterator[tuple[int, int]]:
    size, kernel, stride, before, after, dilation, extra = values
    missing = wanted - ((size - 1) * stride - before - after + dilation * (kernel - 1) + extra + 1)
    if stride and missing % stride == 0:
        yield _SIZE, size + missing // stride
    yield _LAST, extra + missing
    if dilation and missing % dilation == 0:
        yield _KERNEL, kernel + missing // dilation
    if size != 1 and missing % (size - 1) == 0:
        yield _STRIDE, stride + missing // (size - 1)
    yield _BEFORE, before - missing
    yield _AFTER, after - missing
