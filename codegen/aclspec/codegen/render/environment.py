"""The Jinja2 environment of the templates: a name that a template does not get is an error, never empty text."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from aclspec.codegen.wrapping import wrapped

WIDTH = 120


@cache
def template(name: str) -> Template:
    """A template of the package, compiled once."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("aclspec.codegen.render", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["wrap"] = wrap
    return environment


def wrap(text: str, indent: int, first: int | None = None) -> str:
    """A text wrapped to the width of a line, its later lines indented, its first one preceded by ``first`` columns."""
    lead = " " * (indent if first is None else first)
    return "\n".join(wrapped(text, WIDTH, lead, " " * indent)).strip()


def docstring(text: str, indent: int) -> str:
    """A docstring in its place: raw where it has backslashes; its lines have their indents already."""
    quote = 'r"""' if "\\" in text else '"""'
    body = text.rstrip()
    close = '"""' if "\n" not in body and not body.endswith('"') else f'\n{" " * indent}"""'
    return f"{quote}{body}{close}"
