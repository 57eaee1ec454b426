"""The evaluation of predicates: each node becomes a closure once, which is called with each frame.

Values are Python's own. `UNDEFINED` spreads through everything strict; only ``and``, ``or``, ``all`` and ``any`` decide
past it (Kleene). It shares no code with the generated checks, so that each can be held against the other.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, repeat, zip_longest
from typing import Any, ClassVar, Final, TypeAlias

from aclspec.runtime.language.library import IMPLEMENTATIONS, bounded, fits_int64
from aclspec.runtime.language.nodes import (
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
    children,
    substitute,
)
from aclspec.runtime.language.values import (
    INFERRED,
    NULL,
    UNDEFINED,
    Undefined,
    dtypes_of,
    names_null,
    shape_of,
    symbol,
)

Rows: TypeAlias = Sequence[Mapping[str, tuple[str, ...]]]
"""The dtype rows of a product in a mode: the dtypes of each parameter, with `NULL` where it may be null."""
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
OPERATORS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    **COMPARISONS,
    "+": bounded(operator.add),
    "-": bounded(operator.sub),
    "*": bounded(operator.mul),
    "//": lambda left, right: UNDEFINED if right == 0 else left // right,
    "%": lambda left, right: UNDEFINED if right == 0 else left % right,
}
_FEW: Final = 4
"""How many elements are evaluated one by one."""
_MOST: Final = 10_000
"""How many answers of the dtype rows are remembered."""


class Frame:
    """One call with the dtype rows that it is asked with, the values of lets and predicates, and bound variables."""

    __slots__ = ("call", "lets", "rows", "values", "variables")

    def __init__(self, call: Any, rows: Rows = (), variables: Mapping[str, Any] | None = None) -> None:
        """Start outside of every quantifier."""
        self.call = call
        self.rows = rows
        self.lets: dict[str, Any] = {}
        self.values: dict[Node, Any] = {}
        self.variables: Mapping[str, Any] = variables or {}


Code: TypeAlias = Callable[[Frame], Any]


class Evaluator:
    """Compiles the predicates of one operator, each once; ``call`` of a frame holds the values of ``params``."""

    functions: Mapping[str, Callable[..., Any]] = IMPLEMENTATIONS
    operators: ClassVar[Mapping[str, Callable[[Any, Any], Any]]] = OPERATORS
    sequence: ClassVar[type[list[Any] | tuple[Any, ...]]] = tuple

    def __init__(
        self,
        params: Iterable[str] = (),
        lets: Mapping[str, Node] | None = None,
        checked: Mapping[str, Node | None] | None = None,
        formats: Mapping[str, Mapping[int, tuple[str, ...]]] | None = None,
    ) -> None:
        """``checked``: when the rows look at a parameter; ``formats``: its legal ones by rank, -1 for any."""
        self.index = {name: place for place, name in enumerate(params)}
        self.lets, self.checked, self.formats = lets or {}, checked or {}, formats or {}
        self._codes: dict[Node, Code] = {}

    def code(self, node: Node) -> Code:
        """The closure of a node."""
        found = self._codes.get(node)
        if found is None:
            found = self._codes[node] = self._compiled(node)
        return found

    def _compiled(self, node: Node) -> Code:
        match node:
            case Int(value=value) | Float(value=value) | Bool(value=value) | Str(value=value) | Symbol(name=value):
                return lambda frame: value
            case Name(id=name):
                return self.value(name)
            case Not(operand=operand):
                return _strict(operator.not_, [self.code(operand)])
            case Negate(operand=operand):
                return _strict(operator.neg, [self.code(operand)])
            case Compare(op=op, left=left, right=Int(value=size)) | Arith(op=op, left=left, right=Int(value=size)):
                function, code = self.operators[op], self.code(left)
                return lambda frame: UNDEFINED if (found := code(frame)) is UNDEFINED else function(found, size)
            case Compare(op=op, left=left, right=right) | Arith(op=op, left=left, right=right):
                return _strict(self.operators[op], [self.code(left), self.code(right)])
            case Index(base=base, index=index):
                return _strict(self.item, [self.code(base), self.code(index)])
            case And(items=items):
                return _every([self.code(item) for item in items])
            case Or(items=items):
                return _some([self.code(item) for item in items])
            case ListOf(items=items):
                return _strict(lambda *values: self.sequence(values), [self.code(item) for item in items])
            case IfElse(cond=cond, then=then, orelse=orelse):
                return _choice(self.code(cond), self.code(then), self.code(orelse))
            case Quantifier(var=var) | Each(var=var) if var in self.index or var in self.lets:
                return self.code(replace(node, var=f"{var}'", body=substitute(node.body, {var: Name(f"{var}'")})))
            case Quantifier(kind=kind, var=var, over=over, body=body):
                return _quantified(kind == "any", var, self._distinct(var, over, body), self.code(body))
            case Each(var=var, over=over, body=body):
                return _each(var, self.code(over), self.code(body), self.sequence)
            case Call(func=func, args=args):
                return self.call(func, args)
            case InRows(params=params):
                return self._in_rows(params)

    def value(self, name: str) -> Code:
        """The value of a name, undefined for a null parameter and for an output that the caller left out."""
        place = self.index.get(name)
        if place is None or name in self.lets:
            raw = self.raw(name)
            return lambda frame: UNDEFINED if (found := raw(frame)) is None else found
        return lambda frame: UNDEFINED if (found := frame.call[place]) is None or found is INFERRED else found

    def raw(self, name: str) -> Code:
        """The value of a name; None for a null parameter."""
        if name in self.lets:
            return _let(name, self.code(self.lets[name]))
        place = self.index.get(name)
        if place is None:
            return lambda frame: frame.variables.get(name, UNDEFINED)
        return lambda frame: frame.call[place]

    def call(self, func: str, args: tuple[Node, ...]) -> Code:
        """A function; ``is_null`` and ``format`` look at the argument before it becomes a value.

        ``fits_int64``, which only the rule of the language asks, looks at all arguments of the call.
        """
        if func == "fits_int64":
            return lambda frame: all(map(fits_int64, frame.call))
        if func == "is_null":
            raw = self.raw(args[0].id) if isinstance(args[0], Name) else self.code(args[0])
            return lambda frame: UNDEFINED if (found := raw(frame)) is UNDEFINED else found is None
        if func == "format":
            formats = self.formats.get(args[0].id, {}) if isinstance(args[0], Name) else {}
            return _strict(lambda tensor: _format(tensor, formats), [self.code(args[0])])
        return _strict(self.functions[func], [self.code(arg) for arg in args])

    @staticmethod
    def item(values: Any, index: Any) -> Any:
        """An element of a list, undefined outside of it."""
        value = values[index] if 0 <= index < len(values) else None
        return UNDEFINED if value is None else value

    def _distinct(self, var: str, over: Node, body: Node) -> Code:
        """The elements that a quantifier goes over, each once; of indices of the same elements of all lists, one."""
        elements, lists = self.code(over), _indexed(var, body)
        if not isinstance(over, Call) or over.func != "range":

            def different(frame: Frame) -> Any:
                found = elements(frame)
                if found is UNDEFINED or len(found) <= _FEW:
                    return found
                return tuple(dict(zip(_keys(found), found, strict=True)).values())

            return different
        if lists is None or over.args[0] != Int(0):
            return elements
        codes = [self.code(one) for one in lists]

        def distinct(frame: Frame) -> Any:
            indices = elements(frame)
            if indices is UNDEFINED or len(indices) < _FEW:
                return indices
            columns = [() if (found := code(frame)) is UNDEFINED else _keys(found) for code in codes]
            longest = islice(zip_longest(*columns), len(indices))
            return tuple(dict(zip(chain(longest, repeat(None)), indices, strict=False)).values())

        return distinct

    def _in_rows(self, params: tuple[str, ...]) -> Code:
        """Whether one row holds the dtypes of all checked parameters; undefined while one is illegal by itself."""
        guards = [self.checked.get(name) for name in params]
        asked = [
            (self.raw(name), None if guard is None else self.code(guard))
            for name, guard in zip(params, guards, strict=True)
        ]
        # It keeps the rows, so that no others take their id.
        memo: dict[tuple[int, tuple[Any, ...]], tuple[Rows, Any]] = {}

        def in_rows(frame: Frame) -> Any:
            dtypes = tuple([_dtypes_asked(raw(frame), guard, frame) for raw, guard in asked])
            found = memo.get((id(frame.rows), dtypes))
            if found is None:
                if len(memo) >= _MOST:
                    memo.clear()
                found = memo[id(frame.rows), dtypes] = frame.rows, _fitting(params, dtypes, frame.rows)
            return found[1]

        return in_rows


def _format(tensor: Any, formats: Mapping[int, tuple[str, ...]]) -> str:
    """A tensor's format; one that does not say has the first that the spec allows for its rank, as in the binding."""
    if tensor.format is not None:
        return symbol(tensor.format)
    legal = formats.get(len(shape_of(tensor)), formats.get(-1, ()))
    return legal[0] if legal else "ND"


