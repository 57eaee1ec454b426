"""The source of the tables, as a reviewer reads it: each rule below its sentence and its predicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aclspec.codegen.render.c.memory import ELEMENTS, FRAME, Limits
from aclspec.codegen.render.c.operator import Encoded, described
from aclspec.codegen.render.c.predicates import TYPES
from aclspec.codegen.render.c.shared import member_lines
from aclspec.codegen.render.c.tables import CaveatRow, Part, RuleRow, Tables
from aclspec.codegen.render.c.text import INDENT, array, comment, quoted
from aclspec.codegen.render.headers import phase_one
from aclspec.runtime.language.functions import FUNCTIONS, MAX_RANGE
from aclspec.runtime.rules.operator_info import OperatorInfo


def limit_lines(tables: Tables, found: Limits, infos: Iterable[OperatorInfo]) -> Iterator[str]:
    """The header of the tables: how much memory a check needs, and the functions that predicates call."""
    joint = [row.b for row in tables.nodes.values if row.op == "OP_IN_ROWS"]
    joint += [part.c for part in _parts(tables, "P_UNSUPPORTED")]
    names = [len(param.name.encode()) for info in infos for param in info.params]
    yield f"#define ACLSPEC_STACK {found.stack} /* bytes that a check takes at most */"
    yield f"#define ACLSPEC_FRAME {FRAME} /* bytes of it for each level of nodes */"
    yield f"#define ACLSPEC_DEPTH {found.depth} /* levels of nodes */"
    yield f"#define ACLSPEC_OPERANDS {found.operands}"
    yield f"#define ACLSPEC_VARIABLES {found.variables}"
    yield f"#define ACLSPEC_SLOTS {found.slots} /* values that are kept of a call, since rules share them */"
    yield f"#define ACLSPEC_JOINT {max(joint, default=1)} /* parameters of one row of dtypes */"
    yield f"#define ACLSPEC_LONGEST_NAME {max(names, default=1)}"
    yield f"#define ACLSPEC_ELEMENTS {ELEMENTS} /* of lists among them */"
    yield f"#define ACLSPEC_MAX_RANGE {MAX_RANGE}"
    yield "/* The functions of the predicate language, each with its number. */"
    yield "#define ACLSPEC_FUNCTIONS(X) \\"
    calls = [f"X({name})" for name in FUNCTIONS]
    lines = [" ".join(calls[at : at + 8]) for at in range(0, len(calls), 8)]
    yield from (f"{INDENT}{line}{' ' + chr(92) if at < len(lines) - 1 else ''}" for at, line in enumerate(lines))
    yield from member_lines()


def _parts(tables: Tables, kind: str) -> Iterator[Part]:
    return (part for part in tables.parts.values if part.kind == kind)


def table_lines(tables: Tables, found: Limits, operators: Sequence[Encoded]) -> Iterator[str]:
    """The tables; operators in the order of their numbers."""
    yield "/* Predicates. Below each node stands what it says. */"
    yield "const node aclspec_nodes[] = {"
    for index, row in enumerate(tables.nodes.values):
        slot = found.slot_of.get(index, 0)
        text = f" // {index}: {_one_line(tables.texts[index])}" if index in tables.texts else ""
        op = f"{row.op} | NEGATED" if row.negated else row.op
        yield f"{INDENT}{{{op}, {row.kind}, {slot}, {row.a}, {row.b}, {row.c}}},{text}"
    yield from ("    {0},", "};")
    yield from array("const int32_t aclspec_children[]", map(str, tables.children.values))
    yield from array("const int64_t aclspec_numbers[]", map(_int64, tables.numbers.values))
    yield from array("const double aclspec_reals[]", tables.reals.values)
    yield from array("const uint64_t aclspec_sets[]", (f"{one:#x}u" for one in tables.sets.values))
    cells = (f"{{{bits:#x}u, {first}, {count}}}" for bits, first, count in tables.cells.values)
    yield from array("const dtype_cell aclspec_cells[]", [*cells, "{0}"])
    yield from array("const int16_t aclspec_cell_dtypes[]", tables.cell_dtypes.values)
    yield from _operators(tables, operators)
    rows = (f"{{{row.products:#x}, {row.modes}, {row.cells}}}" for row in tables.rows)
    yield from array("const dtype_row aclspec_rows[]", [*rows, "{0}"])
    yield from ("", "/* Sentences. */")
    templates = (f"{{{first}, {count}}}" for first, count in tables.templates.values)
    yield from array("const template_row aclspec_templates[]", [*templates, "{0}"])
    parts = (f"{{{part.kind}, {part.a}, {part.b}, {part.c}}}" for part in tables.parts.values)
    yield from array("const part_row aclspec_parts[]", [*parts, "{0}"])
    yield "const char aclspec_strings[] ="
    yield from (f'{INDENT}{quoted(text)} "\\0" // {offset}' for text, offset in tables.strings.offsets.items())
    yield f'{INDENT}"";'


def _operators(tables: Tables, operators: Sequence[Encoded]) -> Iterator[str]:
    """The rules and the parameters of each operator, below its prototype."""
    yield from (
        "",
        "/* Rules: products, modes, whether it is a shortcut, when, require. */",
    )
    yield "const rule_row aclspec_rules[] = {"
    for one in operators:
        yield from ("", f"{INDENT}/*")
        yield from (f"{INDENT} * {line}" for line in phase_one(one.info).splitlines())
        yield f"{INDENT} */"
        for at, rule in enumerate(one.rules):
            for text in described(rule):
                yield from comment(text, 1)
            yield f"{INDENT}{_rule(tables.rules[one.first_rule + at])},"
    yield from ("    {0},", "};", "", "/* What rules answer: id, effect, statuses, requirements, failures. */")
    yield from array("const answer_row aclspec_answers[]", [*map(_answer, tables.rules), "{0}"])
    yield from (
        "",
        "/* Cases beside the rules: products, modes, kind, when, the rules that leave it out, id, status, texts. */",
    )
    yield "const caveat_row aclspec_caveats[] = {"
    for one in operators:
        for at, caveat in enumerate(one.caveats):
            yield from comment(f"{one.info.name}.{caveat.id}: {caveat.because.en}", 1)
            yield f"{INDENT}{_caveat(tables.caveats[one.first_caveat + at])},"
    yield from ("    {0},", "};")
    params = (
        f"{{{row.name}, {TYPES.index(row.type)}, {row.checked}, {row.column}, {row.required}}}" for row in tables.params
    )
    yield from array("const param_row aclspec_params[]", [*params, "{0}"])
    yield "const operator_row aclspec_table[] = {"
    for one in operators:
        first, count = one.first_rule, len(one.rules)
        counts = f"{first}, {count}, {one.first_param}, {len(one.info.params)}"
        counts += f", {one.first_row}, {one.row_count}, {one.first_caveat}, {len(one.caveats)}, {one.columns}"
        yield f"{INDENT}{{{counts}}}, // {one.info.name}"
    yield from ("    {0},", "};")


def _rule(row: RuleRow) -> str:
    return f"{{{row.products:#x}, {row.modes}, {int(row.shortcut)}, {row.when}, {row.require}}}"


def _caveat(row: CaveatRow) -> str:
    numbers = f"{row.when}, {row.rules}, {row.rule_count}, {row.id}, {row.status}"
    return f"{{{row.products:#x}, {row.modes}, {row.kind}, {numbers}, {{{row.because[0]}, {row.because[1]}}}}}"


def _answer(row: RuleRow) -> str:
    pairs = (f"{{{one}, {other}}}" for one, other in (row.requirement, row.failure))
    return f"{{{', '.join([*map(str, (row.id, row.effect, row.document, row.library)), *pairs])}}}"


def _int64(value: int) -> str:
    return "INT64_MIN" if value == -(2**63) else str(value)


def _one_line(text: str) -> str:
    return " ".join(text.replace("\\", "/").split())
