"""What is remembered of one operator never shows in another one that checks the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

import pytest

from aclspec.codegen.emit.family import forget
from aclspec.codegen.emit.operator import Functions, emit
from aclspec.codegen.predicate.rebuild import rebuild
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.told import sentence
from aclspec.runtime.info import OperatorInfo, Text
from aclspec.runtime.predicate.nodes import Compare, Float, Int, Name, Node, Symbol
from aclspec.runtime.predicate.walk import children
from tests.emit.randomspec import UNIVERSE, random_operator


def texts(functions: Functions) -> tuple[tuple[str, ...], ...]:
    """All that is written of an operator's functions."""
    constants = tuple(line for one in functions.program.constants for line in (*one.comments, *one.lines))
    return functions.check, functions.infer, functions.precision, functions.verdicts, constants


def renamed(info: OperatorInfo) -> OperatorInfo:
    """The same operator under another name, and with other words for its lets and rules."""
    return replace(
        info,
        name="aclnnQuiteAnotherOperator",
        snake="quite_another_operator",
        lets=tuple(replace(let, doc=Text(f"the value called {let.name}", "值")) for let in info.lets),
        rules=tuple(replace(rule, doc=Text("Other words.", "别的话。")) for rule in info.rules),
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_relative_gets_nothing_of_the_one_before(seed: int) -> None:
    info = random_operator(seed)
    other = renamed(info)
    alone = texts(emit(other, UNIVERSE))
    said = [sentence(other, rule, "en") for rule in other.rules]
    first = texts(emit(info, UNIVERSE))
    second = texts(emit(other, UNIVERSE))
    assert second == alone
    assert [sentence(other, rule, "en") for rule in other.rules] == said
    assert not any(f"{info.name}." in line for lines in second for line in lines)
    assert texts(emit(info, UNIVERSE)) == first


Change: TypeAlias = Callable[[Node], Node | None]


def more(node: Node) -> Node | None:
    """A number one greater."""
    return Int(node.value + 1) if isinstance(node, Int) else None


def other_sign(node: Node) -> Node | None:
    """A zero of the other sign, which is equal, and other text."""
    return Float(-node.value) if isinstance(node, Float) and node.value == 0 else None


def other_type(node: Node) -> Node | None:
    """An equal number of another type, in a comparison, where it is as good."""
    match node:
        case Compare(op=op, left=left, right=Int(value=value)):
            return Compare(op, left, Float(float(value)))
        case Compare(op=op, left=left, right=Float(value=value)) if value == int(value):
            return Compare(op, left, Int(int(value)))
        case _:
            return None


def other_dtype(node: Node) -> Node | None:
    """Another dtype."""
    match node:
        case Symbol(kind="dtype", name=name):
            return Symbol("dtype", "INT8" if name == "BF16" else "BF16")
        case _:
            return None


def changed(node: Node, change: Change) -> Node | None:
    """The tree with one thing in it changed; None where there is nothing to change."""
    found = change(node)
    for child in children(node) if found is None else ():
        inside = changed(child, change)
        if inside is not None:
            return with_part(node, child, inside)
    return found


def with_part(node: Node, old: Node, new: Node) -> Node:
    """The tree with another part in the place of this one."""
    return rebuild(node, lambda part: new if part is old else part)


def with_rule_changed(info: OperatorInfo, change: Change) -> OperatorInfo | None:
    """The operator with one thing changed in a rule, of the last ones first."""
    for at in reversed(range(len(info.rules))):
        require = info.rules[at].require
        made = None if require is None else changed(require, change)
        if made is not None:
            return replace(info, rules=(*info.rules[:at], replace(info.rules[at], require=made), *info.rules[at + 1 :]))
    return None


def with_row_changed(info: OperatorInfo) -> OperatorInfo | None:
    """The operator with one dtype fewer in its dtype rows."""
    for at, row in enumerate(info.rows):
        for place, (name, dtypes) in enumerate(row.cells):
            if len(dtypes) > 1:
                cells = (*row.cells[:place], (name, dtypes[1:]), *row.cells[place + 1 :])
                return replace(info, rows=(*info.rows[:at], replace(row, cells=cells), *info.rows[at + 1 :]))
    return None


def with_let_changed(info: OperatorInfo) -> OperatorInfo | None:
    """The operator with one number changed in a let."""
    for at, let in enumerate(info.lets):
        made = changed(let.value, more)
        if made is not None:
            return replace(info, lets=(*info.lets[:at], replace(let, value=made), *info.lets[at + 1 :]))
    return None


CHANGES: dict[str, Callable[[OperatorInfo], OperatorInfo | None]] = {
    "a number of a rule": lambda info: with_rule_changed(info, more),
    "the sign of a zero": lambda info: with_rule_changed(info, other_sign),
    "the type of a number": lambda info: with_rule_changed(info, other_type),
    "a dtype of a rule": lambda info: with_rule_changed(info, other_dtype),
    "a dtype of a row": with_row_changed,
    "a number of a let": with_let_changed,
    "no last rule": lambda info: replace(info, rules=info.rules[:-1]),
    "no first rule": lambda info: replace(info, rules=info.rules[1:]),
    "the rules the other way round": lambda info: replace(info, rules=info.rules[::-1]),
    "the status of the last rule": lambda info: replace(
        info, rules=(*info.rules[:-1], replace(info.rules[-1], status=(("library", "ACLNN_ERR_PARAM_INVALID"),)))
    ),
    "an optional parameter": lambda info: replace(
        info, params=(replace(info.params[0], optional=not info.params[0].optional), *info.params[1:])
    ),
    "no row of precision": lambda info: replace(info, compute=replace(info.compute, precision=())),
    "nothing inferred": lambda info: replace(info, infer=()),
    "one product fewer": lambda info: replace(info, products=info.products[1:]) if len(info.products) > 1 else None,
    "other words": renamed,
}


def alone(info: OperatorInfo) -> tuple[object, ...]:
    """What is written of an operator when nothing is remembered of another one."""
    forget()
    return all_of(info)


def all_of(info: OperatorInfo) -> tuple[object, ...]:
    """What is written of an operator, and what else is known of its parameters."""
    found = emit(info, UNIVERSE)
    return (*texts(found), found.program.correlated, found.program.inferring)


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_is_written_and_nothing_else(change: str) -> None:
    """Of two relatives each is written as if it were alone, whichever comes first, and both again after the other."""
    pairs = ((info, CHANGES[change](info)) for info in map(random_operator, range(100, 400)))
    found = list(islice(((info, other) for info, other in pairs if other is not None), 3))
    assert len(found) == 3
    for info, other in found:
        wanted = alone(info), alone(other)
        for first, second in ((0, 1), (1, 0)):
            forget()
            for at in (first, second, first, second):
                assert all_of((info, other)[at]) == wanted[at]


def test_a_remembered_operator_is_not_compiled_again() -> None:
    forget()
    first, second = emit(random_operator(1), UNIVERSE), emit(renamed(random_operator(1)), UNIVERSE)
    assert first.program is second.program


def test_a_family_is_forgotten_after_so_many_operators() -> None:
    """What is remembered has a bound, whatever its members ask; and it is not seen in what is written."""
    forget()
    info = random_operator(1)
    found = [emit(info, UNIVERSE) for _ in range(200)]
    assert 1 < len({id(one.program) for one in found}) < 10
    assert len({texts(one) for one in found}) == 1


@pytest.mark.parametrize("one", [0.0, -0.0])
def test_zeros_are_written_with_their_sign(one: float) -> None:
    """The numbers are equal and their trees are not, so that the text of one is not kept as that of the other."""
    assert Float(one) == Float(one) != Float(-one)
    assert len({Float(one), Float(-one), Float(one)}) == 2
    assert [unparse(Compare("<", Name("eps"), Float(value))) for value in (one, -one)] == [
        f"eps < {one}",
        f"eps < {-one}",
    ]
