"""The templates of reports, which show what may be anybody's: all of it is text but what is `Markup` by its type."""

from __future__ import annotations

from functools import cache

from jinja2 import Template

from aclspec.codegen.render.environment import environment


@cache
def template(name: str) -> Template:
    """A template of a report, compiled once."""
    return environment("aclspec.codegen.reports", autoescape=True).get_template(name)
