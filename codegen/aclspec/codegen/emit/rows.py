"""Membership in the joint dtype rows, compiled to look-ups in tables made beforehand.

A parameter alone: its dtype is among those that some row allows it. Several together: a row holds them all; that is
asked only of dtypes that are each legal alone, so a column in which all rows agree drops out, and rows that say no
more than "all the same dtype" become comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.guards import not_null
from aclspec.codegen.emit.logic import conj, disj, negation, opposite
from aclspec.codegen.emit.pretty import Literal
from aclspec.codegen.emit.python import (
    FALSE,
    TRUE,
    Bracket,
    Chain,
    Fill,
    Level,
    Py,
    Shared,
    Ternary,
    Text,
    compare,
    walk,
)
from aclspec.codegen.emit.rowdata import RowData
from aclspec.codegen.emit.scope import Place, Scope, identifier
from aclspec.codegen.emit.tables import LIBRARY, Tables, by_product, dtype_cells, dtype_rows, dtype_tuple, kept
from aclspec.codegen.emit.values import tuple_of
from aclspec.runtime.info import MODES, RowInfo
from aclspec.runtime.predicate.functions import ELEMENTS
from aclspec.runtime.predicate.nodes import Each, InRows, Name

if TYPE_CHECKING:
    from aclspec.codegen.emit.conditions import Conditions


class Rows:
    """Compiles questions about the dtype rows of one operator."""

    def __init__(self, scope: Scope, given: tuple[RowInfo, ...]) -> None:
        """The rows that an operator has ``given``."""
        self.scope, self.tables, self.data = scope, Tables(scope.universe), RowData(scope, given)

    def holds(self, params: tuple[str, ...], facts: Facts, conditions: Conditions) -> Py:
        """The dtypes of the parameters stand in one row."""
        known, given = self._given(params, facts, conditions)
        if not given:
            return FALSE
        some = disj(*given.values())
        alone = [self._legal(name, present, known) for name, present in given.items()]
        whole = self._whole(given, known)
        joint = opposite(self._apart(given, known)) if len(params) > 1 else TRUE
        return conj(self._has_rows(facts), some, whole, *alone, joint)

    def fails(self, params: tuple[str, ...], facts: Facts, conditions: Conditions) -> Py:
        """A dtype is in no row; of several, each is in some row, but all together are in none."""
        known, given = self._given(params, facts, conditions)
        if not given:
            return FALSE
        if len(params) == 1:
            ((name, present),) = given.items()
            whole = self._whole({name: TRUE}, known)
            return conj(self._has_rows(facts), present, whole, opposite(self._member(name, known)))
        apart = self._apart(given, known)
        if apart == FALSE:
            return FALSE
        alone = [self._legal(name, present, known) for name, present in given.items()]
        return conj(self._has_rows(facts), self._whole(given, known), *alone, apart)

    def _given(self, params: tuple[str, ...], facts: Facts, conditions: Conditions) -> tuple[Facts, dict[str, Py]]:
        """The facts at the places that have rows, and for each parameter the condition that the rows look at it."""
        known = facts.restrict(self.data.places)
        found: dict[str, Py] = {}
        for name in params:
            checked = self.scope.info.param(name).checked
            asked = TRUE if checked is None or known.proves(checked) else conditions.holds(checked, known)
            inside = known if checked is None else known.assume(checked)
            present = conj(asked, conditions.defined(Name(name), inside))
            if present != FALSE:
                found[name] = present
        return known, found

    def _has_rows(self, facts: Facts) -> Py:
        return self.tables.where(self.data.places, facts.places, "dtypes")

    def _whole(self, given: Mapping[str, Py], facts: Facts) -> Py:
        """No list of tensors has a null in it, which would leave the whole question without an answer."""
        lists = (
            (name, present)
            for name, present in given.items()
            if self.scope.types[name] in ELEMENTS and not _has_no_null(name, facts)
        )
        return conj(
            *(
                disj(FALSE if there == TRUE else opposite(there), compare(Text("None"), "not in", self._text(name)))
                for name, there in lists
            )
        )

    def _legal(self, name: str, present: Py, facts: Facts) -> Py:
        """The parameter is absent, or some row allows its dtype; nothing to ask where a rule has made sure of that."""
        checked = self.scope.info.param(name).checked
        inside = facts.assume_defined(Name(name))
        if (inside if checked is None else inside.assume(checked)).proves(InRows((name,))):
            return TRUE
        return disj(opposite(present), self._member(name, facts))

    def _member(self, name: str, facts: Facts) -> Py:
        """The parameter's own dtype is among those that some row allows it."""
        column = {place: self.data.column(place, name) for place in self.data.rows}
        if all(column.get(place) is None for place in facts.places):
            return TRUE
        alike = self.data.alike(name)
        general = alike == self.data.columns
        hint = "dtypes" if general else f"{self.scope.info.param(alike[0]).snake}_dtypes"
        whose = "a parameter" if general else _listed(alike)
        mixed = self.scope.types[name] in ELEMENTS and any(self.data.distinguishes(p, name) for p in facts.places)
        if mixed:
            cells = {place: self.data.cells(place, (name,)) for place in self.data.rows}
            table = self._table(f"{hint}_cells", cells, facts, dtype_cells, f"The dtypes that each row allows {whose}")
            return Bracket("shapes.in_some_row(", (tuple_of([self._dtypes_of(name)]), table))
        table = self._table(hint, column, facts, dtype_tuple, f"The dtypes that some row allows {whose}")
        if self.scope.types[name] in ELEMENTS:
            return walk("all(", "item", compare(Text("item.dtype"), "in", table), self._text(name))
        return compare(self._dtype(name), "in", table)

    def _apart(self, given: Mapping[str, Py], facts: Facts) -> Py:
        """No row holds the dtypes of all that are given, each of them being legal alone."""
        names = [name for name in given if any(self.data.distinguishes(place, name) for place in facts.places)]
        optional = [name for name in names if given[name] != TRUE]
        single = not any(self.scope.types[name] in ELEMENTS for name in names)
        if len(names) < 2:
            return FALSE
        if single and len(optional) < len(names) and all(self.data.only_equal(p, names) for p in facts.places):
            return self._unequal(names, given)
        comment = f"The rows of dtypes for {_listed(names)}"
        sets = {place: self.data.combinations(place, names, optional) for place in self.data.rows}
        if single and None not in sets.values():
            key = tuple_of([_if_given(self._dtype(name), given[name], "None") for name in names])
            return compare(key, "not in", self._table("rows", sets, facts, dtype_rows, comment))
        table = self._table(
            "rows", {place: self.data.cells(place, names) for place in self.data.rows}, facts, dtype_cells, comment
        )
        dtypes = tuple_of([_if_given(self._dtypes_of(name), given[name], "()") for name in names])
        return negation(Bracket("shapes.in_some_row(", (dtypes, table)))

    def _unequal(self, names: list[str], given: Mapping[str, Py]) -> Py:
        """The dtypes are not all the same: those of the parameters that are always given, or of another one."""
        always = [self._dtype(name) for name in names if given[name] == TRUE]
        others = [name for name in names if given[name] != TRUE]
        same = Chain(("==",) * (len(always) - 1), tuple(always), Level.COMPARE)
        return disj(
            opposite(same) if len(always) > 1 else FALSE,
            *(conj(given[name], compare(self._dtype(name), "!=", always[0])) for name in others),
        )

    def _table(
        self, hint: str, content: Mapping[Place, Any], facts: Facts, literal: Callable[[Any], Literal], comment: str
    ) -> Py:
        """What a table holds for the product and the mode at hand, by the simplest look-up that these facts allow."""
        if len(set(content.values())) == 1:
            return kept(hint, f"{comment}.", literal(next(iter(content.values()))))
        by_mode = {mode: {p: found for (m, p), found in content.items() if m == mode} for mode in MODES}
        merged = {**by_mode["library"], **by_mode["document"]}
        modes = {mode for mode, _ in facts.places & content.keys()}

        def add(name: str, found: Mapping[str, Any]) -> Py:
            items = {product: literal(found[product]) for product in self.scope.universe if product in found}
            return kept(name, f"{comment}, by product.", by_product(items))

        table: Py
        where = self.data.places
        if all(merged[product] == found for (_, product), found in content.items()):
            table = add(hint, merged)
        elif len(modes) == 1:
            (mode,) = modes
            table = add(f"{hint}_{mode}", by_mode[mode])
            where = frozenset((other, product) for other in MODES for product in by_mode[mode])
        else:
            table = Ternary(LIBRARY, *(add(f"{hint}_{mode}", by_mode[mode]) for mode in reversed(MODES)))
        row = Fill("{0.}[product]", (table,))
        return Shared(("row", row), hint, row, where=where)

    def _text(self, name: str) -> Py:
        return Text(identifier(name))

    def _dtype(self, name: str) -> Py:
        return self._text(name) if self.scope.types[name] == "dtype" else Fill("{0.}.dtype", (self._text(name),))

    def _dtypes_of(self, name: str) -> Py:
        if self.scope.types[name] in ELEMENTS:
            return walk("tuple(", "item", Text("item.dtype"), self._text(name))
        return tuple_of([self._dtype(name)])


def _has_no_null(name: str, facts: Facts) -> bool:
    """Whether a rule before has shown that no element of a list is null."""
    elements = Each("item", Name(name), Name("item"))
    return facts.assume_defined(Name(name)).within(elements).proves(not_null(Name("item")))


def _if_given(item: Py, present: Py, absent: str) -> Py:
    return item if present == TRUE else Ternary(present, item, Text(absent))


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
