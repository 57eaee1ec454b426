"""All functions of an operator: compiled to programs, and then written."""

from __future__ import annotations

from dataclasses import dataclass

from aclspec.codegen.emit.check import Verdicts, compile_check
from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.constants import Constants
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.functions import compile_infer, compile_precision
from aclspec.codegen.emit.program import Part
from aclspec.codegen.emit.rows import Rows
from aclspec.codegen.emit.scope import Scope
from aclspec.codegen.emit.tables import Constant, Tables
from aclspec.codegen.emit.writing import Writer
from aclspec.runtime.info import OperatorInfo, RuleInfo


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The functions of an operator before they are text, and the constants that they need.

    ``correlated`` are the pointers that are not null in ``check`` whenever some other condition holds, which no static
    type says; ``inferring`` are those in ``infer``. ``passed`` is what is known of a call that no rule refused.
    """

    check: tuple[Part, ...]
    infer: tuple[Part, ...]
    precision: tuple[Part, ...]
    named: Constants
    correlated: frozenset[str]
    inferring: frozenset[str]
    passed: Facts

    @property
    def constants(self) -> tuple[Constant, ...]:
        """The constants in the order in which they are first needed."""
        return tuple(self.named.found)


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
    found = _program(info, universe)
    verdicts = Verdicts(info)
    check = tuple(Writer(info, verdicts.name).lines(found.check, 1, found.named.names))
    infer, precision = (tuple(Writer(info, _none).lines(part, 1, found.named.names)) for part in (found.infer, found.precision))
    return Functions(check, infer, precision, tuple(verdicts.lines), found)


def _none(rule: RuleInfo) -> str:
    raise AssertionError(f"only a check has the verdict of a rule ({rule.id})")


def _program(info: OperatorInfo, universe: tuple[str, ...]) -> Program:
    scope, tables = Scope(info, universe), Tables(universe)
    conditions = Conditions(Rows(scope, tables))
    check, passed = compile_check(scope, tables, conditions)
    correlated = frozenset(passed.correlated)
    infer, inferring = compile_infer(scope, conditions)
    precision = compile_precision(scope, tables, conditions, passed)
    constants = Constants()
    for function in (check, infer, precision):
        constants.gather(function)
    return Program(check, infer, precision, constants, correlated, inferring, passed)
