"""The mutants of a generated module: each is the definitions to run instead of the module's own, and a description.

A description names a rule, a let, an output or a table and says what became of which expression. It holds no line
number, so that it stays the same while nothing changes at that place.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard, TypeVar

Change: TypeAlias = tuple[ast.expr, str]
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
    {"broadcast", "broadcastable", "promotable", "promotable_scalar", "promote", "min", "max", "scaled"}
)


def changes(node: ast.expr) -> Iterator[Change]:
    """Every expression that differs from this one by one change, here or further inside."""
    yield from _here(node)
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr) and not _is_fixed(node, field):
            for changed, words in changes(value):
                yield _with(node, field, changed), words
        elif isinstance(value, list):
            for place, item in enumerate(value):
                if isinstance(item, ast.expr):
                    for changed, words in changes(item):
                        items = [*value[:place], changed, *value[place + 1 :]]
                        yield _with(node, field, items), words
                elif isinstance(item, ast.comprehension):
                    yield from _in_comprehension(node, field, value, place)


def _is_fixed(node: ast.expr, field: str) -> bool:
    """Parts whose change would not be a change of meaning but of a name, or is made where they are held."""
    if isinstance(node, ast.Subscript) and field == "slice":
        return isinstance(node.slice, ast.Constant)
    return isinstance(node, ast.Call) and field == "func"


def _in_comprehension(node: ast.expr, field: str, parts: list[ast.comprehension], place: int) -> Iterator[Change]:
    loop = parts[place]
    for changed, words in changes(loop.iter):
        copy = ast.comprehension(loop.target, changed, loop.ifs, loop.is_async)
        yield _with(node, field, [*parts[:place], copy, *parts[place + 1 :]]), words


N = TypeVar("N", bound=ast.AST)


def _with(node: N, field: str, value: object) -> N:
    """A copy of a node with another field."""
    return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), field: value}), node)


def _becomes(before: ast.AST, after: ast.AST) -> str:
    return f"`{ast.unparse(before)}` becomes `{ast.unparse(after)}`"


def _here(node: ast.expr) -> Iterator[Change]:
    """The changes of this very node."""
    for changed in _replacements(node):
        yield changed, _becomes(node, changed)


def _replacements(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(ops=ops):
            for place, op in enumerate(ops):
                for other in COMPARISONS[type(op)]:
                    yield _with(node, "ops", [*ops[:place], other(), *ops[place + 1 :]])
        case ast.BoolOp(op=op, values=values):
            yield _with(node, "op", ast.And() if isinstance(op, ast.Or) else ast.Or())
            for place in range(len(values)):
                rest = values[:place] + values[place + 1 :]
                yield rest[0] if len(rest) == 1 else _with(node, "values", rest)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.BinOp(op=op) if type(op) in _OPERATIONS:
            yield _with(node, "op", _OPERATIONS[type(op)]())
        case ast.IfExp(body=body, orelse=orelse):
            yield body
            yield orelse
            yield ast.copy_location(ast.IfExp(node.test, orelse, body), node)
        case ast.Constant(value=bool(value)):
            yield _constant(node, not value)
        case ast.Constant(value=int(value)):
            yield _constant(node, value + 1)
            yield _constant(node, value - 1)
        case ast.Subscript(slice=ast.Constant(value=int(value))):
            # Not -1 for 0: Python counts it from the end, where the last element is often the first.
            yield _with(node, "slice", _constant(node.slice, value + 1))
            if value > 0:
                yield _with(node, "slice", _constant(node.slice, value - 1))
        case ast.Call(func=ast.Name(id="all" | "any" as name)):
            opposite = ast.Name("any" if name == "all" else "all", ast.Load())
            yield _with(node, "func", ast.copy_location(opposite, node))
        case ast.Call(args=[one, other], keywords=[]) if not _is_symmetric(node):
            yield _with(node, "args", [other, one])
        case _:
            return


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
                yield _replaced(node, place, fewer), f"{_at(part, member)} is gone"
            # What no row of a column has is refused before the rows are asked; what another row allows is nothing new.
            others = _new_members(part, column if in_row else [*column, *everywhere], in_row)
            found = dict(placed)
            if in_row:
                rows = [row for other, row in placed if other[:-1] == place[:-2]]
                others = [one for one in others if not _is_covered(rows, found[place[:-1]], part, one)]
            for extra in others[:1]:
                yield _replaced(node, place, [*part.elts, extra]), f"{_at(part, extra)} is added"


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
    """``definitions`` replace the module's own of the same names; ``function`` is the one whose answers must differ."""

    description: str
    function: str
    definitions: tuple[ast.stmt, ...]


def mutants(tree: ast.Module) -> list[Mutant]:
    """Every mutant of a module; equal descriptions are numbered."""
    found = [*_of_functions(tree), *_of_tables(tree)]
    seen: Counter[str] = Counter()
    named = []
    for mutant in found:
        seen[mutant.description] += 1
        count = seen[mutant.description]
        suffix = f" ({count})" if count > 1 else ""
        named.append(Mutant(mutant.description + suffix, mutant.function, mutant.definitions))
    return named


def _of_functions(tree: ast.Module) -> Iterator[Mutant]:
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name in FUNCTIONS:
            for place, statement in enumerate(function.body):
                for changed, words in _statement(statement, function.name):
                    body = [*function.body[:place], *changed, *function.body[place + 1 :]]
                    yield Mutant(words, function.name, (_with(function, "body", body),))


def _is_verdict(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "Verdict"


def _statement(node: ast.stmt, function: str) -> Iterator[tuple[list[ast.stmt], str]]:
    """The changes of one statement, each with its description."""
    about = _about(node, function)
    if isinstance(node, ast.If):
        yield [ast.copy_location(ast.Pass(), node), *node.orelse], f"{about}: it is dropped"
    field = _CHANGED.get(type(node))
    value = getattr(node, field) if field else None
    if field and value is not None and (function != "check" or not isinstance(node, ast.Return) or _is_verdict(value)):
        for changed, words in _verdict(value) if _is_verdict(value) else changes(value):
            yield [_with(node, field, changed)], f"{about}: {words}"
    body = getattr(node, "body", [])
    for place, inner in enumerate(body):
        for statements, words in _statement(inner, function):
            yield [_with(node, "body", [*body[:place], *statements, *body[place + 1 :]])], words


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
        for changed, words in _table(node.value):
            copy = ast.copy_location(ast.Assign(node.targets, changed), node)
            for user in users:
                yield Mutant(f"table {name}: {words}", user, (copy, functions[user]))


def _table(value: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    yield from members(value)
    if not any(isinstance(part, ast.Tuple | ast.Set | ast.List) for part in ast.walk(value)):
        yield from changes(value)


def _verdict(value: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    """A verdict with another status in one of its modes, or with another effect."""
    for place, keyword in enumerate(value.keywords):
        before = ast.literal_eval(keyword.value)
        if before == 0:
            continue  # the mode does not ask the rule, or the rule is a shortcut
        after = _OTHERS.get(before, _INVALID)
        other = ast.keyword(keyword.arg, ast.Constant(after))
        copy = ast.Call(value.func, value.args, [*value.keywords[:place], other, *value.keywords[place + 1 :]])
        yield ast.copy_location(copy, value), f"{keyword.arg} {before} becomes {after}"
