"""How large the integers of an expression become, by its form: which of them the language may not count to.

The rule of the language has been asked before all others, so that sizes are INT64, as attributes are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import Final

from aclspec.codegen.emit.scope import Scope
from aclspec.runtime.abi.parameters import MAX_LENGTH, PARAM_TYPES
from aclspec.runtime.language.functions import ELEMENTS, MOST, WINDOWS
from aclspec.runtime.language.nodes import (
    Arith,
    Call,
    Each,
    IfElse,
    Index,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Quantifier,
    children,
)

INT64: Final = 2**63
_ROUNDS: Final = 4
"""The lists that variables run over may depend on other variables; the bound follows this number of steps."""
_SMALL: Final = ("rank", "len", "bits", "itemsize")
_FIRST: Final = ("abs", "ceil_div", "slice", "remove")
"""Functions whose value, or each element of it, is no larger than that of their first argument."""


def is_wide(node: Node, scope: Scope) -> bool:
    """Whether a term or a function may have a value that the language does not count to."""
    return isinstance(node, Arith | Call) and _computed(node, scope) > MOST


def is_int64(node: Node, scope: Scope) -> bool:
    """Whether an integer, or each element of a list, is an INT64 by its form: one as it is, or a small one."""
    size = largest(node, scope)
    return size < INT64 or (size == INT64 and _is_plain(node, scope))


def _is_plain(node: Node, scope: Scope) -> bool:
    """Whether nothing is computed, so that the least INT64 has not lost its sign."""
    match node:
        case Arith(op="+", left=left, right=right) if scope.kind(node) != "int":
            return _is_plain(left, scope) and _is_plain(right, scope)
        case Arith() | Negate() | Call(func="abs" | "ceil_div"):
            return False
        case Name(id=name) if name in scope.lets and name not in scope.variables:
            return _is_plain(scope.lets[name], scope)
        case IfElse(then=then, orelse=orelse):
            return _is_plain(then, scope) and _is_plain(orelse, scope)
        case Index(base=base):
            return _is_plain(base, scope)
        case Each(body=body):
            return _is_plain(body, _inside(node, scope))
        case Call(func="dim"):
            return True
    return all(_is_plain(child, scope) for child in children(node))


def largest(node: Node, scope: Scope) -> int:
    """What an integer, or an element of a list, is at most, either way, where it has a value."""
    return min(_computed(node, scope), MOST)


def _computed(node: Node, scope: Scope) -> int:
    match node:
        case Int(value=value):
            return abs(value)
        case Name(id=name):
            return _named(name, scope)
        case Negate(operand=operand):
            return largest(operand, scope)
        case Arith(op="*", left=left, right=right):
            return largest(left, scope) * largest(right, scope)
        case Arith(op="+" | "-", left=left, right=right):
            sides = largest(left, scope), largest(right, scope)
            return max(sides) if scope.kind(node) != "int" else sum(sides)
        case Arith(op="//", left=left):
            return largest(left, scope)
        case Arith(op="%", right=right):
            return largest(right, scope)
        case IfElse(then=then, orelse=orelse):
            return _most((then, orelse), scope)
        case ListOf(items=items):
            return _most(items, scope)
        case Index(base=base):
            return largest(base, scope)
        case Each(body=body):
            return largest(body, _inside(node, scope))
        case Call(func=func, args=args):
            return _called(func, args, scope)
    return INT64


def _most(nodes: Iterable[Node], scope: Scope) -> int:
    return max((largest(node, scope) for node in nodes), default=0)


def _named(name: str, scope: Scope) -> int:
    if name in scope.variables:
        return _elements(scope).get(name, INT64)
    if name in scope.lets:
        return largest(scope.lets[name], scope)
    return INT64 if name not in scope.params else max(INT64, PARAM_TYPES[scope.params[name].type].high)


def _called(func: str, args: tuple[Node, ...], scope: Scope) -> int:
    if func in _SMALL:
        return 1 << 32
    if func in _FIRST:
        return largest(args[0], scope)
    if func in WINDOWS:  # of arguments that are INT64
        size, kernel, stride, before, after, dilation, *more = (min(largest(arg, scope), INT64) for arg in args)
        steps = (size + 1) * stride if func == "conv_transpose_out" else size
        return steps + before + after + dilation * (kernel + 1) + sum(more) + 2
    if func == "strides":  # those of a tensor without elements
        return MOST
    if func == "prod":
        return prod(largest(item, scope) for item in args[0].items) if isinstance(args[0], ListOf) else 2 * MOST
    if func == "sum":
        return MAX_LENGTH * largest(args[0], scope)
    if func == "range_len":
        return largest(args[0], scope) + largest(args[1], scope)
    if func in ("min", "max", "range", "broadcast", "replace", "insert", "reduce", "wrap"):
        return max(1, _most(args, scope))
    return 2 * INT64 if func == "value" else INT64


def _inside(node: Quantifier | Each, scope: Scope) -> Scope:
    return scope.bind(node.var, ELEMENTS.get(scope.kind(node.over), "int"))


def _elements(scope: Scope) -> dict[str, int]:
    """What the integers that each variable stands for are at most: the elements of the lists that it runs over."""
    if scope.outer is not None:
        return _elements(scope.outer)
    found, info = scope.elements, scope.info
    if found:
        return found
    found["in"] = INT64  # no variable is called so; while they are found, others are taken for INT64
    nodes = [node for rule in info.rules for node in (rule.require, rule.when)]
    nodes += [node for entry in info.infer for node in (entry.shape, entry.dtype, entry.format)]
    nodes += [node for param in info.params for node in (param.required, param.checked)]
    nodes += [let.value for let in info.lets]
    lists = [one for root in nodes if root is not None for one in _lists(root, scope)]
    for _ in range(_ROUNDS):
        before = dict(found)
        for var, over, inside in lists:
            found[var] = max(found.get(var, INT64), largest(over, inside))
        if found == before:
            return found
    found.update(dict.fromkeys(found, MOST))
    return found


def _lists(node: Node, scope: Scope) -> Iterator[tuple[str, Node, Scope]]:
    """The variables that stand for integers, each with the list that it runs over and the scope of that."""
    if isinstance(node, Quantifier | Each):
        if scope.kind(node.over) == "ints":
            yield node.var, node.over, scope
        yield from _lists(node.over, scope)
        yield from _lists(node.body, _inside(node, scope))
    else:
        for child in children(node):
            yield from _lists(child, scope)
