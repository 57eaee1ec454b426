"""What is known at a place of the generated code, for each mode and product that can get there.

Facts come from the conditions around the place and from the rules before it: a check that let the call through has
established its rule, but only in the modes and for the products that enforce it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from aclspec.codegen.analysis.bounds import Bounds
from aclspec.codegen.analysis.facts import EITHER, TRUE, Facts, Truth, possible
from aclspec.codegen.analysis.sums import linear
from aclspec.codegen.emit.dtype_rows import Place
from aclspec.codegen.emit.guards import Partial, guards, not_null, shared, strict
from aclspec.codegen.emit.legal import decided
from aclspec.codegen.emit.lowered import IS_THERE
from aclspec.codegen.emit.scope import Scope
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.functions import ELEMENTS
from aclspec.runtime.language.nodes import (
    And,
    Bool,
    Call,
    Each,
    IfElse,
    Index,
    InRows,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
)

_T = TypeVar("_T")
Cases: TypeAlias = tuple[tuple[frozenset[Place], Facts], ...]


class FactSet:
    """The facts at a place, grouped by modes and products; immutable but for its memo."""

    __slots__ = ("cases", "memo", "places", "scope")

    def __init__(self, scope: Scope, cases: Cases) -> None:
        """These facts; ``memo`` keeps what was worked out from them."""
        self.scope, self.cases = scope, cases
        self.places: frozenset[Place] = frozenset().union(*(places for places, _ in cases))
        self.memo: dict[Hashable, Any] = {}

    def remembered(self, key: Hashable, found: Callable[[], _T]) -> _T:
        """What was worked out before, or is now."""
        if key not in self.memo:
            self.memo[key] = found()
        value: _T = self.memo[key]
        return value

    def _each(self, change: Callable[[Facts], Facts], scope: Scope | None = None) -> FactSet:
        cases = tuple((places, change(facts)) for places, facts in self.cases)
        if scope is None and all(new is old for (_, new), (_, old) in zip(cases, self.cases, strict=True)):
            return self
        return FactSet(scope or self.scope, cases)

    def restrict(self, places: frozenset[Place]) -> FactSet:
        """What is known where only these places remain."""
        if self.places <= places:
            return self
        return self.remembered(
            ("restrict", self.places & places),
            lambda: FactSet(self.scope, tuple((some & places, facts) for some, facts in self.cases if some & places)),
        )

    def assume(self, node: Node, value: bool = True) -> FactSet:
        """What is known where this predicate is defined and has this value."""
        expanded = self.scope.expand(node) if value else Not(self.scope.expand(node))
        return self.remembered(("assume", expanded), lambda: self._each(lambda facts: facts.assume(expanded)))

    def assume_defined(self, node: Node) -> FactSet:
        """What is known where this node has a value."""

        def defining(facts: Facts) -> Facts:
            for guard in implied(node, self.scope):
                facts = facts.assume(guard)
            return facts

        return self.remembered(("assume defined", node), lambda: self._each(defining))

    def within(self, node: Quantifier | Each) -> FactSet:
        """What is known of the variable for each element of a list that is known to be defined."""
        return self.remembered(("within", node.var, node.over), lambda: self._within(node))

    def _within(self, node: Quantifier | Each) -> FactSet:
        kind, over = ELEMENTS[self.scope.kind(node.over)], self.scope.expand(node.over)
        found = self._each(lambda facts: facts.within(node.var, over, kind), self.scope.bind(node.var, kind))
        return found.assume(not_null(Name(node.var))) if self.has_no_null(over) else found

    def has_no_null(self, values: Node) -> bool:
        """Whether no element of a list of tensors is null."""
        return self.proves(Call(IS_THERE, (values,)))

    def after(self, places: frozenset[Place], change: Callable[[Facts], Facts]) -> FactSet:
        """What is known after a rule that is enforced at some places has let the call through."""
        inside = tuple((some & places, change(facts)) for some, facts in self.cases if some & places)
        outside = tuple((some - places, facts) for some, facts in self.cases if some - places)
        return FactSet(self.scope, (*inside, *outside))

    def truth(self, node: Node) -> Truth:
        """The values that a predicate can have where it is defined."""
        node = self.scope.expand(node)
        return self.remembered(
            ("truth", node), lambda: frozenset().union(*(self._truth(node, *case) for case in self.cases))
        )

    def _truth(self, node: Node, places: frozenset[Place], facts: Facts) -> Truth:
        match node:
            case Call(func=func, args=(Index(base=base),)) if func == IS_THERE and possible(node, facts) != TRUE:
                return possible(Call(IS_THERE, (base,)), facts)  # where no element of a list is null
        found = possible(node, facts.of_elements(node))
        value = decided(node, lambda name: self._legal(name, places, facts)) if found == EITHER else None
        return found if value is None else frozenset({value})

    def _legal(self, name: str, places: frozenset[Place], facts: Facts) -> frozenset[DType] | None:
        """The dtypes that a parameter can have once a rule has made sure that some row allows it."""
        param = self.scope.params.get(name)
        if param is None or name in self.scope.variables or InRows((name,)) not in facts.true:
            return None
        if param.checked is not None and possible(self.scope.expand(param.checked), facts) != TRUE:
            return None
        return self.scope.rows.legal(name, places)

    def proves(self, node: Node) -> bool:
        """Whether a predicate is true wherever it is defined."""
        return self.truth(node) == TRUE


def initial(scope: Scope) -> FactSet:
    """What is known before the first rule: what the C types say."""
    kinds = {param.name: PARAM_TYPES[param.type] for param in scope.info.params}
    bounds = {linear(Name(name)).key: (kind.low, kind.high) for name, kind in kinds.items() if kind.is_integer}
    lists = frozenset(name for name, kind in kinds.items() if kind.predicate in ELEMENTS)
    floats = frozenset(name for name, kind in kinds.items() if kind.predicate in ("float", "floats"))
    facts = Facts(Bounds(bounds), lists, floats, lambda node: consequences(node, scope))
    return FactSet(scope, ((scope.places, facts),))


def consequences(node: Node, scope: Scope) -> Iterator[Node]:
    """What holds where a predicate, with lets expanded, is defined and true: its guards and its parts too."""
    match node:
        case Bool():
            return
        case Not(operand=Not(operand=operand)):
            yield from consequences(operand, scope)
        case And(items=items):
            for item in items:
                yield from consequences(item, scope)
        case Not(operand=Or(items=items)):
            for item in items:
                yield from consequences(Not(item), scope)
        case Quantifier(over=over) | Not(operand=Quantifier(over=over)):
            yield from implied(over, scope)
        case Not(operand=operand):
            yield from implied(operand, scope)
        case Or():
            pass
        case _:
            yield from implied(node, scope)
    match node:
        case Quantifier(kind="all", var=var, over=over, body=Not(operand=Call(func="is_null", args=(Name(id=name),)))):
            if var == name:
                yield Call(IS_THERE, (over,))
    yield node


def implied(node: Node, scope: Scope) -> Iterator[Node]:
    """The guards that hold where a node has a value; of what is not strict, those of the part that decides it.

    Those that both arms of a conditional have, or an ``and`` or an ``or`` whatever its value is, hold too.
    """
    for guard in guards(node, scope):
        match guard:
            case Partial(node=IfElse(cond=part) as chosen):
                yield from implied(part, scope)
                yield from map(scope.expand, shared(chosen, scope))
            case Partial(node=Quantifier(over=part)):
                yield from implied(part, scope)
            case Partial(node=Each(var=var, over=part, body=body)):
                yield from implied(part, scope)
                inner = scope.bind(var, ELEMENTS[scope.kind(part)])
                for need in strict(body, inner) or ():
                    yield Quantifier("all", var, scope.expand(part), inner.expand(need))
            case Partial(node=And() | Or() as items):
                false = _needed(items, False, scope)
                yield from (need for need in _needed(items, True, scope) if need in false)
            case Partial():
                continue
            case _:
                yield scope.expand(guard)


def _needed(node: Node, value: bool, scope: Scope) -> list[Node]:
    """The guards that hold where a predicate has this value."""
    match node:
        case Not(operand=operand):
            return _needed(operand, not value, scope)
        case And(items=items) | Or(items=items):
            first, *others = (_needed(item, value, scope) for item in items)
            if isinstance(node, And) == value:
                return list(chain(first, *others))
            return [need for need in first if all(need in other for other in others)]
        case _:
            return list(implied(node, scope))
