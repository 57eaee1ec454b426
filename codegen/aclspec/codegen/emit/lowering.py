"""Kleene logic in two-valued Python: the conditions under which a predicate holds, fails, or is defined at all.

    fails(a and b) = fails(a) or fails(b)        fails(not a) = holds(a)
    fails(a or b)  = fails(a) and fails(b)       fails(atom)  = defined(atom) and not atom

Python evaluates from left to right, so what stands left of an operand is a fact on its right: ``a`` has held where
``b`` of ``a and b`` is looked at, and has not where ``b`` of ``a or b`` is.
"""

from __future__ import annotations

from collections.abc import Iterator

from aclspec.codegen.analysis.facts import FALSE as NEVER
from aclspec.codegen.analysis.facts import TRUE as ALWAYS
from aclspec.codegen.emit.constants import Constants, Member
from aclspec.codegen.emit.fact_set import FactSet
from aclspec.codegen.emit.guards import Partial, guards, not_null, shared, strict
from aclspec.codegen.emit.lowered import FALSE, IS_THERE, NONE, TRUE, choice, conj, disj, let, negation
from aclspec.codegen.emit.membership import Membership
from aclspec.codegen.emit.scope import Scope
from aclspec.runtime.language.nodes import (
    FLIPPED,
    NEGATED,
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
    names,
)

_LITERALS = (Int, Float, Str, Bool, Symbol)


