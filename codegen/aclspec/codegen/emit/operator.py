"""All functions of an operator: compiled once for all operators that check the same, and then written for each.

What is compiled sees neither the names nor the words of an operator, so that it cannot depend on them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from aclspec.codegen.emit.check import Verdicts, compile_check
from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.functions import compile_infer, compile_precision
from aclspec.codegen.emit.program import Part
from aclspec.codegen.emit.rows import Rows
from aclspec.codegen.emit.scope import Scope
from aclspec.codegen.emit.tables import Constant, Tables
from aclspec.codegen.emit.writing import Writer
from aclspec.runtime.info import ComputeInfo, OperatorInfo, RuleInfo, Text
from aclspec.runtime.predicate.nodes import Float

_NOTHING = Text("", "")
_KEPT = 4
"""So many operators are remembered as they were compiled: each takes memory, and those that are alike come together."""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The functions of an operator before they are text, and the constants that they need.

    ``correlated`` are the pointers that are not null in ``check`` whenever some other condition holds, which no static
    type says; ``inferring`` are those in ``infer``. ``passed`` is what is known of a call that no rule refused.
    """

    check: tuple[Part, ...]
    infer: tuple[Part, ...]
    precision: tuple[Part, ...]
    constants: tuple[Constant, ...]
    correlated: frozenset[str]
    inferring: frozenset[str]
    passed: Facts


@dataclass(frozen=True, slots=True)
class Functions:
    """The text of an operator's functions: their bodies, and the verdicts that ``check`` returns."""

    check: tuple[str, ...]
    infer: tuple[str, ...]
    precision: tuple[str, ...]
    verdicts: tuple[str, ...]
    program: Program


def emit(info: OperatorInfo, universe: tuple[str, ...]) -> Functions:
    """The functions of an operator, of all products there are."""
    found = _compiled(_checked(info), universe, _zeros(info))
    verdicts = Verdicts(info)
    check = tuple(Writer(info, verdicts.name).lines(found.check, 1, {}))
    infer, precision = (tuple(Writer(info, _none).lines(part, 1, {})) for part in (found.infer, found.precision))
    return Functions(check, infer, precision, tuple(verdicts.lines), found)


def _none(rule: RuleInfo) -> str:
    raise AssertionError(f"only a check has the verdict of a rule ({rule.id})")


def _checked(info: OperatorInfo) -> OperatorInfo:
    """The operator without what its functions do not depend on before they are written."""
    precision = info.compute.precision
    return replace(
        info,
        name="",
        snake="",
        header="",
        category="",
        summary=_NOTHING,
        spec="",
        params=tuple(replace(param, doc=_NOTHING, default=None, has_default=False) for param in info.params),
        lets=tuple(replace(let, doc=None) for let in info.lets),
        rules=tuple(replace(rule, clauses=(), doc=None, fails_with=(), reason=None) for rule in info.rules),
        compute=ComputeInfo("", precision, ()),
        examples=(),
    )


def _zeros(info: OperatorInfo) -> tuple[str, ...]:
    """The floats that are whole values, as written: -0.0 equals 0.0."""
    values = [let.value for let in info.lets]
    values += [value for row in info.compute.precision for _, value in row.entries]
    values += [value for rule in info.rules for value in (rule.when, rule.require) if value is not None]
    return tuple(repr(value.value) for value in values if isinstance(value, Float))


@lru_cache(maxsize=_KEPT)
def _compiled(info: OperatorInfo, universe: tuple[str, ...], zeros: tuple[str, ...]) -> Program:
    """The program of an operator; ``zeros`` only tells apart what equality does not."""
    scope, tables = Scope(info, universe), Tables(universe)
    conditions = Conditions(Rows(scope, tables))
    check, passed = compile_check(scope, tables, conditions)
    correlated = frozenset(passed.correlated)
    infer, inferring = compile_infer(scope, conditions)
    precision = compile_precision(scope, tables, conditions, passed)
    return Program(check, infer, precision, tuple(tables.constants.values()), correlated, inferring, passed)
