"""Kleene logic in two-valued Python: the conditions under which a predicate holds, fails, or is defined at all.

    fails(a and b) = fails(a) or fails(b)        fails(not a) = holds(a)
    fails(a or b)  = fails(a) and fails(b)       fails(atom)  = defined(atom) and not atom

Python evaluates from left to right, so what stands left of an operand is a fact on its right: ``a`` has held where
``b`` of ``a and b`` is looked at, and has not where ``b`` of ``a or b`` is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from aclspec.codegen.emit.comparisons import Comparisons, chain_of, with_chains
from aclspec.codegen.emit.definedness import Definedness
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.library import TESTS
from aclspec.codegen.emit.logic import choice, conj, disj, negation
from aclspec.codegen.emit.python import FALSE, TRUE, Py, Text, compare, walk
from aclspec.codegen.emit.rows import Rows
from aclspec.codegen.emit.terms import denied
from aclspec.codegen.emit.values import Values
from aclspec.runtime.info import RowInfo
from aclspec.runtime.predicate.nodes import (
    And,
    Bool,
    Call,
    Compare,
    IfElse,
    InRows,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
)
from aclspec.runtime.predicate.walk import children


@lru_cache(maxsize=1 << 14)
def asks_rows(node: Node) -> bool:
    """Whether a tree asks for membership in dtype rows; a let never does."""
    return isinstance(node, InRows) or any(map(asks_rows, children(node)))


class Conditions(Definedness):
    """Compiles predicates to conditions; `rows` compiles the membership in dtype rows."""

    def __init__(self, rows: Rows) -> None:
        """Conditions over the dtype rows of one operator."""
        self.values = Values(self.truth)
        self.rows = rows
        self.comparisons = Comparisons(self.values, self.truth)

    def read(self, node: Node) -> tuple[RowInfo, ...]:
        """The dtype rows that the conditions of a node depend on."""
        return self.rows.data.given if asks_rows(node) else ()

    def truth(self, node: Node, facts: Facts) -> Py:
        """The value of a predicate that is known to be defined."""
        return self.holds(node, facts)

    def holds(self, node: Node, facts: Facts) -> Py:
        """The predicate is defined and true."""
        return self.remembered("holds", node, facts, self._holds)

    def fails(self, node: Node, facts: Facts) -> Py:
        """The predicate is defined and false."""
        return self.remembered("fails", node, facts, self._fails)

    def _holds(self, node: Node, facts: Facts) -> Py:
        match node:
            case Bool(value=value):
                return TRUE if value else FALSE
            case Not(operand=operand):
                return self.fails(operand, facts)
            case And(items=items):
                return self._between(node, facts, True) or conj(*self._each(with_chains(items), facts, True))
            case Or(items=items):
                return disj(*self._each(items, facts, False, hold=True))
            case IfElse():
                return self._choice(node, facts, True)
            case Quantifier():
                return self._quantified(node, facts, True)
            case InRows(params=params):
                return self.rows.holds(params, facts, self)
            case _:
                return self._atom(node, facts, True)

    def _fails(self, node: Node, facts: Facts) -> Py:
        match node:
            case Bool(value=value):
                return FALSE if value else TRUE
            case Not(operand=operand):
                return self.holds(operand, facts)
            case And(items=items):
                return self._between(node, facts, False) or disj(*self._each(items, facts, True, hold=False))
            case Or(items=items):
                return conj(*self._each(items, facts, False))
            case IfElse():
                return self._choice(node, facts, False)
            case Quantifier():
                return self._quantified(node, facts, False)
            case InRows(params=params):
                return self.rows.fails(params, facts, self)
            case _:
                return self._atom(node, facts, False)

    def _between(self, node: And, facts: Facts, value: bool) -> Py | None:
        """``low <= x <= high`` for the two comparisons that such a chain was parsed to, or its negation.

        Only where all of it has a value as soon as its middle has one; else one comparison may decide alone.
        """
        sides = chain_of(node)
        if sides is None:
            return None
        low, middle, high = sides
        known = facts.assume_defined(middle)
        if any(not self.surely(side, known) for side in (low, high)):
            return None
        if any(known.proves(item) or known.proves(denied(item)) for item in node.items):
            return None
        chain = self.comparisons.chain(node, known)
        return conj(self.defined(middle, facts), chain if value else negation(chain))

    def _each(self, items: tuple[Node, ...], facts: Facts, value: bool, hold: bool | None = None) -> Iterator[Py]:
        """The condition that each item holds (or fails), one after the other.

        An item is looked at only where those before it have ``value``, or at least have not the opposite one.
        """
        hold = value if hold is None else hold
        for item in items:
            yield self.holds(item, facts) if hold else self.fails(item, facts)
            if hold == value or self.surely(item, facts):
                facts = facts.assume(item, value)

    def _choice(self, node: IfElse, facts: Facts, value: bool) -> Py:
        """The chosen arm holds, or fails."""
        compiled = self.holds if value else self.fails
        then = compiled(node.then, facts.assume(node.cond, True))
        orelse = compiled(node.orelse, facts.assume(node.cond, False))
        known = facts.assume_defined(node.cond)
        chosen = choice(self.holds(node.cond, known), self.fails(node.cond, known), then, orelse)
        return conj(self.defined(node.cond, facts), chosen)

    def _quantified(self, node: Quantifier, facts: Facts, value: bool) -> Py:
        """``all`` holds when it holds for all and fails when it fails for any; ``any`` the other way round."""
        known = facts.assume_defined(node.over)
        body = (self.holds if value else self.fails)(node.body, known.within(node))
        python = "all" if (node.kind == "all") == value else "any"
        found: Py = walk(f"{python}(", node.var, body, self.values.iterable(node.over, known))
        if body in (TRUE, FALSE):
            found = self._constant_body(node.over, known, python == "all", body == TRUE)
        return conj(self.defined(node.over, facts), found)

    def _constant_body(self, over: Node, facts: Facts, every: bool, body: bool) -> Py:
        """``all`` or ``any`` of a constant: only whether there is an element matters."""
        if every == body:
            return TRUE if every else FALSE
        length = self.values.call(Call("len", (over,)), facts)
        return compare(length, "==" if every else ">", Text("0"))

    def _atom(self, node: Node, facts: Facts, value: bool) -> Py:
        """A strict predicate: its guards, and itself or its negation."""
        known = facts.assume_defined(node)
        found: Py
        match node:
            case _ if known.proves(node) or known.proves(denied(node)):
                found = TRUE if known.proves(node) == value else FALSE
            case Compare():
                found = self.comparisons.write(node, known, value)
            case Name() if (let := self._let(node, known)) is not None:
                return self._bool_let(node, let, facts, value)
            case Call(func="is_null", args=(argument,)) if not isinstance(argument, Name):
                found = FALSE if value else TRUE
            case Call(func=func) if not value and func in TESTS:
                found = self.values.call(node, known, negated=True)
            case _:
                found = self.values.value(node, known)
                found = found if value else negation(found)
        return conj(self.defined(node, facts), found)

    def _let(self, node: Name, facts: Facts) -> Node | None:
        return None if node.id in facts.scope.variables else facts.scope.lets.get(node.id)

    def _bool_let(self, node: Name, let: Node, facts: Facts, value: bool) -> Py:
        """A let that is a predicate: by its name where it is surely defined, else written out."""
        if not self.surely(let, facts):
            return self.holds(let, facts) if value else self.fails(let, facts)
        found = self.values.value(node, facts)
        return found if value else negation(found)
