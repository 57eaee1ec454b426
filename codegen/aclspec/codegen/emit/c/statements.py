"""The body of an operator's check: its rules one after the other, each below its sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from aclspec.codegen.emit.c.expressions import Expressions, Value, quoted
from aclspec.codegen.emit.c.lists import local_array, local_view
from aclspec.codegen.emit.c.names import local_name
from aclspec.codegen.emit.c.values import INT64, TYPES, Code, Listed
from aclspec.codegen.emit.check import Decision
from aclspec.codegen.emit.locals import Binding
from aclspec.codegen.emit.printer import Block, Statement
from aclspec.codegen.source.wrapping import wrapped
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo

INDENT = "    "
WIDTH = 120
_MEMBERS: Mapping[str, str] = {
    "tensor": "tensor",
    "tensors": "tensors",
    "scalar": "scalar",
    "scalars": "scalars",
    "ints": "ints",
    "bools": "bools",
    "floats": "floats",
    "string": "text",
    "bool": "boolean",
    "int": "integer",
    "float": "real",
    "dtype": "integer",
}
"""The member of an argument that holds a parameter, by its predicate type."""
_POINTERS: Mapping[str, str] = {
    "tensor": "aclspec_tensor",
    "tensors": "aclspec_tensor_list",
    "scalar": "aclspec_scalar",
    "scalars": "aclspec_scalar_list",
    "ints": "aclspec_int_array",
    "bools": "aclspec_bool_array",
    "floats": "aclspec_float_array",
    "string": "char",
}


def parameters(info: OperatorInfo, body: Sequence[str]) -> Iterator[str]:
    """The locals of the parameters that the lines of a body use."""
    words = _words(body)
    for at, param in enumerate(info.params):
        if local_name(param.name) in words:
            yield f"{INDENT}{_parameter(at, param)}"


def _words(lines: Iterable[str]) -> set[str]:
    """The words in the code of some lines."""
    return set(re.findall(r"\w+", "\n".join(map(code_of, lines))))


_NO_CODE = re.compile(r'"(?:[^"\\]|\\.)*"|//.*')


def code_of(line: str) -> str:
    """A line without its string literals and its comment."""
    return _NO_CODE.sub('""', line)


def _parameter(at: int, param: ParamInfo) -> str:
    kind, name = PARAM_TYPES[param.type], local_name(param.name)
    value = f"arguments[{at}].{_MEMBERS[kind.predicate]}"
    if kind.pointer:
        return f"const {_POINTERS[kind.predicate]} *const {name} = {value};"
    if kind.predicate == "dtype":
        value = f"(int){value}"
    elif kind.predicate == "int" and kind.high > INT64[1]:
        value = f"(uint64_t){value}"
    return f"const {TYPES[kind.predicate]} {name} = {value};"


def check_lines(program: Iterable[Statement], expressions: Expressions, numbers: Mapping[str, int]) -> list[str]:
    """The statements of a check; ``numbers`` are those of the rules."""
    return list(_lines(program, expressions, numbers, 1))


def _lines(
    program: Iterable[Statement], expressions: Expressions, numbers: Mapping[str, int], depth: int
) -> Iterator[str]:
    statements = iter(program)
    for statement in statements:
        if isinstance(statement, Binding):
            value, lines = local(statement.name, expressions.value(statement.value), depth)
            rest = list(_lines(statements, expressions.bind(statement.name, value), numbers, depth))
            if lines and local_name(statement.name) in _words(rest):  # not where all that asks for it is decided
                yield from (*comment(statement.comment, depth), *lines)
            yield from rest
            return
        yield from comment(statement.comment, depth)
        if isinstance(statement, Block):
            body = list(_lines(statement.body, expressions, numbers, depth + 1))
            is_short = len(statement.body) == 1 and len(body) == 1
            condition = expressions.condition(statement.value).text
            yield from folded(f"if ({condition}){'' if is_short else ' {'}", depth)
            yield from body
            if not is_short:
                yield f"{INDENT * depth}}}"
        else:
            assert isinstance(statement.value, Decision)
            yield _decided(statement.value, expressions, numbers, depth)


def _decided(decision: Decision, expressions: Expressions, numbers: Mapping[str, int], depth: int) -> str:
    full = quoted(f"{expressions.scope.info.name}.{decision.rule}")
    effect = "NULL" if decision.effect is None else quoted(decision.effect)
    codes = ", ".join(map(str, decision.statuses))
    return f"{INDENT * depth}DECIDE({numbers[decision.rule]}, {full}, {codes}, {effect});"


def local(name: str, value: Value, depth: int) -> tuple[Value, list[str]]:
    """What a local stands for, and its declaration; a list that no memory holds is written out where it is used."""
    text = local_name(name)
    if isinstance(value, Listed):
        if value.items and value.kind in ("int", "big"):
            items = ", ".join(item.text for item in value.items)
            return local_array(text, value), folded(f"const {TYPES[value.kind]} {text}[] = {{{items}}};", depth)
        if value.view is None:
            return value, []
        return local_view(text), folded(f"const aclspec_ints {text} = {value.view};", depth)
    kind = "float" if value.kind == "number" else value.kind
    found = Code(kind, text, low=value.low, high=value.high)
    return found, folded(f"const {TYPES[kind]} {text} = {value.text};", depth)


def comment(text: str, depth: int) -> list[str]:
    """A comment, wrapped to the width of a line."""
    lead = f"{INDENT * depth}// "
    return wrapped(text.replace("\\", "/"), WIDTH, lead, lead) if text else []


_BREAKS = re.compile(r'"(?:[^"\\]|\\.)*"|( )')


def folded(text: str, depth: int) -> list[str]:
    """A statement, folded at spaces to the width of a line; the lines after the first are indented further."""
    lead, more = INDENT * depth, INDENT * (depth + 1)
    found: list[str] = []
    while len(lead) + len(text) > WIDTH:
        spaces = [match.start() for match in _BREAKS.finditer(text) if match[1]]
        best = max((at for at in spaces if len(lead) + at <= WIDTH), default=min(spaces, default=-1))
        if best <= 0:
            break
        operator = max((text.rfind(f" {op} ", 0, best) for op in ("&&", "||")), default=-1)
        best = operator if operator > best // 2 else best
        found.append(lead + text[:best])
        text, lead = text[best + 1 :], more
    return [*found, lead + text]
