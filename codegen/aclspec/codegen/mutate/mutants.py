"""The mutants of a generated module: each is the definitions to run instead of the module's own, and a description.

A description names a rule, a let, an output or a table and the expression with what replaces it. It holds no line
number, so that it stays the same while nothing changes at that place.

Mutants are counted by kind. Of the kinds in `STRICT` all have to be killed: a rule is dropped, its status is another
one, a product or a mode in which it is enforced is dropped, a comparison is off by one.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias, TypeGuard, TypeVar

from aclspec.runtime.language.functions import MAX_RANGE

RULE_DROPPED, STATUS_CHANGED = "rule dropped", "status changed"
PLACE_DROPPED, OFF_BY_ONE = "product or mode dropped", "comparison off by one"
STRICT = (RULE_DROPPED, STATUS_CHANGED, PLACE_DROPPED, OFF_BY_ONE)
"""The kinds whose mutants must all be killed."""
_BRANCH_DROPPED, _CONDITION_DROPPED, _PLACE_ADDED = "branch dropped", "condition dropped", "product or mode added"
_TURNED, _JOINED, _NUMBER, _INDEX = "comparison turned round", "and for or", "number off by one", "another index"
_MEMBER, _GUARD = "member of a table", "guard of an index off by one"
_OUTPUT = "condition of an output off by one"
_OTHER = "another operation, argument or arm"


class Change(NamedTuple):
    """A changed expression, what was changed in words, and the kind of mutant that it makes."""

    expr: ast.expr
    words: str
    kind: str


_Members: TypeAlias = ast.Tuple | ast.Set | ast.List
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_OPERATIONS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
_SYMMETRIC = frozenset(
    {"broadcast", "broadcastable", "fits_int64", "promotable", "promotable_scalar", "promote", "min", "max", "scaled"}
)


def changes(node: ast.expr, later: Sequence[ast.expr] = ()) -> Iterator[Change]:
    """Every expression that differs from this one by one change, here or further inside.

    ``later`` are the conditions that are looked at where this one lets a call through.
    """
    yield from _at_this_node(node, later)
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr) and not _is_fixed(node, field):
            asked = isinstance(node, ast.IfExp) and field == "test"
            for change in changes(value, () if asked else later):
                yield change._replace(expr=_with(node, field, change.expr))
        elif isinstance(value, list):
            for place, item in enumerate(value):
                if isinstance(item, ast.expr):
                    others = (*value[place + 1 :], *later) if isinstance(node, ast.BoolOp) else later
                    for change in changes(item, others):
                        items = [*value[:place], change.expr, *value[place + 1 :]]
                        yield change._replace(expr=_with(node, field, items))
                elif isinstance(item, ast.comprehension):
                    yield from _in_comprehension(node, field, value, place)


def _is_fixed(node: ast.expr, field: str) -> bool:
    """Parts whose change would not be a change of meaning but of a name, or is made where they are held."""
    if isinstance(node, ast.Subscript) and field == "slice":
        return isinstance(node.slice, ast.Constant)
    return isinstance(node, ast.Call) and field == "func"


def _in_comprehension(node: ast.expr, field: str, parts: list[ast.comprehension], place: int) -> Iterator[Change]:
    loop = parts[place]
    for change in changes(loop.iter):
        copy = ast.comprehension(loop.target, change.expr, loop.ifs, loop.is_async)
        yield change._replace(expr=_with(node, field, [*parts[:place], copy, *parts[place + 1 :]]))


N = TypeVar("N", bound=ast.AST)


def _with(node: N, field: str, value: object) -> N:
    """A copy of a node with another field."""
    return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), field: value}), node)


def _becomes(before: ast.AST, after: ast.AST) -> str:
    return f"`{ast.unparse(before)}` becomes `{ast.unparse(after)}`"


def _at_this_node(node: ast.expr, later: Sequence[ast.expr]) -> Iterator[Change]:
    """The changes of this very node."""
    for changed, kind in _replacements(node):
        guards = kind == OFF_BY_ONE and _guards_index(node, later)
        yield Change(changed, _becomes(node, changed), _GUARD if guards else kind)


def _replacements(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    match node:
        case ast.Compare(ops=ops):
            for place, op in enumerate(ops):
                for other in COMPARISONS[type(op)]:
                    changed = _with(node, "ops", [*ops[:place], other(), *ops[place + 1 :]])
                    yield changed, PLACE_DROPPED if _is_place(node) else _kind_of_comparison(type(op), other)
        case ast.BoolOp(op=op, values=values):
            yield _with(node, "op", ast.And() if isinstance(op, ast.Or) else ast.Or()), _JOINED
            for place, dropped in enumerate(values):
                rest = values[:place] + values[place + 1 :]
                kind = _CONDITION_DROPPED
                if _is_place(dropped):  # of several places one is gone; a rule for no other place is enforced at all
                    kind = PLACE_DROPPED if isinstance(op, ast.Or) else _PLACE_ADDED
                yield rest[0] if len(rest) == 1 else _with(node, "values", rest), kind
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand, PLACE_DROPPED if _is_place(node) else _OTHER
        case ast.BinOp(op=op) if type(op) in _OPERATIONS:
            yield _with(node, "op", _OPERATIONS[type(op)]()), _OTHER
        case ast.IfExp(body=body, orelse=orelse):
            yield body, _OTHER
            yield orelse, _OTHER
            yield ast.copy_location(ast.IfExp(node.test, orelse, body), node), _OTHER
        case ast.Constant(value=bool(value)):
            yield _constant(node, not value), _OTHER
        case ast.Constant(value=int(value)):
            yield _constant(node, value + 1), _NUMBER
            yield _constant(node, value - 1), _NUMBER
        case ast.Subscript(slice=ast.Constant(value=int(value))):
            # Not -1 for 0: Python counts it from the end, where the last element is often the first.
            yield _with(node, "slice", _constant(node.slice, value + 1)), _INDEX
            if value > 0:
                yield _with(node, "slice", _constant(node.slice, value - 1)), _INDEX
        case ast.Call(func=ast.Name(id="all" | "any" as name)):
            opposite = ast.Name("any" if name == "all" else "all", ast.Load())
            yield _with(node, "func", ast.copy_location(opposite, node)), _JOINED
        case ast.Call(args=[one, other], keywords=[]) if not _is_symmetric(node):
            yield _with(node, "args", [other, one]), _OTHER
        case _:
            return


def _is_place(node: ast.expr) -> bool:
    """Whether a condition asks for nothing but the product and the mode."""
    match node:
        case ast.Compare(left=ast.Name(id="product")) | ast.Name(id="library"):
            return True
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_place(operand)
        case ast.BoolOp(values=values):
            return all(map(_is_place, values))
    return False


def _guards_index(node: ast.expr, others: Sequence[ast.expr]) -> bool:
    """Whether a condition makes sure that an index exists, or that a range is not too long, before others use it."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
    if str(MAX_RANGE) in sides:
        return True
    lists = {side[4:-1] for side in sides if side.startswith("len(")}
    lists |= {f"{side.removesuffix('_rank')}_shape" for side in sides if side.endswith("_rank")}
    used = (part for other in others for part in ast.walk(other) if isinstance(part, ast.Subscript))
    return any(ast.unparse(part.value) in lists for part in used)


