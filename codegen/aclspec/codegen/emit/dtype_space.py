"""What dtypes and nulls alone decide of a predicate: it is evaluated for every combination that may be at hand.

Terms that tell of other things are unknown. A set of combinations is an integer with a bit for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import product as cartesian
from math import prod
from typing import Any, Final, NamedTuple, TypeAlias

from aclspec.codegen.analysis.facts import EITHER, TRUE, Facts, Truth, possible
from aclspec.codegen.analysis.terms import conditionals, replaced
from aclspec.codegen.emit.dtype_rows import Place, RowData
from aclspec.codegen.emit.lowered import IS_BOUNDED, IS_INT64, IS_THERE
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.language.evaluation import Frame
from aclspec.runtime.language.nodes import (
    Call,
    Compare,
    Each,
    IfElse,
    Index,
    InRows,
    Int,
    Name,
    Node,
    Not,
    Quantifier,
    names,
    rebuild,
)
from aclspec.runtime.language.values import UNDEFINED
from aclspec.runtime.rules.interpreter import evaluator_of
from aclspec.runtime.rules.operator_info import NULL, OperatorInfo, names_null
from aclspec.runtime.search.call import ScalarMeta, TensorMeta
from aclspec.runtime.search.space import DTYPES, Space

_MOST: Final = 3_000
"""A predicate is not evaluated for more combinations."""
_TOGETHER: Final = 3
"""So many parameters are looked at beside a predicate's own."""
_UNKNOWN: Final = Name("?")
_LISTS: Final = ("tensors", "scalars")
_EMPTY: Final = "empty"
"""Stands for a list without elements, which every row allows."""
_OF_SIZES: Final = frozenset({IS_THERE, IS_BOUNDED, IS_INT64, "fits_int64"})
"""Functions that the language has no row of: of guards, and of its own rule."""
_OF_DTYPES: Final = frozenset({"dtype", "promote", "promotable", "is_null"})


class _Values(NamedTuple):
    """The combinations for which a predicate is true, false, and undefined or unknown."""

    true: int
    false: int
    unknown: int


_Part: TypeAlias = tuple[Node, tuple[str, ...]]
"""A predicate with all that is not a dtype replaced by an unknown, and the parameters that are left in it."""
_Told: TypeAlias = tuple[
    Mapping[tuple[str, ...], Mapping[Node, None]], Mapping[tuple[str, ...], Mapping[tuple[Node, Node], None]]
]
"""Such predicates, and pairs of a premise and what follows from it, by their parameters."""


class _Combinations:
    """Every combination of the dtypes and nulls of some parameters, whether or not a row holds it."""

    def __init__(self, space: Space, domains: Mapping[str, tuple[str, ...]]) -> None:
        self.compiler = evaluator_of(space.info)
        self.every = list(cartesian(*domains.values()))
        self.params = tuple(domains)
        self.names = frozenset(domains)
        places = [space.index[name] for name in domains]
        self.frames = []
        for dtypes in self.every:
            call: list[Any] = [None] * len(space.names)
            for place, dtype in zip(places, dtypes, strict=True):
                call[place] = _value(space.kinds[place], dtype)
            self.frames.append(Frame(tuple(call)))
        self.found: dict[Node, _Values] = {}
        self._having: dict[tuple[str, str], int] = {}

    def values(self, node: Node) -> _Values:
        """For which combinations a predicate has which value."""
        if node not in self.found:
            code = self.compiler.code(node)
            sets = {True: 0, False: 0, UNDEFINED: 0}
            for at, frame in enumerate(self.frames):
                sets[code(frame)] |= 1 << at
            self.found[node] = _Values(sets[True], sets[False], sets[UNDEFINED])
        return self.found[node]

    def having(self, name: str, dtype: str) -> int:
        """The combinations with this dtype of a parameter."""
        if (name, dtype) not in self._having:
            place = self.params.index(name)
            found = sum(1 << at for at, dtypes in enumerate(self.every) if dtypes[place] == dtype)
            self._having[name, dtype] = found
        return self._having[name, dtype]

    def within(self, rows: list[dict[str, tuple[str, ...]]], params: frozenset[str]) -> int:
        """The combinations of which a row holds the dtypes of some parameters, and the nulls that rows tell of."""

        def cell(row: dict[str, tuple[str, ...]], name: str) -> tuple[str, ...] | None:
            found = row.get(name) if name in params else None
            free = () if len(params) > 1 and names_null(name, rows) else (NULL,)
            return None if found is None else (*found, *free, _EMPTY)

        cells = {tuple(cell(row, name) for name in self.params): None for row in rows}
        held = [[(at, set(one)) for at, one in enumerate(row) if one is not None] for row in cells]
        return sum(
            1 << at
            for at, dtypes in enumerate(self.every)
            if any(all(dtypes[place] in one for place, one in row) for row in held)
        )


