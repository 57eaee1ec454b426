"""The package of the operators: a table of names, and each module loaded when it is first used."""

from __future__ import annotations

import builtins
from pathlib import PurePosixPath
from typing import Any

from aclspec.codegen.emit.pretty import Group, call, lay_out, quoted
from aclspec.codegen.load import Project
from aclspec.codegen.render.environment import template
from aclspec.codegen.render.names import import_lines, result_class
from aclspec.codegen.render.target import OWN_PACKAGE, Target


def render_package(project: Project, target: Target) -> dict[PurePosixPath, str]:
    """The files of the package that belong to no single operator."""
    infos = [operator.info for operator in project.operators]
    public = {
        info.snake: [result_class(info.name), info.name, f"{info.name}GetWorkspaceSize", info.snake] for info in infos
    }
    own = ("CATALOG", "get", "names", "register")
    exported = sorted({*own, *(name for names in public.values() for name in names)}, key=_rank)
    table = Group("{", tuple((f'"{info.snake}": ', quoted(info.name)) for info in infos), "}")
    view: dict[str, Any] = {
        "hides": any(hasattr(builtins, info.snake) for info in infos),
        "header": target.header("specs"),
        "package": target.package,
        "example": infos[0] if infos else None,
        "how": "from aclspec import ops" if target.package == OWN_PACKAGE else f"import {target.package} as ops",
        "imports": [
            line
            for info in sorted(infos, key=lambda info: info.snake)
            for line in import_lines(f"{target.package}.{info.snake}", public[info.snake], depth=1)
        ],
        "table": list(lay_out("CATALOG = ", call("Catalog", "__name__", table))),
        "exported": list(lay_out("__all__ = ", Group("[", tuple(("", quoted(name)) for name in exported), "]"))),
    }
    return {
        target.folder / "__init__.py": template("package.py.j2").render(**view),
        target.folder / "_info" / "__init__.py": template("info_package.py.j2").render(**view),
        target.folder / "py.typed": "",
    }


def _rank(name: str) -> tuple[bool, bool, str]:
    return not name.isupper(), not name[:1].isupper(), name