def _kind_of_comparison(before: type[ast.cmpop], after: type[ast.cmpop]) -> str:
    return OFF_BY_ONE if {before, after} in ({ast.Lt, ast.LtE}, {ast.Gt, ast.GtE}) else _TURNED


def _is_symmetric(node: ast.Call) -> bool:
    """Whether the order of the arguments means nothing."""
    return ast.unparse(node.func).rpartition(".")[2] in _SYMMETRIC


def _constant(node: ast.expr, value: int) -> ast.expr:
    return ast.copy_location(ast.Constant(value), node)


def members(node: ast.expr) -> Iterator[Change]:
    """A table with one member fewer, at every place, or with one more in every part."""
    placed = list(_parts(node, ()))
    places = {place for place, _ in placed}
    everywhere = [member for _, part in placed for member in part.elts]
    for place, part in placed:
        in_row = place[:-1] in places and place[:-2] in places
        alike = [one for other, one in placed if other[-1:] == place[-1:] and (not in_row or other[:-2] == place[:-2])]
        column = [member for one in alike for member in one.elts]
        if part.elts:
            for at, member in enumerate(part.elts):
                fewer = [*part.elts[:at], *part.elts[at + 1 :]]
                kind = PLACE_DROPPED if _is_product(member) and isinstance(part, ast.Set) else _MEMBER
                yield Change(_replaced(node, place, fewer), f"{_at(part, member)} is gone", kind)
            # What no row of a column has is refused before the rows are asked; what another row allows is nothing new.
            others = _new_members(part, column if in_row else [*column, *everywhere], in_row)
            found = dict(placed)
            if in_row:
                rows = [row for other, row in placed if other[:-1] == place[:-2]]
                others = [one for one in others if not _is_covered(rows, found[place[:-1]], part, one)]
            for extra in others[:1]:
                yield Change(_replaced(node, place, [*part.elts, extra]), f"{_at(part, extra)} is added", _MEMBER)