def _keys(values: Sequence[Any]) -> Iterable[Any]:
    """What tells the elements of a list apart: integers by value, others, which may not be hashed, by identity."""
    return values if set(map(type, values)) == {int} else map(id, values)


def _indexed(var: str, node: Node) -> list[Name] | None:
    """The lists that a variable indexes; None where an expression uses it in any other way."""
    match node:
        case Index(base=Name(id=name), index=Name(id=index)) if name != var == index:
            return [Name(name)]
        case Name(id=name) if name == var:
            return None
    found: list[Name] = []
    for child in children(node):
        inside = _indexed(var, child)
        if inside is None:
            return None
        found += inside
    return list(dict.fromkeys(found))


def _dtypes_asked(value: Any, guard: Code | None, frame: Frame) -> Any:
    """The dtypes of a value, each once, none of an empty list; NULL of a null, None where they are not checked."""
    if value is None:
        return NULL
    if value is INFERRED or value is UNDEFINED or (guard is not None and guard(frame) is not True):
        return None
    found = dtypes_of(value)
    return found if isinstance(found, Undefined) or len(found) == 1 else tuple(dict.fromkeys(found))


def _fitting(params: tuple[str, ...], dtypes: tuple[Any, ...], rows: Rows) -> Any:
    """Whether one row holds all dtypes; where several parameters are asked, a row may name that one is null."""
    if UNDEFINED in dtypes:
        return UNDEFINED
    joint = len(params) > 1
    found: list[tuple[str, tuple[str, ...]]] = []
    for name, one in zip(params, dtypes, strict=True):
        if one == NULL:
            found += [(name, (NULL,))] if joint and names_null(name, rows) else []
        elif one is not None:
            found.append((name, one))
    if not rows or not found:
        return UNDEFINED
    fits = [[name not in row or all(dtype in row[name] for dtype in one) for name, one in found] for row in rows]
    if joint and not all(map(any, zip(*fits, strict=True))):
        return UNDEFINED
    return any(map(all, fits))


