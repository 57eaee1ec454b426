"""C texts of the runtime's interface: headers, functions that need no code of their own, and lists of exports."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from aclspec.codegen.simulator.interface import Function, Interface, Runtime
from aclspec.codegen.source.wrapping import wrapped

MARK = "/* @functions@ */"
"""The line of a hand-written header in whose place the declarations stand."""
WIDTH = 120


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("aclspec.codegen.simulator", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["shell"] = shlex.quote
    environment.filters["c_format"] = lambda text: json.dumps(text.replace("%", "%%"), ensure_ascii=False)
    return environment


def text_of(name: str, **values: object) -> str:
    """A template of the package, filled."""
    return _environment().get_template(name).render(**values)


def header_texts(runtime: Runtime, sources: Path) -> dict[str, str]:
    """The text of each header by its path below ``include``: the hand-written types, and the functions of the specs."""
    by_header = {one.spec.header: one for one in runtime.interfaces.values() if one.spec.header}
    texts: dict[str, str] = {}
    for path in sorted(sources.rglob("*.h")):
        name = path.relative_to(sources).as_posix()
        text = path.read_text(encoding="utf-8")
        interface = by_header.pop(name, None)
        assert (MARK in text) == (interface is not None), name
        texts[name] = text if interface is None else text.replace(MARK, "\n".join(_declarations(interface)))
    assert not by_header, by_header
    return texts


def write_headers(runtime: Runtime, sources: Path, include: Path) -> None:
    """Write all of them below a folder."""
    for name, text in header_texts(runtime, sources).items():
        (include / name).parent.mkdir(parents=True, exist_ok=True)
        (include / name).write_text(text, encoding="utf-8")


def _declarations(interface: Interface) -> Iterator[str]:
    for doc, functions in interface.groups:
        present = [function for function in functions if function.answer != "absent"]
        if present:
            yield f"\n/* {doc.en}. */"
        for function in present:
            yield from wrapped(declaration(function), WIDTH, "", "    ")


def declaration(function: Function) -> str:
    """The declaration of a function, with the check of its format where it has one."""
    text = f"ACL_FUNC_VISIBILITY {function.prototype}"
    if function.is_variadic:
        count = function.params.count(",") + 1
        text += f" __attribute__((format(printf, {count - 1}, {count})))"
    return f"{text};"


def render_stubs(interface: Interface) -> str:
    """The C source of the functions of an interface that need no code of their own."""
    functions = [function for function in interface.functions if function.answer in ("success", "refused")]
    return text_of("stubs.c.j2", interface=interface, functions=functions)


def render_exports(interfaces: Iterable[Interface]) -> str:
    """The version script of a library that exports the functions of these interfaces and nothing else."""
    names = [function.name for interface in interfaces for function in interface.present]
    lines = "".join(f"    {name};\n" for name in names)
    return f"{{\n{'  global:' if names else ''}\n{lines}  local: *;\n}};\n"
