"""The interpreter of an operator's rules: what `explain` and the tests trust.

It shares no code with the generated checks, so that each can be held against the other. Values are Python's own;
`UNDEFINED` spreads through everything strict, and only ``and``, ``or``, ``all`` and ``any`` decide past it (Kleene).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules import nodes as ast
from aclspec.runtime.rules.library import IMPLEMENTATIONS
from aclspec.runtime.rules.nodes import Node
from aclspec.runtime.rules.operator_info import NULL, Mode, OperatorInfo, ParamInfo, RuleInfo, names_null
from aclspec.runtime.rules.values import INFERRED, UNDEFINED, Undefined, dtypes_of, normalized, shape_of, symbol

Row: TypeAlias = Mapping[str, tuple[str, ...]]
LONG: Final = 64
"""No operator takes an array with more elements, but a caller may pass one."""
_ROWS: Final = ("rows",)
COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}
ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
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
    memo: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)
    """The values of names and of whole predicates, and the dtype rows, each found once a call."""

    def bind(self, variable: str, value: object) -> Environment:
        """The same call with one more variable."""
        return replace(self, variables={**self.variables, variable: value})

    def value(self, predicate: Node) -> object:
        """The value of a predicate outside of every quantifier."""
        if predicate not in self.memo:
            self.memo[predicate] = evaluate_node(predicate, self)
        return self.memo[predicate]

    def lookup(self, name: str) -> object:
        """The value of a name; None for a null parameter, `INFERRED` for an output that the caller left out.

        `UNDEFINED` stands for an argument of which nothing is known, not even whether it is null.
        """
        if name in self.variables:
            return self.variables[name]
        if name not in self.memo:
            self.memo[name] = self._named(name)
        return self.memo[name]

    def _named(self, name: str) -> object:
        """The value of a let, never under a quantifier's variables, or of an argument."""
        for let in self.info.lets:
            if let.name == name:
                return evaluate_node(let.value, replace(self, variables={}))
        value = normalized(self.call.get(name))
        is_dtype = value is not None and PARAM_TYPES[self.info.param(name).type].predicate == "dtype"
        return symbol(value) if is_dtype else value

    def rows(self) -> list[Row]:
        """The dtype rows of this product in this mode."""
        if _ROWS not in self.memo:
            found = (row for row in self.info.rows if self.product in row.products and self.mode in row.modes)
            self.memo[_ROWS] = [row.table for row in found]
        rows: list[Row] = self.memo[_ROWS]
        return rows


def evaluate_node(node: Node, env: Environment) -> Any:
    """The value of a node, or `UNDEFINED`; the frequent kinds of node come first."""
    match node:
        case ast.Name(id=name):
            found = env.lookup(name)
            return UNDEFINED if found is None or found is INFERRED else found
        case ast.Compare(op=op, left=left, right=right):
            return _strict(COMPARISONS[op], (left, right), env)
        case ast.Call(func=func, args=args):
            return _call(func, args, env)
        case ast.Int(value=value) | ast.Float(value=value) | ast.Bool(value=value) | ast.Str(value=value):
            return value
        case ast.Symbol(name=name):
            return name
        case ast.Not(operand=operand):
            return _strict(operator.not_, (operand,), env)
        case ast.And(items=items):
            return _kleene("all", (evaluate_node(item, env) for item in items))
        case ast.Or(items=items):
            return _kleene("any", (evaluate_node(item, env) for item in items))
        case ast.InRows(params=params):
            return _in_rows(params, env)
        case ast.ListOf(items=items):
            return _strict(lambda *values: values, items, env)
        case ast.IfElse(cond=cond, then=then, orelse=orelse):
            chosen = evaluate_node(cond, env)
            return UNDEFINED if chosen is UNDEFINED else evaluate_node(then if chosen else orelse, env)
        case ast.Arith(op=op, left=left, right=right):
            return _strict(ARITHMETIC[op], (left, right), env)
        case ast.Index(base=base, index=index):
            return _strict(_item, (base, index), env)
        case ast.Quantifier(kind=kind, var=var, over=over, body=body):
            elements = evaluate_node(over, env)
            if elements is UNDEFINED:
                return UNDEFINED
            return _kleene(kind, (evaluate_node(body, env.bind(var, element)) for element in _distinct(elements)))
        case ast.Each(var=var, over=over, body=body):
            elements = evaluate_node(over, env)
            if elements is UNDEFINED:
                return UNDEFINED
            values = tuple(evaluate_node(body, env.bind(var, element)) for element in elements)
            return UNDEFINED if UNDEFINED in values else values
        case ast.Negate(operand=operand):
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
        value = env.lookup(argument.id) if isinstance(argument, ast.Name) else evaluate_node(argument, env)
        return UNDEFINED if value is UNDEFINED else value is None
    if func == "format":
        return _strict(lambda tensor: _format(tensor, args[0], env), args, env)
    return _strict(IMPLEMENTATIONS[func], args, env)


def _format(tensor: Any, source: Node, env: Environment) -> str:
    """A tensor's format; one that does not say has the first that the spec allows for its rank, as in the binding."""
    if tensor.format is not None:
        return symbol(tensor.format)
    named = source.id if isinstance(source, ast.Name) and source.id not in env.variables else ""
    by_rank = next((dict(param.formats) for param in env.info.params if param.name == named), {})
    legal = by_rank.get(len(shape_of(tensor)), by_rank.get(-1, ()))
    return legal[0] if legal else "ND"


