"""The value of one node of a predicate in one call.

Values are Python's own; `UNDEFINED` spreads through everything strict, and only ``and``, ``or``, ``all`` and ``any``
can decide past it (Kleene).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from aclspec.runtime.info import Mode, OperatorInfo, ParamInfo
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.library import IMPLEMENTATIONS
from aclspec.runtime.predicate.nodes import (
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
)
from aclspec.runtime.predicate.values import INFERRED, UNDEFINED, Undefined, dtypes_of, plain, shape_of, symbol

Row: TypeAlias = Mapping[str, tuple[str, ...]]
LONG: Final = 64  # elements of an array that no operator takes, and a caller may give all the same
_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}
_ARITH: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": lambda left, right: UNDEFINED if right == 0 else left // right,
    "%": lambda left, right: UNDEFINED if right == 0 else left % right,
}


@dataclass(frozen=True, slots=True)
class Environment:
    """What the names of a predicate stand for: the arguments of a call, the lets, and the variables in scope."""

    info: OperatorInfo
    call: Mapping[str, object]
    product: str
    mode: Mode
    variables: Mapping[str, object] = field(default_factory=dict)
    _known: dict[str, object] = field(default_factory=dict, repr=False, compare=False)
    _said: dict[Node, object] = field(default_factory=dict, repr=False, compare=False)
    _rows: list[Row] = field(default_factory=list, repr=False, compare=False)

    def bind(self, variable: str, value: object) -> Environment:
        """The same call with one more variable."""
        variables = {**self.variables, variable: value}
        return Environment(
            self.info, self.call, self.product, self.mode, variables, self._known, self._said, self._rows
        )

    def said(self, node: Node) -> object:
        """The value of a whole predicate outside of every quantifier, worked out once a call."""
        if node not in self._said:
            self._said[node] = evaluate_node(node, self)
        return self._said[node]

    def lookup(self, name: str) -> object:
        """The value of a name; None for a null parameter, `INFERRED` for an output that the caller left out."""
        if name in self.variables:
            return self.variables[name]
        if name not in self._known:
            self._known[name] = self._found(name)
        return self._known[name]

    def _found(self, name: str) -> object:
        """The value of a let, computed once a call and never under a quantifier's variables, or of an argument."""
        for let in self.info.lets:
            if let.name == name:
                return evaluate_node(let.value, replace(self, variables={}))
        value = plain(self.call.get(name))
        is_dtype = value is not None and PARAM_TYPES[self.info.param(name).type].predicate == "dtype"
        return symbol(value) if is_dtype else value

    def rows(self) -> list[Row]:
        """The dtype rows of this product in this mode."""
        if not self._rows:
            rows = (row for row in self.info.rows if self.product in row.products and self.mode in row.modes)
            self._rows.extend(dict(row.cells) for row in rows)
        return self._rows


def evaluate_node(node: Node, env: Environment) -> Any:
    """The value of a node, or `UNDEFINED`; the frequent kinds of node come first."""
    match node:
        case Name(id=name):
            found = env.lookup(name)
            return UNDEFINED if found is None or found is INFERRED else found
        case Compare(op=op, left=left, right=right):
            return _strict(_COMPARE[op], (left, right), env)
        case Call(func=func, args=args):
            return _call(func, args, env)
        case Int(value=value) | Float(value=value) | Bool(value=value) | Str(value=value):
            return value
        case Symbol(name=name):
            return name
        case Not(operand=operand):
            return _strict(operator.not_, (operand,), env)
        case And(items=items):
            return _kleene("all", (evaluate_node(item, env) for item in items))
        case Or(items=items):
            return _kleene("any", (evaluate_node(item, env) for item in items))
        case InRows(params=params):
            return _in_rows(params, env)
        case ListOf(items=items):
            return _strict(lambda *values: values, items, env)
        case IfElse(cond=cond, then=then, orelse=orelse):
            chosen = evaluate_node(cond, env)
            return UNDEFINED if chosen is UNDEFINED else evaluate_node(then if chosen else orelse, env)
        case Arith(op=op, left=left, right=right):
            return _strict(_ARITH[op], (left, right), env)
        case Index(base=base, index=index):
            return _strict(_item, (base, index), env)
        case Quantifier(kind=kind, var=var, over=over, body=body):
            elements = evaluate_node(over, env)
            if elements is UNDEFINED:
                return UNDEFINED
            return _kleene(kind, (evaluate_node(body, env.bind(var, element)) for element in _distinct(elements)))
        case Each(var=var, over=over, body=body):
            elements = evaluate_node(over, env)
            if elements is UNDEFINED:
                return UNDEFINED
            values = tuple(evaluate_node(body, env.bind(var, element)) for element in elements)
            return UNDEFINED if UNDEFINED in values else values
        case Negate(operand=operand):
            return _strict(operator.neg, (operand,), env)


