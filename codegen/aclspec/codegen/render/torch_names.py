"""The functions of PyTorch and the operators that each calls on an NPU: one table in the package."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Protocol

from aclspec.codegen.render.build import Target, header_line


class Named(Protocol):
    """An operator by its C name and the functions that call it."""

    @property
    def name(self) -> str:
        """The C name."""

    @property
    def torch(self) -> tuple[str, ...]:
        """The functions."""


def render_torch_names(operators: Iterable[Named], target: Target) -> dict[PurePosixPath, str]:
    """The module that `aclspec.runtime.api.torch_names` reads; none where no spec names a function."""
    found: dict[str, list[str]] = {}
    for one in operators:
        for name in one.torch:
            found.setdefault(name, []).append(one.name)
    if not found:
        return {}
    rows = "".join(f'    "{name}": "{" ".join(sorted(found[name]))}",\n' for name in sorted(found))
    doc = '"""The functions of PyTorch, and the operators that each calls on an NPU."""'
    head = f"# {header_line('specs')}\n# ruff: noqa: E501\n# fmt: off\n{doc}\n"
    return {target.folder / "_torch.py": f"{head}\nTORCH = {{\n{rows}}}\n"}
