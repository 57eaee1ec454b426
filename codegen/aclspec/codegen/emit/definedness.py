"""Where a node has a value at all: the conditions for it, in an order in which each may be asked.

What is not strict, such as a choice, may have a value although a part of it has none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.guards import Partial, guards
from aclspec.codegen.emit.logic import choice, conj, disj
from aclspec.codegen.emit.python import FALSE, TRUE, Py, walk
from aclspec.codegen.emit.values import Values
from aclspec.runtime.info import RowInfo
from aclspec.runtime.predicate.nodes import And, Each, IfElse, Node, Not, Or, Quantifier


class Definedness(ABC):
    """Compiles the question whether a node has a value; ``values`` writes what it walks through."""

    values: Values

    @abstractmethod
    def read(self, node: Node) -> tuple[RowInfo, ...]:
        """The dtype rows that the conditions of a node depend on."""

    @abstractmethod
    def holds(self, node: Node, facts: Facts) -> Py:
        """The predicate is defined and true."""

    @abstractmethod
    def fails(self, node: Node, facts: Facts) -> Py:
        """The predicate is defined and false."""

    def defined(self, node: Node, facts: Facts) -> Py:
        """The node has a value."""
        return self.remembered("defined", node, facts, self._defined)

    def surely(self, node: Node, facts: Facts) -> bool:
        """Whether the node has a value for sure, which is known as soon as one condition is not."""
        return facts.remembered(("surely", node, self.read(node)), lambda: self._surely(node, facts))

    def _surely(self, node: Node, facts: Facts) -> bool:
        return all(condition == TRUE for condition, _ in self.steps(node, facts))

    def remembered(self, what: str, node: Node, facts: Facts, compiled: Callable[[Node, Facts], Py]) -> Py:
        """What was compiled with these very facts before; lets within lets would be compiled over and over."""
        return facts.remembered((what, node, self.read(node)), lambda: compiled(node, facts))

    def _defined(self, node: Node, facts: Facts) -> Py:
        return conj(*(condition for condition, _ in self.steps(node, facts)))

    def steps(self, node: Node, facts: Facts) -> Iterator[tuple[Py, Facts]]:
        """The conditions under which a node has a value, one after the other, each with what is known before it.

        The last one always holds, so that what is known before it is what is known of a node that has a value.
        """
        for guard in guards(node, facts.scope):
            if isinstance(guard, Partial):
                while (needed := self._needed(guard.node, facts)) is not None:
                    yield self.holds(needed, facts), facts
                    facts = facts.assume(needed)
                yield self._partly(guard.node, facts), facts
                facts = facts.assume_defined(guard.node)
            elif not facts.proves(guard):
                yield self.holds(guard, facts), facts
                facts = facts.assume(guard)
        yield TRUE, facts

    def _partly(self, node: Node, facts: Facts) -> Py:
        """The condition under which something that is not strict has a value."""
        match node:
            case And(items=items) | Or(items=items) if self._all_defined(items, facts, isinstance(node, And)):
                return TRUE
            case IfElse(cond=cond, then=then, orelse=orelse):
                yes, no = facts.assume(cond, True), facts.assume(cond, False)
                arms = self.defined(then, yes), self.defined(orelse, no)
                known = facts.assume_defined(cond)
                chosen = choice(self.holds(cond, known), self.fails(cond, known), *arms)
                return conj(self.defined(cond, facts), chosen)
            case Quantifier(over=over, body=body):
                inside = facts.assume_defined(over).within(node)
                if self.surely(body, inside):
                    return self.defined(over, facts)
            case Each(over=over, body=body):
                known = facts.assume_defined(over)
                every = self.defined(body, known.within(node))
                walked = walk("all(", node.var, every, self.values.iterable(over, known))
                return conj(self.defined(over, facts), TRUE if every == TRUE else walked)
        return disj(self.holds(node, facts), self.fails(node, facts))

    def _needed(self, node: Node, facts: Facts) -> Node | None:
        """A guard of one arm of a choice without which it has no value at all: better asked before the choice."""
        if not isinstance(node, IfElse):
            return None
        for guard in (*guards(node.then, facts.scope), *guards(node.orelse, facts.scope)):
            if isinstance(guard, Partial) or facts.proves(guard) or facts.proves(Not(guard)):
                continue
            if self.surely(guard, facts) and self._partly(node, facts.assume(guard, False)) == FALSE:
                return guard
        return None

    def _all_defined(self, items: tuple[Node, ...], facts: Facts, value: bool) -> bool:
        for item in items:
            if not self.surely(item, facts):
                return False
            facts = facts.assume(item, value)
        return True
