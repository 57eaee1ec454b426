"""The Python text of lowered predicates and of the statements of a generated function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise
from math import isfinite
from typing import Final, TypeAlias

from aclspec.codegen.emit.fact_set import FactSet
from aclspec.codegen.emit.lowered import NONE, Python, negation
from aclspec.codegen.emit.scope import identifier
from aclspec.codegen.source.wrapping import wrapped
from aclspec.runtime.language.nodes import (
    And,
    Arith,
    Bool,
    Call,
    Compare,
    Each,
    Float,
    IfElse,
    Index,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
    Str,
)
from aclspec.runtime.rules import shapes


def plain_literal(value: object) -> str:
    """A text, a number, a truth value or None as Python code; infinity and NaN have no literals."""
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    return quoted(value) if isinstance(value, str) else repr(value)


def quoted(text: str) -> str:
    """A string literal in double quotes; in single ones where they save backslashes."""
    body = repr(text)
    return body if body.startswith('"') or '"' in text else f'"{body[1:-1]}"'


def tuple_literal(items: Iterable[str]) -> str:
    """A tuple."""
    parts = list(items)
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def call(name: str, *args: str, **keywords: str) -> str:
    """A call or a constructor; keywords keep their order."""
    return f"{name}({', '.join((*args, *(f'{key}={value}' for key, value in keywords.items())))})"


class Level(IntEnum):
    """How tightly an expression binds; one that binds less than its place needs is put in parentheses."""

    TERNARY = 1
    OR = 2
    AND = 3
    NOT = 4
    COMPARE = 5
    SUM = 6
    TERM = 7
    UNARY = 8
    POSTFIX = 9


_FIELDS: Final = ("shape", "dtype", "format", "is_contiguous", "strides", "storage_shape")
"""Functions that are a field of the tensor or the scalar itself."""
_CALLS: Final = {"prod": "math.prod"} | {name: f"shapes.{name}" for name, one in vars(shapes).items() if callable(one)}
"""Functions that have another name in Python."""
_ARITHMETIC: Final = {"+": Level.SUM, "-": Level.SUM, "*": Level.TERM, "//": Level.TERM, "%": Level.TERM}
_CHAINS: Final = {"==": ("==",), "<": ("<", "<="), "<=": ("<", "<=")}
"""The comparisons that may follow one in a chain."""


def show(node: Node, needs: Level = Level.TERNARY) -> str:
    """The expression, in parentheses where its place binds tighter."""
    level, text = _shown(node)
    return text if level >= needs else f"({text})"


def _shown(node: Node) -> tuple[Level, str]:
    match node:
        case Python(id=text):
            return Level.POSTFIX, text
        case Name(id=name):
            return Level.POSTFIX, identifier(name)
        case Bool(value=value):
            return Level.POSTFIX, repr(value)
        case Str(value=text):
            return Level.POSTFIX, quoted(text)
        case Int(value=value) | Float(value=value):
            return Level.UNARY if repr(value).startswith("-") else Level.POSTFIX, repr(value)
        case ListOf(items=items):
            return Level.POSTFIX, tuple_literal(map(show, items))
        case Not(operand=Call(func="let", args=(_, value))):
            return _shown(negation(value))
        case Not(operand=operand):
            return Level.NOT, f"not {show(operand, Level.NOT)}"
        case Negate(operand=operand):
            return Level.UNARY, f"-{show(operand, Level.UNARY)}"
        case Compare(op=op, left=left, right=right):
            return Level.COMPARE, f"{show(left, Level.SUM)} {op} {show(right, Level.SUM)}"
        case And(items=items):
            parts = list(_with_chains(items))
            return (Level.AND, " and ".join(parts)) if len(parts) > 1 else (Level.COMPARE, parts[0])
        case Or(items=items):  # an ``and`` gets parentheses in it although Python needs none
            return Level.OR, " or ".join(show(item, Level.NOT) for item in items)
        case Arith(op=op, left=left, right=right):
            level = _ARITHMETIC[op]
            return level, f"{show(left, level)} {op} {show(right, Level(level + 1))}"
        case IfElse(cond=cond, then=then, orelse=orelse):
            return Level.TERNARY, f"{show(then, Level.OR)} if {show(cond, Level.OR)} else {show(orelse)}"
        case Index(base=base, index=index):
            return Level.POSTFIX, f"{show(base, Level.POSTFIX)}[{show(index)}]"
        case Quantifier(kind=kind, var=var, over=over, body=body):
            return Level.POSTFIX, f"{kind}{_generator(var, over, body)}"
        case Each(var=var, over=over, body=body):
            return Level.POSTFIX, _generator(var, over, body)
        case Call():
            return _call(node)
        case _:
            raise TypeError(f"not a lowered node: {node!r}")


def _generator(var: str, over: Node, body: Node) -> str:
    return f"({show(body)} for {identifier(var)} in {show(over, Level.OR)})"


def _call(node: Call) -> tuple[Level, str]:
    match node:
        case Call(func="let", args=(_, value)):
            return _shown(value)
        case Call(func="dict", args=items):
            return Level.POSTFIX, f"{{{', '.join(map(show, items))}}}"
        case Call(func="entry", args=(key, value)):
            return Level.TERNARY, f"{show(key)}: {show(value)}"
        case Call(func="*", args=(values,)):
            return Level.TERNARY, f"*{show(values, Level.OR)}"
        case Call(func="slice", args=(values, start, stop)):
            first, last = "" if start == Int(0) else show(start), "" if stop == NONE else show(stop)
            return Level.POSTFIX, f"{show(values, Level.POSTFIX)}[{first}:{last}]"
        case Call(func=func, args=(subject,)) if func in _FIELDS:
            return Level.POSTFIX, f"{show(subject, Level.POSTFIX)}.{func}"
        case Call(func=func, args=(Each() as values,)):
            return Level.POSTFIX, f"{_CALLS.get(func, func)}{show(values)}"
        case Call(func=func, args=args):
            return Level.POSTFIX, f"{_CALLS.get(func, func)}({', '.join(map(show, args))})"


def chained(before: Node, after: Node) -> Node | None:
    """The side with which a comparison goes on where the one before it ends."""
    match before, after:
        case Compare(op=op, right=middle), Compare(op=other, left=left) if middle == left and other in _CHAINS.get(
            op, ()
        ):
            return middle
    return None


def _with_chains(items: tuple[Node, ...]) -> Iterator[str]:
    """The items of an ``and``; comparisons in which the sides go on are one chain."""
    text = show(items[0], Level.NOT)
    for before, item in pairwise(items):
        if isinstance(item, Compare) and chained(before, item) is not None:
            text += f" {item.op} {show(item.right, Level.SUM)}"
        else:
            yield text
            text = show(item, Level.NOT)
    yield text


INDENT: Final = "    "
WIDTH: Final = 120


@dataclass(frozen=True, slots=True)
class Line:
    """``<before> value``, such as an assignment or a return, below a comment where there is one."""

    before: str
    value: Node
    known: FactSet
    comment: str = ""

    def text(self, depth: int) -> Iterator[str]:
        """Its lines."""
        yield from comment(self.comment, depth)
        yield f"{INDENT * depth}{self.before}{show(self.value)}"


@dataclass(frozen=True, slots=True)
class Block:
    """Statements under an ``if``; ``known`` is what is known before it."""

    value: Node
    body: tuple[Statement, ...]
    known: FactSet
    comment: str = ""

    def text(self, depth: int) -> Iterator[str]:
        """Its lines."""
        yield from comment(self.comment, depth)
        yield f"{INDENT * depth}if {show(self.value)}:"
        yield from lines(self.body, depth + 1)


Statement: TypeAlias = Line | Block


def lines(program: Sequence[Statement], depth: int = 1) -> Iterator[str]:
    """The lines of statements; the formatter breaks those that are too long."""
    for statement in program:
        yield from statement.text(depth)


def comment(text: str, depth: int) -> list[str]:
    """A comment, wrapped to the width of a line."""
    lead = f"{INDENT * depth}# "
    return wrapped(text, WIDTH, lead, lead)


def with_value(statement: Statement, value: Node) -> Statement:
    """A statement with another value or condition."""
    return replace(statement, value=value)
