"""``aclspec reference``: keys of a spec, short forms, functions of predicates; from the data of the reference pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from aclspec.cli import operators, output
from aclspec.cli.errors import UsageError
from aclspec.cli.output import AsJson

if TYPE_CHECKING:
    from aclspec.codegen.render.manual.words import Lang

HEADS = ("key", "of", "value", "default", "meaning")
SHORT = ("where", "form", "means")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def reference(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="A key or a part of a spec, a key of a short form, or a function of predicates."
        ),
    ] = None,
    lang: Annotated[str, typer.Option(help="Language of what functions compute: en or zh.")] = "en",
    as_json: AsJson = False,
) -> None:
    """Explain a key of a spec, a short form of one, or a function of predicates; without a name, list them all.

    Example: aclspec reference relies_on
    """
    from aclspec.codegen.pages import short_forms
    from aclspec.codegen.pages.predicate_reference import function_rows, models
    from aclspec.runtime.abi.suggest import question

    operators.one_of(lang, ("en", "zh"), "language")
    language: Lang = "zh" if lang == "zh" else "en"
    parts = dict(models())
    keys = [
        {"key": key, "of": model, "value": value, "default": default, "meaning": meaning}
        for model, rows in parts.items()
        for key, value, default, meaning in map(_plain, rows)
        if name is None or name == key or name.lower() == model.lower()
    ]
    functions = [
        {"function": key, "signatures": signatures.split("<br>"), "value": value}
        for key, (signatures, value) in function_rows(language).items()
        for signatures, value in (_plain((signatures, value)),)
        if name in (None, key)
    ]
    short = [dict(zip(SHORT, _plain(row), strict=True)) for row in short_forms.rows(language, name)]
    if name is not None and not keys and not functions and not short:
        known = [_plain(row)[0] for rows in parts.values() for row in rows]
        hint = question(name, (*known, *parts, *short_forms.keys(), *function_rows("en")))
        raise UsageError(f"The name ({name}) is neither a key of a spec nor a function of predicates{hint}")
    if as_json:
        output.show_json({"keys": keys, "short_forms": short, "functions": functions})
    elif name is None:
        rows_of = ((model, ", ".join(_plain(row)[0] for row in rows)) for model, rows in parts.items())
        output.show(output.table("Parts of a spec, and their keys", ("part", "keys"), rows_of))
        output.show(output.table("Short forms", SHORT, (tuple(one.values()) for one in short)))
        output.show(output.plain("Functions of predicates: " + ", ".join(str(one["function"]) for one in functions)))
    else:
        if keys:
            output.show(output.table(None, HEADS, (tuple(one.values()) for one in keys)))
        if short:
            output.show(output.table(None, SHORT, (tuple(one.values()) for one in short)))
        for one in functions:
            output.show(output.plain("\n".join((*one["signatures"], "", str(one["value"])))))


def _plain(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Cells of Markdown as a terminal shows them."""
    return tuple(_LINK.sub(r"\1", cell).replace("`", "") for cell in cells)
