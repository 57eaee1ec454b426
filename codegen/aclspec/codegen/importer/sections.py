"""Which blocks of a page belong to which function, and to its constraints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from aclspec.codegen.importer.blocks import Block, Heading

_PHASE_ONE = re.compile(r"(aclnn\w+?)GetWork[sS]paceSize")
_PARAMETERS = re.compile("参数说明|参数$|返回值|错误码|算子执行接口|函数参数")
_CONSTRAINTS = re.compile("约束")


def of_function(blocks: Sequence[Block], name: str) -> list[Block]:
    """The section of a function's phase one; in a page without such headings the sections about parameters."""
    own = list(_below(blocks, lambda text: (match := _PHASE_ONE.search(text)) is not None and match[1] == name))
    return own or list(_below(blocks, lambda text: bool(_PARAMETERS.search(text))))


def constraints(blocks: Sequence[Block]) -> list[Block]:
    """The sections of constraints, which the functions of a page share."""
    return list(_below(blocks, lambda text: bool(_CONSTRAINTS.search(text))))


def _below(blocks: Sequence[Block], wanted: Callable[[str], bool]) -> Iterator[Block]:
    """What stands below the headings that are wanted, deeper headings left out."""
    inside, level = False, 0
    for block in blocks:
        if isinstance(block, Heading):
            if wanted(block.text):
                inside, level = True, block.level
            elif inside and block.level <= level:
                inside = False
        elif inside:
            yield block
