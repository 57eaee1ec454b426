"""The templates of the site's pages."""

from __future__ import annotations

from functools import cache

from jinja2 import Template

from aclspec.codegen.render.environment import environment


@cache
def template(name: str) -> Template:
    """A template of the pages, compiled once."""
    return environment("aclspec.codegen.pages").get_template(name)
