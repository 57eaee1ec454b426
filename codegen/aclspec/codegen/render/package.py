"""The package of the operators: a table of names, and each module loaded when it is first used."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, Protocol

from aclspec.codegen.render.build import OWN_PACKAGE, Target, header_line
from aclspec.codegen.render.environment import import_lines, template
from aclspec.codegen.render.module import result_class


class Named(Protocol):
    """An operator by its names."""

    @property
    def name(self) -> str:
        """The C name."""

    @property
    def snake(self) -> str:
        """The Python name."""


def render_package(operators: Sequence[Named], target: Target) -> dict[PurePosixPath, str]:
    """The files of the package that belong to no single operator."""
    public = {
        one.snake: [result_class(one.name), one.name, f"{one.name}GetWorkspaceSize", one.snake] for one in operators
    }
    own = ("CATALOG", "get", "names", "register", "why")
    exported = sorted({*own, *(name for names in public.values() for name in names)}, key=_rank)
    view: dict[str, Any] = {
        "hides": any(hasattr(builtins, one.snake) for one in operators),
        "header": header_line("specs"),
        "package": target.package,
        "example": operators[0] if operators else None,
        "how": "from aclspec import ops" if target.package == OWN_PACKAGE else f"import {target.package} as ops",
        "imports": [
            line
            for one in sorted(operators, key=lambda one: one.snake)
            for line in import_lines(f"{target.package}.{one.snake}", public[one.snake], depth=1)
        ],
        "table": {one.snake: one.name for one in operators},
        "exported": exported,
    }
    return {
        target.folder / "__init__.py": template("package.py.j2").render(**view),
        target.folder / "py.typed": "",
    }


def _rank(name: str) -> tuple[bool, bool, str]:
    return not name.isupper(), not name[:1].isupper(), name
