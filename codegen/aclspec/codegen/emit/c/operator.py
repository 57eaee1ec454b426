"""The C of an operator: its check, the sentences of its rules, and the constants of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aclspec.codegen.emit.c.expressions import Expressions, quoted
from aclspec.codegen.emit.c.messages import Messages
from aclspec.codegen.emit.c.names import local_name
from aclspec.codegen.emit.c.statements import INDENT, check_lines, folded, parameters
from aclspec.codegen.emit.c.tables import constant_lines, row_lines
from aclspec.codegen.emit.check import CheckCompiler
from aclspec.codegen.emit.constants import Constants
from aclspec.codegen.emit.locals import Locals
from aclspec.codegen.emit.scope import Scope, taken
from aclspec.runtime.rules.operator_info import OperatorInfo, RuleInfo, Text
from aclspec.runtime.rules.template import read_template


@dataclass(frozen=True, slots=True)
class Source:
    """The text of an operator's check in C: its constants, the bodies of its functions, and its sentences."""

    constants: tuple[str, ...]
    check: tuple[str, ...]
    say: tuple[str, ...]
    requirements: tuple[str, ...]


def emit_c(info: OperatorInfo, universe: tuple[str, ...]) -> Source:
    """The C of an operator that has rules; ValueError where it asks what C cannot say."""
    scope, constants = Scope(info, universe), Constants(universe, {})
    compiler = CheckCompiler(scope, constants)
    names = taken(info) | {local_name(param.name) for param in info.params}
    program = Locals(compiler.lowering, names).bind(compiler.compile())
    numbers = {rule.id: at for at, rule in enumerate(info.rules)}
    check = check_lines(program, Expressions(scope, constants), numbers)
    say = list(_say(info, compiler, constants, numbers))
    used = list(constant_lines(constants.used(check + say, "")))
    if any("PUT_UNSUPPORTED" in line for line in say):
        used += row_lines(info, scope.rows)
    requirements = [line for rule in info.rules for line in folded(f"{{{_both(rule.requirement)}}},", 1)]
    return Source(
        tuple(used),
        (*parameters(info, check), *check),
        (*parameters(info, say), *say),
        tuple(requirements),
    )


def _both(text: Text) -> str:
    return f"{quoted(text.en)}, {quoted(text.zh)}"


def _say(info: OperatorInfo, compiler: CheckCompiler, constants: Constants, numbers: dict[str, int]) -> Iterator[str]:
    """The sentence of each rule that can fail, in the language that is asked for."""
    cases = [line for rule in info.rules for line in _case(rule, compiler, constants, numbers)]
    if not cases:
        return
    yield f"{INDENT}switch (index) {{"
    yield from cases
    yield f"{INDENT}default:"
    yield f"{INDENT * 2}break;"
    yield f"{INDENT}}}"


def _case(rule: RuleInfo, compiler: CheckCompiler, constants: Constants, numbers: dict[str, int]) -> Iterator[str]:
    known = compiler.failing.get(rule.id)
    if rule.failure is None or known is None or not known.places:
        return
    expressions = Expressions(compiler.scope, constants)
    english, chinese = (
        list(Messages.of(compiler.lowering, expressions, known).lines(read_template(text), 3))
        for text in (rule.failure.en, rule.failure.zh)
    )
    yield f"{INDENT}case {numbers[rule.id]}: // {rule.id}"
    yield f"{INDENT * 2}if (out->language == ACLSPEC_EN) {{"
    yield from english
    yield f"{INDENT * 2}}} else {{"
    yield from chinese
    yield f"{INDENT * 2}}}"
    yield f"{INDENT * 2}break;"
