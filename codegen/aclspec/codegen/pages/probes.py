"""What the checks of an operator say about one tensor alone, by product and mode: dtypes, ranks, formats, layout.

Every rule is evaluated on calls with this tensor alone known, up to a shortcut that this tensor alone takes. A
rule that fails then fails whatever the rest of the call is, unless another tensor ends the checks before it, so that
nothing here can contradict the checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import Node, names
from aclspec.runtime.rules.interpreter import INFERRED, UNDEFINED, Environment, evaluate_node
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo, ParamInfo, RuleInfo
from aclspec.runtime.search.changes import strided
from aclspec.runtime.search.space import DTYPES, Target, applies
from aclspec.runtime.tensors.tensor import Tensor

RANKS = range(9)
_SIZES = (2, 1, 3, 16, 32, 64, 128)
_FORMATS = ("ND", "NCL", "NCHW", "NCDHW", "NHWC", "FRACTAL_NZ")
_PLAIN: tuple[str, int, int, str | None] = ("FLOAT", 2, 2, None)


@dataclass(frozen=True, slots=True)
class Facets:
    """What a product takes of one tensor in one mode; ``formats`` go by rank."""

    dtypes: frozenset[str]
    ranks: frozenset[int]
    formats: tuple[tuple[int, frozenset[str]], ...]
    empty: bool
    noncontiguous: bool


class Probes:
    """The facets of the tensors of one operator, each set of rules asked once."""

    def __init__(self, info: OperatorInfo) -> None:
        """Let outputs be looked at whether or not a call wants them."""
        self.info = replace(info, params=tuple(replace(param, checked=None) for param in info.params))
        self.checked = {param.name: param.checked or param.required for param in info.params}
        self.known: dict[Any, Facets | None] = {}

    def facets(self, param: ParamInfo, product: str, mode: Mode) -> Facets | None:
        """What may be given; None where no tensor of any kind is taken."""
        rows = tuple(row for row in self.info.rows if product in row.products and mode in row.modes)
        rules = [rule for rule in self.rules[param.name] if applies(rule, Target(product, mode))]
        key = (param.name, rows, tuple(rule.id for rule in rules))
        if key not in self.known:
            self.known[key] = _Probe(self.info, param, rules, self._given(param), product, mode).facets()
        return self.known[key]

    @cached_property
    def rules(self) -> dict[str, list[RuleInfo]]:
        """The rules and shortcuts that look at each parameter, also by way of lets."""
        lets = {let.name: let.value for let in self.info.lets}

        def reached(node: Node | None) -> frozenset[str]:
            direct = frozenset() if node is None else names(node)
            return direct.union(*(reached(lets[name]) for name in direct if name in lets))

        checks = [
            rule
            for rule in self.info.rules
            if rule.kind == "shortcut" or (rule.require is not None and rule.outcome == "error")
        ]
        seen = {rule.id: reached(rule.require) | reached(rule.when) for rule in checks}
        return {param.name: [rule for rule in checks if param.name in seen[rule.id]] for param in self.info.params}

    def _given(self, param: ParamInfo) -> dict[str, object]:
        """The arguments of an example that make the operator look at an output, such as a mask; else none."""
        condition = self.checked[param.name]
        wanted = frozenset() if condition is None else names(condition)
        for example in self.info.examples if wanted else ():
            given: dict[str, object] = {name: value for name, value in example.inputs if name in wanted}
            env = Environment(self.info, _unknown(self.info) | given, self.info.products[0][0], "document")
            if condition is not None and evaluate_node(condition, env) is True:
                return given
        return {}


def _unknown(info: OperatorInfo) -> dict[str, object]:
    """Unknown arguments: no number, and no pointer, which is null at most where it is optional."""
    unknown = {param.name: UNDEFINED if param.optional else INFERRED for param in info.params}
    return {param.name: unknown[param.name] if PARAM_TYPES[param.type].pointer else None for param in info.params}


@dataclass(frozen=True)
class _Probe:
    """One tensor of one operator under some rules."""

    info: OperatorInfo
    param: ParamInfo
    rules: list[RuleInfo]
    given: dict[str, object]
    product: str
    mode: Mode

    def facets(self) -> Facets | None:
        base = next(self._bases(), None)
        if base is None:
            return None
        dtype, rank, size, _ = base
        formats = tuple((r, frozenset(self._formats(dtype, r))) for r in RANKS)
        ranks = frozenset(r for r, found in formats if found)
        return Facets(
            frozenset(one for one in DTYPES if self._takes((one, rank, size, base[3]))),
            ranks,
            tuple((r, found) for r, found in formats if found),
            any(self._takes_empty(dtype, r, dict(formats)[r]) for r in ranks),
            any(self._takes_strided(dtype, r, dict(formats)[r]) for r in ranks),
        )

    def _bases(self) -> Iterator[tuple[str, int, int, str | None]]:
        """Tensors that are taken, usual ones first."""
        listed = [dtype for row in self.info.rows for dtype in dict(row.cells).get(self.param.name, ())]
        ranks = sorted(RANKS, key=lambda rank: (not self.param.rank[0] <= rank <= self.param.rank[1], abs(rank - 2)))
        dtypes = dict.fromkeys([*listed, "FLOAT", "INT32", "INT64", "BOOL"])
        for tensor in (
            (dtype, rank, size, name)
            for name in (None, *self._names)
            for dtype in dtypes
            for rank in ranks
            for size in _SIZES
        ):
            if self._takes(tensor):
                yield tensor

    @property
    def _names(self) -> Iterable[str]:
        """The formats to ask about: all that the operator names, and the usual ones."""
        declared = [name for param in self.info.params for _, found in param.formats for name in found]
        return dict.fromkeys([*declared, *_FORMATS])

    def _formats(self, dtype: str, rank: int) -> Iterator[str]:
        for name in self._names:
            if any(self._takes((dtype, rank, size, name)) for size in _SIZES):
                yield name

    def _takes_empty(self, dtype: str, rank: int, formats: frozenset[str]) -> bool:
        return any(
            self._accepts(Tensor(tuple(0 if axis == at else size for axis in range(rank)), DType[dtype], Format[name]))
            for name in formats
            for at in range(rank)
            for size in _SIZES[:5]
        )

    def _takes_strided(self, dtype: str, rank: int, formats: frozenset[str]) -> bool:
        """A view of every second element along the last axis; also with one element along one of the others."""
        shapes = [
            tuple(1 if axis == short else size for axis in range(rank))
            for size in _SIZES
            for short in (None, *range(rank - 1))
            if rank and size > 1
        ]
        return any(
            self._accepts(Tensor(shape, DType[dtype], Format[name], strided(shape)))
            for name in formats
            for shape in shapes
        )

    def _takes(self, tensor: tuple[str, int, int, str | None]) -> bool:
        dtype, rank, size, name = tensor
        return self._accepts(Tensor((size,) * rank, DType[dtype], None if name is None else Format[name]))

    def _accepts(self, tensor: Tensor) -> bool:
        """Whether no rule fails, whatever the rest of the call is; of a list, where it is alone or twice."""
        is_list = PARAM_TYPES[self.param.type].predicate == "tensors"
        return any(map(self._accepts_value, [(tensor, tensor), (tensor,)] if is_list else [tensor]))

    def _accepts_value(self, value: object) -> bool:
        call = {**_unknown(self.info), **self.given, self.param.name: value}
        env = Environment(self.info, call, self.product, self.mode)
        for rule in self.rules:
            applies = rule.when is None or env.value(rule.when) is True
            if applies and rule.kind == "shortcut":
                return True
            if applies and rule.require is not None and env.value(rule.require) is False:
                return False
        return True


__all__ = ["DTYPES", "RANKS", "Facets", "Probes"]