def _is_product(member: ast.expr) -> bool:
    return isinstance(member, ast.Constant) and isinstance(member.value, str)


def _is_covered(rows: list[_Members], row: _Members, part: _Members, extra: ast.expr) -> bool:
    """Whether another row allows all that a row allows with another dtype alone in one of its cells."""
    wanted = [{ast.unparse(extra)} if cell is part else _names(cell) for cell in row.elts]
    return any(
        len(other.elts) == len(wanted)
        and all(
            has is None or (want is not None and want <= has)
            for want, has in zip(wanted, map(_names, other.elts), strict=True)
        )
        for other in rows
        if other is not row
    )


def _names(cell: ast.expr) -> set[str] | None:
    """The members of a cell; None for one that takes any dtype."""
    return {ast.unparse(member) for member in cell.elts} if isinstance(cell, ast.Tuple) else None


def _parts(node: ast.AST, place: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], _Members]]:
    """Every tuple, set and list of a table, with its place in each of those around it."""
    if isinstance(node, ast.Tuple | ast.Set | ast.List):
        yield place, node
    for at, child in enumerate(ast.iter_child_nodes(node)):
        yield from _parts(child, (*place, at))


def _new_members(part: _Members, known: list[ast.expr], only_known: bool) -> list[ast.expr]:
    """Members of the same kind that the part does not have, those known before others."""
    texts = [ast.unparse(member) for member in part.elts]
    if all(text.lstrip("-").isdigit() for text in texts):
        return [_parsed("-1")]
    for prefix, names in _KINDS:
        if all(text.startswith(prefix) for text in texts):
            found = [text for text in map(ast.unparse, known) if text.startswith(prefix)]
            others = dict.fromkeys((*found, *(() if only_known else names)))
            return [_parsed(text) for text in others if text not in texts]
    return []


_KINDS = (
    ("DType.", ("DType.DOUBLE", "DType.BOOL")),
    ("Format.", ("Format.NC1HWC0", "Format.ND")),
)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _at(part: ast.expr, member: ast.expr) -> str:
    return f"`{ast.unparse(member)}` of `{ast.unparse(part)}`"


def _replaced(node: ast.AST, place: tuple[int, ...], elts: list[ast.expr]) -> Any:
    """A table in which the part at a place has other members; it shares all that does not hold this part."""
    if not place:
        return _with(node, "elts", elts)
    child = list(ast.iter_child_nodes(node))[place[0]]
    changed = _replaced(child, place[1:], elts)
    for field, value in ast.iter_fields(node):
        if value is child:
            return _with(node, field, changed)
        if isinstance(value, list) and any(item is child for item in value):
            return _with(node, field, [changed if item is child else item for item in value])
    raise AssertionError("A child of a node stands in one of its fields.")


FUNCTIONS = ("check", "infer", "precision")
_INVALID, _NULL = 161002, 161001
_OTHERS: dict[object, int | str] = {_INVALID: _NULL, "unwritten": "zeros", "zeros": "unwritten"}


@dataclass(frozen=True)
class Mutant:
    """``definitions`` replace the module's own of the same names; ``function`` is the one whose answers must differ.

    ``original`` is the function that one statement of the mutant was changed in; None where a table was changed.
    """

    description: str
    function: str
    definitions: tuple[ast.stmt, ...]
    kind: str
    original: ast.FunctionDef | None = None

    def alone(self) -> tuple[ast.FunctionDef, ast.FunctionDef] | None:
        """``check`` as it was and as it is now, both without the other rules; None where no rule was changed."""
        changed = self.definitions[0]
        if self.function != "check" or self.original is None or not isinstance(changed, ast.FunctionDef):
            return None
        same = frozenset(map(id, ast.walk(self.original))) & frozenset(map(id, ast.walk(changed)))
        if not any(isinstance(node, ast.If) and id(node) not in same for node in self.original.body):
            return None
        before, after = (_with(one, "body", _changed_rule(one.body, same)) for one in (self.original, changed))
        return before, after


