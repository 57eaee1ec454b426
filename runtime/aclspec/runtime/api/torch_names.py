"""The operators that a function of PyTorch calls on an NPU, from the tables of generated packages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Final

TABLE: Final = "_torch"
"""The module of a generated package that has the names."""
_SHORT: Final = {"F.": "torch.nn.functional.", "torch.Tensor.": "Tensor.", "torch.ops.aten.": "aten::"}
"""Beginnings that mean another one."""
_HOMES: Final = ("torch.", "Tensor.", "torch.nn.functional.", "torch_npu.", "aten::")
"""Where a function without its module is looked for."""


def names(package: str) -> Mapping[str, str]:
    """The table of a package: a function, and the C names of its operators between spaces; empty where it has none."""
    try:
        found: Mapping[str, str] = import_module(f"{package}.{TABLE}").TORCH
    except ModuleNotFoundError:
        return {}
    return found


def operators_of(name: str, packages: Iterable[str]) -> tuple[str, ...]:
    """The C names of the operators that a function calls, one of its own name first; none for another name.

    The name may lack its module, and an overload of ATen may follow: ``F.softmax``, ``npu_rotary_mul``,
    ``aten::mm.default``.
    """
    spellings = list(_spellings(name))
    for package in packages:
        table = names(package)
        for spelling in spellings:
            if spelling in table:
                last = spelling.rpartition(".")[2].rpartition(":")[2].replace("_", "").lower()
                found = table[spelling].split()
                return tuple(sorted(found, key=lambda one: one.lower() != f"aclnn{last}"))
    return ()


def _spellings(name: str) -> Iterable[str]:
    for short, long in _SHORT.items():
        if name.startswith(short):
            name = long + name.removeprefix(short)
    if name.startswith("aten::"):
        yield name.partition(".")[0]
    elif "." in name:
        yield name
    elif name.isidentifier():
        yield from (home + name for home in _HOMES)
