"""What the names in a predicate are: parameters, lets, variables; their types, and their names in Python."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from aclspec.codegen.emit.dtype_rows import Place, RowData
from aclspec.runtime.language.functions import NULLABLE
from aclspec.runtime.language.nodes import Call, Each, Index, Int, Name, Negate, Node, Quantifier, children, rebuild
from aclspec.runtime.language.types import Checker
from aclspec.runtime.rules.operator_info import MODES, OperatorInfo, ParamInfo, types_of

_BUILTINS = "abs all any dict float frozenset int len max min range str sum tuple"
_MODULE = """
    Any DType Executor Format NamedTuple OPERATOR Operator Out Param Status TYPE_CHECKING Tensor TensorLike Verdict
    check function_of infer library math precision product shapes
"""
RESERVED = frozenset((_BUILTINS + _MODULE).split())
"""Names that a generated module uses, so that nothing of a spec may have them there."""


@dataclass(frozen=True)
class Scope:
    """The names of one operator, and the types of the variables of the quantifiers around a node.

    ``universe`` is every product there is; the spec of an operator lists some of them.
    """

    info: OperatorInfo
    universe: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    kinds: dict[Node, str] = field(default_factory=dict, init=False, compare=False, repr=False)
    expanded: dict[Node, Node] = field(default_factory=dict, init=False, compare=False, repr=False)
    guarded: dict[Node, tuple[Any, ...]] = field(default_factory=dict, init=False, compare=False, repr=False)
    elements: dict[str, int] = field(default_factory=dict, init=False, compare=False, repr=False)
    inner: dict[tuple[str, str], Scope] = field(default_factory=dict, init=False, compare=False, repr=False)
    outer: Scope | None = field(default=None, compare=False, repr=False)

    @cached_property
    def places(self) -> frozenset[Place]:
        """Every pair of mode and product."""
        return frozenset((mode, product) for mode in MODES for product in self.universe)

    @cached_property
    def lets(self) -> Mapping[str, Node]:
        """The value of each let."""
        return {let.name: let.value for let in self.info.lets}

    @cached_property
    def params(self) -> Mapping[str, ParamInfo]:
        """The parameters by their names."""
        return {param.name: param for param in self.info.params}

    @cached_property
    def rows(self) -> RowData:
        """The dtype rows."""
        return RowData(self.info, self.universe) if self.outer is None else self.outer.rows

    @cached_property
    def types(self) -> Mapping[str, str]:
        """The predicate type of each parameter, let and variable."""
        return {**types_of(self.info), **self.variables}

    def kind(self, node: Node) -> str:
        """The predicate type of a node."""
        found = self.kinds.get(node)
        if found is None:
            found = self.kinds[node] = Checker(self.types).type_of(node, dict(self.types)) or "bool"
        return found

    def bind(self, var: str, kind: str) -> Scope:
        """The scope inside a quantifier."""
        if (var, kind) not in self.inner:
            self.inner[var, kind] = replace(self, variables={**self.variables, var: kind}, outer=self)
        return self.inner[var, kind]

    def is_param(self, name: str) -> bool:
        """Whether the name is a parameter here."""
        return name in self.params and name not in self.variables

    def may_be_null(self, name: str) -> bool:
        """Whether the name stands for a pointer: a parameter, or an element of a list of tensors."""
        if self.is_param(name):
            return self.types[name] in NULLABLE
        return self.variables.get(name) in ("tensor", "scalar")

    def expand(self, node: Node) -> Node:
        """The node with every let replaced by its value, and spelled one way where the language has two."""
        if isinstance(node, Name):
            value = None if node.id in self.variables else self.lets.get(node.id)
            return node if value is None else self.expand(value)
        found = self.expanded.get(node)
        if found is None:
            found = self.expanded[node] = self._expanded(node)
        return found

    def _expanded(self, node: Node) -> Node:
        match rebuild(node, self.expand):
            case Call(func="len", args=(Call(func="shape", args=(tensor,)),)):
                return Call("rank", (tensor,))
            case Index(base=Call(func="shape", args=(tensor,)), index=index):
                return Call("dim", (tensor, index))
            case Negate(operand=Int(value=number)):
                return Int(-number)
            case other:
                return other


def identifier(name: str) -> str:
    """A C name in generated code: itself, with an underscore where Python or the module uses it already."""
    return f"{name}_" if keyword.iskeyword(name) or name in RESERVED else name


def taken(info: OperatorInfo) -> frozenset[str]:
    """The names that no local of a generated function may have: those of the module, parameters and variables."""
    nodes = [node for rule in info.rules for node in (rule.require, rule.when)]
    nodes += [node for entry in info.infer for node in (entry.shape, entry.dtype, entry.format)]
    nodes += [node for row in info.compute.precision for node in (row.when, *(value for _, value in row.entries))]
    nodes += [node for param in info.params for node in (param.required, param.checked)]
    nodes += [let.value for let in info.lets]
    params = {identifier(param.name) for param in info.params}
    return RESERVED | params | frozenset(_variables(node for node in nodes if node is not None))


def _variables(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Quantifier | Each):
            yield identifier(node.var)
        yield from _variables(children(node))
