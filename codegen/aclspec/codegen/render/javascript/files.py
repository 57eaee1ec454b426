"""The scripts of a project: the shared tables, one for each operator, and for a package of one's own the library."""

from __future__ import annotations

from importlib.resources import files
from pathlib import PurePosixPath

from aclspec.codegen.derive import derive_cases
from aclspec.codegen.load import Operator, Project
from aclspec.codegen.render.javascript.operator import render_operator_script
from aclspec.codegen.render.javascript.presets import presets
from aclspec.codegen.render.javascript.tables import render_tables
from aclspec.codegen.render.target import OWN_PACKAGE, Target

FOLDER = PurePosixPath("docs/assets/ask")
LIBRARY = files("aclspec.codegen.render.javascript") / "library"
"""The hand-written scripts and the style sheet, which read the tables and run what the operators' scripts register."""


def render_script(project: Project, operator: Operator, target: Target) -> dict[PurePosixPath, str]:
    """The script of one operator, by its path below the generated files."""
    default = next(product.key for product in project.products if product.default)
    calls = presets(operator.info, derive_cases(operator.info).suite, default)
    text = render_operator_script(operator.info, target, calls)
    return {FOLDER / "operators" / f"{operator.info.snake}.js": text}


def render_shared_scripts(project: Project, target: Target) -> dict[PurePosixPath, str]:
    """The tables; and the library, which the site of this project takes from the package itself."""
    found = {FOLDER / "tables.js": render_tables(project, target)}
    if target.package != OWN_PACKAGE:
        found |= {FOLDER / name: _copied(text, target) for name, text in library().items()}
    return found


def library() -> dict[str, str]:
    """The hand-written files by name."""
    return {one.name: one.read_text(encoding="utf-8") for one in sorted(LIBRARY.iterdir(), key=lambda one: one.name)}


def _copied(text: str, target: Target) -> str:
    header = target.header("the library of aclspec")
    return f"/* {header} */\n{text}"
