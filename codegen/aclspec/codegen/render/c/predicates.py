"""Predicates as nodes of the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from aclspec.codegen.render.c.tables import NONE, NodeRow, Tables
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.functions import FUNCTIONS
from aclspec.runtime.language.nodes import Node
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo
from aclspec.runtime.rules.template import Placeholder, Template, read_template

NUMBERS: Final = {name: at for at, name in enumerate(FUNCTIONS)}
"""The functions by their numbers in C."""
_ARITHMETIC: Final = {"+": "ADD", "-": "SUBTRACT", "*": "MULTIPLY", "//": "DIVIDE", "%": "MODULO"}
_COMPARISONS: Final = {
    "==": ("EQUAL", False, False),
    "!=": ("EQUAL", False, True),
    "<": ("LESS", False, False),
    ">": ("LESS", True, False),
    "<=": ("AT_MOST", False, False),
    ">=": ("AT_MOST", True, False),
    "in": ("IN", False, False),
    "not in": ("IN", False, True),
}
"""The operation of a comparison, whether its sides are swapped, and whether it is negated."""
_NEGATABLE: Final = frozenset({"OP_EQUAL", "OP_LESS", "OP_AT_MOST", "OP_IN", "OP_IN_SET", "OP_IS_NULL"})
"""The operations that a bit negates, so that "not" needs no node of its own."""
TYPES: Final = (
    "tensor",
    "tensors",
    "scalar",
    "scalars",
    "ints",
    "bools",
    "floats",
    "string",
    "bool",
    "int",
    "natural",
    "float",
    "dtype",
)
"""The types of parameters by their numbers in C."""


def type_name(param: ParamInfo) -> str:
    """The type of a parameter, as C names it."""
    kind = PARAM_TYPES[param.type]
    return "natural" if kind.is_integer and kind.high >= 2**63 else kind.predicate


@dataclass(frozen=True, slots=True)
class Predicates:
    """Encodes the predicates of one operator; ``levels`` are the numbers of the bound variables in scope."""

    tables: Tables
    info: OperatorInfo
    bases: Mapping[str, int]
    levels: Mapping[str, int] = field(default_factory=dict)
    depth: int = 0
    lets: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Tables, info: OperatorInfo) -> Predicates:
        """For the predicates of an operator, outside of every binder.

        A let has the same node wherever it is used, so its variables have numbers that no use of it has in scope:
        those behind the variables of rules and of the lets that come after it.
        """
        bases: dict[str, int] = {}
        next_level = max(map(_binders, _roots(info)), default=0)
        for let in reversed(info.lets):
            bases[let.name] = next_level
            next_level += _binders(let.value)
        return cls(tables, info, bases)

    def inside(self, variable: str) -> Predicates:
        """The same below the binder of a variable."""
        levels = {**self.levels, variable: self.depth}
        return Predicates(self.tables, self.info, self.bases, levels, self.depth + 1, self.lets)

    def node(self, node: Node | None) -> int:
        """The index of a predicate."""
        if node is None:
            return NONE
        index = self._encoded(node)
        self.tables.texts.setdefault(index, unparse(node))
        return index

    def param(self, name: str) -> int:
        """The number of a parameter."""
        return next(at for at, param in enumerate(self.info.params) if param.name == name)

    def children(self, nodes: tuple[Node, ...]) -> int:
        """The place of some predicates among the children."""
        return self.tables.children.add([self.node(one) for one in nodes])

    def _add(self, op: str, a: int = 0, b: int = 0, c: int = 0, kind: str = "0") -> int:
        return self.tables.nodes.add(NodeRow(f"OP_{op}", kind, a, b, c))

    def _encoded(self, node: Node) -> int:
        match node:
            case ast.Int(value=value):
                return self._number(value, "INT")
            case ast.Bool(value=value):
                return self._number(int(value), "BOOL")
            case ast.Float(value=value):
                return self._add("REAL", self.tables.reals.add(_real(value)))
            case ast.Str(value=value):
                return self._add("TEXT", self.tables.strings.add(value))
            case ast.Symbol(kind=kind, name=name):
                return self._number(_member(kind, name), kind.upper())
            case ast.Name(id=name):
                return self._name(name)
            case ast.And(items=items):
                return self._add("AND", self.children(items), len(items))
            case ast.Or(items=items):
                return self._add("OR", self.children(items), len(items))
            case ast.Not(operand=operand):
                return self._negated(self.node(operand))
            case ast.Compare():
                return self._comparison(node)
            case ast.ListOf(items=items):
                return self._add("LIST", self.children(items), len(items))
            case ast.Negate(operand=operand):
                return self._add("NEGATE", self.node(operand))
            case ast.Arith(op=op, left=left, right=right):
                name = "JOIN" if self._is_list(left) else _ARITHMETIC[op]
                return self._add(name, self.node(left), self.node(right))
            case ast.IfElse(cond=cond, then=then, orelse=orelse):
                return self._add("IF", self.node(cond), self.node(then), self.node(orelse))
            case ast.Index(base=base, index=index):
                return self._add("INDEX", self.node(base), self.node(index))
            case ast.Quantifier(kind=kind, var=var, over=over, body=body):
                return self._add(kind.upper(), self.node(over), self.inside(var).node(body), self.depth)
            case ast.Each(var=var, over=over, body=body):
                return self._add("EACH", self.node(over), self.inside(var).node(body), self.depth)
            case ast.InRows(params=params):
                return self._add("IN_ROWS", self.tables.children.add(list(map(self.param, params))), len(params))
            case ast.Call(func=func, args=args):
                return self._call(func, args)

    def _number(self, value: int, kind: str) -> int:
        return self._add("NUMBER", self.tables.numbers.add(value), kind=kind)

    def _name(self, name: str) -> int:
        if name in self.levels:
            return self._add("VARIABLE", self.levels[name])
        let = next((let for let in self.info.lets if let.name == name), None)
        if let is None:
            at = self.param(name)
            return self._add("PARAM", at, TYPES.index(type_name(self.info.params[at])))
        if name not in self.lets:
            found = Predicates(self.tables, self.info, self.bases, {}, self.bases[name], self.lets).node(let.value)
            # A sentence shows a let as one value, also where its value is a term.
            self.lets[name] = self._add("SAME", found) if isinstance(let.value, ast.Arith | ast.Negate) else found
        return self.lets[name]

    def _negated(self, node: int) -> int:
        row = self.tables.nodes.values[node]
        if row.op in _NEGATABLE:
            return self.tables.nodes.add(row._replace(negated=not row.negated))
        return row.a if row.op == "OP_NOT" else self._add("NOT", node)

    def _comparison(self, node: ast.Compare) -> int:
        op, swapped, negated = _COMPARISONS[node.op]
        left, right = (node.right, node.left) if swapped else (node.left, node.right)
        numbers = _numbers(right) if op == "IN" else None
        if numbers is not None:
            found = self._add("IN_SET", self.node(left), self.tables.sets.add([sum(1 << one for one in numbers)]))
        else:
            kind = "INT" if op != "IN" and self._is_integer(left) and self._is_integer(right) else "0"
            found = self._add(op, self.node(left), self.node(right), kind=kind)
        return self._negated(found) if negated else found

    def _call(self, func: str, args: tuple[Node, ...]) -> int:
        if func == "fits_int64":
            return self._add("FITS_INT64")
        if func == "is_null" and isinstance(args[0], ast.Name):
            name = args[0].id
            if name in self.levels:
                return self._add("IS_NULL", self.levels[name], NONE)
            if all(let.name != name for let in self.info.lets):
                at = self.param(name)
                return self._add("IS_NULL", at, TYPES.index(type_name(self.info.params[at])))
        if len(args) == 1 and isinstance(args[0], ast.Name):
            row = self.tables.nodes.values[self.node(args[0])]
            if row.op == "OP_PARAM":
                return self._add("FACT", row.a, row.b, NUMBERS[func])
        return self._add("CALL", self.children(args), len(args), NUMBERS[func])

    def _is_integer(self, node: Node) -> bool:
        """Whether a side of a comparison is an integer, a dtype or a format by what stands there."""
        match node:
            case ast.Int() | ast.Symbol():
                return True
            case ast.Arith(op=op, left=left):
                return op != "+" or not self._is_list(left)
            case ast.Call(func=func):
                return all(one.result in ("int", "dtype", "format") for one in FUNCTIONS[func])
            case ast.IfElse(then=then, orelse=orelse):
                return self._is_integer(then) and self._is_integer(orelse)
            case ast.Negate(operand=operand):
                return self._is_integer(operand)
            case ast.Name(id=name) if name not in self.levels:
                let = next((let for let in self.info.lets if let.name == name), None)
                kind = PARAM_TYPES[self.info.param(name).type].predicate if let is None else let.type
                return kind in ("int", "dtype")
        return False

    def _is_list(self, node: Node) -> bool:
        """Whether a side of + is a list."""
        match node:
            case ast.ListOf() | ast.Each():
                return True
            case ast.Arith(left=left):
                return self._is_list(left)
            case ast.IfElse(then=then):
                return self._is_list(then)
            case ast.Call(func=func):
                return FUNCTIONS[func][0].result.endswith("s")
            case ast.Name(id=name) if name not in self.levels:
                let = next((let for let in self.info.lets if let.name == name), None)
                if let is not None:
                    return self._is_list(let.value)
                return PARAM_TYPES[self.info.param(name).type].predicate in ("ints", "bools", "floats")
        return False


def _roots(info: OperatorInfo) -> Iterator[Node | Template]:
    """The predicates and the sentences of an operator."""
    for rule in info.rules:
        yield from (node for node in (rule.when, rule.require) if node is not None)
        if rule.failure is not None:
            yield from (read_template(text) for text in (rule.failure.en, rule.failure.zh))
    for param in info.params:
        yield from (node for node in (param.checked, param.required) if node is not None)


def _binders(root: Node | Template) -> int:
    """How many variables stand inside each other at most, those of lets left out."""
    if isinstance(root, tuple):
        return max((_in_part(part) for part in root if not isinstance(part, str)), default=0)
    inner = [_binders(child) for child in ast.children(root)]
    if isinstance(root, ast.Quantifier | ast.Each):
        return max(inner[0], inner[1] + 1)
    return max(inner, default=0)


def _in_part(part: Placeholder) -> int:
    nodes = max((_binders(node) for node in part.nodes if node is not None), default=0)
    return max(nodes, max(map(_binders, part.texts), default=0) + (part.kind == "@"))


def _numbers(node: Node) -> frozenset[int] | None:
    """The elements of a list of numbers between 0 and 63; None where it is another one."""
    if not isinstance(node, ast.ListOf) or not node.items:
        return None
    found = set()
    for item in node.items:
        if isinstance(item, ast.Symbol):
            found.add(_member(item.kind, item.name))
        elif isinstance(item, ast.Int):
            found.add(item.value)
        else:
            return None
    return frozenset(found) if all(0 <= one < 64 for one in found) else None


def _member(kind: str, name: str) -> int:
    """The number of a dtype or a format."""
    return int(DType[name] if kind == "dtype" else Format[name])


def _real(number: float) -> str:
    """A double as C writes it."""
    text = repr(number)
    return {"inf": "__builtin_inf()", "-inf": "-__builtin_inf()", "nan": '__builtin_nan("")'}.get(text, text)


def nodes_below(tables: Tables, index: int) -> Iterator[int]:
    """The nodes that one needs, those of the parameters of rows of dtypes left out."""
    row = tables.nodes.values[index]
    match row.op.removeprefix("OP_"):
        case "AND" | "OR" | "LIST" | "CALL":
            yield from tables.children.values[row.a : row.a + row.b]
        case "NOT" | "IN_SET" | "SAME" | "NEGATE":
            yield row.a
        case "EQUAL" | "LESS" | "AT_MOST" | "IN" | "ADD" | "SUBTRACT" | "MULTIPLY" | "DIVIDE" | "MODULO" | "JOIN":
            yield from (row.a, row.b)
        case "ALL" | "ANY" | "EACH" | "INDEX":
            yield from (row.a, row.b)
        case "IF":
            yield from (row.a, row.b, row.c)
