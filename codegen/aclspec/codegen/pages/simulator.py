"""What the simulator emulates: the functions that its headers declare, header by header, and those of the operators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from aclspec.codegen.pages.coverage import project_of
from aclspec.codegen.pages.predicate_reference import table
from aclspec.codegen.render.manual.markdown import codes
from aclspec.codegen.render.manual.words import Lang

_DECLARED = re.compile(r"^ACL_FUNC_VISIBILITY\b[^;(]*?\b(\w+)\(", re.MULTILINE)
_HEADS: dict[Lang, tuple[tuple[str, str, str], tuple[str, str, str]]] = {
    "en": (("header", "functions", "which"), ("operator", "header", "functions")),
    "zh": (("头文件", "个数", "函数"), ("算子", "头文件", "函数")),
}
_TITLES: dict[Lang, tuple[str, str]] = {
    "en": ("The library's own functions", "The operators"),
    "zh": ("库自身的函数", "算子"),
}


def simulator(lang: Lang, root: Path) -> str:
    """The tables of a checkout."""
    own, operators = _TITLES[lang]
    heads = _HEADS[lang]
    return "\n".join(
        (
            f"## {own} {{: #functions}}\n",
            table(heads[0], _headers()),
            f"## {operators} {{: #operators}}\n",
            table(heads[1], _operators(root)),
        )
    )


def functions(header: str) -> list[str]:
    """The functions that the text of a header declares, in its order."""
    return list(dict.fromkeys(_DECLARED.findall(header)))


def _headers() -> Iterator[tuple[str, str, str]]:
    top = files("aclspec.runtime.simulator") / "include"
    for folder in sorted((one for one in top.iterdir() if one.is_dir()), key=lambda one: one.name):
        for header in sorted(folder.iterdir(), key=lambda one: one.name):
            found = functions(header.read_text(encoding="utf-8"))
            if found:
                yield f"`{folder.name}/{header.name}`", str(len(found)), codes(found)


def _operators(root: Path) -> Iterator[tuple[str, str, str]]:
    for operator in project_of(root).operators:
        info = operator.info
        link = f"[`{info.name}`](operators/{info.snake}.md)"
        yield link, f"`aclnnop/{info.header}`", codes((f"{info.name}GetWorkspaceSize", info.name))
