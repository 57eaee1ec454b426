"""The targets beside the Python package: what is written of some operators, each an entry here and its template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Final, TypeAlias

from aclspec.codegen.render.build import Target, header_line
from aclspec.codegen.render.c.files import render_c
from aclspec.codegen.render.environment import template
from aclspec.runtime.rules.operator_info import OperatorInfo

Texts: TypeAlias = Mapping[PurePosixPath, str]
"""Texts by their path below the folder that is written."""


@dataclass(frozen=True, slots=True)
class OperatorTarget:
    """What ``aclspec generate --target NAME`` writes of some operators.

    ``calls_package``: the texts call the operators of a generated package, which therefore has them too.
    """

    render: Callable[[Sequence[OperatorInfo], Target], Texts]
    calls_package: bool = False


def by_template(name: str, infos: Sequence[OperatorInfo], target: Target) -> Texts:
    """One file from the template of its name, which sees the operators in the order of their names."""
    ordered = sorted(infos, key=lambda info: info.snake)
    text = template(f"{name}.j2").render(header=header_line("specs"), operators=ordered, target=target)
    return {PurePosixPath(name): text}


TARGETS: Final[Mapping[str, OperatorTarget]] = {
    "c": OperatorTarget(lambda infos, target: render_c(infos, target.universe)),
    "torch": OperatorTarget(partial(by_template, "torch_library.py"), calls_package=True),
}


def in_package(infos: Sequence[OperatorInfo], target: Target) -> dict[PurePosixPath, str]:
    """The files of the targets that a generated package has."""
    found = [one.render(infos, target) for one in TARGETS.values() if one.calls_package]
    return {target.folder / path: text for texts in found for path, text in texts.items()}
