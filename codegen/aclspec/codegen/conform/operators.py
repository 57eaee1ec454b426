"""The generated operators, which the generator imports by name alone: they are its output, not a part of it."""

from __future__ import annotations

from importlib import import_module

from aclspec.runtime.api.operator import Operator

PACKAGE = "aclspec.ops"


def find(name: str) -> Operator:
    """The operator of this C name or snake_case name; LookupError for one that is unknown."""
    operator: Operator = import_module(PACKAGE).get(name)
    return operator


def register(package: str) -> None:
    """Also know the operators of another generated package."""
    import_module(PACKAGE).register(package)