def _strict(function: Callable[..., Any], args: Iterable[Node], env: Environment) -> Any:
    """The function of the values, unless one of them is undefined."""
    values = []
    for arg in args:
        value = evaluate_node(arg, env)
        if value is UNDEFINED:
            return UNDEFINED
        values.append(value)
    return function(*values)


def _kleene(kind: str, values: Iterable[Any]) -> Any:
    """``all`` or ``any``: the deciding value wins, then undefined, then the other."""
    deciding = kind == "any"
    undefined = False
    for value in values:
        if value is UNDEFINED:
            undefined = True
        elif value == deciding:
            return deciding
    return UNDEFINED if undefined else not deciding


def _distinct(elements: Sequence[Any]) -> Iterable[Any]:
    """What a quantifier has to look at: a long array may hold a million numbers, and few different ones."""
    long_array = len(elements) > LONG and set(map(type, elements)) == {int}
    return dict.fromkeys(elements) if long_array else elements


def _item(values: tuple[Any, ...], index: int) -> Any:
    value = values[index] if 0 <= index < len(values) else None
    return UNDEFINED if value is None else value


def _call(func: str, args: tuple[Node, ...], env: Environment) -> Any:
    """A function of the library; ``is_null`` and ``format`` look at the argument before it becomes a value."""
    if func == "is_null":
        argument = args[0]
        value = env.lookup(argument.id) if isinstance(argument, Name) else evaluate_node(argument, env)
        return UNDEFINED if value is UNDEFINED else value is None
    if func == "format":
        return _strict(lambda tensor: _format(tensor, args[0], env), args, env)
    return _strict(IMPLEMENTATIONS[func], args, env)


def _format(tensor: Any, source: Node, env: Environment) -> str:
    """A tensor's format; one that does not say has the first that the spec allows for its rank, as in the binding."""
    if tensor.format is not None:
        return symbol(tensor.format)
    named = source.id if isinstance(source, Name) and source.id not in env.variables else ""
    by_rank = next((dict(param.formats) for param in env.info.params if param.name == named), {})
    legal = by_rank.get(len(shape_of(tensor)), by_rank.get(-1, ()))
    return legal[0] if legal else "ND"


def _given(param: ParamInfo, env: Environment) -> bool:
    """Whether the dtype rows look at this parameter in this call."""
    value = env.lookup(param.name)
    if value is None or value is INFERRED:
        return False
    return param.checked is None or evaluate_node(param.checked, env) is True


def _in_rows(params: tuple[str, ...], env: Environment) -> Any:
    """Whether one row holds the dtypes of all these parameters; undefined while one of them is illegal by itself."""
    rows = env.rows()
    given: dict[str, tuple[str, ...]] = {}
    for name in params:
        if _given(env.info.param(name), env):
            dtypes = dtypes_of(env.lookup(name))
            if isinstance(dtypes, Undefined):
                return UNDEFINED
            given[name] = dtypes
    if not rows or not given:
        return UNDEFINED

    def fits(row: Row, name: str) -> bool:
        return name not in row or all(dtype in row[name] for dtype in given[name])

    legal_alone = all(any(fits(row, name) for row in rows) for name in given)
    if len(params) > 1 and not legal_alone:
        return UNDEFINED
    return any(all(fits(row, name) for name in given) for row in rows)
