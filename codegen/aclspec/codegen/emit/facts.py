"""What is known at a place of the generated code.

Facts come from the conditions around the place and from the rules before it: a check that let the call through has
established its rule, but only in the modes and for the products that enforce it, only where its ``when`` held and
only if it was defined; that is an `Implication`, which fires as soon as all of this is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from aclspec.codegen.emit.guards import Partial, guards
from aclspec.codegen.emit.scope import Place, Scope
from aclspec.runtime.predicate.nodes import (
    And,
    Bool,
    Call,
    Compare,
    IfElse,
    Int,
    ListOf,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
)

NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not in", "not in": "in"}
FLIPPED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_COUNTS = ("rank", "numel", "dim", "len")


@dataclass(frozen=True, slots=True)
class Implication:
    """At these places, when the premises hold, so does the conclusion."""

    places: frozenset[Place]
    premises: tuple[Node, ...]
    conclusion: Node


@dataclass(frozen=True)
class Facts:
    """``places``: the modes and products that can get here. ``true``: predicates that hold. ``low``, ``high``: bounds.

    ``correlated`` collects the pointers that a rule with a guard has shown not to be null: a reader of the
    generated code sees why, a static type checker does not.
    """

    scope: Scope
    places: frozenset[Place]
    true: frozenset[Node] = frozenset()
    low: Mapping[Node, int] = field(default_factory=dict)
    high: Mapping[Node, int] = field(default_factory=dict)
    implications: tuple[Implication, ...] = ()
    correlated: set[str] = field(default_factory=set)

    def restrict(self, places: frozenset[Place]) -> Facts:
        """The facts where only these places remain."""
        return replace(self, places=self.places & places)._fired()

    def bind(self, var: str, kind: str) -> Facts:
        """The facts inside a quantifier."""
        return replace(self, scope=self.scope.bind(var, kind))

    def learn(self, implications: Iterable[Implication]) -> Facts:
        """The facts after a rule has let the call through."""
        return replace(self, implications=(*self.implications, *implications))._fired()

    def assume(self, node: Node, value: bool = True) -> Facts:
        """The facts where this predicate is defined and has this value."""
        return self._with(self.scope.expand(node), value)._fired()

    def assume_defined(self, node: Node) -> Facts:
        """The facts where this node has a value."""
        return self._defined(self.scope.expand(node))._fired()

    def trust(self, node: Node) -> Facts:
        """The facts where this node has a value for reasons that a static type checker cannot follow."""
        facts = self.assume_defined(node)
        for fact in facts.true - self.true:
            match fact:
                case Not(operand=Call(func="is_null", args=(Name(id=name),))):
                    self.correlated.add(name)
        return facts

    def proves(self, node: Node) -> bool:
        """Whether the predicate is known to be defined and true."""
        return self._proves(self.scope.expand(node))

    def _proves(self, node: Node) -> bool:
        match node:
            case Bool(value=value):
                return value
            case And(items=items):
                return all(self._proves(item) for item in items)
            case Or(items=items):
                return any(self._proves(item) for item in items)
            case Not(operand=Compare() as inner) if self._is_int(inner):
                return self._proves(_negated(inner))
            case Compare():
                return node in self.true or self._bounded(node)
            case _:
                return node in self.true

    def _bounded(self, node: Compare) -> bool:
        """Whether the bounds of both sides decide a comparison."""
        if node.op not in FLIPPED or not self._is_int(node):
            return False
        (low, high), (least, most) = self._range(node.left), self._range(node.right)
        match node.op:
            case "<":
                return high is not None and least is not None and high < least
            case "<=":
                return high is not None and least is not None and high <= least
            case ">":
                return low is not None and most is not None and low > most
            case ">=":
                return low is not None and most is not None and low >= most
            case "==":
                return low is not None and low == high == least == most
            case _:
                less = high is not None and least is not None and high < least
                return less or (low is not None and most is not None and low > most)

    def _range(self, term: Node) -> tuple[int | None, int | None]:
        match term:
            case Int(value=value):
                return value, value
            case Call(func="len", args=(ListOf(items=items),)):
                return len(items), len(items)
            case Call(func=func) if func in _COUNTS:
                return max(0, self.low.get(term, 0)), self.high.get(term)
            case _:
                return self.low.get(term), self.high.get(term)

    def _is_int(self, node: Compare) -> bool:
        """Whether both sides are integers: only then is "not less" the same as "greater or equal"."""
        return self.scope.kind(node.left) == self.scope.kind(node.right) == "int"

    def _fired(self) -> Facts:
        """The facts after every implication whose premises are known."""
        facts, waiting = self, self.implications
        while True:
            ready = [i for i in waiting if facts.places <= i.places and all(map(facts._proves, i.premises))]
            if not ready:
                return replace(facts, implications=waiting)
            for implication in ready:
                facts = facts._noting(implication)._with(implication.conclusion, True)
            waiting = tuple(i for i in waiting if i not in ready)

    def _noting(self, implication: Implication) -> Facts:
        guarded = implication.premises or implication.places != self.scope.places
        match implication.conclusion:
            case Not(operand=Call(func="is_null", args=(Name(id=name),))) if guarded:
                if implication.conclusion not in self.true:
                    self.correlated.add(name)
        return self

    def _with(self, node: Node, value: bool) -> Facts:
        """This predicate, with lets expanded, and what follows from it."""
        match node:
            case Not(operand=operand):
                return self._with(operand, not value)._noted(node if value else operand)
            case And(items=items) if value:
                return self._each(items, True)
            case Or(items=items) if not value:
                return self._each(items, False)
            case And() | Or() | IfElse():
                return self._noted(node if value else Not(node))
            case Compare():
                return self._compared(node if value else _negated(node), node, value)
            case Quantifier(over=over):
                return self._defined(over)._noted(node if value else Not(node))
            case _:
                return self._defined(node)._noted(node if value else Not(node))

    def _each(self, items: tuple[Node, ...], value: bool) -> Facts:
        facts = self
        for item in items:
            facts = facts._with(item, value)
        return facts

    def _noted(self, node: Node) -> Facts:
        return replace(self, true=self.true | {node})

    def _defined(self, node: Node) -> Facts:
        """What follows from a node's having a value; of what is not strict, the part that decides it."""
        facts = self
        for guard in guards(node, self.scope):
            match guard:
                case Partial(node=IfElse(cond=decisive)) | Partial(node=Quantifier(over=decisive)):
                    facts = facts._defined(decisive)
                case Partial():
                    continue
                case _ if guard not in facts.true:
                    facts = facts._with(self.scope.expand(guard), True)
        return facts

    def _compared(self, node: Compare, given: Compare, value: bool) -> Facts:
        facts = self._defined(node.left)._defined(node.right)
        if not self._is_int(node):
            facts = facts._noted(given if value else Not(given))
            if node.op == "==":
                facts = facts._same(node.left, node.right)._same(node.right, node.left)
            return facts
        facts = facts._noted(node)
        return facts._bound(node.left, node.op, node.right)._bound(node.right, FLIPPED.get(node.op, ""), node.left)

    def _bound(self, term: Node, op: str, other: Node) -> Facts:
        """Tighten the bounds of a term that stands left of an operator."""
        low, _ = self._range(term)
        if op in ("in", "not in"):
            values = [item.value for item in other.items if isinstance(item, Int)] if isinstance(other, ListOf) else []
            if op == "not in" or not values or len(values) != len(getattr(other, "items", ())):
                return self
            return self._between(term, min(values), max(values))
        least, most = self._range(other)
        if op == "!=" and low is not None and low == least == most:
            return self._between(term, low + 1, None)
        least = None if op not in (">", ">=", "==") or least is None else least + (op == ">")
        most = None if op not in ("<", "<=", "==") or most is None else most - (op == "<")
        return self._between(term, least, most)

    def _between(self, term: Node, least: int | None, most: int | None) -> Facts:
        low, high = self._range(term)
        lows = dict(self.low)
        highs = dict(self.high)
        if least is not None and (low is None or least > low):
            lows[term] = least
        if most is not None and (high is None or most < high):
            highs[term] = most
        return replace(self, low=lows, high=highs)

    def _same(self, left: Node, right: Node) -> Facts:
        """What an equal list says of a shape: its rank."""
        match left, right:
            case Call(func="shape", args=(tensor,)), ListOf(items=items):
                return self._between(Call("rank", (tensor,)), len(items), len(items))
            case Call(func="shape", args=(tensor,)), Call(func="shape", args=(other,)):
                return self._between(Call("rank", (tensor,)), *self._range(Call("rank", (other,))))
            case _:
                return self


def _negated(node: Compare) -> Compare:
    return Compare(NEGATED[node.op], node.left, node.right)


__all__ = ["FLIPPED", "NEGATED", "Facts", "Implication"]