def _changed_rule(body: list[ast.stmt], same: frozenset[int]) -> list[ast.stmt]:
    """Statements without the rules that are the same objects in both functions."""
    found: list[ast.stmt] = []
    for node in body:
        if not isinstance(node, ast.If):
            found.append(node)
        elif id(node) not in same:
            inner = _changed_rule(node.body, same)
            found.append(
                _with(node, "body", inner) if any(isinstance(one, ast.If | ast.Return) for one in inner) else node
            )
    return found


def mutants(tree: ast.Module) -> list[Mutant]:
    """Every mutant of a module; equal descriptions are numbered."""
    found = [*_of_functions(tree), *_of_tables(tree)]
    seen: Counter[str] = Counter()
    named = []
    for mutant in found:
        seen[mutant.description] += 1
        count = seen[mutant.description]
        suffix = f" ({count})" if count > 1 else ""
        named.append(replace(mutant, description=mutant.description + suffix))
    return named


def _of_functions(tree: ast.Module) -> Iterator[Mutant]:
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name in FUNCTIONS:
            for place, statement in enumerate(function.body):
                for changed, words, kind in _statement(statement, function.name):
                    body = [*function.body[:place], *changed, *function.body[place + 1 :]]
                    yield Mutant(words, function.name, (_with(function, "body", body),), kind, function)


def _is_verdict(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "Verdict"


def _statement(node: ast.stmt, function: str) -> Iterator[tuple[list[ast.stmt], str, str]]:
    """The changes of one statement, each with its description and its kind."""
    about = _about(node, function)
    if isinstance(node, ast.If):
        kind = RULE_DROPPED if function == "check" else _BRANCH_DROPPED
        yield [ast.copy_location(ast.Pass(), node), *node.orelse], f"{about}: it is dropped", kind
    field = _CHANGED.get(type(node))
    value = getattr(node, field) if field else None
    if field and value is not None and (function != "check" or not isinstance(node, ast.Return) or _is_verdict(value)):
        for change in _verdict(value) if _is_verdict(value) else changes(value):
            kind = _OUTPUT if change.kind == OFF_BY_ONE and function != "check" else change.kind
            yield [_with(node, field, change.expr)], f"{about}: {change.words}", kind
    body = getattr(node, "body", [])
    for place, inner in enumerate(body):
        for statements, words, kind in _statement(inner, function):
            yield [_with(node, "body", [*body[:place], *statements, *body[place + 1 :]])], words, kind


_CHANGED: dict[type[ast.stmt], str] = {
    ast.If: "test",
    ast.For: "iter",
    ast.Return: "value",
    ast.Assign: "value",
    ast.AnnAssign: "value",
}
"""The field of a statement whose expression is mutated."""


def _about(node: ast.stmt, function: str) -> str:
    """What a statement belongs to: a rule by its verdict, several rules by the first, else the name that it sets."""
    rules = [ast.literal_eval(part.args[0]).partition(".")[2] for part in ast.walk(node) if _is_verdict(part)]
    if rules:
        return str(rules[0]) if len(rules) == 1 else f"{rules[0]} to {rules[-1]}"
    targets = [ast.unparse(part) for part in ast.walk(node) if isinstance(part, ast.Name) and _is_stored(part)]
    return " ".join([function, *dict.fromkeys(targets)])


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _of_tables(tree: ast.Module) -> Iterator[Mutant]:
    """The tables that stand before the functions."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in FUNCTIONS}
    used = {
        name: {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} for name, node in functions.items()
    }
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        name = node.targets[0].id
        users = [function for function, names in used.items() if name in names]
        if not users:
            continue
        for change in _table(node.value):
            copy = ast.copy_location(ast.Assign(node.targets, change.expr), node)
            for user in users:
                yield Mutant(f"table {name}: {change.words}", user, (copy, functions[user]), change.kind)


def _table(value: ast.expr) -> Iterator[Change]:
    yield from members(value)
    if not any(isinstance(part, ast.Tuple | ast.Set | ast.List) for part in ast.walk(value)):
        yield from changes(value)


def _verdict(value: ast.Call) -> Iterator[Change]:
    """A verdict with another status in one of its modes, or with another effect."""
    for place, keyword in enumerate(value.keywords):
        before = ast.literal_eval(keyword.value)
        if before == 0:
            continue  # the mode does not ask the rule, or the rule is a shortcut
        after = _OTHERS.get(before, _INVALID)
        other = ast.keyword(keyword.arg, ast.Constant(after))
        copy = ast.Call(value.func, value.args, [*value.keywords[:place], other, *value.keywords[place + 1 :]])
        words = f"{keyword.arg} {before} becomes {after}"
        yield Change(ast.copy_location(copy, value), words, STATUS_CHANGED)