def _strict(function: Callable[..., Any], codes: list[Code]) -> Code:
    """A function of its operands; undefined where one is."""
    if len(codes) == 1:
        (operand,) = codes
        return lambda frame: UNDEFINED if (value := operand(frame)) is UNDEFINED else function(value)
    if len(codes) == 2:
        left, right = codes

        def of_two(frame: Frame) -> Any:
            one = left(frame)
            if one is UNDEFINED:
                return UNDEFINED
            other = right(frame)
            return UNDEFINED if other is UNDEFINED else function(one, other)

        return of_two

    def of_many(frame: Frame) -> Any:
        values = []
        for code in codes:
            value = code(frame)
            if value is UNDEFINED:
                return UNDEFINED
            values.append(value)
        return function(*values)

    return of_many


def _every(codes: list[Code]) -> Code:
    """`and`: false where one is, else undefined where one is."""

    def value_of(frame: Frame) -> Any:
        result: Any = True
        for code in codes:
            value = code(frame)
            if value is UNDEFINED:
                result = UNDEFINED
            elif not value:
                return False
        return result

    return value_of


def _some(codes: list[Code]) -> Code:
    """`or`: true where one is, else undefined where one is."""

    def value_of(frame: Frame) -> Any:
        result: Any = False
        for code in codes:
            value = code(frame)
            if value is UNDEFINED:
                result = UNDEFINED
            elif value:
                return True
        return result

    return value_of


def _choice(cond: Code, then: Code, orelse: Code) -> Code:
    def value_of(frame: Frame) -> Any:
        chosen = cond(frame)
        return UNDEFINED if chosen is UNDEFINED else (then if chosen else orelse)(frame)

    return value_of


def _let(name: str, code: Code) -> Code:
    """The value of a let, computed once a frame and outside of every quantifier."""

    def value_of(frame: Frame) -> Any:
        lets = frame.lets
        if name not in lets:
            outside, frame.variables = frame.variables, {}
            lets[name] = code(frame)
            frame.variables = outside
        return lets[name]

    return value_of


def _quantified(deciding: bool, var: str, over: Code, body: Code) -> Code:
    """`all` (decided by False) or `any` (decided by True), in Kleene's logic."""

    def value_of(frame: Frame) -> Any:
        elements = over(frame)
        if elements is UNDEFINED:
            return UNDEFINED
        outside, result = frame.variables, not deciding
        inside = {**outside}
        frame.variables = inside
        for element in elements:
            inside[var] = element
            value = body(frame)
            if value is UNDEFINED:
                result = UNDEFINED
            elif value == deciding:
                result = deciding
                break
        frame.variables = outside
        return result

    return value_of


def _each(var: str, over: Code, body: Code, sequence: Callable[[Iterable[Any]], Any]) -> Code:
    def value_of(frame: Frame) -> Any:
        elements = over(frame)
        if elements is UNDEFINED:
            return UNDEFINED
        outside, values = frame.variables, []
        inside = {**outside}
        frame.variables = inside
        for element in elements:
            inside[var] = element
            value = body(frame)
            if value is UNDEFINED:
                break
            values.append(value)
        else:
            value = None
        frame.variables = outside
        return UNDEFINED if value is UNDEFINED else sequence(values)

    return value_of
