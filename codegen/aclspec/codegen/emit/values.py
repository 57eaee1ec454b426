"""The value of a node in Python, at a place where it is known to have one.

A function of the predicate language is what `library` says, or an index or a slice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.library import CALLS, FIELDS, TESTS
from aclspec.codegen.emit.pretty import quoted
from aclspec.codegen.emit.python import (
    FALSE,
    SLICE,
    TRUE,
    Bracket,
    Chain,
    Fill,
    Level,
    Prefix,
    Py,
    Shared,
    Ternary,
    Text,
    compare,
    is_short,
    walk,
)
from aclspec.codegen.emit.scope import identifier
from aclspec.codegen.emit.tables import kept
from aclspec.runtime.predicate.nodes import (
    And,
    Arith,
    Bool,
    Call,
    Compare,
    Each,
    Float,
    IfElse,
    Index,
    InRows,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
    Str,
    Symbol,
)

_OF_SHAPE: Final = ("rank", "numel", "dim", "is_empty")
# Facts of a tensor that are worth a local when they are needed twice.
_KEPT: Final = ("rank", "numel", "shape")
_LEVELS: Final = {"+": Level.SUM, "-": Level.SUM, "*": Level.TERM, "//": Level.TERM, "%": Level.TERM}


@dataclass(frozen=True)
class Values:
    """Writes values.

    ``truth`` writes the value of a predicate inside a value, such as the condition of an ``if``. A dtype or a format is
    a constant of the module: to look a member up in its enumeration costs more than to compare it.
    """

    truth: Callable[[Node, Facts], Py]

    def symbol(self, node: Symbol) -> Py:
        """The constant that a dtype or a format is kept in."""
        member = f"{'DType' if node.kind == 'dtype' else 'Format'}.{node.name}"
        return kept(node.name, "", member)

    def value(self, node: Node, facts: Facts) -> Py:
        """The value of a node that these facts show to be defined."""
        match node:
            case Str(value=text):
                return Text(quoted(text))
            case Int(value=value) | Float(value=value):
                return Text(repr(value), Level.UNARY if repr(value).startswith("-") else Level.ATOM)
            case Symbol():
                return self.symbol(node)
            case Name():
                return self._name(node, facts)
            case ListOf(items=items):
                return tuple_of([self.value(item, facts) for item in items])
            case Negate(operand=operand):
                return Prefix("-", self.value(operand, facts), Level.UNARY)
            case Arith():
                return self._arith(node, facts)
            case IfElse(cond=cond, then=then, orelse=orelse) if facts.scope.kind(node) != "bool":
                chosen = self.truth(cond, facts)
                if chosen in (TRUE, FALSE):
                    return self.value(then if chosen == TRUE else orelse, facts)
                yes = facts.assume(cond, True).trust(then)
                no = facts.assume(cond, False).trust(orelse)
                return Ternary(chosen, self.value(then, yes), self.value(orelse, no))
            case Index(base=base, index=index):
                at = self._index(index, Call("len", (base,)), facts)
                return Fill("{0.}[{1}]", (self.value(base, facts), at))
            case Each():
                return self.every(node, facts, "tuple(")
            case Call():
                return self.call(node, facts)
            case Bool() | Not() | Compare() | And() | Or() | Quantifier() | InRows() | IfElse():
                return self.truth(node, facts)

    def iterable(self, node: Node, facts: Facts) -> Py:
        """A list that is only walked through: neither a range nor what is made of each element becomes a tuple."""
        if isinstance(node, Each):
            return self.every(node, facts, "(")
        if isinstance(node, Call) and node.func == "range":
            limits = node.args[1:] if node.args[0] == Int(0) else node.args
            return Bracket("range(", tuple(self.value(limit, facts) for limit in limits))
        return self.value(node, facts)

    def every(self, node: Each, facts: Facts, opening: str) -> Py:
        """What is made of each element of a list, walked through in these brackets."""
        known = facts.assume_defined(node.over)
        body = self.value(node.body, known.within(node).trust(node.body))
        return walk(opening, node.var, body, self.iterable(node.over, known))

    def call(self, node: Call, facts: Facts, negated: bool = False) -> Py:
        """A function of the library, or where it has one its negated form."""
        first, *others = node.args
        match node.func:
            case "sum" if isinstance(first, Each):
                return self.every(first, facts, "sum(")
            case "range":
                return Bracket("tuple(", (self.iterable(node, facts),))
            case "is_null" if isinstance(first, Name):
                subject: Py = Text(identifier(first.id))
            case func if func in _OF_SHAPE:
                subject = self.value(Call("shape", (first,)), facts)
            case _:
                subject = self.value(first, facts)
        if node.func in TESTS:
            op = TESTS[node.func][negated]
            return compare(Text("0"), op, subject) if node.func == "is_empty" else compare(subject, op, Text("None"))
        found = self._applied(node, subject, others, facts)
        return self._kept(node, found, facts) if node.func in _KEPT else found

    def _applied(self, node: Call, subject: Py, others: list[Node], facts: Facts) -> Py:
        """A function of a value and of the arguments after it."""
        if node.func in FIELDS:
            return Fill(f"{{0.}}.{node.func}", (subject,))
        if node.func == "dim":
            return Fill("{0.}[{1}]", (subject, self._index(others[0], Call("rank", node.args[:1]), facts)))
        if node.func == "slice":
            length = Call("len", node.args[:1])
            whole = facts.scope.expand(others[1]) == facts.scope.expand(length)
            stop = Text("") if whole else self._index(others[1], length, facts)
            start = self._index(others[0], length, facts)
            if not (is_short(start) and is_short(stop)):  # a slice cannot be broken over lines, a call can
                return Bracket("shapes.cut(", (subject, start, Text("None") if whole else stop))
            return Fill(SLICE, (subject, start, stop))
        return Bracket(CALLS[node.func], (subject, *(self.value(other, facts) for other in others)))

    def _index(self, index: Node, length: Node, facts: Facts) -> Py:
        """An index; one that counts from the end is written as Python does."""
        match index:
            case Arith(op="-", left=whole, right=Int(value=value)) if value > 0:
                if facts.scope.expand(whole) == facts.scope.expand(length):
                    return Text(str(-value), Level.UNARY)
        return self.value(index, facts)

    def _kept(self, node: Call, value: Py, facts: Facts) -> Py:
        match node.args[0]:
            case Name(id=name) if facts.scope.is_param(name):
                hint = f"{facts.scope.info.param(name).snake}_{node.func}"
                return Shared(node, hint, value, node)
            case _:
                return value

    def _name(self, node: Name, facts: Facts) -> Py:
        value = None if node.id in facts.scope.variables else facts.scope.lets.get(node.id)
        if value is not None:
            return Shared(node, node.id, self.value(value, facts), node)
        return Text(identifier(node.id))

    def _arith(self, node: Arith, facts: Facts) -> Py:
        if node.op == "+" and facts.scope.kind(node) not in ("int", "float"):
            return tuple_of([*self._spread(node.left, facts), *self._spread(node.right, facts)])
        left, right = self.value(node.left, facts), self.value(node.right, facts)
        level = _LEVELS[node.op]
        if isinstance(left, Chain) and left.level == level:
            return Chain((*left.ops, node.op), (*left.items, right), level)
        return Chain((node.op,), (left, right), level)

    def _spread(self, node: Node, facts: Facts) -> list[Py]:
        """The elements of a list, for a tuple that joins it to another."""
        match node:
            case ListOf(items=items):
                return [self.value(item, facts) for item in items]
            case Arith(op="+", left=left, right=right):
                return [*self._spread(left, facts), *self._spread(right, facts)]
            case _:
                return [Prefix("*", self.iterable(node, facts), Level.OR)]


def tuple_of(items: list[Py]) -> Py:
    """A tuple display."""
    return Bracket("(", tuple(items))


__all__ = ["TRUE", "Values", "tuple_of"]
