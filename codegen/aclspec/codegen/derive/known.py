"""What must be so in any call that grants some wishes, put together term by term."""

from __future__ import annotations

from collections.abc import Iterator

from aclspec.codegen.derive.domains import Domain, domain_of
from aclspec.codegen.derive.plainer import Plainer
from aclspec.codegen.derive.space import Space
from aclspec.codegen.derive.wishes import opposite
from aclspec.codegen.predicate.intervals import is_list
from aclspec.runtime.predicate.nodes import And, Bool, Call, Compare, IfElse, Index, ListOf, Name, Node, Not, Or
from aclspec.runtime.predicate.relations import FLIPPED
from aclspec.runtime.predicate.walk import names


class Contradiction(Exception):
    """Something would have to be two things."""


class Terms:
    """The terms that the predicates of one operator speak of, in their plainest form."""

    def __init__(self, space: Space) -> None:
        """Find which names are lists, and which are floats, of which a NaN is neither below nor above another."""
        self.plain = Plainer(space.lets).of
        kinds = dict(zip(space.names, space.kinds, strict=True))
        self.floats = frozenset(name for name, kind in kinds.items() if kind in ("float", "floats"))
        self._lists = frozenset(name for name, kind in kinds.items() if kind.endswith("s"))

    def sides(self, node: Compare) -> tuple[Node, Node]:
        """What a comparison holds against each other: of two lists, their lengths."""
        sides = node.left, node.right
        if any(is_list(side, self._lists) for side in sides):
            return self.plain(Call("len", sides[:1])), self.plain(Call("len", sides[1:]))
        return sides

    def of(self, node: Node) -> Iterator[Node]:
        """What a predicate compares with constants or with each other, or asks as it stands."""
        match node:
            case Not(operand=operand):
                yield from self.of(operand)
            case And(items=items) | Or(items=items):
                for item in items:
                    yield from self.of(item)
            case IfElse(cond=cond, then=then, orelse=orelse):
                for part in (cond, then, orelse):
                    yield from self.of(part)
            case Compare(op=op, left=left, right=right):
                yield from self.sides(node) if domain_of(op, right) is None else (left,)
            case Bool():
                return
            case _:
                yield node


class Known:
    """The domains of terms, each narrowed by all that is learned of it; every predicate is in its plainest form."""

    def __init__(self, terms: Terms) -> None:
        """Nothing yet."""
        self.terms = terms
        self.domains: dict[Node, Domain] = {}
        self.size = 0

    def learn(self, node: Node, want: bool) -> None:
        """A predicate is defined and has this value."""
        match node:
            case Bool(value=value):
                if value is not want:
                    raise Contradiction
            case Not(operand=operand):
                self.learn(operand, not want)
            case And(items=items) if want:
                for item in items:
                    self.learn(item, True)
            case Or(items=items) if not want:
                for item in items:
                    self.learn(item, False)
            case And(items=items) | Or(items=items):
                self._one_of(items, want)
            case IfElse(cond=cond, then=then, orelse=orelse):
                chosen = self.holds(cond)
                if chosen is not None:
                    self.learn(then if chosen else orelse, want)
            case Compare(op=op) if not names(node) & self.terms.floats:
                self._narrow(op if want else opposite(op), node, want)
            case Name() | Index() | Call():
                self._meet(node, Domain.of((want,)))

    def _one_of(self, items: tuple[Node, ...], want: bool) -> None:
        """Some item decides; where all others are known not to, the one left does."""
        left = [item for item in items if self.holds(item) is not (not want)]
        if not left:
            raise Contradiction
        if len(left) == 1:
            self.learn(left[0], want)

    def _narrow(self, op: str, node: Compare, want: bool) -> None:
        """Two sides stand in a relation to each other; ``node`` is how it was written, and has this value."""
        left, right = node.left, node.right
        domain, mirrored = domain_of(op, right), domain_of(FLIPPED.get(op, op), left)
        if domain is not None:
            self._meet(left, domain)
            if op == "==" and isinstance(right, ListOf):
                self._same(*self.terms.sides(node))
        elif mirrored is not None and op not in ("in", "not in"):
            self._meet(right, mirrored)
        elif left == right and op in ("!=", "<", ">"):
            raise Contradiction
        else:
            self._meet(node, Domain.of((want,)))
            if op == "==":
                self._same(*self.terms.sides(node))

    def _same(self, left: Node, right: Node) -> None:
        """Two terms are equal."""
        for one, other in ((left, right), (right, left)):
            known, fixed = domain_of("==", one) or self.domains.get(one, Domain()), domain_of("==", other)
            if fixed is None:
                self._meet(other, known)
            elif fixed.meet(known).is_empty:
                raise Contradiction

    def _meet(self, term: Node, domain: Domain) -> None:
        before = self.domains.get(term)
        met = domain if before is None else before.meet(domain)
        if met.is_empty:
            raise Contradiction
        if met != before:
            self.domains[term] = met
            self.size += 1

    def holds(self, node: Node) -> bool | None:
        """The value of a predicate that is known to be defined; None where it may be either, or undefined."""
        match node:
            case Bool(value=value):
                return value
            case Not(operand=operand):
                inner = self.holds(operand)
                return None if inner is None else not inner
            case And(items=items):
                return self._junction(items, False)
            case Or(items=items):
                return self._junction(items, True)
            case IfElse(cond=cond, then=then, orelse=orelse):
                chosen = self.holds(cond)
                return None if chosen is None else self.holds(then if chosen else orelse)
            case Compare(op=op, left=left, right=right):
                domain = domain_of(op, right)
                if domain is not None and left in self.domains:
                    return self.domains[left].within(domain)
        known = self.domains.get(node)
        return None if known is None else known.truth

    def _junction(self, items: tuple[Node, ...], deciding: bool) -> bool | None:
        values = [self.holds(item) for item in items]
        if deciding in values:
            return deciding
        return None if None in values else not deciding