def _is_checked(param: ParamInfo, env: Environment) -> bool:
    """Whether the dtype rows look at this parameter in this call; not where nothing is known of it."""
    value = env.lookup(param.name)
    if value is None or value is INFERRED or value is UNDEFINED:
        return False
    return param.checked is None or evaluate_node(param.checked, env) is True


def _in_rows(params: tuple[str, ...], env: Environment) -> Any:
    """Whether one row holds the dtypes of all these parameters; undefined while one of them is illegal by itself."""
    rows = env.rows()
    given: dict[str, tuple[str, ...]] = {}
    for name in params:
        if _is_checked(env.info.param(name), env):
            dtypes = dtypes_of(env.lookup(name))
            if isinstance(dtypes, Undefined):
                return UNDEFINED
            given[name] = dtypes
        elif len(params) > 1 and env.lookup(name) is None and names_null(name, rows):
            given[name] = (NULL,)
    if not rows or not given:
        return UNDEFINED

    def fits(row: Row, name: str) -> bool:
        return name not in row or all(dtype in row[name] for dtype in given[name])

    legal_alone = all(any(fits(row, name) for row in rows) for name in given)
    if len(params) > 1 and not legal_alone:
        return UNDEFINED
    return any(all(fits(row, name) for name in given) for row in rows)


__all__ = [
    "INFERRED",
    "UNDEFINED",
    "Environment",
    "Memory",
    "Outcome",
    "Report",
    "evaluate",
    "evaluate_node",
    "undefined_by",
]

Outcome: TypeAlias = Literal["holds", "fails", "n/a", "off", "skipped"]


@dataclass(frozen=True, slots=True)
class Report:
    """What every rule of an operator says about one call on one product.

    ``outcomes`` keeps the order of the checks. "n/a": the rule's guard or one of its facts leaves it nothing to say.
    "off": this product or this mode does not check it. "skipped": a shortcut, or the product rule, comes before it.
    Rules after a failure are evaluated all the same. ``shortcut`` is the one that a call without a failure takes.
    """

    outcomes: Mapping[str, Outcome]
    failing: tuple[str, ...]
    status: Status
    shortcut: str | None

    @property
    def first(self) -> str | None:
        """The rule that decides the status."""
        return self.failing[0] if self.failing else None


class Memory:
    """The values of one call for several products: they are the same on products with the same dtype rows."""

    def __init__(self) -> None:
        """Nothing evaluated yet."""
        self._memos: dict[Hashable, dict[Hashable, Any]] = {}

    def of(self, info: OperatorInfo, product: str, mode: Mode) -> dict[Hashable, Any]:
        """The values on the products with the same rows as this one."""
        rows = tuple((row.cells, row.nulls) for row in info.rows if product in row.products and mode in row.modes)
        return self._memos.setdefault(rows, {})


def evaluate(
    info: OperatorInfo, call: Mapping[str, object], product: str, mode: Mode, memory: Memory | None = None
) -> Report:
    """The outcome of every rule for a call, given as C names of all parameters; ``memory`` is of this call."""
    memo = {} if memory is None else memory.of(info, product, mode)
    env = Environment(info, call, product, mode, memo=memo)
    outcomes: dict[str, Outcome] = {}
    reached: RuleInfo | None = None
    unlisted = next((rule for rule in info.rules if rule.kind == "product" and _outcome(rule, env) == "fails"), None)
    for rule in info.rules:
        if unlisted is not None:
            outcomes[rule.id] = "fails" if rule is unlisted else "skipped"
        elif reached is not None:
            outcomes[rule.id] = "skipped"
        else:
            outcomes[rule.id] = _outcome(rule, env)
            if rule.kind == "shortcut" and outcomes[rule.id] == "holds":
                reached = rule
    failing = tuple(rule for rule, outcome in outcomes.items() if outcome == "fails")
    shortcut = reached.id if reached is not None and not failing else None
    return Report(outcomes, failing, _status(info, failing, mode), shortcut)


def _status(info: OperatorInfo, failing: tuple[str, ...], mode: Mode) -> Status:
    return Status[dict(info.rule(failing[0]).status)[mode]] if failing else Status.ACLNN_SUCCESS


def undefined_by(info: OperatorInfo, call: Mapping[str, object], product: str, mode: Mode) -> tuple[str, ...]:
    """The rules of undefined outcome that a call breaks which no other rule refuses; none where it takes a shortcut."""
    if evaluate(info, call, product, mode).shortcut is not None:
        return ()
    env = Environment(info, call, product, mode)
    return tuple(rule.id for rule in info.rules if rule.outcome == "undefined" and _said(rule, env) == "fails")


def _outcome(rule: RuleInfo, env: Environment) -> Outcome:
    """What one rule says, for itself; one of undefined outcome is never checked."""
    return "off" if rule.outcome == "undefined" else _said(rule, env)


def _said(rule: RuleInfo, env: Environment) -> Outcome:
    if not _enforced(rule, env):
        return "off"
    if rule.kind == "product":
        return "holds" if env.product in dict(env.info.products) else "fails"
    applies = rule.when is None or env.value(rule.when) is True
    if rule.kind == "shortcut":
        return "holds" if applies else "n/a"
    verdict = env.value(rule.require) if applies and rule.require is not None else UNDEFINED
    if verdict is UNDEFINED:
        return "n/a"
    return "holds" if verdict else "fails"


def _enforced(rule: RuleInfo, env: Environment) -> bool:
    """Whether this product, in this mode, checks the rule at all; a shortcut may leave its modes unsaid."""
    modes = dict(rule.status)
    in_mode = env.mode in modes or (rule.kind == "shortcut" and not modes)
    return in_mode and (not rule.products or env.product in rule.products)
