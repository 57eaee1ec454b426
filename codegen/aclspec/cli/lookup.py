"""``aclspec reference``: what a spec may say, from the data of the reference pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aclspec.cli import operators, output
from aclspec.cli.errors import UsageError
from aclspec.cli.output import AsJson

if TYPE_CHECKING:
    from aclspec.codegen.render.manual.words import Lang

KEYS = ("key", "of", "value", "default", "meaning")
SHORT = ("where", "form", "means")
TYPES = ("type", "in C", "in a predicate", "in Python")
FAMILIES = ("family", "names", "operators")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def reference(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A key or a part of a spec, a key of a short form, a type of a parameter, a function of predicates "
            "or of formulas, or a family.",
        ),
    ] = None,
    lang: Annotated[str, typer.Option(help="Language of what functions compute: en or zh.")] = "en",
    as_json: AsJson = False,
) -> None:
    """Explain a key of a spec, a short form, a type, a function or a family; without a name, list them all.

    Of a family it shows all that the specs which use it need not state.

    Example: aclspec reference relies_on
    """
    operators.one_of(lang, ("en", "zh"), "language")
    language: Lang = "zh" if lang == "zh" else "en"
    found = _found(name, language)
    if name is not None and not any(found.values()):
        raise UsageError(f"The name ({name}) is not a key, a type, a function or a family of specs{_hint(name)}")
    if as_json:
        output.show_json(found)
    elif name is None:
        _show_all(found)
    else:
        _show(found)


def _found(name: str | None, lang: Lang) -> dict[str, list[dict[str, Any]]]:
    """What has this name, or all there is, by its kind."""
    from aclspec.codegen.pages import families, short_forms
    from aclspec.codegen.pages.predicate_reference import formula_rows, function_rows, models, type_rows

    functions = ((key, *_plain(row)) for key, row in function_rows(lang).items() if name in (None, key))
    return {
        "keys": [
            dict(zip(KEYS, (key, model, *rest), strict=True))
            for model, rows in models()
            for key, *rest in map(_plain, rows)
            if name is None or name == key or name.lower() == model.lower()
        ],
        "short_forms": [dict(zip(SHORT, _plain(row), strict=True)) for row in short_forms.rows(lang, name)],
        "types": [dict(zip(TYPES, row, strict=True)) for row in map(_plain, type_rows()) if name in (None, row[0])],
        "functions": [
            {"function": key, "signatures": calls.split("<br>"), "value": value} for key, calls, value in functions
        ],
        "formulas": [
            {"function": key, "signatures": [called], "value": value}
            for key, (called, value) in formula_rows(lang).items()
            if name in (None, key)
        ],
        "families": [
            {**dict(zip(FAMILIES, row, strict=True)), **({} if name is None else {"spec": families.text(name)})}
            for row in families.rows(lang)
            if name in (None, row[0])
        ],
    }


def _hint(name: str) -> str:
    """The name that may be meant."""
    from aclspec.codegen.pages import short_forms
    from aclspec.runtime.abi.suggest import question

    first = {"keys": "key", "types": "type", "functions": "function", "formulas": "function", "families": "family"}
    found = _found(None, "en")
    known = dict.fromkeys(one[key] for kind, key in first.items() for one in found[kind])
    parts = dict.fromkeys(one["of"] for one in found["keys"])
    return question(name, (*known, *parts, *short_forms.keys()))


def _show_all(found: Mapping[str, list[dict[str, Any]]]) -> None:
    """Everything, the keys and the functions by their names alone."""
    parts: dict[str, list[str]] = {}
    for one in found["keys"]:
        parts.setdefault(one["of"], []).append(one["key"])
    rows = ((part, ", ".join(keys)) for part, keys in parts.items())
    output.show(output.table("Parts of a spec, and their keys", ("part", "keys"), rows))
    for title, heads, kind in (
        ("Short forms", SHORT, "short_forms"),
        ("Types of parameters", TYPES, "types"),
        ("Families", FAMILIES, "families"),
    ):
        output.show(output.table(title, heads, (tuple(one.values()) for one in found[kind])))
    for title, kind in (("Functions of predicates", "functions"), ("Functions of formulas", "formulas")):
        output.show(output.plain(f"{title}: {', '.join(one['function'] for one in found[kind])}"))


def _show(found: Mapping[str, list[dict[str, Any]]]) -> None:
    """All that has one name."""
    for heads, kind in ((KEYS, "keys"), (SHORT, "short_forms"), (TYPES, "types"), (FAMILIES, "families")):
        if found[kind]:
            output.show(output.table(None, heads, (tuple(one.values())[: len(heads)] for one in found[kind])))
    for one in found["families"]:
        output.write(one["spec"])
    for title, kind in (("In a predicate:", "functions"), ("In a formula:", "formulas")):
        for one in found[kind]:
            output.show(output.plain("\n".join((title, *one["signatures"], "", one["value"]))))


def _plain(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Cells of Markdown as a terminal shows them."""
    return tuple(_LINK.sub(r"\1", cell).replace("`", "") for cell in cells)
