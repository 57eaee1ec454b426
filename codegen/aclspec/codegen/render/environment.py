"""The Jinja2 environment of the templates, and the layout of generated Python: that of ``ruff format``."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from aclspec.codegen.source.wrapping import wrapped

WIDTH = 120
_FORMAT = ("-m", "ruff", "format", "--isolated", "--no-cache", "--quiet", "--target-version", "py311")


@cache
def template(name: str) -> Template:
    """A template of generated files, compiled once."""
    return environment("aclspec.codegen.render").get_template(name)


@cache
def environment(package: str, autoescape: bool = False) -> Environment:
    """The environment of the templates of a package; ``autoescape``: of HTML, where values are text."""
    found = Environment(
        loader=PackageLoader(package, "templates"),
        undefined=StrictUndefined,  # a missing name is an error, never empty text
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=autoescape,
    )
    found.filters["wrap"] = wrap
    return found


def wrap(text: str, indent: int, first: int | None = None) -> str:
    """A text wrapped to the width of a line, its later lines indented, its first one preceded by ``first`` columns."""
    lead = " " * (indent if first is None else first)
    return "\n".join(wrapped(text, WIDTH, lead, " " * indent)).strip()


def docstring(text: str, indent: int) -> str:
    """A docstring in its place: raw where it has backslashes alone to escape; its lines are indented already."""
    body, quote = text.rstrip(), 'r"""' if "\\" in text else '"""'
    if '"""' in body:
        body, quote = body.replace("\\", r"\\").replace('"""', r"\"\"\""), '"""'
    close = '"""' if "\n" not in body and not body.endswith(('"', "\\")) else f'\n{" " * indent}"""'
    return f"{quote}{body}{close}"


def import_lines(module: str, names: Iterable[str], depth: int = 0) -> list[str]:
    """``from module import names``, sorted, and indented by ``depth`` levels; nothing when there are no names."""
    ordered = sorted(names, key=lambda name: (not name.isupper(), not name[:1].isupper(), name.lower()))
    return [f"{'    ' * depth}from {module} import {', '.join(ordered)}"] if ordered else []


def format_python(texts: Mapping[PurePosixPath, str]) -> dict[PurePosixPath, str]:
    """The texts; Python is laid out by the formatter with our own configuration."""
    python = [path for path in texts if path.suffix in (".py", ".pyi") and texts[path]]
    with TemporaryDirectory(prefix="aclspec-format-") as name:
        files = {path: Path(name, f"{at}{path.suffix}") for at, path in enumerate(python)}
        for path, file in files.items():
            file.write_text(texts[path], encoding="utf-8")
        if files:
            _run(name)
        return {path: files[path].read_text(encoding="utf-8") if path in files else texts[path] for path in texts}


def _run(folder: str) -> None:
    command = [sys.executable, *_FORMAT, "--line-length", str(WIDTH), folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"Generated Python cannot be formatted: {done.stdout}{done.stderr}")
