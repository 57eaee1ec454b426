"""The parts of a requirement: conditions, each with one sentence; a failing call breaks at least one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from aclspec.codegen.wording.patterns import broadcasts_to, constant_side_right, is_clause, is_literal
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.nodes import Node, substitute
from aclspec.runtime.rules.operator_info import OperatorInfo

_NEGATED: Final = {"==": "!=", "!=": "==", "in": "not in", "not in": "in"}
_MOST_PARTS: Final = 8
"""A choice inside a term is taken apart where this many sentences do; else it stays a noun with its conditions."""


@dataclass(frozen=True, slots=True)
class Part:
    """One condition: for every element of ``chain``, where all of ``guards`` hold, so does ``condition``."""

    condition: Node
    guards: tuple[Node, ...] = ()
    chain: tuple[tuple[str, Node], ...] = ()

    @property
    def node(self) -> Node:
        """The predicate that is false where this part fails."""
        node = self.condition
        if self.guards:
            guard = self.guards[0] if len(self.guards) == 1 else ast.And(self.guards)
            node = ast.IfElse(guard, node, ast.Bool(True))
        for var, over in reversed(self.chain):
            node = ast.Quantifier("all", var, over, node)
        return node


def parts(info: OperatorInfo, require: Node) -> list[Part]:
    """The parts of a requirement in the order of its text; the requirement is their conjunction."""
    found = list(_parts(_opened(info, require))) or [Part(require)]
    hoisted = [one for part in found for one in _hoisted(info, part)]
    return hoisted if len(hoisted) <= max(_MOST_PARTS, len(found)) else found


def _opened(info: OperatorInfo, require: Node) -> Node:
    """The definition of a predicate that a requirement names, unless the name says what it asks ("whether ...")."""
    named = {let.name: let for let in info.lets} if isinstance(require, ast.Name) else {}
    let = named.get(require.id) if isinstance(require, ast.Name) else None
    return require if let is None or (let.doc is not None and let.doc.en.startswith("whether ")) else let.value


def negated(node: Node) -> Node:
    """The denial of a predicate, with ``not`` as deep inside as it goes."""
    match node:
        case ast.Not(operand=operand):
            return operand
        case ast.Bool(value=value):
            return ast.Bool(not value)
        case ast.Compare(op=op) if op in _NEGATED:
            return replace(node, op=_NEGATED[op])
        case ast.And(items=items) if broadcasts_to(node) is None:
            return ast.Or(tuple(map(negated, items)))
        case ast.Or(items=items):
            return ast.And(tuple(map(negated, items)))
        case ast.Quantifier(kind=kind):
            return replace(node, kind="all" if kind == "any" else "any", body=negated(node.body))
        case _:
            return ast.Not(node)


def is_denial(node: Node) -> bool:
    """Whether a condition denies something, so that its negation is the plainer one."""
    return isinstance(node, ast.Not) or (isinstance(node, ast.Compare) and node.op in ("!=", "not in"))


def _parts(node: Node) -> Iterator[Part]:
    match node:
        case ast.Not(operand=ast.And() | ast.Or() | ast.Quantifier() | ast.Not() as operand) if (
            broadcasts_to(operand) is None
        ):
            yield from _parts(negated(operand))
        case ast.Not(operand=ast.Compare(op=op) as operand) if op in _NEGATED:
            yield Part(negated(operand))
        case ast.Compare(op="==" | "!=" as op, left=left, right=right) if _are_clauses(left, right):
            asked, guard = (right, left) if isinstance(left, ast.Name) else (left, right)
            denied = negated(asked)
            then, orelse = (asked, denied) if op == "==" else (denied, asked)
            yield from _parts(ast.IfElse(guard, then, orelse))
        case ast.And(items=items) if broadcasts_to(node) is None:
            for one in _ranges(items):
                if isinstance(one, ast.And):
                    yield Part(one)
                else:
                    yield from _parts(one)
        case ast.IfElse(cond=cond, then=then, orelse=orelse):
            for guard, branch in ((cond, then), (negated(cond), orelse)):
                for part in _parts(branch) if branch != ast.Bool(True) else ():
                    yield replace(part, guards=(guard, *part.guards))
        case ast.Quantifier(kind="all", var=var, over=ast.ListOf(items=items), body=body):
            for item in items:
                yield from _parts(substitute(body, {var: item}))
        case ast.Quantifier(kind="all", var=var, over=over, body=body):
            for part in _parts(body):
                yield replace(part, chain=((var, over), *part.chain))
        case ast.Or(items=items) if (every := _only_quantifier(items)) is not None:
            others = tuple(item for item in items if item is not every)
            yield from _parts(replace(every, body=ast.Or((*others, every.body))))
        case _:
            yield Part(node)


def _are_clauses(left: Node, right: Node) -> bool:
    """Whether two predicates are compared, so that one is asked for where the other holds; not whether two are null."""
    if isinstance(left, ast.Bool) or isinstance(right, ast.Bool):
        return False
    nulls = all(isinstance(side, ast.Call) and side.func == "is_null" for side in (left, right))
    return (is_clause(left) or is_clause(right)) and not nulls


def _only_quantifier(items: tuple[Node, ...]) -> ast.Quantifier | None:
    """The one alternative that is about every element of a list, whose variable no other has."""
    found = [item for item in items if isinstance(item, ast.Quantifier) and item.kind == "all"]
    if len(found) != 1:
        return None
    others = [item for item in items if item is not found[0]]
    return None if any(found[0].var in ast.names(item) for item in others) else found[0]


def _ranges(items: tuple[Node, ...]) -> Iterator[Node]:
    """The items, with two neighbours that bound one term as one ``and``."""
    rest = list(items)
    while rest:
        first = rest.pop(0)
        if (rest and _is_range(first, rest[0])) or (rest and broadcasts_to(ast.And((first, rest[0]))) is not None):
            yield ast.And((first, rest.pop(0)))
        else:
            yield first


def _is_range(first: Node, second: Node) -> bool:
    """Whether two comparisons bound one term from both sides, by terms that are defined together."""
    if not isinstance(first, ast.Compare) or not isinstance(second, ast.Compare):
        return False
    low, high = constant_side_right(first), constant_side_right(second)
    if low.left != high.left or low.op not in (">", ">=") or high.op not in ("<", "<="):
        return False
    below = low.right.operand if isinstance(low.right, ast.Negate) else low.right
    return below == high.right or (is_literal(low.right) and is_literal(high.right))


def _hoisted(info: OperatorInfo, part: Part) -> Iterator[Part]:
    """The part once for each branch of a choice inside its terms."""
    choice = _choice(info, part.condition)
    if choice is None or not isinstance(part.condition, ast.Compare | ast.Call):
        yield part
        return
    opened, chosen = choice
    for guard, branch in ((chosen.cond, chosen.then), (negated(chosen.cond), chosen.orelse)):
        condition = _replaced(opened, chosen, branch)
        yield from _hoisted(info, replace(part, condition=condition, guards=(*part.guards, guard)))


def _choice(info: OperatorInfo, node: Node) -> tuple[Node, ast.IfElse] | None:
    """The node with lets that have no noun written out, and the first choice among its terms."""
    lets = {let.name: let.value for let in info.lets if let.doc is None and let.type != "bool"}
    opened = node
    while used := {name: value for name, value in lets.items() if name in ast.names(opened)}:
        opened = substitute(opened, used)
    found = next(_choices(opened), None)
    return None if found is None else (opened, found)


def _choices(node: Node) -> Iterator[ast.IfElse]:
    if isinstance(node, ast.IfElse):
        yield node
    elif not isinstance(node, ast.Quantifier | ast.Each):
        for child in ast.children(node):
            yield from _choices(child)


def _replaced(node: Node, old: Node, new: Node) -> Node:
    """The node with a term in place of another."""
    if node == old:
        return new
    return ast.rebuild(node, lambda child: _replaced(child, old, new))
