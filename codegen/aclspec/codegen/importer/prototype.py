"""Prototypes of phase one, from the code of a page or from a C header."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aclspec.codegen.importer.blocks import Block, Code, Line
from aclspec.codegen.importer.model import TRAILING, Parameter

_PROTOTYPE = re.compile(r"\b(aclnn\w+?)GetWork[sS]paceSize\s*\(([^()]*)\)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DECLARED = re.compile(r"aclTensor|aclOpExecutor|uint64_t")


def read_prototypes(blocks: Iterable[Block]) -> dict[str, list[Parameter]]:
    """The functions that a page declares: in its code, else in running text."""
    found: dict[str, list[Parameter]] = {}
    for kind in (Code, Line):
        for block in blocks:
            if isinstance(block, kind) and not (isinstance(block, Code) and re.search(r"\bmain\s*\(", block.text)):
                for name, parameters in read_header(block.text).items():
                    found.setdefault(name, parameters)
    return found


def read_header(text: str) -> dict[str, list[Parameter]]:
    """The declarations of phase one in a text in C."""
    found: dict[str, list[Parameter]] = {}
    for match in _PROTOTYPE.finditer(_COMMENT.sub("", text)):
        if _DECLARED.search(match[2]) and match[1] not in found:
            parameters = [_parameter(part) for part in match[2].split(",") if part.strip()]
            found[match[1]] = [
                one for one in parameters if one.name not in TRAILING and "aclOpExecutor" not in one.c_type
            ]
    return found


def _parameter(text: str) -> Parameter:
    """One declaration; the star stands at the type, as in ``const aclTensor* self``."""
    words = re.sub(r"\s+", " ", re.sub(r"\[\s*\]", "", text)).strip()
    match = re.fullmatch(r"(.*?)(\w+)", words)
    c_type, name = (match[1], match[2]) if match and match[1] else (words, "")
    return Parameter(name, re.sub(r"\*+", "*", re.sub(r"\s*\*\s*", "*", c_type)).strip())
