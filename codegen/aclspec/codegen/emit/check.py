"""The body of the generated ``check`` and the constants that it needs."""

from __future__ import annotations

from dataclasses import dataclass

from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.locals import Locals
from aclspec.codegen.emit.pretty import call, lay_out, quoted
from aclspec.codegen.emit.rules import RuleCompiler
from aclspec.codegen.emit.scope import RESERVED, Scope, taken
from aclspec.codegen.emit.tables import Tables
from aclspec.codegen.emit.writing import Writer
from aclspec.runtime.info import Mode, OperatorInfo, RuleInfo
from aclspec.runtime.status import Status


@dataclass(frozen=True, slots=True)
class CheckFunction:
    """The text of one operator's ``check``: its body, and the verdicts it returns.

    ``correlated`` are the pointers that are not null whenever some other condition holds, which no static type says.
    ``passed`` is what is known of a call that no rule refused.
    """

    body: tuple[str, ...]
    verdicts: tuple[str, ...]
    correlated: frozenset[str]
    passed: Facts


def emit_check(scope: Scope, tables: Tables, conditions: Conditions) -> CheckFunction:
    """Compile the rules of an operator."""
    compiler = RuleCompiler(scope, tables, conditions)
    statements = compiler.compile()
    program = Locals(conditions, taken(scope.info)).bind(statements)
    verdicts = _Verdicts(scope.info)
    body = tuple(Writer(scope.info, verdicts.name).lines(program, 1, {}))
    return CheckFunction(body, tuple(verdicts.lines), frozenset(compiler.facts.correlated), compiler.facts)


class _Verdicts:
    """The constants that a check returns."""

    def __init__(self, info: OperatorInfo) -> None:
        self.info = info
        self.lines: list[str] = []
        self.used: set[str] = set()

    def name(self, rule: RuleInfo) -> str:
        """The name of a rule's verdict, which is written on the way."""
        name = rule.id.upper().replace("-", "_")
        while name in self.used or name in RESERVED:
            name += "_"
        self.used.add(name)
        status = {mode: str(int(Status[code])) for mode, code in rule.status}
        full = quoted(f"{self.info.name}.{rule.id}")
        if rule.kind == "shortcut":
            value = call("Verdict", full, document="0", library="0", effect=quoted(rule.effect or "unwritten"))
        else:
            value = call("Verdict", full, document=_code(status, "document"), library=_code(status, "library"))
        self.lines.extend(lay_out(f"{name} = ", value))
        return name


def _code(status: dict[Mode, str], mode: Mode) -> str:
    return status.get(mode, "0")
