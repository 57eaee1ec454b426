"""Facts of the parameter table as predicates, and small operations on trees."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from aclspec.codegen.compile.context import Context, literal
from aclspec.codegen.spec.operator import Let
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import (
    And,
    Call,
    Compare,
    Each,
    IfElse,
    InRows,
    Int,
    ListOf,
    Name,
    Node,
    Not,
    Position,
    Quantifier,
    Symbol,
    children,
    names,
    rebuild,
)
from aclspec.runtime.rules.operator_info import LetInfo, ParamInfo


def requirement(kind: str, param: ParamInfo, taken: Collection[str] = ()) -> Node:
    """The predicate that says a fact of the table; a variable in it has none of the names that are taken."""
    name = Name(param.name)
    is_list = PARAM_TYPES[param.type].predicate == "tensors"
    if kind in ("format", "rank", "empty", "contiguous") and is_list:
        variable = next(word for word in ("t", *(f"t{i}" for i in range(len(taken) + 1))) if word not in taken)
        return Quantifier("all", variable, name, _tensor_fact(kind, param, Name(variable)))
    match kind:
        case "null":
            return Not(Call("is_null", (name,)))
        case "dtype":
            return InRows((param.name,))
        case "length":
            return _one_of(Call("len", (name,)), tuple(literal(length) for length in param.lengths))
        case "value":
            return _one_of(name, tuple(_value(param, value) for value in param.values))
    return _tensor_fact(kind, param, name)


def _value(param: ParamInfo, value: int | str) -> Node:
    return Symbol("dtype", str(value)) if param.type == "dtype" else literal(value)


def _tensor_fact(kind: str, param: ParamInfo, name: Name) -> Node:
    match kind:
        case "format":
            return _formats(param, name)
        case "rank":
            return _within(Call("rank", (name,)), *param.rank)
        case "empty":
            return Not(Call("is_empty", (name,)))
    return Call("is_contiguous", (name,))


def _within(value: Node, low: int, high: int) -> Node:
    if low == high:
        return Compare("==", value, Int(low))
    upper = Compare("<=", value, Int(high))
    return upper if low == 0 else And((Compare("<=", Int(low), value), upper))


def _one_of(value: Node, items: tuple[Node, ...]) -> Node:
    return Compare("==", value, items[0]) if len(items) == 1 else Compare("in", value, ListOf(items))


def _formats(param: ParamInfo, name: Name) -> Node:
    """The legal formats, chosen by rank where the table does; a rank that it leaves out may have none of them."""
    *ranks, last = param.formats
    node = _listed(name, last[1])
    if last[0] < 0 and all(set(formats) == set(last[1]) for _, formats in ranks):
        return node
    if last[0] >= 0:
        ranks.append(last)
        node = literal(True)
    for rank, formats in reversed(ranks):
        node = IfElse(Compare("==", Call("rank", (name,)), Int(rank)), _listed(name, formats), node)
    return node


def _listed(name: Name, formats: tuple[str, ...]) -> Node:
    return _one_of(Call("format", (name,)), tuple(Symbol("format", word) for word in formats))


def joint(params: tuple[str, ...]) -> Node:
    """The predicate of a joint dtype check."""
    return InRows(params, at=Position(1, 1))


def conjunction(*guards: Node | None) -> Node | None:
    """The guards that there are, joined by ``and``."""
    items: list[Node] = []
    for guard in guards:
        if guard is not None:
            items += guard.items if isinstance(guard, And) else (guard,)
    return And(tuple(items)) if len(items) > 1 else items[0] if items else None


def substitute(node: Node, name: str | None) -> Node:
    """The tree with ``it`` replaced by a parameter."""
    return node if name is None else replace_names(node, {"it": Name(name)})


def replace_names(node: Node, values: dict[str, Node]) -> Node:
    """The tree with free names replaced by trees; a bound variable hides the name."""
    if isinstance(node, Name):
        return values.get(node.id, node)
    if isinstance(node, Quantifier | Each):
        values = {name: value for name, value in values.items() if name != node.var}
    if names(node).isdisjoint(values):
        return node
    return rebuild(node, lambda child: replace_names(child, values))


def subjects(
    node: Node,
    context: Context,
    first: str | None = None,
    *,
    skip_null_tests: bool = False,
    within: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """The parameters that a tree speaks of, lets included, in the order of their first mention.

    ``within`` are the lets that are being looked through: one that names itself is reported elsewhere.
    """
    found = dict.fromkeys([first] if first else [])
    for name in dict.fromkeys(_mentions(node, skip_null_tests=skip_null_tests)):
        if name in context.params:
            found[name] = None
        elif name in context.lets and name not in within:
            value = context.spec.let[name]
            path = ("let", name, "value") if isinstance(value, Let) else ("let", name)
            let = context.parse(path, value.value if isinstance(value, Let) else value)
            if let is not None:
                inner = subjects(let, context, skip_null_tests=skip_null_tests, within=within | {name})
                found.update(dict.fromkeys(inner))
    return tuple(found)


def _mentions(node: Node, *, skip_null_tests: bool) -> list[str]:
    """Every name of a tree in the order of the text, bound variables left out."""
    match node:
        case Call(func="is_null") if skip_null_tests:
            return []
        case Name(id=name):
            return [name]
        case InRows(params=params):
            return list(params)
        case Quantifier(var=var, over=over, body=body) | Each(var=var, over=over, body=body):
            inner = _mentions(body, skip_null_tests=skip_null_tests)
            return [*_mentions(over, skip_null_tests=skip_null_tests), *(name for name in inner if name != var)]
    return [name for child in children(node) for name in _mentions(child, skip_null_tests=skip_null_tests)]


class Lets:
    """The lets of an operator, each with the earlier ones expanded."""

    def __init__(self, lets: Iterable[LetInfo]) -> None:
        """Expand every let."""
        self.values: dict[str, Node] = {}
        for let in lets:
            self.values[let.name] = replace_names(let.value, self.values)

    def expand(self, node: Node) -> Node:
        """A tree with its lets expanded."""
        return replace_names(node, self.values)
