"""Small changes to a Python expression: each is the changed expression and a few words about the change."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from typing import TypeAlias

Change: TypeAlias = tuple[ast.expr, str]
_Members: TypeAlias = ast.Tuple | ast.Set | ast.List
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
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
_SYMMETRIC = frozenset({"broadcast", "broadcastable", "promotable", "promote", "min", "max", "scaled"})


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


def _with(node: ast.expr, field: str, value: object) -> ast.expr:
    copy = type(node)(**{**dict(ast.iter_fields(node)), field: value})
    return ast.copy_location(copy, node)


def _told(before: ast.AST, after: ast.AST) -> str:
    return f"`{ast.unparse(before)}` becomes `{ast.unparse(after)}`"


def _here(node: ast.expr) -> Iterator[Change]:
    """The changes of this very node."""
    for changed in _replacements(node):
        yield changed, _told(node, changed)


def _replacements(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(ops=ops):
            for place, op in enumerate(ops):
                for other in _COMPARISONS[type(op)]:
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
    everywhere = [member for _, part in placed for member in part.elts]
    for place, part in placed:
        alike = [member for other, one in placed if other[-1:] == place[-1:] for member in one.elts]
        if part.elts:
            for at, member in enumerate(part.elts):
                fewer = [*part.elts[:at], *part.elts[at + 1 :]]
                yield _replaced(node, part, fewer), f"{_at(part, member)} is gone"
            extra = _stranger(part, [*alike, *everywhere])
            if extra is not None:
                yield _replaced(node, part, [*part.elts, extra]), f"{_at(part, extra)} is added"


def _parts(node: ast.AST, place: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], _Members]]:
    """Every tuple, set and list of a table, with its place in each of those around it."""
    if isinstance(node, ast.Tuple | ast.Set | ast.List):
        yield place, node
    for at, child in enumerate(ast.iter_child_nodes(node)):
        yield from _parts(child, (*place, at))


def _stranger(part: _Members, known: list[ast.expr]) -> ast.expr | None:
    """A member of the same kind that the part does not have: one of those known where there is one."""
    texts = [ast.unparse(member) for member in part.elts]
    if all(text.lstrip("-").isdigit() for text in texts):
        return _parsed("-1")
    for prefix, names in _KINDS:
        if all(text.startswith(prefix) for text in texts):
            found = [text for text in map(ast.unparse, known) if text.startswith(prefix)]
            return next((_parsed(text) for text in (*found, *names) if text not in texts), None)
    return None


_KINDS = (
    ("DType.", ("DType.DOUBLE", "DType.BOOL")),
    ("Format.", ("Format.NC1HWC0", "Format.ND")),
)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _at(part: ast.expr, member: ast.expr) -> str:
    return f"`{ast.unparse(member)}` of `{ast.unparse(part)}`"


def _replaced(tree: ast.expr, part: _Members, elts: list[ast.expr]) -> ast.expr:
    """A copy of a table in which one part has other members."""
    place = [id(node) for node in ast.walk(tree)].index(id(part))
    copy = deepcopy(tree)
    target = list(ast.walk(copy))[place]
    assert isinstance(target, ast.Tuple | ast.Set | ast.List)
    target.elts = elts
    return copy
