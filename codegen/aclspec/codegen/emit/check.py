"""The body of the generated ``check`` and the constants that it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.layout import comment, statement
from aclspec.codegen.emit.locals import Local, Locals, Part, Section
from aclspec.codegen.emit.pretty import call, lay_out, quoted
from aclspec.codegen.emit.printer import INDENT
from aclspec.codegen.emit.python import Names
from aclspec.codegen.emit.rules import RuleCompiler, Test
from aclspec.codegen.emit.scope import RESERVED, Scope, identifier, variables
from aclspec.codegen.emit.tables import Tables
from aclspec.runtime.info import LetInfo, Mode, RuleInfo
from aclspec.runtime.predicate.sentences import requirement
from aclspec.runtime.status import Status

ANNOTATIONS = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "string": "str",
    "dtype": "DType",
    "format": "Format | None",
    "ints": "tuple[int, ...]",
    "bools": "tuple[bool, ...]",
    "floats": "tuple[float, ...]",
    "strings": "tuple[str, ...]",
    "dtypes": "tuple[DType, ...]",
    "formats": "tuple[Format | None, ...]",
}


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
    params = frozenset(identifier(param.name) for param in scope.info.params)
    taken = RESERVED | params | variables(scope.info)
    program = Locals(conditions, taken).bind(statements)
    writer = _Writer(scope, tables)
    body = tuple(writer.lines(program, 1, {}))
    return CheckFunction(body, tuple(writer.verdicts), frozenset(compiler.facts.correlated), compiler.facts)


class _Writer:
    """Prints a program, and collects the verdicts on the way."""

    def __init__(self, scope: Scope, tables: Tables) -> None:
        self.info, self.tables = scope.info, tables
        self.lets = {let.name: let for let in scope.info.lets}
        self.verdicts: list[str] = []
        self.used: set[str] = set()

    def lines(self, program: Sequence[Part], depth: int, names: Names) -> Iterator[str]:
        known = dict(names)
        for part in program:
            match part:
                case Local():
                    yield from self._local(part, depth, known)
                    known[part.shared.key] = part.name
                case Section(block=block, parts=parts):
                    yield from statement("if ", block.condition, ":", depth, known)
                    yield from self.lines(parts, depth + 1, known)
                case Test():
                    yield from self._test(part, depth, known)

    def _local(self, local: Local, depth: int, names: Names) -> Iterator[str]:
        let = self.lets.get(local.let or "")
        if let is not None:
            yield from _let_comment(let, depth)
        annotation = f": {ANNOTATIONS[let.type]}" if let is not None and local.first else ""
        yield from statement(f"{local.name}{annotation} = ", local.value, "", depth, names)

    def _test(self, test: Test, depth: int, names: Names) -> Iterator[str]:
        yield from comment(f"{self.info.name}.{test.rule.id}: {requirement(self.info, test.rule, 'en')}", depth)
        yield from statement("if ", test.condition, ":", depth, names)
        yield f"{INDENT * (depth + 1)}return {self._verdict(test.rule)}"

    def _verdict(self, rule: RuleInfo) -> str:
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
        self.verdicts.extend(lay_out(f"{name} = ", value))
        return name


def _code(status: dict[Mode, str], mode: Mode) -> str:
    return status.get(mode, "0")


def _let_comment(let: LetInfo, depth: int) -> Iterator[str]:
    if let.doc is not None:
        yield from comment(f"{let.name} is {let.doc.en}.", depth)
