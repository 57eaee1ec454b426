"""The generated ``check``: its program, and the verdicts that it returns."""

from __future__ import annotations

from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.locals import Locals
from aclspec.codegen.emit.pretty import call, lay_out, quoted
from aclspec.codegen.emit.program import Part
from aclspec.codegen.emit.rules import RuleCompiler
from aclspec.codegen.emit.scope import RESERVED
from aclspec.runtime.info import Mode, OperatorInfo, RuleInfo
from aclspec.runtime.status import Status


def compile_check(
    info: OperatorInfo, names: frozenset[str], conditions: Conditions, facts: Facts
) -> tuple[tuple[Part, ...], Facts]:
    """Compile the rules of an operator, in which these names are taken; the facts are those behind the last rule."""
    compiler = RuleCompiler(conditions, facts)
    statements = compiler.compile(info.rules)
    return tuple(Locals(conditions, names).bind(statements)), compiler.facts


class Verdicts:
    """The constants that a check returns."""

    def __init__(self, info: OperatorInfo) -> None:
        """None so far."""
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