class Lowering:
    """Lowers the predicates of one function.

    ``untyped`` collects the pointers that are not null for reasons that a static type checker cannot follow.
    """

    def __init__(self, scope: Scope, constants: Constants) -> None:
        """A lowering that keeps its constants there."""
        self.scope, self.constants = scope, constants
        self.membership = Membership(scope, constants, self.holds, self.defined)
        self.untyped: set[str] = set()

    def holds(self, node: Node, known: FactSet) -> Node:
        """The condition that a predicate is defined and true."""
        return known.remembered(("holds", node), lambda: self._condition(node, known, True))

    def fails(self, node: Node, known: FactSet) -> Node:
        """The condition that a predicate is defined and false."""
        return known.remembered(("fails", node), lambda: self._condition(node, known, False))

    def _lowered(self, node: Node, known: FactSet, value: bool) -> Node:
        return self.holds(node, known) if value else self.fails(node, known)

    def _condition(self, node: Node, known: FactSet, value: bool) -> Node:
        """The condition that a predicate is defined and has this value."""
        match node:
            case Bool(value=constant):
                return Bool(constant == value)
            case Not(operand=operand):
                return self._lowered(operand, known, not value)
            case And(items=items):
                together = self._between(node, known, value)
                return together or self._chain(_with_ranges(items) if value else items, known, True, value)
            case Or(items=items):
                return self._chain(items, known, False, value)
            case IfElse(cond=cond, then=then, orelse=orelse):
                arms = (
                    self._lowered(then, known.assume(cond), value),
                    self._lowered(orelse, known.assume(cond, False), value),
                )
                return self._chosen(cond, known, *arms)
            case Quantifier():
                return self._quantified(node, known, value)
            case InRows(params=params):
                return self.membership.holds(params, known) if value else self.membership.fails(params, known)
            case _:
                return self._atom(node, known, value)

    def _between(self, node: And, known: FactSet, value: bool) -> Node | None:
        """``low <= x <= high``, or its negation, where all of it has a value as soon as its middle has one."""
        sides = _range_of(node)
        if sides is None:
            return None
        inside = known.assume_defined(sides[1])
        surely = all(self.surely(side, inside) for side in sides)
        if not surely or any(inside.truth(item) in (ALWAYS, NEVER) for item in node.items):
            return None
        low, middle, high = (self.value(side, inside) for side in sides)
        ops = [item.op for item in node.items if isinstance(item, Compare)]
        found = And((Compare(ops[0], low, middle), Compare(ops[1], middle, high)))
        return conj(self.defined(sides[1], known), found if value else Not(found))

    def _chain(self, items: tuple[Node, ...], known: FactSet, neutral: bool, value: bool) -> Node:
        """An ``and`` (whose neutral value is true) or an ``or``; its items are looked at in order.

        It has this value where all items have it, or where one has that is not neutral. An item is looked at only
        where those before it are neutral, or at least not the opposite.
        """
        found = []
        for item in items:
            found.append(self._lowered(item, known, value))
            if value == neutral or self.surely(item, known):
                known = known.assume(item, neutral)
        return conj(*found) if value == neutral else disj(*found)

    def _chosen(self, cond: Node, known: FactSet, then: Node, orelse: Node) -> Node:
        """One condition or another, as a third one says, which has to be defined."""
        inside = known.assume_defined(cond)
        return conj(self.defined(cond, known), choice(self.holds(cond, inside), self.fails(cond, inside), then, orelse))

    def _quantified(self, node: Quantifier, known: FactSet, value: bool) -> Node:
        """``all`` holds when it holds for all and fails when it fails for any; ``any`` the other way round."""
        inside = known.assume_defined(node.over)
        body = self._lowered(node.body, inside.within(node), value)
        every = (node.kind == "all") == value
        found: Node = Quantifier("all" if every else "any", node.var, self.iterable(node.over, inside), body)
        if isinstance(body, Bool):  # only whether there is an element matters
            length = Compare("==" if every else ">", self._call(Call("len", (node.over,)), inside), Int(0))
            found = Bool(every) if every == body.value else length
        return conj(self.defined(node.over, known), found)

    def _atom(self, node: Node, known: FactSet, value: bool) -> Node:
        """A strict predicate: its guards, and itself or its negation."""
        inside = known.assume_defined(node)
        truth = inside.truth(node)
        found: Node
        if truth in (ALWAYS, NEVER):
            found = Bool((truth == ALWAYS) == value)
        elif isinstance(node, Compare):
            found = self._compare(node, inside, value)
        elif (
            isinstance(node, Name)
            and (meaning := self._let(node, known)) is not None
            and not self.surely(meaning, known)
        ):
            return self._lowered(meaning, known, value)
        else:
            found = self.value(node, inside)
            found = found if value else negation(found)
        return conj(self.defined(node, known), found)

    def _compare(self, node: Compare, known: FactSet, value: bool) -> Node:
        """A comparison, or its negation, with the constant on the right."""
        left, op, right = node.left, node.op, node.right
        if isinstance(left, _LITERALS) and not isinstance(right, _LITERALS) and op in FLIPPED:
            left, op, right = right, FLIPPED[op], left
        if isinstance(right, Bool) and op in ("==", "!="):
            found = self.value(left, known)
            return found if ((op == "==") == right.value) == value else negation(found)
        if isinstance(right, ListOf) and len(right.items) == 1 and op in ("in", "not in"):
            op, right = ("==" if op == "in" else "!="), right.items[0]
        sides = self.value(left, known), self.value(right, known)
        integers = known.scope.kind(node.left) == "int" and known.scope.kind(node.right) in ("int", "ints")
        if not value and op in ("<", "<=", ">", ">=") and not integers:
            return Not(Compare(op, *sides))  # a NaN is neither less nor "not less"
        return Compare(op if value else NEGATED[op], *sides)

    def defined(self, node: Node, known: FactSet) -> Node:
        """The condition that a node has a value."""
        return known.remembered(
            ("defined", node), lambda: conj(*(condition for condition, _ in self.steps(node, known)))
        )

    def surely(self, node: Node, known: FactSet) -> bool:
        """Whether a node has a value for sure."""
        return known.remembered(
            ("surely", node), lambda: all(condition == TRUE for condition, _ in self.steps(node, known))
        )

    def steps(self, node: Node, known: FactSet) -> Iterator[tuple[Node, FactSet]]:
        """The conditions under which a node has a value, one after the other, each with what is known before it.

        The last one always holds, so that what is known before it is what is known of a node that has a value.
        """
        for guard in guards(node, known.scope):
            if isinstance(guard, Partial):
                yield self._partly(guard.node, known), known
                arm = self._needed(guard.node, known)
                known = known.assume_defined(guard.node)
                known = known if arm is None else known.assume_defined(arm)
            elif not known.proves(guard):
                yield self.holds(guard, known), known
                known = known.assume(guard)
        yield TRUE, known

    def _partly(self, node: Node, known: FactSet) -> Node:
        """The condition under which something that is not strict has a value."""
        match node:
            case And(items=items) | Or(items=items) if self._all_defined(items, known, isinstance(node, And)):
                return TRUE
            case IfElse(cond=cond, then=then, orelse=orelse):
                if (arm := self._needed(node, known)) is not None:
                    return conj(self.defined(arm, known), self._partly(node, known.assume_defined(arm)))
                both: list[Node] = []
                for guard in shared(node, known.scope):
                    if not known.proves(guard):
                        both.append(self.holds(guard, known))
                        known = known.assume(guard)
                arms = self.defined(then, known.assume(cond)), self.defined(orelse, known.assume(cond, False))
                return conj(*both, self._chosen(cond, known, *arms))
            case InRows(params=(name,)):
                return self.membership.defined(name, known)
            case Quantifier(over=over, body=body) if self.surely(body, known.assume_defined(over).within(node)):
                return self.defined(over, known)
            case Each(over=over, body=body):
                inside = known.assume_defined(over)
                element = inside.within(node)
                needs = [guard for guard in strict(body, element.scope) or () if not element.proves(guard)]
                if needs and inside.proves(Quantifier("all", node.var, over, conj(*needs))):
                    return self.defined(over, known)
                every = self.defined(body, element)
                found: Node = Quantifier("all", node.var, self.iterable(over, inside), every)
                if node.var not in names(every):  # the same for each element
                    found = disj(self.fails(_has_elements(over), inside), every)
                return conj(self.defined(over, known), TRUE if every == TRUE else found)
        return disj(self.holds(node, known), self.fails(node, known))

    def _needed(self, node: Node, known: FactSet) -> Node | None:
        """The arm that has a value wherever the conditional has: choosing the other arm ensures that too."""
        if isinstance(node, IfElse):
            for arm, value in ((node.orelse, True), (node.then, False)):
                if (
                    not self.surely(arm, known)
                    and self.surely(arm, known.assume(node.cond, value))
                    and self.surely(arm, known.assume_defined(arm))
                ):
                    return arm
        return None

    def _all_defined(self, items: tuple[Node, ...], known: FactSet, value: bool) -> bool:
        for item in items:
            if not self.surely(item, known):
                return False
            known = known.assume(item, value)
        return True

    def value(self, node: Node, known: FactSet) -> Node:
        """The value of a node that has one where this is known."""
        match node:
            case Str() | Int() | Float():
                return node
            case Symbol(kind=kind, name=name):
                return self.constants.add(name, Member(kind, name))
            case Name():
                meaning = self._let(node, known)
                return node if meaning is None else let(node.id, self.value(meaning, known))
            case ListOf(items=items):
                return ListOf(tuple(self.value(item, known) for item in items))
            case Negate(operand=operand):
                return Negate(self.value(operand, known))
            case Arith(op="+") if known.scope.kind(node) not in ("int", "float"):
                return ListOf(tuple(self._spread(node, known)))
            case Arith(op=op, left=left, right=right):
                return Arith(op, self.value(left, known), self.value(right, known))
            case IfElse(cond=cond, then=then, orelse=orelse) if known.scope.kind(node) != "bool":
                chosen = self.holds(cond, known)
                if isinstance(chosen, Bool):
                    return self.value(then if chosen.value else orelse, known)
                yes, no = self.trust(then, known.assume(cond)), self.trust(orelse, known.assume(cond, False))
                return IfElse(chosen, self.value(then, yes), self.value(orelse, no))
            case Index(base=base, index=index):
                return Index(self.value(base, known), self._index(index, Call("len", (base,)), known))
            case Each():
                return Call("tuple", (self.iterable(node, known),))
            case Call(func="max" | "min", args=(_, _)):
                one, other = node.args
                first = known.truth(Compare(">=" if node.func == "max" else "<=", one, other))
                if first in (ALWAYS, NEVER):
                    return self.value(one if first == ALWAYS else other, known)
                return self._call(node, known)
            case Call():
                return self._call(node, known)
            case _:
                return self.holds(node, known)

    def _let(self, node: Name, known: FactSet) -> Node | None:
        return None if node.id in known.scope.variables else known.scope.lets.get(node.id)

    def trust(self, node: Node, known: FactSet) -> FactSet:
        """What is known where a node has a value for reasons that a static type checker cannot follow."""
        inside = known.assume_defined(node)
        if inside is not known:
            pointers = (name for name in self.scope.params if self.scope.may_be_null(name))
            self.untyped |= {
                name
                for name in pointers
                if not known.proves(not_null(Name(name))) and inside.proves(not_null(Name(name)))
            }
        return inside

    def iterable(self, node: Node, known: FactSet) -> Node:
        """A list that is only walked through: neither a range nor what is made of each element becomes a tuple."""
        match node:
            case Each(var=var, over=over, body=body):
                inside = known.assume_defined(over)
                made = self.value(body, self.trust(body, inside.within(node)))
                return Each(var, self.iterable(over, inside), made)
            case Call(func="range", args=(start, stop)):
                limits = (stop,) if start == Int(0) else (start, stop)
                return Call("range", tuple(self.value(limit, known) for limit in limits))
            case _:
                return self.value(node, known)

    def _spread(self, node: Node, known: FactSet) -> Iterator[Node]:
        """The elements of a list, for a tuple that joins it to another."""
        match node:
            case ListOf(items=items):
                yield from (self.value(item, known) for item in items)
            case Arith(op="+", left=left, right=right):
                yield from (*self._spread(left, known), *self._spread(right, known))
            case _:
                yield Call("*", (self.iterable(node, known),))

    def _call(self, node: Call, known: FactSet) -> Node:
        """A function of the language by what Python has for it."""
        if node.func == "fits_int64":
            return Call(node.func, tuple(self._tensors(known)))
        first, *others = node.args
        match node.func:
            case "sum" if isinstance(first, Each):
                return Call("sum", (self.iterable(first, known),))
            case "range":
                if isinstance(first, Int) and isinstance(others[0], Int) and others[0].value <= first.value:
                    return ListOf(())
                return Call("tuple", (self.iterable(node, known),))
            case "is_null":
                return Compare("is", first, NONE) if isinstance(first, Name) else FALSE
            case func if func == IS_THERE:
                return Compare("is not", self.value(first, known), NONE)
            case "promote" | "promotable" if known.scope.kind(first) == "tensor":
                dtypes = (Call("dtype", (self.value(arg, known),)) for arg in node.args)
                return Call(f"{node.func}_scalar", tuple(dtypes))
            case "rank" | "numel" | "is_empty" | "dim":
                return self._of_shape(node, Call("shape", (self.value(first, known),)), known)
            case "slice":
                length = Call("len", (first,))
                whole = known.scope.expand(others[1]) == known.scope.expand(length)
                stop = NONE if whole else self._index(others[1], length, known)
                return Call("slice", (self.value(first, known), self._index(others[0], length, known), stop))
        return Call(node.func, tuple(self.value(arg, known) for arg in node.args))

    def _tensors(self, known: FactSet) -> Iterator[Node]:
        """The tensors of a call, those of lists among them."""
        for param in known.scope.params.values():
            if param.type == "tensor":
                yield Name(param.name)
            elif param.type == "tensor_list":
                yield Call("*", (Or((Name(param.name), ListOf(()))),))

    def _of_shape(self, node: Call, shape: Node, known: FactSet) -> Node:
        match node.func:
            case "is_empty":
                return Compare("in", Int(0), shape)
            case "dim":
                return Index(shape, self._index(node.args[1], Call("rank", node.args[:1]), known))
            case func:
                return Call("len" if func == "rank" else "prod", (shape,))

    def _index(self, index: Node, length: Node, known: FactSet) -> Node:
        """An index; one that counts from the end is written as Python does."""
        match index:
            case Arith(op="-", left=whole, right=Int(value=value)) if value > 0:
                if known.scope.expand(whole) == known.scope.expand(length):
                    return Int(-value)
        return self.value(index, known)


def _has_elements(values: Node) -> Node:
    return Compare(">", Call("len", (values,)), Int(0))


def _range_of(node: And) -> tuple[Node, Node, Node] | None:
    """The three sides of ``low <= x <= high``, as which two comparisons with a common side were written."""
    match node.items:
        case (Compare(op="<" | "<=", left=low, right=x), Compare(op="<" | "<=", left=y, right=high)) if x == y:
            return low, x, high
        case _:
            return None


def _with_ranges(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """The items of a longer ``and``, two that make a range as one."""
    found: list[Node] = []
    for item in items:
        pair = And((found[-1], item)) if found and len(items) > 2 else None
        if pair is not None and _range_of(pair) is not None:
            found[-1] = pair
        else:
            found.append(item)
    return tuple(found)
