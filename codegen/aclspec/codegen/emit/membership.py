"""Membership in the joint dtype rows, lowered to look-ups in tables made beforehand.

A parameter alone: its dtype is among those that some row allows it. Several together: a row holds them all; that is
checked only for dtypes that are each legal alone, so a column in which all rows agree drops out, and rows that say no
more than "all the same dtype" become comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, TypeAlias

from aclspec.codegen.emit.constants import LIBRARY, ByProduct, Cells, Column, Constants, Joint
from aclspec.codegen.emit.dtype_rows import Place
from aclspec.codegen.emit.fact_set import FactSet
from aclspec.codegen.emit.lowered import FALSE, NONE, TRUE, Lookup, conj, disj, negation
from aclspec.codegen.emit.scope import Scope
from aclspec.runtime.language.functions import ELEMENTS
from aclspec.runtime.language.nodes import And, Call, Compare, Each, IfElse, InRows, ListOf, Name, Node, Quantifier
from aclspec.runtime.rules.operator_info import MODES

Lower: TypeAlias = Callable[[Node, FactSet], Node]
"""Lowers a node where facts are known."""


class Membership:
    """Lowers questions about the dtype rows of one operator."""

    def __init__(self, scope: Scope, constants: Constants, holds: Lower, defined: Lower) -> None:
        """``holds`` and ``defined`` lower the guards of parameters."""
        self.scope, self.constants = scope, constants
        self._holds, self._defined = holds, defined
        self.rows = self.scope.rows

    def holds(self, params: tuple[str, ...], known: FactSet) -> Node:
        """The dtypes of the parameters stand in one row."""
        inside, arguments = self._arguments(params, known)
        if not arguments:
            return FALSE
        joint = negation(self._separate(arguments, inside)) if len(params) > 1 else TRUE
        return conj(self._exist(known), self._some(params, arguments, known), *self._single(arguments, inside), joint)

    def fails(self, params: tuple[str, ...], known: FactSet) -> Node:
        """A dtype is in no row; of several, each is in some row, but all together are in none."""
        inside, arguments = self._arguments(params, known)
        if not arguments:
            return FALSE
        if len(params) == 1:
            ((name, present),) = arguments.items()
            whole = self._without_nulls({name: TRUE}, inside)
            return conj(self._exist(known), present, *whole, negation(self._member(name, inside)))
        separate = self._separate(arguments, inside)
        return conj(self._exist(known), *self._single(arguments, inside), separate)

    def defined(self, name: str, known: FactSet) -> Node:
        """The question about one parameter has an answer."""
        inside, arguments = self._arguments((name,), known)
        if not arguments:
            return FALSE
        return conj(self._exist(known), arguments[name], *self._without_nulls({name: TRUE}, inside))

    def _arguments(self, params: tuple[str, ...], known: FactSet) -> tuple[FactSet, dict[str, Node]]:
        """What is known at the places that have rows, and for each parameter when the rows look at it."""
        inside = known.restrict(self.rows.places)
        found: dict[str, Node] = {}
        for name in params:
            checked = self.scope.params[name].checked
            condition = TRUE if checked is None or inside.proves(checked) else self._holds(checked, inside)
            there = inside if checked is None else inside.assume(checked)
            present = conj(condition, self._defined(Name(name), there))
            if present != FALSE:
                found[name] = present
        return inside, found

    def _exist(self, known: FactSet) -> Node:
        return self.constants.where(self.rows.places, known.places)

    def _single(self, arguments: Mapping[str, Node], known: FactSet) -> list[Node]:
        """Each parameter is absent, or legal by itself; nothing to ask where a rule has made sure of that."""
        found = self._without_nulls(arguments, known)
        for name, present in arguments.items():
            checked = self.scope.params[name].checked
            inside = known.assume_defined(Name(name))
            if not (inside if checked is None else inside.assume(checked)).proves(InRows((name,))):
                found.append(disj(negation(present), self._member(name, known)))
        return found

    def _without_nulls(self, arguments: Mapping[str, Node], known: FactSet) -> list[Node]:
        """No list of tensors has a null in it, which would leave the whole question without an answer."""
        return [
            disj(FALSE if present == TRUE else negation(present), Compare("not in", NONE, Name(name)))
            for name, present in arguments.items()
            if self._is_list(name) and not known.assume_defined(Name(name)).has_no_null(Name(name))
        ]

    def _member(self, name: str, known: FactSet) -> Node:
        """The parameter's own dtype is among those that some row allows it."""
        column = {place: self.rows.column(place, name) for place in self.rows.rows}
        if all(column.get(place) is None for place in known.places):
            return TRUE
        same_columns = self.rows.same_columns(name)
        general = same_columns == self.rows.columns
        hint = "dtypes" if general else f"{self.scope.params[same_columns[0]].snake}_dtypes"
        whose = "a parameter" if general else _listed(same_columns)
        if self._is_list(name) and any(self.rows.distinguishes(place, name) for place in known.places):
            cells = {place: self.rows.cells(place, (name,)) for place in self.rows.rows}
            comment = f"The dtypes that each row allows {whose}"
            table = self._table(f"{hint}_cells", cells, known, Cells, comment)
            return Call("in_some_row", (ListOf((self._dtypes_of(name),)), table))
        table = self._table(hint, column, known, Column, f"The dtypes that some row allows {whose}")
        if self._is_list(name):
            return Quantifier("all", "item", Name(name), Compare("in", Call("dtype", (Name("item"),)), table))
        return Compare("in", self._dtype(name), table)

    def _separate(self, arguments: Mapping[str, Node], known: FactSet) -> Node:
        """No row holds the dtypes of all that are there, each of them being legal alone."""
        names = [name for name in arguments if any(self.rows.distinguishes(place, name) for place in known.places)]
        optional = [name for name in names if arguments[name] != TRUE]
        single = not any(map(self._is_list, names))
        if len(names) < 2:
            return FALSE
        if single and len(optional) < len(names) and all(self.rows.only_equal(p, names) for p in known.places):
            return self._unequal(names, arguments)
        comment = f"The rows of dtypes for {_listed(names)}"
        sets = {place: self.rows.combinations(place, names, optional) for place in self.rows.rows}
        if single and None not in sets.values():
            key = ListOf(tuple(_if_present(self._dtype(name), arguments[name], NONE) for name in names))
            return Compare("not in", key, self._table("rows", sets, known, Joint, comment))
        cells = {place: self.rows.cells(place, names) for place in self.rows.rows}
        table = self._table("rows", cells, known, Cells, comment)
        nullable = self.rows.nullable(names)
        absent = {name: ListOf((NONE,) if name in nullable else ()) for name in names}
        dtypes = ListOf(tuple(_if_present(self._dtypes_of(name), arguments[name], absent[name]) for name in names))
        return negation(Call("in_some_row", (dtypes, table)))

    def _some(self, params: tuple[str, ...], arguments: Mapping[str, Node], known: FactSet) -> Node:
        """Whether there is a dtype to look up, or a null that only some rows allow."""
        rows = self.rows
        nulls = frozenset(place for place in rows.rows if any(rows.names_null(place, name) for name in arguments))
        by_null = self.constants.where(nulls, known.places) if nulls and len(params) > 1 else FALSE
        return disj(*arguments.values(), by_null)

    def _unequal(self, names: list[str], arguments: Mapping[str, Node]) -> Node:
        """The dtypes are not all the same: those of the parameters that are always there, or of another one."""
        always = [self._dtype(name) for name in names if arguments[name] == TRUE]
        others = [name for name in names if arguments[name] != TRUE]
        equal = tuple(Compare("==", one, other) for one, other in pairwise(always))
        unequal = FALSE if not equal else negation(equal[0]) if len(equal) == 1 else negation(And(equal))
        return disj(unequal, *(conj(arguments[name], Compare("!=", self._dtype(name), always[0])) for name in others))

    def _table(
        self,
        hint: str,
        content: Mapping[Place, Any],
        known: FactSet,
        kind: Callable[[Any], Column | Joint | Cells],
        comment: str,
    ) -> Node:
        """What a table holds for the product and the mode at hand, by the simplest look-up that is known to do.

        It has the products that may be at hand, or all that have rows where such a table exists already.
        """
        if len(set(content.values())) == 1:
            return self.constants.add(hint, kind(next(iter(content.values()))), f"{comment}.")
        by_mode = {mode: {p: found for (m, p), found in content.items() if m == mode} for mode in MODES}
        merged = {**by_mode["library"], **by_mode["document"]}
        modes = {mode for mode, _ in known.places & content.keys()}

        where = self.rows.places

        def add(name: str, found: Mapping[str, Any]) -> str:
            nonlocal where
            items = tuple((product, kind(found[product])) for product in self.scope.universe if product in found)
            if not self.constants.holds(ByProduct(items)):
                reached = {product for _, product in known.places}
                items = tuple((product, held) for product, held in items if product in reached)
                where = frozenset(place for place in where if place[1] in reached)
            return self.constants.add(name, ByProduct(items), f"{comment}, by product.").id

        if all(merged[product] == found for (_, product), found in content.items()):
            table = add(hint, merged)
        elif len(modes) == 1:
            (mode,) = modes
            table = add(f"{hint}_{mode}", by_mode[mode])
            held = {product for product in by_mode[mode] if (mode, product) in where}
            where = frozenset((other, product) for other in MODES for product in held)
        else:
            library, document = (add(f"{hint}_{mode}", by_mode[mode]) for mode in reversed(MODES))
            table = f"({library} if {LIBRARY.id} else {document})"
        return Lookup(f"{table}[product]", hint=hint, where=where)

    def _is_list(self, name: str) -> bool:
        return self.scope.types[name] in ELEMENTS

    def _dtype(self, name: str) -> Node:
        return Name(name) if self.scope.types[name] == "dtype" else Call("dtype", (Name(name),))

    def _dtypes_of(self, name: str) -> Node:
        if self._is_list(name):
            return Call("tuple", (Each("item", Name(name), Call("dtype", (Name("item"),))),))
        return ListOf((self._dtype(name),))


def _if_present(item: Node, present: Node, absent: Node) -> Node:
    return item if present == TRUE else IfElse(present, item, absent)


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