class DtypeSpace:
    """The dtypes that the parameters of one operator can have together."""

    def __init__(self, info: OperatorInfo, rows: RowData, checked: Mapping[str, Node]) -> None:
        """``checked``: for parameters whose dtype is not always looked at, the condition under which it is.

        ``given`` collects the parameters that were found not to be null, which no static type checker can follow.
        """
        self.info, self.rows, self.checked = info, rows, checked
        self.given: set[str] = set()
        self.space = Space(info)
        self._tables: dict[tuple[str, ...], _Combinations | None] = {}
        self._parts: dict[Node, _Part] = {}
        self._rows: dict[Any, int] = {}
        self._alike = {
            place: next(one for one in rows.rows if rows.rows[one] == rows.rows[place]) for place in rows.rows
        }

    def params(self, node: Node) -> tuple[str, ...]:
        """The parameters whose dtypes a predicate depends on."""
        return self._dtypes_in(node)[1]

    def truth(self, node: Node, places: frozenset[Place], facts: Facts) -> Truth:
        """The values that a predicate, with lets expanded, can have where it is defined and some facts hold.

        Where its own parameters leave it open, those that the facts speak of are looked at too, each and all together.
        """
        part, params = self._dtypes_in(node)
        if not params or not places <= self.rows.places:
            return EITHER
        found = self._truth(part, params, places, facts)
        others = [name for name in self._spoken_of(facts) if name not in params] if found == EITHER else []
        for more in (*((name,) for name in others), others[:_TOGETHER]):
            if found == EITHER and more:
                found = self._truth(part, (*params, *more), places, facts)
        match node:
            case Not(operand=Call(func="is_null", args=(Name(id=name),))) if found == TRUE:
                self.given.add(name)
        return found

    def _spoken_of(self, facts: Facts) -> tuple[str, ...]:
        """The parameters of whose dtypes some fact tells more than the rows do."""
        found = {name for params in self._told(facts)[0] for name in params}
        return tuple(name for name in self.space.names if name in found)

    def _told(self, facts: Facts) -> _Told:
        """The facts and the implications that tell of dtypes, each by the parameters that are left in it."""
        if "told" not in facts.memo:
            parts: dict[tuple[str, ...], dict[Node, None]] = defaultdict(dict)
            for part, params in map(self._dtypes_in, facts.true):
                parts[params][part] = None
            pairs: dict[tuple[str, ...], dict[tuple[Node, Node], None]] = defaultdict(dict)
            for premise, conclusion in facts.implications:
                (one, its), (other, others) = self._dtypes_in(premise), self._dtypes_in(conclusion)
                if its and others:
                    pairs[tuple(dict.fromkeys((*its, *others)))][one, other] = None
            parts.pop((), None)
            facts.memo["told"] = parts, pairs
        found: _Told = facts.memo["told"]
        return found

    def _truth(self, part: Node, params: tuple[str, ...], places: frozenset[Place], facts: Facts) -> Truth:
        table = self._table(params)
        if table is None or not self._known_in(facts).issuperset(params):
            return EITHER
        left = self._left(table, places, facts)
        found = table.values(part)
        if found.unknown & left:
            choice = next((term for term in conditionals(part) if isinstance(term, IfElse)), None)
            if choice is None:
                return EITHER
            arms = (replaced(part, choice, arm) for arm in (choice.then, choice.orelse))
            return frozenset().union(*(self._truth(one, params, places, facts) for one in arms))
        return frozenset(value for value, those in ((True, found.true), (False, found.false)) if those & left)

    def _left(self, table: _Combinations, places: frozenset[Place], facts: Facts) -> int:
        """The combinations that the rows of some place hold, and that contradict no fact."""
        key = (table.params, places)
        if key not in facts.memo:
            known = frozenset(name for name in table.params if self._is_looked_at(name, facts))
            joint = {params & known for params in self._joint(facts)}
            held = 0
            for place in {self._alike[place] for place in places}:
                inside = -1
                for params in joint:
                    inside &= self._held(table, place, params)
                held |= inside
            for name in table.params:
                if (
                    self._kind(name) in _LISTS
                    and possible(Compare(">", Call("len", (Name(name),)), Int(0)), facts) == TRUE
                ):
                    held &= ~table.having(name, _EMPTY)
            told, implied = self._told(facts)
            for nodes in (nodes for params, nodes in told.items() if table.names.issuperset(params)):
                for node in nodes:
                    held &= ~table.values(node).false
            for pairs in (pairs for params, pairs in implied.items() if table.names.issuperset(params)):
                for premise, node in pairs:
                    held &= ~(table.values(premise).true & table.values(node).false)
            facts.memo[key] = held
        left: int = facts.memo[key]
        return left

    def _joint(self, facts: Facts) -> list[frozenset[str]]:
        """The parameters that some row holds together."""
        if "joint" not in facts.memo:
            sets = {frozenset(node.params) for node in facts.true if isinstance(node, InRows)}
            legal = {name for name in frozenset().union(*sets) if self._is_legal(name, facts)}
            facts.memo["joint"] = [params for params in sets if params <= legal]
        found: list[frozenset[str]] = facts.memo["joint"]
        return found

    def _held(self, table: _Combinations, place: Place, params: frozenset[str]) -> int:
        key = (table.params, place, params)
        if key not in self._rows:
            self._rows[key] = table.within(self.rows.rows[place], params)
        return self._rows[key]

    def _known_in(self, facts: Facts) -> frozenset[str]:
        """The parameters whose dtype may be any, or is one that some row allows."""
        if "known" not in facts.memo:
            facts.memo["known"] = frozenset(
                name
                for name in self.space.names
                if self._kind(name) == "dtype" or (self._is_legal(name, facts) and self._is_looked_at(name, facts))
            )
        found: frozenset[str] = facts.memo["known"]
        return found

    def _is_legal(self, name: str, facts: Facts) -> bool:
        """Whether a rule has let a parameter's dtype pass; of a list with a null among its tensors no rule tells."""
        is_whole = self._kind(name) not in _LISTS or Call(IS_THERE, (Name(name),)) in facts.true
        return InRows((name,)) in facts.true and is_whole

    def _is_looked_at(self, name: str, facts: Facts) -> bool:
        return name not in self.checked or possible(self.checked[name], facts) == TRUE

    def _table(self, params: tuple[str, ...]) -> _Combinations | None:
        """The combinations for some parameters; None where there are too many."""
        if params not in self._tables:
            domains = {name: self._domain(name) for name in params}
            few = prod(map(len, domains.values())) <= _MOST
            self._tables[params] = _Combinations(self.space, domains) if few else None
        return self._tables[params]

    def _domain(self, name: str) -> tuple[str, ...]:
        """Every dtype that some row of some place allows a parameter, or that an attribute may name, and null."""
        if self._kind(name) == "dtype":
            return tuple(dtype.name for dtype in DType)
        unnamed = any(name not in row.table for row in self.info.rows)
        others = (NULL, _EMPTY) if self._kind(name) in _LISTS else (NULL,)
        return tuple(dict.fromkeys((*(DTYPES if unnamed else self.space.legal_dtypes(name)), *others)))

    def _dtypes_in(self, node: Node) -> _Part:
        if node not in self._parts:
            part = self._known(node)
            named = names(part)
            self._parts[node] = part, tuple(name for name in self.space.names if name in named)
        return self._parts[node]

    def _known(self, node: Node) -> Node:
        match node:
            case Quantifier() | Each() | InRows() | Index():
                return _UNKNOWN
            case Call(func=func) if func in _OF_SIZES:
                return _UNKNOWN
            case Call(func=func, args=args) if func in _OF_DTYPES:
                return Call(func, tuple(one if self._has_dtype(one) else self._known(one) for one in args))
            case Name(id=name) if name not in self.space.index or self._kind(name) != "dtype":
                return _UNKNOWN
        return rebuild(node, self._known)

    def _has_dtype(self, node: Node) -> bool:
        """Whether this is a tensor, a scalar, a list of them, or the first of a list."""
        match node:
            case Name(id=name) if name in self.space.index:
                return self._kind(name) in ("tensor", "scalar", *_LISTS)
            case Index(base=Name(id=name), index=Int(value=0)) if name in self.space.index:
                return self._kind(name) in _LISTS
        return False

    def _kind(self, name: str) -> str:
        return self.space.kinds[self.space.index[name]]


def _value(kind: str, dtype: str) -> Any:
    """An argument of a dtype, or null, or an empty list."""
    if dtype == NULL:
        return None
    if dtype == _EMPTY:
        return ()
    if kind == "dtype":
        return dtype
    value = TensorMeta((), dtype, "ND") if kind in ("tensor", "tensors") else ScalarMeta(1.0, dtype)
    return (value,) if kind in _LISTS else value
