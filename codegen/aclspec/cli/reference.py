"""The reference page of the command line, from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from aclspec.cli.app import ORDER, app
from aclspec.codegen.pages.predicate_reference import table
from aclspec.codegen.render.manual.words import Lang


def commands(lang: Lang) -> str:
    """A section for every command: what it does, its arguments and its options."""
    top = typer.main.get_command(app)
    chosen = ((name, top.commands[name]) for name in ORDER)  # type: ignore[attr-defined]
    return "\n".join(section for name, command in chosen for section in _sections(name, command, lang))


def _sections(name: str, command: Any, lang: Lang) -> Iterator[str]:
    """A section for a command, or for each command of a group."""
    inner = {} if hasattr(command, "choices") else getattr(command, "commands", {})
    for word, one in inner.items():
        yield from _sections(f"{name} {word}", one, lang)
    if not inner:
        yield _section(name, command, lang)


def _section(name: str, command: Any, lang: Lang) -> str:
    lines = [f"## aclspec {name} {{ #{name.replace(' ', '-')} }}", "", *_paragraphs(command.help or ""), ""]
    rows = list(_rows(command))
    return "\n".join([*lines, table(("argument or option", "meaning"), rows, lang) if rows else ""])


def _paragraphs(text: str) -> Iterator[str]:
    """The help, its example as a block of code."""
    for line in text.strip().splitlines():
        before, example, command = line.partition("Example: ")
        yield f"{before}```console\n$ {command}\n```" if example else line


def _rows(command: Any) -> Iterator[tuple[str, ...]]:
    for choice in getattr(command, "choices", ()):
        yield f"`--{choice.name}{f' {choice.metavar}' if choice.metavar else ''}`", choice.help
    for param in command.params:
        if param.name in ("help", "install_completion", "show_completion"):
            continue
        if param.param_type_name == "argument":
            yield f"`{param.metavar or param.name.upper()}`", param.help or ""
        else:
            value = "" if param.is_flag else f" {param.metavar or 'VALUE'}"
            yield f"`{param.opts[0]}{value}`", param.help or ""
