"""``aclspec reference``: the keys of a spec and the functions of predicates, from the data of the site's reference."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from aclspec.cli import operators, output
from aclspec.cli.errors import UsageError
from aclspec.cli.output import AsJson

HEADS = ("key", "of", "value", "default", "meaning")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def reference(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A key or a part of a spec, or a function of predicates.")
    ] = None,
    lang: Annotated[str, typer.Option(help="Language of what functions compute: en or zh.")] = "en",
    as_json: AsJson = False,
) -> None:
    """Explain a key of a spec or a function of predicates; without a name, list them all.

    Example: aclspec reference relies_on
    """
    from aclspec.codegen.pages.predicate_reference import function_rows, models
    from aclspec.runtime.abi.suggest import question

    operators.one_of(lang, ("en", "zh"), "language")
    parts = dict(models())
    keys = [
        {"key": key, "of": model, "value": value, "default": default, "meaning": meaning}
        for model, rows in parts.items()
        for key, value, default, meaning in map(_plain, rows)
        if name is None or name == key or name.lower() == model.lower()
    ]
    functions = [
        {"function": key, "signatures": signatures.split("<br>"), "value": value}
        for key, (signatures, value) in function_rows("zh" if lang == "zh" else "en").items()
        for signatures, value in (_plain((signatures, value)),)
        if name in (None, key)
    ]
    if name is not None and not keys and not functions:
        known = [_plain(row)[0] for rows in parts.values() for row in rows]
        hint = question(name, (*known, *parts, *function_rows("en")))
        raise UsageError(f"The name ({name}) is neither a key of a spec nor a function of predicates{hint}")
    if as_json:
        output.show_json({"keys": keys, "functions": functions})
    elif name is None:
        rows_of = ((model, ", ".join(_plain(row)[0] for row in rows)) for model, rows in parts.items())
        output.show(output.table("Parts of a spec, and their keys", ("part", "keys"), rows_of))
        output.show(output.plain("Functions of predicates: " + ", ".join(str(one["function"]) for one in functions)))
    else:
        if keys:
            output.show(output.table(None, HEADS, (tuple(one.values()) for one in keys)))
        for one in functions:
            output.show(output.plain("\n".join((*one["signatures"], "", str(one["value"])))))


def _plain(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Cells of Markdown as a terminal shows them."""
    return tuple(_LINK.sub(r"\1", cell).replace("`", "") for cell in cells)
