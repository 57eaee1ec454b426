"""All functions of an operator: compiled to programs, and then written."""

from __future__ import annotations

from dataclasses import dataclass, field

from aclspec.codegen.emit.check import Verdicts, compile_check
from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.constants import Constants
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.family import Family, family_of
from aclspec.codegen.emit.functions import compile_infer, compile_precision
from aclspec.codegen.emit.plain import plain
from aclspec.codegen.emit.program import Part
from aclspec.codegen.emit.rows import Rows
from aclspec.codegen.emit.scope import taken
from aclspec.codegen.emit.tables import Constant
from aclspec.codegen.emit.writing import Writer, Written
from aclspec.codegen.same import Same
from aclspec.runtime.info import OperatorInfo, RuleInfo


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The functions of an operator before they are text, and the constants that they need.

    ``correlated`` are the pointers that are not null in ``check`` whenever some other condition holds, which no static
    type says; ``inferring`` are those in ``infer``. ``passed`` is what is known of a call that no rule refused.
    ``written`` are the statements as they were written for the first operator with this program.
    """

    check: tuple[Part, ...]
    infer: tuple[Part, ...]
    precision: tuple[Part, ...]
    named: Constants
    correlated: frozenset[str]
    inferring: frozenset[str]
    passed: Facts
    written: Written = field(default_factory=dict)

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
    names, written = found.named.names, found.written
    check = tuple(Writer(info, verdicts.name, written).lines(found.check, 1, names))
    infer, precision = (
        tuple(Writer(info, _none, written).lines(part, 1, names)) for part in (found.infer, found.precision)
    )
    return Functions(check, infer, precision, tuple(verdicts.lines), found)


def _none(rule: RuleInfo) -> str:
    raise AssertionError(f"only a check has the verdict of a rule ({rule.id})")


def _program(info: OperatorInfo, universe: tuple[str, ...]) -> Program:
    """The program of an operator; as far as it comes out as that of the last one of its family, it is that one."""
    given = plain(info)
    family = family_of(given, universe)
    family.facts.correlated.clear()
    return family.facts.latest("program", given, lambda: _compiled(given, family))


def _compiled(info: OperatorInfo, family: Family) -> Program:
    facts, names = family.facts, taken(info)
    conditions = Conditions(Rows(facts.scope, info.rows))
    key = info.rules, info.rows, names
    check, passed = facts.latest("check", key, lambda: compile_check(info, names, conditions, facts))
    correlated = frozenset(facts.correlated)
    facts.correlated.clear()
    asked = info.infer, tuple(map(info.relied_on, info.infer)), info.rows, names
    infer = facts.latest("infer", asked, lambda: compile_infer(info, names, conditions, facts))
    inferring = frozenset(facts.correlated)
    chosen = Same(passed), info.compute.precision, info.rows, names
    precision = facts.latest("precision", chosen, lambda: compile_precision(info, names, conditions, passed))
    constants = Constants()
    for function in (check, infer, precision):
        constants.gather(function)
    return Program(check, infer, precision, constants, correlated, inferring, passed)
