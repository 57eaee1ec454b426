"""The files of the checks in C: one header, a source that all share, and one for each operator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import PurePosixPath

from aclspec.codegen.emit.c.expressions import quoted
from aclspec.codegen.emit.c.names import product_name
from aclspec.codegen.emit.c.operator import Source, emit_c
from aclspec.codegen.emit.c.statements import code_of
from aclspec.codegen.emit.c.tables import member_lines, table_lines
from aclspec.codegen.render.build import header_line
from aclspec.runtime.rules.operator_info import OperatorInfo

HEADER, SUPPORT = "aclspec_checks.h", "aclspec_checks_support.h"
_LIBRARY = files("aclspec.codegen.emit.c")
_SIGNATURE = "int product, bool library, const aclspec_argument *arguments"
_EXPLAIN = (
    "int product, const aclspec_argument *arguments, const aclspec_verdict *verdict,\n"
    "{indent}aclspec_language language, char *buffer, size_t size"
)


def render_c(infos: Sequence[OperatorInfo], universe: tuple[str, ...]) -> dict[PurePosixPath, str]:
    """The texts of all files by path: of operators, declared ones too, on all products there are."""
    ordered = sorted(infos, key=lambda info: info.name.encode())
    checked = [info for info in ordered if info.facts.has_rules]
    return {
        PurePosixPath(HEADER): _header(checked, universe),
        PurePosixPath(SUPPORT): _filled("support.h", "members", member_lines()),
        PurePosixPath("aclspec_checks_support.c"): _filled("support.c", "tables", table_lines()),
        PurePosixPath("aclspec_checks.c"): _table(ordered, universe),
        **{PurePosixPath("operators", f"{info.snake}.c"): render_operator(info, universe) for info in checked},
    }


def render_operator(info: OperatorInfo, universe: tuple[str, ...]) -> str:
    """The source of one operator."""
    source = emit_c(info, universe)
    names = ", ".join([*(quoted(param.name) for param in info.params), "NULL"])
    return "\n".join(
        [
            f"/* {header_line(info.spec)} */",
            f"/* {info.name}: its check, and the sentences of its rules. */",
            f'#include "../{SUPPORT}"',
            "",
            *source.constants,
            *_functions(info, source),
            "static const char *const REQUIREMENTS[][2] = {",
            *source.requirements,
            "};",
            f"static const char *const NAMES[] = {{{names}}};",
            "",
            f"size_t {_named('explain', info)}({_EXPLAIN.format(indent='    ')})",
            "{",
            "    return aclspec_sentence(say, REQUIREMENTS, NAMES, product, arguments, verdict, language, buffer,",
            "                            size);",
            "}",
            "",
        ]
    )


def _functions(info: OperatorInfo, source: Source) -> Iterator[str]:
    yield from ("", "/* The first rule that a call breaks, or the shortcut that it takes. A status is 0 in a mode that")
    yield " * does not ask the rule. */"
    yield f"void {_named('check', info)}({_SIGNATURE}, aclspec_verdict *verdict)"
    yield "{"
    yield from _used("    const char **const unseen = &verdict->unknown;", source.check)
    yield from _void(source.check, "product", "library", "arguments")
    yield "    *verdict = (aclspec_verdict){.index = -1, .as_library = library};"
    yield from source.check
    yield from ("}", "")
    yield "/* What is wrong with a call that a rule refuses: given and expected, with the actual values. */"
    yield f"static void say(aclspec_text *out, {_SIGNATURE}, int index)"
    yield "{"
    yield from _used("    const char **const unseen = &out->unseen;", source.say)
    yield from _void(source.say, "out", "product", "library", "arguments", "index")
    yield from source.say
    yield from ("}", "")


def _used(declaration: str, body: Sequence[str]) -> Iterator[str]:
    """The declaration of where a function says what it needs and the caller does not know, if it may."""
    if any(re.search(r"\b(KNOWN|LENGTH|ITEM|INT|INTS|GIVEN_SCALAR|GIVEN_TENSORS)\(", line) for line in body):
        yield declaration


def _void(body: Sequence[str], *names: str) -> Iterator[str]:
    """A mention of the parameters that a body does not, so that no compiler complains."""
    words = set(re.findall(r"\w+", "\n".join(map(code_of, body))))
    yield from (f"    (void){name};" for name in names if name not in words)


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
        explain = _EXPLAIN.format(indent=" " * 4)
        lines.append(f"void {_named('check', info)}({_SIGNATURE},\n    aclspec_verdict *verdict);")
        lines.append(f"size_t {_named('explain', info)}({explain});")
    lines += ["", "#ifdef __cplusplus", "}", "#endif", "#endif", ""]
    return "\n".join(lines)


def _filled(name: str, mark: str, lines: Iterable[str]) -> str:
    """A file of the library with generated lines in their place."""
    text = _LIBRARY.joinpath(name).read_text(encoding="utf-8")
    place = f"/* @{mark}@ */"
    assert text.count(place) == 1, name
    return f"/* {header_line('the library of aclspec')} */\n{text.replace(place, chr(10).join(lines))}"


def _table(infos: Sequence[OperatorInfo], universe: tuple[str, ...]) -> str:
    """The source of the tables of operators and products."""
    lines = [f"/* {header_line('specs')} */", f'#include "{HEADER}"', "#include <string.h>", ""]
    lines += [
        "const char *const aclspec_products[] = {",
        *(f"    {quoted(key)}," for key in universe),
        "    NULL,",
        "};",
        "",
    ]
    for info in infos:
        lines += [f"static const aclspec_param params_{info.snake}[] = {{", *_params(info), "};"]
    lines += ["", "const aclspec_operator aclspec_operators[] = {"]
    for info in infos:
        functions = f"{_named('check', info)}, {_named('explain', info)}" if info.facts.has_rules else "NULL, NULL"
        count = len(info.params)
        lines.append(f"    {{{quoted(info.name)}, {quoted(info.level)}, {count}, params_{info.snake}, {functions}}},")
    lines += ["};", f"const int aclspec_operator_count = {len(infos)};", "", _FIND]
    return "\n".join(lines)


def _params(info: OperatorInfo) -> Iterator[str]:
    for param in info.params:
        is_input = param.direction != "out"
        flags = f"{str(param.is_output).lower()}, {str(is_input).lower()}"
        yield f"    {{{quoted(param.name)}, {quoted(param.type)}, {flags}}},"
    if not info.params:
        yield '    {"", "", false, false},'


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
