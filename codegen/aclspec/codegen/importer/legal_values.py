"""The dtypes, ranks and formats of a parameter that a spec allows in the mode document, whichever rules say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from math import prod

from aclspec.codegen.importer.demands import Demand
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import (
    Call,
    Compare,
    Each,
    Index,
    InRows,
    Int,
    Name,
    Node,
    Quantifier,
    children,
    names,
)
from aclspec.runtime.rules.interpreter import Environment
from aclspec.runtime.rules.operator_info import NULL, OperatorInfo
from aclspec.runtime.search.call import ScalarMeta
from aclspec.runtime.tensors.tensor import Tensor

MOST_DIMENSIONS = 8
_MOST_COMBINATIONS = 20_000
_LISTS = ("tensor_list", "scalar_list")


def is_about(node: Node, *functions: str) -> bool:
    """Whether a predicate asks nothing of its tensors but these functions, such as the dtype of each."""
    match node:
        case InRows():
            return "dtype" in functions
        case Call(func=func, args=(Name() | Index(base=Name(), index=Int(value=0)),)) if func in functions:
            return True
        case Call(func="is_null"):
            return False
        case Quantifier(var=var, over=Name(), body=body) | Each(var=var, over=Name(), body=body):
            return is_about(body, *functions) and bool(var)
        case Name() | Index():
            return False
    return all(is_about(child, *functions) for child in children(node))


def subjects(demand: Demand) -> frozenset[str]:
    """The parameters that a demand is about."""
    return names(demand.require) | (frozenset() if demand.when is None else names(demand.when))


@dataclass(frozen=True)
class Legal:
    """What the demands of a spec leave to single parameters, and to pairs of them, on a product."""

    info: OperatorInfo
    product: str
    demands: Sequence[Demand]

    @cached_property
    def _unguarded(self) -> OperatorInfo:
        """The operator whose dtype rows look at every parameter, since calls of single arguments say no more."""
        return replace(self.info, params=tuple(replace(param, checked=None) for param in self.info.params))

    def kind(self, name: str) -> str:
        """The type of a parameter."""
        return self.info.param(name).type

    def of_one(self, functions: Sequence[str]) -> dict[str, list[Demand]]:
        """The demands about nothing but these functions of one tensor, by its name; a list's own elements aside."""
        found: dict[str, list[Demand]] = {}
        for demand in self.demands:
            named = subjects(demand)
            if len(named) == 1 and is_about_all(demand, *functions) and not has_index(demand):
                found.setdefault(next(iter(named)), []).append(demand)
        return found

    def ranks(self, name: str) -> tuple[int, ...]:
        """The legal numbers of dimensions."""
        said = self.of_one(("rank",)).get(name, ())
        return tuple(
            rank for rank in range(MOST_DIMENSIONS + 1) if self._passes(said, {name: self._tensor(name, rank=rank)})
        )

    def formats(self, name: str, seen: bool = False) -> frozenset[str]:
        """The legal formats, over all legal ranks; one that must equal another is limited as that one is."""
        said = [*self.of_one(("rank", "format")).get(name, ())]
        ranks = self.ranks(name)
        own = frozenset(
            one.name
            for one in Format
            if any(self._passes(said, {name: self._tensor(name, rank=rank, format=one.name)}) for rank in ranks)
        )
        for demand in self.demands if not seen else ():
            match demand.require:
                case Compare(op="==", left=Call("format", (Name(id=one),)), right=Call("format", (Name(id=other),))):
                    if demand.when is None and name in (one, other):
                        own &= self.formats(other if name == one else one, True)
        return own

    def dtypes(self) -> dict[str, frozenset[str]]:
        """The legal dtypes of each parameter that has some in the rows."""
        found: dict[str, set[str]] = {}
        for row in self._rows():
            for name, cell in row.items():
                found.setdefault(name, set()).update(dtype for dtype in cell if dtype != NULL)
        said = self.of_one(("dtype",))
        return {
            name: frozenset(one for one in listed if self._passes(said.get(name, ()), {name: self._value(name, one)}))
            for name, listed in found.items()
        }

    def _rows(self) -> Iterator[Mapping[str, tuple[str, ...]]]:
        return (row.table for row in self.info.rows if self.product in row.products and "document" in row.modes)

    def pairs(
        self, names_: Iterable[str], dtypes: Mapping[str, frozenset[str]]
    ) -> dict[tuple[str, str], frozenset[str]]:
        """For each two parameters the legal pairs of these dtypes, ``FLOAT+BF16``, where a rule couples them."""
        said, found = self._about_dtypes(), {}
        for one, other in combinations(names_, 2):
            coupling = list(_projected(said, one, other))
            found[one, other] = frozenset(
                f"{left}+{right}"
                for left, right in product(sorted(dtypes.get(one, ())), sorted(dtypes.get(other, ())))
                if self._passes(coupling, {one: self._value(one, left), other: self._value(other, right)})
            )
        return found

    def implies(self, demand: Demand, dtypes: Mapping[str, frozenset[str]]) -> bool:
        """Whether no legal dtypes of a few parameters break a demand about dtypes."""
        involved = sorted(subjects(demand))
        cells = [sorted(dtypes.get(name, ())) for name in involved]
        if (
            not is_about_all(demand, "dtype")
            or has_index(demand)
            or not 0 < prod(map(len, cells)) <= _MOST_COMBINATIONS
        ):
            return False
        coupling = [one for pair in combinations(involved, 2) for one in _projected(self._about_dtypes(), *pair)]
        coupling += [one for one in self._about_dtypes() if len(subjects(one)) > 2 and subjects(one) <= set(involved)]
        calls = (
            {name: self._value(name, one) for name, one in zip(involved, row, strict=True)} for row in product(*cells)
        )
        return all(self._passes([demand], call) for call in calls if self._passes(coupling, call))

    def _about_dtypes(self) -> list[Demand]:
        return [demand for demand in self.demands if is_about_all(demand, "dtype")]

    def _tensor(self, name: str, rank: int = 1, format: str = "ND", dtype: str = "FLOAT") -> object:
        tensor = Tensor(shape=(2,) * rank, dtype=dtype, format=format)
        return (tensor,) if self.kind(name) in _LISTS else tensor

    def _value(self, name: str, dtype: str) -> object:
        if PARAM_TYPES[self.kind(name)].key.startswith("scalar"):
            scalar = ScalarMeta(1, dtype)
            return (scalar,) if self.kind(name) in _LISTS else scalar
        return self._tensor(name, dtype=dtype)

    def _passes(self, said: Iterable[Demand], call: Mapping[str, object]) -> bool:
        """Whether none of the demands is false for these arguments."""
        env = Environment(self._unguarded, call, self.product, "document")
        return not any(
            (demand.when is None or env.value(demand.when) is True) and env.value(demand.require) is False
            for demand in said
        )


def is_about_all(demand: Demand, *functions: str) -> bool:
    """Whether requirement and guard ask for nothing but these functions."""
    return is_about(demand.require, *functions) and (demand.when is None or is_about(demand.when, *functions))


def has_index(demand: Demand) -> bool:
    """Whether a demand tells the elements of a list apart."""
    return any(map(_has_index, (demand.require, *([demand.when] if demand.when is not None else []))))


def _has_index(node: Node) -> bool:
    return isinstance(node, Index) or any(map(_has_index, children(node)))


def _projected(said: Iterable[Demand], one: str, other: str) -> Iterator[Demand]:
    """The demands about two parameters; of a look into the rows for more of them, what it says of these two."""
    for demand in said:
        match demand.require:
            case InRows(params=params) if {one, other} <= set(params):
                if demand.when is None or names(demand.when) <= {one, other}:
                    yield Demand(demand.rule, InRows((one, other)), demand.when)
            case _ if subjects(demand) == {one, other}:
                yield demand
