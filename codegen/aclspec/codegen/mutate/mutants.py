"""The mutants of a generated module: each is the definitions to run instead of the module's own, and a description.

A description names a rule, a let, an output or a table and says what became of which expression. It holds no line
number, so that it stays the same while nothing changes at that place.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

from aclspec.codegen.mutate.mutations import changes, members

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
    """Every mutant of a module; where two would be described alike, the later ones are counted."""
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
    rules = _rules(tree)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name in FUNCTIONS:
            for place, statement in enumerate(function.body):
                for changed, words in _statement(statement, rules, function.name):
                    body = [*function.body[:place], *changed, *function.body[place + 1 :]]
                    yield Mutant(words, function.name, (_with_body(function, body),))


def _with_body(function: ast.FunctionDef, body: list[ast.stmt]) -> ast.FunctionDef:
    copy = ast.FunctionDef(**{**dict(ast.iter_fields(function)), "body": body})
    return ast.copy_location(copy, function)


def _rules(tree: ast.Module) -> dict[str, str]:
    """The short id of each rule by the name of its verdict."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and _is_verdict(node.value):
            assert isinstance(node.value, ast.Call)
            rule = ast.literal_eval(node.value.args[0])
            target = node.targets[0]
            assert isinstance(target, ast.Name)
            found[target.id] = str(rule).partition(".")[2]
    return found


def _is_verdict(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "Verdict"


def _statement(node: ast.stmt, rules: dict[str, str], function: str) -> Iterator[tuple[list[ast.stmt], str]]:
    """The ways to change one statement, with what is to be said of each."""
    about = _about(node, rules, function)
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            yield [ast.copy_location(ast.Pass(), node), *orelse], f"{about}: it is dropped"
            for changed, words in changes(test):
                yield [_if(node, changed, body)], f"{about}: {words}"
            for place, inner in enumerate(body):
                for changed_body, words in _statement(inner, rules, function):
                    yield [_if(node, test, [*body[:place], *changed_body, *body[place + 1 :]])], words
        case ast.For(iter=values, body=body):
            for changed, words in changes(values):
                yield [_for(node, changed, body)], f"{about}: {words}"
            for place, inner in enumerate(body):
                for changed_body, words in _statement(inner, rules, function):
                    yield [_for(node, values, [*body[:place], *changed_body, *body[place + 1 :]])], words
        case ast.Return(value=value) if value is not None and function != "check":
            for changed, words in changes(value):
                yield [ast.copy_location(ast.Return(changed), node)], f"{about}: {words}"
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            for changed, words in changes(value):
                copy = deepcopy(node)
                copy.value = changed
                yield [copy], f"{about}: {words}"
        case _:
            return


def _if(node: ast.If, test: ast.expr, body: list[ast.stmt]) -> ast.stmt:
    return ast.copy_location(ast.If(test, body, node.orelse), node)


def _for(node: ast.For, values: ast.expr, body: list[ast.stmt]) -> ast.stmt:
    return ast.copy_location(ast.For(node.target, values, body, node.orelse), node)


def _about(node: ast.stmt, rules: dict[str, str], function: str) -> str:
    """What a statement belongs to: a rule by its verdict, several rules by the first, else the name that it sets."""
    verdicts = [rules[name.id] for name in ast.walk(node) if isinstance(name, ast.Name) and name.id in rules]
    if len(verdicts) == 1:
        return verdicts[0]
    if verdicts:
        return f"{verdicts[0]} to {verdicts[-1]}"
    targets = [ast.unparse(part) for part in ast.walk(node) if isinstance(part, ast.Name) and _is_stored(part)]
    return " ".join([function, *dict.fromkeys(targets)])


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _of_tables(tree: ast.Module) -> Iterator[Mutant]:
    """The verdicts and the tables that stand before the functions."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in FUNCTIONS}
    used = {
        name: {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} for name, node in functions.items()
    }
    rules = _rules(tree)
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        name = node.targets[0].id
        users = [function for function, names in used.items() if name in names]
        if not users:
            continue
        told = _verdict(node.value) if _is_verdict(node.value) else _table(name, node.value)
        about = rules.get(name, f"table {name}")
        for changed, words in told:
            copy = ast.copy_location(ast.Assign(node.targets, changed), node)
            for user in users:
                yield Mutant(f"{about}: {words}", user, (copy, functions[user]))


def _table(name: str, value: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    yield from members(value)
    if not any(isinstance(part, ast.Tuple | ast.Set | ast.List) for part in ast.walk(value)):
        yield from changes(value)


def _verdict(value: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """A verdict with another status in one of its modes, or with another effect."""
    assert isinstance(value, ast.Call)
    for place, keyword in enumerate(value.keywords):
        before = ast.literal_eval(keyword.value)
        if before == 0:
            continue  # the mode does not ask the rule, or the rule is a shortcut
        after = _OTHERS.get(before, _INVALID)
        other = ast.keyword(keyword.arg, ast.Constant(after))
        copy = ast.Call(value.func, value.args, [*value.keywords[:place], other, *value.keywords[place + 1 :]])
        yield ast.copy_location(copy, value), f"{keyword.arg} {before} becomes {after}"
