"""The files of the checks in C: one header for users, the tables, and the evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Final

from aclspec.codegen.render.build import header_line
from aclspec.codegen.render.c.memory import limits
from aclspec.codegen.render.c.operator import encode
from aclspec.codegen.render.c.shared import dtype_lines, word_lines
from aclspec.codegen.render.c.sources import limit_lines, table_lines
from aclspec.codegen.render.c.tables import Tables
from aclspec.codegen.render.c.text import product_name, quoted
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.rules.operator_info import OperatorInfo

HEADER: Final = "aclspec_checks.h"
_LIBRARY = files("aclspec.codegen.render.c").joinpath("library")
_SOURCES: Final = ("check", "evaluate", "functions", "lists", "sentence", "writer")
"""The parts of the evaluator that are the same for all tables."""
_SIGNATURE = "int product, bool library, const aclspec_argument *arguments"
_CAVEAT = f"{_SIGNATURE},\n    aclspec_verdict *verdict, aclspec_caveat *found"
_EXPLAIN = (
    "int product, const aclspec_argument *arguments, const aclspec_verdict *verdict,\n"
    "    aclspec_language language, char *buffer, size_t size"
)


def render_c(infos: Sequence[OperatorInfo], universe: tuple[str, ...]) -> dict[PurePosixPath, str]:
    """The texts of all files by path: of operators, declared ones too, on all products there are."""
    ordered = sorted(infos, key=lambda info: info.name.encode())
    checked = [info for info in ordered if info.facts.has_rules]
    tables = Tables()
    operators = [encode(tables, info, universe) for info in checked]
    found = limits(tables, operators)
    texts = {
        HEADER: _header(checked, universe),
        "aclspec_checks.c": _operators(ordered, universe),
        "aclspec_tables.h": _guarded("ACLSPEC_TABLES_H", limit_lines(tables, found, checked)),
        "aclspec_tables.c": _source(table_lines(tables, found, operators)),
        "aclspec_evaluator.h": _library("evaluator.h"),
        "aclspec_dtypes.c": _library("dtypes.c", dtype_lines()),
        "aclspec_unsupported.c": _library("unsupported.c", word_lines()),
        **{f"aclspec_{name}.c": _library(f"{name}.c") for name in _SOURCES},
    }
    return {PurePosixPath(name): text for name, text in texts.items()}


def write_checks(infos: Sequence[OperatorInfo], folder: Path) -> list[str]:
    """Write the checks of these operators into a folder; the result is the names of the files to compile."""
    texts = render_c(infos, KEYS)
    for path, text in texts.items():
        (folder / path).write_text(text, encoding="utf-8")
    return [str(path) for path in texts if path.suffix == ".c"]


def _library(name: str, lines: Iterable[str] = ()) -> str:
    """A file of the evaluator, with generated lines in their place."""
    text = _LIBRARY.joinpath(name).read_text(encoding="utf-8").replace("/* @tables@ */", "\n".join(lines))
    return f"/* {header_line('the evaluator of aclspec')} */\n{text}"


def _source(lines: Iterable[str]) -> str:
    return "\n".join([f"/* {header_line('specs')} */", '#include "aclspec_evaluator.h"', "", *lines, ""])


def _guarded(guard: str, lines: Iterable[str]) -> str:
    start = [f"/* {header_line('specs')} */", f"#ifndef {guard}", f"#define {guard}"]
    return "\n".join([*start, *lines, "#endif", ""])


def _named(verb: str, info: OperatorInfo) -> str:
    return f"aclspec_{verb}_{info.snake}"


def _header(checked: Iterable[OperatorInfo], universe: tuple[str, ...]) -> str:
    """The header: products, what a call is, and the functions of each operator."""
    products = ", ".join([*map(product_name, universe), "ACLSPEC_PRODUCT_COUNT"])
    lines = [
        f"/* {header_line('specs')} */",
        "/* The checks of aclnn operators: whether a call works on a product, and why not. */",
        "#ifndef ACLSPEC_CHECKS_H",
        "#define ACLSPEC_CHECKS_H",
        "#include <stdbool.h>",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"typedef enum {{ {products} }} aclspec_product;",
        "",
        _LIBRARY.joinpath("checks.h").read_text(encoding="utf-8"),
        "/* The operators one by one: what their entries in the table hold. */",
    ]
    for info in checked:
        lines.append(f"void {_named('check', info)}({_SIGNATURE},\n    aclspec_verdict *verdict);")
        lines.append(f"bool {_named('writes', info)}(int param, const aclspec_argument *arguments);")
        lines.append(f"size_t {_named('explain', info)}({_EXPLAIN});")
        lines.append(f"bool {_named('caveat', info)}({_CAVEAT});")
    lines += ["", "#ifdef __cplusplus", "}", "#endif", "#endif", ""]
    return "\n".join(lines)


def _operators(infos: Sequence[OperatorInfo], universe: tuple[str, ...]) -> str:
    """The source of the table of operators, and of the functions of each."""
    lines = [f"/* {header_line('specs')} */", '#include "aclspec_evaluator.h"', ""]
    lines += [
        "const char *const aclspec_products[] = {",
        *(f"    {quoted(key)}," for key in universe),
        "    NULL,",
        "};",
        "",
        _FUNCTIONS,
    ]
    checked = [info for info in infos if info.facts.has_rules]
    lines += [f"OPERATOR({at}, {info.snake})" for at, info in enumerate(checked)]
    lines.append("")
    shared: dict[str, str] = {}
    for info in infos:
        text = "\n".join(_params(info))
        if text not in shared:
            shared[text] = f"params_{info.snake}"
            lines += [f"static const aclspec_param {shared[text]}[] = {{", text, "};"]
    lines += ["", "const aclspec_operator aclspec_operators[] = {"]
    for info in infos:
        verbs = ("check", "writes", "explain", "caveat")
        functions = ", ".join(_named(verb, info) if info.facts.has_rules else "NULL" for verb in verbs)
        params = shared["\n".join(_params(info))]
        entry = f"{quoted(info.name)}, {quoted(info.level)}, {len(info.params)}, {params}, {functions}"
        lines.append(f"    {{{entry}}},")
    lines += ["};", f"const int aclspec_operator_count = {len(infos)};", "", _FIND]
    return "\n".join(lines)


def _params(info: OperatorInfo) -> Iterator[str]:
    for param in info.params:
        is_input = param.direction != "out"
        flags = f"{str(param.is_output).lower()}, {str(is_input).lower()}"
        yield f"    {{{quoted(param.name)}, {quoted(param.type)}, {flags}}},"
    if not info.params:
        yield '    {"", "", false, false},'


_FUNCTIONS = """\
#define OPERATOR(number, name) \\
    void aclspec_check_##name(int product, bool library, const aclspec_argument *arguments, aclspec_verdict *verdict) \\
    { \\
        aclspec_check_operator(number, product, library, arguments, verdict); \\
    } \\
    bool aclspec_writes_##name(int param, const aclspec_argument *arguments) \\
    { \\
        return aclspec_operator_writes(number, param, arguments); \\
    } \\
    size_t aclspec_explain_##name(int product, const aclspec_argument *arguments, const aclspec_verdict *verdict, \\
                                  aclspec_language language, char *buffer, size_t size) \\
    { \\
        return aclspec_explain_operator(number, product, arguments, verdict, language, buffer, size); \\
    } \\
    bool aclspec_caveat_##name(int product, bool library, const aclspec_argument *arguments, \\
                               aclspec_verdict *verdict, aclspec_caveat *found) \\
    { \\
        return aclspec_caveat_operator(number, product, library, arguments, verdict, found); \\
    }
"""
_FIND = """\
const aclspec_operator *aclspec_find_operator(const char *name)
{
    int low = 0, high = aclspec_operator_count;
    while (low < high) {
        const int middle = low + (high - low) / 2, order = strcmp(name, aclspec_operators[middle].name);
        if (order == 0)
            return &aclspec_operators[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

int aclspec_find_product(const char *key)
{
    for (int product = 0; aclspec_products[product] != NULL; ++product)
        if (strcmp(key, aclspec_products[product]) == 0)
            return product;
    return -1;
}
"""
