"""Arithmetic in words, in symbols, and with the values of a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.functions import ELEMENTS, FUNCTIONS
from aclspec.runtime.predicate.nodes import Arith, Call, Each, IfElse, ListOf, Name, Negate, Node
from aclspec.runtime.predicate.values import UNDEFINED
from aclspec.runtime.predicate.wording.values import value_text

if TYPE_CHECKING:
    from aclspec.runtime.predicate.wording.nouns import Nouns

_PRECEDENCE: Final = {"+": 1, "-": 1, "*": 2, "//": 2, "%": 2}


def term(writer: Nouns, node: Node) -> str:
    """The term as a noun: in words where an operand is more than a word and the term needs no brackets."""
    parts = list(_parts(writer, node))
    in_words = any(" " in writer.bare(part) for part in parts if not isinstance(part, Arith | Negate))
    text = _written(writer, node, plain=True)
    return text if not in_words or "(" in text or " // " in text or " % " in text else _written(writer, node, False)


def substituted(writer: Nouns, node: Node) -> str:
    """The term with values for nouns: ``4 + 2 * 1``."""
    match opened(writer, node):
        case Arith(op=op, left=left, right=right) as arith:
            texts = _bracketed(writer, arith, substituted(writer, left), substituted(writer, right))
            return f"{texts[0]} {op} {texts[1]}"
        case Negate(operand=operand):
            text = substituted(writer, operand)
            return f"-({text})" if " " in text or text.startswith("-") else f"-{text}"
        case leaf:
            value = writer.value(leaf)
            return writer.bare(leaf) if value is UNDEFINED else value_text(value)


def opened(writer: Nouns, node: Node) -> Node:
    """The definition of a let that has no noun of its own, else the node."""
    let = writer.let(node.id) if isinstance(node, Name) else None
    return node if let is None or let.doc is not None else opened(writer, let.value)


def _parts(writer: Nouns, node: Node) -> Iterator[Node]:
    node = opened(writer, node)
    yield node
    match node:
        case Arith(left=left, right=right):
            yield from _parts(writer, left)
            yield from _parts(writer, right)
        case Negate(operand=operand):
            yield from _parts(writer, operand)


def _written(writer: Nouns, node: Node, plain: bool) -> str:
    match opened(writer, node):
        case Arith(op=op, left=left, right=right) as arith:
            texts = _bracketed(writer, arith, _written(writer, left, plain), _written(writer, right, plain))
            word = "followed by" if op == "+" and (_is_list(writer, left) or _is_list(writer, right)) else op
            return writer.language.arithmetic(word, *texts, plain)
        case Negate(operand=operand):
            text = _written(writer, operand, plain)
            return f"-({text})" if " " in text else f"-{text}"
        case IfElse() as choice:
            text = writer.bare(choice)
            return f"({text})" if " " in text else text
        case Call() as call if is_infix(call):
            return f"({writer.bare(call)})"
        case leaf:
            return writer.bare(leaf)


def is_infix(node: Node) -> bool:
    """Whether a function is written between its arguments, so that it needs brackets like an operator."""
    return isinstance(node, Call) and FUNCTIONS[node.func].phrase.en.startswith("{0} ")


def _is_list(writer: Nouns, node: Node) -> bool:
    """Whether a ``+`` beside this node joins lists."""
    match opened(writer, node):
        case ListOf() | Each():
            return True
        case Name(id=name):
            types = {let.name: let.type for let in writer.info.lets}
            types |= {param.name: PARAM_TYPES[param.type].predicate for param in writer.info.params}
            return types.get(name) in ELEMENTS
        case Call(func=func):
            return FUNCTIONS[func].overloads[0].result in ELEMENTS
        case Arith(op="+", left=left, right=right):
            return _is_list(writer, left) or _is_list(writer, right)
        case IfElse(then=then):
            return _is_list(writer, then)
        case _:
            return False


def _bracketed(writer: Nouns, node: Arith, left: str, right: str) -> tuple[str, str]:
    """The operands, in brackets where the precedence of operators asks for them."""
    own = _PRECEDENCE[node.op]
    first, second = opened(writer, node.left), opened(writer, node.right)
    if isinstance(first, Arith) and _PRECEDENCE[first.op] < own:
        left = f"({left})"
    if (isinstance(second, Arith) and _PRECEDENCE[second.op] <= own) or right.startswith("-"):
        right = f"({right})"
    return left, right
